// Where the points of a diagram's states come from, written down in an arena.
#pragma once

#include <limits>

#include "constrained/points.hpp"

namespace exactree::diagrams::constrained {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// The choice of a node, linked to that of the node before it in its layer; or, if `closes`, the end of a layer, linked
// to the last choice of the layer and to the layer below. A target of 0 or more is a node of the next layer, a negative
// one the label -1 - target.
struct PlanOrigin {
    Question question;  // none if all rows pass to `no`
    std::int32_t yes = -1, no = -1;
    std::uint32_t previous = kNowhere, below = kNowhere;
    bool closes = false;
};

using PlanArena = std::vector<PlanOrigin>;
using PlanPoint = exactree::constrained::PointFrom<PlanOrigin>;
using PlanPoints = exactree::constrained::PointList<PlanOrigin>;

// The diagram whose origin is given: layer by layer, then a leaf for each side that ends.
Tree write_plan(const PlanArena& arena, const PlanOrigin& root);

}  // namespace exactree::diagrams::constrained
