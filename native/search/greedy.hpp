// A tree grown greedily by Gini impurity, as CART does: the first tree of every search.
#pragma once

#include "core/data.hpp"

namespace exactree::search {

// Grows best-first, so that a limit on leaves keeps the splits that improve most. Here `gain` is the plain weight of a
// row; `base` is not read.
Tree grow_greedy_tree(const Data& data, const Limits& limits);

}  // namespace exactree::search
