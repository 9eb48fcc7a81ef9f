// Columns of two values and equal rows, by hand and against plain comparison.
#undef NDEBUG
#include <cassert>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "table/rows.hpp"

using namespace exactree;
using namespace exactree::table;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Value>
std::optional<TwoValues> rank_column(Strided<Value> column, std::vector<std::uint32_t>& ranks) {
    const Strided<Value> columns[] = {column};
    return rank_two_values<Value>(columns, ranks.size(), ranks.data())[0];
}

std::optional<TwoValues> rank(const std::vector<double>& values, std::vector<std::uint32_t>& ranks) {
    ranks.assign(values.size(), 9);
    return rank_column<double>({values.data(), 1}, ranks);
}

void test_two_values() {
    std::vector<std::uint32_t> ranks;
    auto found = rank({5, 5, 2, 5, 2}, ranks);
    assert(found && found->low == 2 && found->high == 5);
    assert((ranks == std::vector<std::uint32_t>{1, 1, 0, 1, 0}));
    found = rank({-1, 3}, ranks);
    assert(found && found->low == -1 && (ranks == std::vector<std::uint32_t>{0, 1}));
    assert(!rank({1, 1}, ranks) && !rank({1, 2, 3}, ranks) && !rank({1, nan}, ranks) && !rank({nan, 1, 2}, ranks));
    assert(!rank({1, 2, nan}, ranks) && !rank({}, ranks));
    std::vector<double> late(1000, 0);
    late[1] = 1;
    assert(rank(late, ranks) && ranks[1] == 1 && ranks[999] == 0);
    late[999] = 2;
    assert(!rank(late, ranks));
}

void test_strides() {
    const std::vector<double> values{1, 7, 2, 7, 1, 8};
    std::vector<std::uint32_t> ranks(3);
    assert(rank_column<double>({values.data(), 2}, ranks) && ranks[1] == 1 && ranks[2] == 0);
    assert(rank_column<double>({values.data() + 5, -2}, ranks) && ranks[0] == 1 && ranks[2] == 0);
}

// Several columns of a table that stands row by row; the second value may come late, and be the lower one.
template <class Value>
void test_table() {
    constexpr std::size_t n_rows = 700, n_columns = 4;
    std::vector<Value> cells(n_rows * n_columns);
    for (std::size_t row = 0; row < n_rows; ++row) {
        cells[row * n_columns] = static_cast<Value>(row % 2);
        cells[row * n_columns + 1] = static_cast<Value>(row < 600 ? 4 : -4);
        cells[row * n_columns + 2] = 7;
        cells[row * n_columns + 3] = static_cast<Value>(row % 3);
    }
    std::vector<Strided<Value>> columns;
    for (std::size_t j = 0; j < n_columns; ++j)
        columns.push_back({cells.data() + j, static_cast<std::ptrdiff_t>(n_columns)});
    std::vector<std::uint32_t> ranks(n_rows * n_columns, 9);
    const auto found = rank_two_values<Value>(columns, n_rows, ranks.data());
    assert(found[0] && found[1] && !found[2] && !found[3]);
    assert(found[1]->low == -4 && found[1]->high == 4);
    for (std::size_t row = 0; row < n_rows; ++row) {
        assert(ranks[row] == row % 2);
        assert(ranks[n_rows + row] == (row < 600 ? 1 : 0));
    }
}

void test_rows() {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        const std::size_t n_rows = random() % 300, n_keys = random() % 6;
        std::vector<std::vector<std::uint32_t>> keys(n_keys, std::vector<std::uint32_t>(n_rows));
        for (auto& key : keys)
            for (auto& value : key) value = static_cast<std::uint32_t>(random() % 3);
        const std::vector<std::span<const std::uint32_t>> views(keys.begin(), keys.end());
        const auto groups = number_rows(views, n_rows);
        std::map<std::vector<std::uint32_t>, std::int64_t> known;
        for (std::size_t row = 0; row < n_rows; ++row) {
            std::vector<std::uint32_t> whole;
            for (const auto& key : keys) whole.push_back(key[row]);
            const auto next = static_cast<std::int64_t>(known.size());
            assert(groups[row] == known.try_emplace(whole, next).first->second);
        }
    }
}

void test_taking() {
    const std::vector<std::uint32_t> column{5, 6, 7, 8};
    const std::vector<std::int64_t> rows{3, 0, 0};
    std::vector<std::uint32_t> out(4, 9);
    take_rows(column, rows, out.data());
    assert((out == std::vector<std::uint32_t>{8, 5, 5, 9}));
}

}  // namespace

int main() {
    test_two_values();
    test_strides();
    test_table<double>();
    test_table<std::int32_t>();
    test_table<std::int64_t>();
    test_rows();
    test_taking();
}
