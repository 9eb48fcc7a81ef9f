// Cuts of one column that are still open, as ranges between two solved ones.
#pragma once

#include "ranks/node.hpp"

namespace exactree::ranks {

// A solved cut: relaxed lower bounds of its two sides, and the first questions of their best trees, which are likely
// to be good for the cuts nearby.
struct SideBounds {
    Cost yes = 0, no = 0;
    Question yes_asks, no_asks;

    Cost cost() const noexcept { return yes + no; }
};

struct Interval {
    std::uint32_t column;  // of the node
    Place low, high;       // the cuts strictly between are open
    SideBounds at_low, at_high;
    std::int64_t yes_leaves;
    Cost bound = 0;  // of all cuts inside
};

// The lowest bound first; then the widest interval, where a solved cut tells most. Ties go to the lower column and cut,
// so that runs are reproducible.
inline bool has_lower_priority(const Interval& a, const Interval& b) {
    if (a.bound != b.bound) return a.bound > b.bound;
    if (a.high - a.low != b.high - b.low) return a.high - a.low < b.high - b.low;
    if (a.column != b.column) return a.column > b.column;
    return a.low != b.low ? a.low > b.low : a.yes_leaves > b.yes_leaves;
}

// Cuts that are not pruned.
struct OpenCuts {
    Place first = 1, last = 0;

    bool empty() const noexcept { return first > last; }
};

}  // namespace exactree::ranks
