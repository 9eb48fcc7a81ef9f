// The cheapest allowed tree whose sides are among the listed ones.
#pragma once

#include "constrained/points.hpp"
#include "constrained/rows.hpp"
#include "core/budget.hpp"

namespace exactree::constrained {

struct Pair {
    bool found = false;
    std::size_t yes = 0, no = 0;
    double cost = 0;  // with penalties
};

// A pair that costs at most `most`, if there is one that is allowed. Unless the watchdog stops the search, it is a
// cheapest one.
Pair best_pair(const Points& yes, const Points& no, const SumLimits& limits, std::int64_t max_leaves, double most,
               Watchdog& watchdog);

}  // namespace exactree::constrained
