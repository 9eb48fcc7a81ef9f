// The cheapest tree under limits on every leaf by itself.
#pragma once

#include <span>
#include <vector>

#include "core/outcome.hpp"
#include "leaf_limits/free_bounds.hpp"
#include "leaf_limits/leaf_costs.hpp"

namespace exactree::leaf_limits {

struct LimitProblem {
    const Data& data;  // gains are amounts in some unit, sizes are rows
    double unit;
    CostRules rules;
    std::span<const double> unavoidable;  // cost of each row that no tree can avoid
    int max_depth;
    std::int64_t max_leaves;
    double bound;              // no tree costs less, with limits or without
    std::vector<Tree> starts;  // of which the prunings are first incumbents
    const FreeProblem* free = nullptr;
};

// Costs are reported as integers, rounded. Without an allowed tree the outcome's tree is empty and its cost infinite;
// that there is none is proved if the status is.
Outcome search_limited(const LimitProblem& problem, const Budget& budget);

}  // namespace exactree::leaf_limits
