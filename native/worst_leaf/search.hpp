// The tree whose worst leaf has the highest score; ties go to the fewest leaves, then to the fewest errors.
#pragma once

#include "core/outcome.hpp"
#include "worst_leaf/rule.hpp"

namespace exactree::worst_leaf {

constexpr double kLeafCostUnit = 1125899906842624.0;  // 2^50: a cost is (1 - score) times this

// `data.gain` is the weight of each row in units of `unit`, `data.size` how many rows of the table it stands for; equal
// rows of different labels may stand apart. `limits.least.weight` is in the same units. Leaves have no price.
Outcome search_leaves(const Data& data, const Limits& limits, const LeafRule& rule, double unit, const Budget& budget);

}  // namespace exactree::worst_leaf
