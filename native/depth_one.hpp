// The best single split of a set of rows.
#pragma once

#include "cache.hpp"
#include "node.hpp"

namespace exactree {

// Best tree with at most two leaves. O(rows x columns) + O(classes) per cut.
Known solve_depth_one(const Data& data, const Limits& limits, const Node& node);

}  // namespace exactree
