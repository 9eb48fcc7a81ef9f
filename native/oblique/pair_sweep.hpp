// The best linear split of a node over pairs of columns: a line sweep over all directions of the plane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.hpp"

namespace exactree::oblique {

// Rows that reach a node. A row costs `change` more if it goes yes than if it goes no.
struct SplitRows {
    std::size_t n_rows = 0;
    std::span<const double> values;        // (n_columns, n_rows), each column scaled to 0..1 or so
    std::span<const double> change;        // (n_rows,)
    std::span<const std::int64_t> counts;  // (n_rows,) training rows that each stands for
    std::int64_t min_count = 0;            // fewest training rows on each side
};

// The best split by a direction (cos angle, sin angle). All directions between `low` and `high` split the rows alike.
struct PairSplit {
    double change = 0;  // of the cost, against all rows going no; infinite if no split has enough rows on each side
    double low = 0, high = 0;
};

struct SweepSettings {
    std::size_t most_rows = 600;  // distinct rows up to which all directions are tried, in O(n^2 log n)
    int n_angles = 48;            // directions tried where there are more rows; then as many around the best ones
};

// The best split of each pair of columns, (first, second). NaN for pairs that the budget leaves out.
std::vector<PairSplit> best_pair_splits(const SplitRows& rows, std::span<const std::int32_t> pairs,
                                        const SweepSettings& settings, const Budget& budget);

}  // namespace exactree::oblique
