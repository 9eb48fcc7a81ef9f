#include "table/rows.hpp"

#include <algorithm>
#include <bit>

#include "core/key.hpp"

namespace exactree::table {

namespace {

constexpr std::ptrdiff_t kChunk = 256;  // a column of many values is abandoned within one

// Ranks of up to a chunk of values that should be `first` or `second`, and whether all are. Comparisons as numbers of
// the same width, then one narrowing: compilers make vector loops of both where the stride is one.
template <class Value, class Values>
bool rank_chunk(Values values, std::ptrdiff_t n, Value first, Value second, std::uint32_t* ranks) {
    const std::int32_t of_first = second > first ? 0 : 1;
    Value is_second[kChunk], is_either[kChunk];
    for (std::ptrdiff_t row = 0; row < n; ++row) {
        is_second[row] = values[row] == second ? Value{1} : Value{0};
        is_either[row] = is_second[row] + (values[row] == first ? Value{1} : Value{0});  // NaN is neither
    }
    std::int32_t known = 1;
    for (std::ptrdiff_t row = 0; row < n; ++row) {
        ranks[row] = static_cast<std::uint32_t>(static_cast<std::int32_t>(is_second[row]) ^ of_first);
        known &= static_cast<std::int32_t>(is_either[row]);
    }
    return known == 1;
}

// State of a column.
template <class Value>
class TwoValuesSoFar {
 public:
    TwoValuesSoFar(Strided<Value> column, std::uint32_t* ranks)
        : column_(column), ranks_(ranks), first_(column[0]), second_(first_) {}

    void take(std::ptrdiff_t begin, std::ptrdiff_t n) {
        if (given_up_) return;
        if (!both_) meet_second(begin, n);
        if (!both_) return;
        const Strided<Value> from{column_.data + begin * column_.stride, column_.stride};
        given_up_ = !(from.stride == 1 ? rank_chunk(from.data, n, first_, second_, ranks_ + begin)
                                       : rank_chunk(from, n, first_, second_, ranks_ + begin));
    }
    std::optional<TwoValues> found() const {
        if (given_up_ || !both_) return std::nullopt;
        return TwoValues{static_cast<double>(std::min(first_, second_)),
                         static_cast<double>(std::max(first_, second_))};
    }

 private:
    void meet_second(std::ptrdiff_t begin, std::ptrdiff_t n) {
        std::ptrdiff_t row = begin;
        while (row < begin + n && column_[row] == first_) ++row;
        if (row == begin + n) return;
        both_ = true;
        second_ = column_[row];
        std::fill(ranks_, ranks_ + begin, second_ > first_ ? 0u : 1u);
    }

    Strided<Value> column_;
    std::uint32_t* ranks_;
    Value first_, second_;
    bool both_ = false, given_up_ = false;
};

}  // namespace

// All columns of a few rows at a time: where a row of the caller's table is in one piece, it is then read once.
template <class Value>
std::vector<std::optional<TwoValues>> rank_two_values(std::span<const Strided<Value>> columns, std::size_t n_rows,
                                                      std::uint32_t* ranks) {
    std::vector<std::optional<TwoValues>> out(columns.size());
    if (n_rows == 0) return out;
    std::vector<TwoValuesSoFar<Value>> so_far;
    for (std::size_t j = 0; j < columns.size(); ++j) so_far.emplace_back(columns[j], ranks + j * n_rows);
    const auto n = static_cast<std::ptrdiff_t>(n_rows);
    for (std::ptrdiff_t row = 0; row < n; row += kChunk)
        for (TwoValuesSoFar<Value>& column : so_far) column.take(row, std::min(kChunk, n - row));
    for (std::size_t j = 0; j < columns.size(); ++j) out[j] = so_far[j].found();
    return out;
}

#define EXACTREE_INSTANTIATE(Value)                                                                              \
    template std::vector<std::optional<TwoValues>> rank_two_values(std::span<const Strided<Value>>, std::size_t, \
                                                                   std::uint32_t*);
EXACTREE_INSTANTIATE(double)
EXACTREE_INSTANTIATE(std::int32_t)
EXACTREE_INSTANTIATE(std::int64_t)

namespace {

using Keys = std::span<const std::span<const std::uint32_t>>;

std::vector<std::uint64_t> hash_rows(Keys keys, std::size_t n_rows, std::uint64_t seed) {
    std::vector<std::uint64_t> out(n_rows, splitmix64(seed));
    const auto mix = [](std::uint64_t& hash, std::uint64_t two_keys) {
        hash = (hash ^ two_keys) * 0x9fb21c651e98df25u;
        hash ^= hash >> 32;
    };
    for (std::size_t j = 0; j < keys.size(); j += 2) {  // two at a time, as two fit into a word
        const auto one = keys[j], other = keys[std::min(j + 1, keys.size() - 1)];
        for (std::size_t row = 0; row < n_rows; ++row) mix(out[row], one[row] | std::uint64_t{other[row]} << 32);
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

bool has_no_collision(Keys keys, const std::vector<std::int64_t>& groups, const std::vector<std::size_t>& first) {
    std::vector<std::pair<std::size_t, std::size_t>> later;  // rows and the first of their groups
    for (std::size_t row = 0; row < groups.size(); ++row)
        if (const std::size_t begin = first[static_cast<std::size_t>(groups[row])]; begin != row)
            later.emplace_back(row, begin);
    return std::all_of(keys.begin(), keys.end(), [&](const auto key) {
        bool differ = false;
        for (const auto& [row, begin] : later) differ |= key[row] != key[begin];
        return !differ;
    });
}

}  // namespace

std::vector<std::int64_t> number_rows(Keys keys, std::size_t n_rows) {
    std::vector<std::size_t> first;
    for (std::uint64_t seed = 0;; ++seed) {  // another seed if two different rows share a hash, which hardly happens
        std::vector<std::int64_t> groups = group_hashes(hash_rows(keys, n_rows, seed), first);
        if (has_no_collision(keys, groups, first)) return groups;
    }
}

void take_rows(std::span<const std::uint32_t> column, std::span<const std::int64_t> rows, std::uint32_t* out) {
    for (std::size_t at = 0; at < rows.size(); ++at) out[at] = column[static_cast<std::size_t>(rows[at])];
}

}  // namespace exactree::table
