// Sets of rows, one bit each. Bits beyond the last row are zero.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace exactree {

using Word = std::uint64_t;
using RowBits = std::vector<Word>;

inline std::size_t words_for(std::size_t n_rows) noexcept { return (n_rows + 63) / 64; }

inline RowBits all_rows(std::size_t n_rows) {
    RowBits out(words_for(n_rows), ~Word{0});
    if (n_rows % 64 != 0) out.back() = (Word{1} << (n_rows % 64)) - 1;
    return out;
}

template <class Visit>
void for_each_row(const Word* words, std::size_t n_words, Visit visit) {
    for (std::size_t w = 0; w < n_words; ++w)
        for (Word word = words[w]; word; word &= word - 1)
            visit(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(word))));
}

}  // namespace exactree
