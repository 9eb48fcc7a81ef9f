// A primal heuristic: depth two is solved exactly, and above it only the cuts that are best at depth two are followed.
//
// It proves nothing. A deep search that starts from a good incumbent prunes far more.
#pragma once

#include <deque>

#include "core/budget.hpp"
#include "ranks/depth_two.hpp"

namespace exactree::ranks {

class LookAhead {
 public:
    LookAhead(const Data& data, const Limits& limits, DepthTwoSolver& depth_two, Watchdog& watchdog)
        : data_(data), limits_(limits), depth_two_(depth_two), watchdog_(watchdog) {}

    // A tree of at most this depth for the rows of a node: the best cut of each column is followed at the root, that
    // of the best few below it.
    Tree grow(const Node& node, int depth);

 private:
    struct LookAheadFrame {
        Node yes, no;
        std::vector<ScoredCut> guesses;
    };
    struct Grown {
        Cost cost;
        Tree tree;
    };

    Grown grow(const Node& node, int depth, std::size_t width);
    Grown grow_shallow(const Node& node, const SubtreeBounds& known, int depth);
    Grown leaf(const Node& node) const;
    Grown joined(const Node& node, Question question, const Grown& yes, const Grown& no) const;
    std::vector<Cut> best_cuts(const Node& node, const SubtreeBounds& two, std::vector<ScoredCut>& guesses,
                               std::size_t width) const;

    const Data& data_;
    const Limits& limits_;
    DepthTwoSolver& depth_two_;
    Watchdog& watchdog_;
    std::deque<LookAheadFrame> frames_;  // by depth; a deque so that frames stay where they are
};

}  // namespace exactree::ranks
