// Ranks of numbers against sorting, on columns whose values hardly differ, repeat, or lie far apart.
#undef NDEBUG
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "table/ranking.hpp"

using namespace exactree;
using namespace exactree::table;

namespace {

void check(const std::vector<double>& values, std::ptrdiff_t stride = 1) {
    const std::size_t n = values.size() / static_cast<std::size_t>(stride);
    std::vector<double> wanted;
    for (std::size_t row = 0; row < n; ++row) wanted.push_back(values[row * static_cast<std::size_t>(stride)]);
    const std::vector<double> by_row = wanted;
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::uint32_t> ranks(n, 77);
    const auto found = rank_numbers({values.data(), stride}, n, ranks.data());
    assert(found && found->ordered == wanted);
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    assert(wanted.size() == n ? found->distinct.empty() : found->distinct == wanted);
    for (std::size_t row = 0; row < n; ++row) assert(wanted[ranks[row]] == by_row[row]);
}

template <class Draw>
std::vector<double> drawn(std::size_t n, Draw draw) {
    std::vector<double> out(n);
    for (double& value : out) value = draw();
    return out;
}

void test_random_columns() {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (const std::size_t n : {1, 2, 7, 1023, 1024, 1025, 5000, 70000}) {
        check(drawn(n, [&] { return normal(random); }));
        check(drawn(n, [&] { return std::floor(4 * normal(random)) / 2; }));
        check(drawn(n, [&] { return std::exp(200 * normal(random)) * normal(random); }));
        check(drawn(n, [&] { return 1e9 + std::floor(normal(random) * 1e3) * 1e-6; }));
        check(drawn(n, [&] { return random() % 50 == 0 ? -1e300 : 1e9 + normal(random) * 1e-4; }));  // equal prefixes
        check(drawn(n, [&] { return static_cast<double>(random() % 3) - 1; }), 1);
        check(drawn(3 * n, [&] { return normal(random); }), 3);
    }
}

void test_special_values() {
    const double nan = std::numeric_limits<double>::quiet_NaN(), tiny = std::numeric_limits<double>::denorm_min();
    check({});
    check({0.0, -0.0, tiny, -tiny, 1.0, -1.0, 1e308, -1e308});
    check({std::nextafter(1.0, 2.0), 1.0, std::nextafter(1.0, 0.0)});
    std::vector<std::uint32_t> ranks(3);
    assert(!rank_numbers({std::vector<double>{1, nan, 2}.data(), 1}, 3, ranks.data()));
    const auto zeros = rank_numbers({std::vector<double>{0.0, -0.0, 0.0}.data(), 1}, 3, ranks.data());
    assert(zeros && zeros->distinct.size() == 1 && ranks == std::vector<std::uint32_t>(3, 0));
}

}  // namespace

int main() {
    test_random_columns();
    test_special_values();
}
