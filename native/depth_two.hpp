// The best tree of depth two, by sweeping each column's cut over the node once.
//
// While the cut moves, the tally of its left side is kept up to date; at a cut the best split of either side is read
// off the tallies. Moving rows of base m across the cut changes the best cost by at most m (the left side can only
// get dearer, the right side cheaper by at most m), so after a cut of cost v all cuts are skipped until v - m falls
// below the best known. Cost: O(n f) per column for the tallies, O(cells x K) per cut that is not skipped.
#pragma once

#include "budget.hpp"
#include "depth_one.hpp"

namespace exactree {

class DepthTwo {
 public:
    DepthTwo(const Data& data, const Limits& limits) : data_(data), limits_(limits) {}

    // Best tree with at most `leaves` (3 or 4) leaves if it costs less than `below`; otherwise a lower bound.
    // `guesses`, if given, receives for each cut (by cell) its cost or a lower bound of it.
    Known solve(const Node& node, std::int64_t leaves, Cost below, Watchdog& watchdog,
                std::vector<Cost>* guesses = nullptr);

    std::uint64_t n_cuts_scored() const noexcept { return n_cuts_scored_; }

 private:
    struct Sweep;
    void sweep(const Node& node, std::size_t column, Watchdog& watchdog, Sweep& state);
    void score(const Node& node, Sweep& state);

    const Data& data_;
    const Limits& limits_;
    Tally all_, left_, scratch_;
    std::uint64_t n_cuts_scored_ = 0;
};

}  // namespace exactree
