#include "rows.hpp"

#include <bit>

#include "key.hpp"

namespace exactree {

std::optional<TwoValues> rank_two_values(NumberColumn column, std::span<std::uint32_t> ranks) {
    const auto n_rows = static_cast<std::ptrdiff_t>(ranks.size());
    if (n_rows == 0) return std::nullopt;
    const double first = column[0];
    std::ptrdiff_t row = 0;
    while (row < n_rows && column[row] == first) ranks[row++] = 0;
    if (row == n_rows) return std::nullopt;
    const double second = column[row];
    const std::uint32_t rank_of_second = second > first ? 1 : 0, rank_of_first = 1 - rank_of_second;
    if (rank_of_first == 1)
        for (std::ptrdiff_t before = 0; before < row; ++before) ranks[before] = 1;
    constexpr std::ptrdiff_t kChunk = 256;  // a column of many values is given up within one
    while (row < n_rows) {
        const std::ptrdiff_t end = std::min(n_rows, row + kChunk);
        bool others = false;
        for (; row < end; ++row) {
            const bool is_first = column[row] == first, is_second = column[row] == second;
            others |= !(is_first | is_second);  // NaN is neither
            ranks[row] = is_second ? rank_of_second : rank_of_first;
        }
        if (others) return std::nullopt;
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
