// Columns of two values and equal rows, by hand and against plain comparison.
#undef NDEBUG
#include <cassert>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "../rows.hpp"

using namespace exactree;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::optional<TwoValues> rank(const std::vector<double>& values, std::vector<std::uint32_t>& ranks) {
    ranks.assign(values.size(), 9);
    return rank_two_values({values.data(), 1}, ranks);
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
    assert(rank_two_values({values.data(), 2}, ranks) && ranks[1] == 1 && ranks[2] == 0);
    assert(rank_two_values({values.data() + 5, -2}, ranks) && ranks[0] == 1 && ranks[2] == 0);
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
    test_rows();
    test_taking();
}
