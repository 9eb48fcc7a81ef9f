// Trees that come from outside: scored, relabelled and pruned for the cost at hand.
#pragma once

#include "core/data.hpp"

namespace exactree::search {

struct Scored {
    Tree tree;
    Cost cost = kNoCost;
};

// The cheapest pruning of `tree` within the limits on depth and rows; a lone leaf if that has too many leaves.
Scored adopt(const Data& data, const Limits& limits, const Tree& tree);

// The single leaf.
Scored lone_leaf(const Data& data, const Limits& limits);

}  // namespace exactree::search
