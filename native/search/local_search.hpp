// Local search: a tree made better one question at a time.
#pragma once

#include "core/budget.hpp"
#include "search/warm_start.hpp"

namespace exactree::search {

// Asks at every node, from the leaves up, what parts the rows best between the two trees below it, and chooses the
// labels of the leaves anew; goes on while whole rounds help. Never worse than `tree`, which must fit the limits on
// depth and leaves, or be pruned to them.
ScoredTree improve_tree(const Data& data, const Limits& limits, const Tree& tree, Watchdog& watchdog);

}  // namespace exactree::search
