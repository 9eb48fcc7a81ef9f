// The best single split of a set of rows.
#pragma once

#include "core/cache.hpp"
#include "ranks/node.hpp"

namespace exactree::ranks {

// Best tree with at most two leaves. O(rows x columns) + O(classes) per cut.
SubtreeBounds solve_depth_one(const Data& data, const Limits& limits, const Node& node);

}  // namespace exactree::ranks
