// The sweep over all directions against every line through two rows: ties, rows on a line, equal rows, least sizes.
#undef NDEBUG
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "oblique/pair_sweep.hpp"

using namespace exactree;
using namespace exactree::oblique;

namespace {

struct Rows {
    std::size_t n = 0;
    std::vector<double> values, change;
    std::vector<std::int64_t> counts;
    SplitRows view(std::int64_t min_count) const { return {n, values, change, counts, min_count}; }
};

Rows any_rows(std::mt19937& random) {
    Rows rows;
    rows.n = 1 + random() % 14;
    const auto n_values = 1 + random() % 6;  // few: many rows on a line
    const bool scattered = random() % 3 == 0;
    for (std::size_t i = 0; i < 2 * rows.n; ++i)
        rows.values.push_back(scattered ? static_cast<double>(random() % 1000) / 999.0
                                        : static_cast<double>(random() % n_values) / 5.0);
    for (std::size_t r = 0; r < rows.n; ++r) {
        rows.change.push_back(static_cast<double>(random() % 7) - 3.0);
        rows.counts.push_back(1 + random() % 2);
    }
    return rows;
}

double change_in_direction(const Rows& rows, double angle, std::int64_t min_count) {
    std::vector<std::pair<double, std::size_t>> order;
    double total = 0;
    std::int64_t n_all = 0;
    for (std::size_t r = 0; r < rows.n; ++r) {
        order.emplace_back(std::cos(angle) * rows.values[r] + std::sin(angle) * rows.values[rows.n + r], r);
        total += rows.change[r];
        n_all += rows.counts[r];
    }
    std::sort(order.begin(), order.end());
    double sum = 0, best = std::numeric_limits<double>::infinity();
    std::int64_t count = 0;
    for (std::size_t p = 0; p + 1 < order.size(); ++p) {
        sum += rows.change[order[p].second];
        count += rows.counts[order[p].second];
        if (order[p + 1].first - order[p].first > 1e-10 && count >= min_count && n_all - count >= min_count)
            best = std::min({best, sum, total - sum});
    }
    return best;
}

// Directions halfway between those in which the projections of two rows are equal.
double best_change(const Rows& rows, std::int64_t min_count) {
    std::vector<double> angles{0.0, std::numbers::pi};
    for (std::size_t i = 0; i < rows.n; ++i)
        for (std::size_t j = 0; j < rows.n; ++j) {
            const double dx = rows.values[j] - rows.values[i], dy = rows.values[rows.n + j] - rows.values[rows.n + i];
            if (dx > 0) angles.push_back(std::atan2(dx, -dy));
        }
    std::sort(angles.begin(), angles.end());
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k + 1 < angles.size(); ++k)
        if (angles[k + 1] - angles[k] >= 1e-6)
            best = std::min(best, change_in_direction(rows, (angles[k] + angles[k + 1]) / 2, min_count));
    return best;
}

void agrees_with_all_directions() {
    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        const Rows rows = any_rows(random);
        const std::int64_t min_count = 1 + random() % 3;
        const std::int32_t pair[] = {0, 1};
        const PairSplit found = best_pair_splits(rows.view(min_count), pair, {}, {}).front();
        const double wanted = best_change(rows, min_count);
        assert(found.change == wanted || std::abs(found.change - wanted) < 1e-9);
        if (std::isinf(wanted)) continue;
        // The whole range of directions has this split.
        assert(found.low < found.high);
        for (const double share : {0.01, 0.5, 0.99}) {
            const double angle = found.low + share * (found.high - found.low);
            assert(change_in_direction(rows, angle, min_count) <= found.change + 1e-9);
        }
    }
}

// Many rows: only some directions are tried, and none is better than trying all of them.
void few_directions_are_splits_too() {
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
        const Rows rows = any_rows(random);
        const std::int32_t pair[] = {0, 1};
        const PairSplit found = best_pair_splits(rows.view(1), pair, {0, 32}, {}).front();
        const double best = best_change(rows, 1);
        assert(found.change >= best - 1e-9);
    }
}

void stops_without_time() {
    std::mt19937 random(3);
    const Rows rows = any_rows(random);
    const std::int32_t pairs[] = {0, 1, 1, 0};
    Budget none;
    none.seconds = 0.0;
    for (const PairSplit& split : best_pair_splits(rows.view(1), pairs, {}, none)) assert(std::isnan(split.change));
}

}  // namespace

int main() {
    agrees_with_all_directions();
    few_directions_are_splits_too();
    stops_without_time();
}
