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

inline bool has_row(const RowBits& set, std::uint32_t row) noexcept { return set[row / 64] >> (row % 64) & 1; }

inline void add_row(RowBits& set, std::uint32_t row) noexcept { set[row / 64] |= Word{1} << (row % 64); }

inline RowBits all_rows(std::size_t n_rows) {
    RowBits out(words_for(n_rows), ~Word{0});
    if (n_rows % 64 != 0) out.back() = (Word{1} << (n_rows % 64)) - 1;
    return out;
}

// The words of `set` that hold the rows from `begin` to before `end`, without the other rows in them.
inline void slice(const RowBits& set, std::size_t begin, std::size_t end, RowBits& out) {
    out.assign(set.begin() + static_cast<std::ptrdiff_t>(begin / 64),
               set.begin() + static_cast<std::ptrdiff_t>(words_for(end)));
    if (out.empty()) return;
    out.front() &= ~Word{0} << (begin % 64);
    if (end % 64 != 0) out.back() &= (Word{1} << (end % 64)) - 1;
}

template <class Visit>
void for_each_row(const Word* words, std::size_t n_words, Visit visit) {
    for (std::size_t w = 0; w < n_words; ++w)
        for (Word word = words[w]; word; word &= word - 1)
            visit(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(word))));
}

}  // namespace exactree
