// Local search: improves a tree one question at a time.
#pragma once

#include "core/budget.hpp"
#include "search/warm_start.hpp"

namespace exactree::search {

// At every node, from the leaves up, finds the question that best distributes the rows between the two subtrees below
// it, and relabels the leaves; repeats while a whole round improves the tree. Never worse than `tree`, which must fit
// the limits on depth and leaves, or be pruned to them.
ScoredTree improve_tree(const Data& data, const Limits& limits, const Tree& tree, Watchdog& watchdog);

}  // namespace exactree::search
