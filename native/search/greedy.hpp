// A tree grown greedily by Gini impurity, as CART does: the first tree of every search.
#pragma once

#include "core/budget.hpp"
#include "core/data.hpp"

namespace exactree::search {

// Grows best-first, so that a limit on leaves keeps the splits that improve most. Here `gain` is the plain weight of a
// row; `base` is not read. If the watchdog stops it, leaves that have no split yet remain leaves.
Tree grow_greedy_tree(const Data& data, const Limits& limits, Watchdog* watchdog = nullptr);

}  // namespace exactree::search
