// The best single split of a set of rows, from its tally.
#pragma once

#include "cache.hpp"
#include "tally.hpp"

namespace exactree {

// What the best split gains on the rows left of a cut and on the rows right of it, each split on its own.
// `relaxed` ignores the limit on rows per leaf.
struct SplitGains {
    Cost left = -kNoCost, right = -kNoCost;
    Cost left_relaxed = -kNoCost, right_relaxed = -kNoCost;
};

// Best split gains of both sides of a cut, given the tallies of the whole node and of the left side. O(cells x K).
SplitGains best_splits(const Node& node, const Tally& all, const Tally& left, const Limits& limits);

// Best tree with at most two leaves.
Known solve_depth_one(const Data& data, const Limits& limits, const Node& node, Tally& scratch);

}  // namespace exactree
