// The Pareto front of worst leaf against errors: all trees that no other dominates.
#pragma once

#include <vector>

#include "core/outcome.hpp"
#include "worst_leaf/rule.hpp"

namespace exactree::pareto {

struct FrontPoint {
    double score = 0;     // of the worst leaf
    double wrong = 0;     // misclassified weight
    bool proved = false;  // no tree is as good in both and better in one
    Tree tree;
};

struct FrontOutcome {
    std::vector<FrontPoint> points;  // from the fewest errors to the best worst leaf
    Status status = Status::proved;
    double seconds = 0;
    std::uint64_t sets = 0;  // sets of rows visited
};

// Rows, limits and units as search_leaves reads them; `starts` are warm starts: trees within the limits, for a search
// that is stopped early and for pruning.
FrontOutcome search_front(const Data& data, const Limits& limits, const worst_leaf::LeafRule& rule, double unit,
                          const std::vector<Tree>& starts, const Budget& budget);

}  // namespace exactree::pareto
