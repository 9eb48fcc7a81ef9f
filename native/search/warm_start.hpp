// Warm starts: trees from outside, scored, relabelled and pruned for the given cost.
#pragma once

#include "core/data.hpp"

namespace exactree::search {

struct ScoredTree {
    Tree tree;
    Cost cost = kInfiniteCost;
};

// The cheapest pruning of `tree` within the limits on depth, rows and leaves.
ScoredTree prune_to_limits(const Data& data, const Limits& limits, const Tree& tree);

// The single leaf.
ScoredTree single_leaf(const Data& data, const Limits& limits);

}  // namespace exactree::search
