#include "rows.hpp"

#include <algorithm>
#include <bit>

#include "key.hpp"

namespace exactree {

namespace {

// Ranks of some values that are hoped to be `first` or `second`, and whether all are. Without branches, so that
// compilers make vector loops of it where the stride is one.
template <class Values>
bool rank_chunk(Values values, std::ptrdiff_t n, double first, double second, std::uint32_t* ranks) {
    const std::uint32_t of_first = second > first ? 0 : 1;
    std::uint32_t others = 0;
    for (std::ptrdiff_t row = 0; row < n; ++row) {
        const std::uint32_t is_first = values[row] == first, is_second = values[row] == second;
        others |= 1 - (is_first | is_second);  // NaN is neither
        ranks[row] = is_second ^ of_first;
    }
    return others == 0;
}

}  // namespace

std::optional<TwoValues> rank_two_values(NumberColumn column, std::span<std::uint32_t> ranks) {
    const auto n_rows = static_cast<std::ptrdiff_t>(ranks.size());
    std::ptrdiff_t row = 0;
    while (row < n_rows && column[row] == column[0]) ++row;
    if (row == n_rows) return std::nullopt;
    const double first = column[0], second = column[row];
    constexpr std::ptrdiff_t kChunk = 256;  // a column of many values is given up within one
    for (row = 0; row < n_rows; row += kChunk) {
        const std::ptrdiff_t n = std::min(kChunk, n_rows - row);
        const double* from = column.data + row * column.stride;
        if (!(column.stride == 1 ? rank_chunk(from, n, first, second, ranks.data() + row)
                                 : rank_chunk(NumberColumn{from, column.stride}, n, first, second, ranks.data() + row)))
            return std::nullopt;
    }
    return TwoValues{std::min(first, second), std::max(first, second)};
}

namespace {

using Keys = std::span<const std::span<const std::uint32_t>>;

std::vector<std::uint64_t> hash_rows(Keys keys, std::size_t n_rows, std::uint64_t seed) {
    std::vector<std::uint64_t> out(n_rows, scramble(seed));
    for (const auto key : keys)
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::uint64_t mixed = (out[row] ^ key[row]) * 0x9fb21c651e98df25u;
            out[row] = mixed ^ (mixed >> 32);
        }
    return out;
}

// Groups by hash, numbered by first appearance; `first` receives the first row of each.
std::vector<std::int64_t> group_hashes(const std::vector<std::uint64_t>& hashes, std::vector<std::size_t>& first) {
    std::vector<std::uint32_t> places(std::bit_ceil(2 * hashes.size() + 2), 0);  // number of a group plus one
    std::vector<std::int64_t> out(hashes.size());
    first.clear();
    for (std::size_t row = 0; row < hashes.size(); ++row) {
        std::size_t at = hashes[row] & (places.size() - 1);
        while (places[at] != 0 && hashes[first[places[at] - 1]] != hashes[row]) at = (at + 1) & (places.size() - 1);
        if (places[at] == 0) {
            first.push_back(row);
            places[at] = static_cast<std::uint32_t>(first.size());
        }
        out[row] = places[at] - 1;
    }
    return out;
}

bool all_equal_first(Keys keys, const std::vector<std::int64_t>& groups, const std::vector<std::size_t>& first) {
    for (const auto key : keys) {
        bool differ = false;
        for (std::size_t row = 0; row < groups.size(); ++row)
            differ |= key[row] != key[first[static_cast<std::size_t>(groups[row])]];
        if (differ) return false;
    }
    return true;
}

}  // namespace

std::vector<std::int64_t> number_rows(Keys keys, std::size_t n_rows) {
    std::vector<std::size_t> first;
    for (std::uint64_t seed = 0;; ++seed) {  // another seed if two different rows share a hash, which hardly happens
        std::vector<std::int64_t> groups = group_hashes(hash_rows(keys, n_rows, seed), first);
        if (all_equal_first(keys, groups, first)) return groups;
    }
}

}  // namespace exactree
