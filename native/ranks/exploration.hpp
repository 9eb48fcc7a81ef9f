// A subproblem of the search over ranked columns while its cuts are tried.
#pragma once

#include "ranks/searcher.hpp"

namespace exactree::ranks {

// A cut to solve, and its result.
struct RankSearcher::CutJob {
    Interval open;
    Place cut;
    Cost target;                 // cutoff of trees with this cut
    Cost slack;                  // how far beyond the cutoff sides are solved: exact values bound the cuts around
    SideBounds ends{};           // relaxed bounds
    Cost lower = 0;              // no allowed tree with this cut costs less
    Cost upper = kInfiniteCost;  // the best tree with this cut, if it was found
    // At the root only: the bounds found by this job, and how many earlier jobs it may read the bounds of.
    std::unique_ptr<Cache> learnt{};
    std::size_t n_earlier = 0;
    bool finished = false;
};

struct RankSearcher::CutExploration {
    CutExploration(CutBounds cuts, const Node& at, const std::vector<ScoredCut>& first, int levels,
                   const SubproblemGoal& asked, ProgressListener* told)
        : node(at), guesses(first), bounds(std::move(cuts)), depth(levels), wanted(asked), listener(told) {}

    const Node& node;
    const std::vector<ScoredCut>& guesses;  // by column, the cut to try first
    CutBounds bounds;
    int depth;
    const SubproblemGoal& wanted;
    ProgressListener* listener;  // of the root only
    SubtreeBounds best;
    Cost lowest = kInfiniteCost;          // over the cuts left unsolved
    Cost lowest_relaxed = kInfiniteCost;  // over the closed cuts, leaves of any size allowed
    std::vector<Interval> columns;        // not tried yet, the most promising last
    std::vector<Interval> queue;          // a heap
    std::vector<CutJob> jobs;             // of the root only, in the order they were made
    std::size_t n_accepted = 0;           // of the jobs

    Cost target() const noexcept { return std::min(wanted.below, best.upper); }
    std::int64_t no_leaves(const Interval& open) const noexcept { return wanted.leaves - open.yes_leaves; }
    bool done() const noexcept { return target() <= wanted.at_least; }

    // Lower bound of all allowed trees. Closed cuts cost no less than the target.
    Cost bound() const {
        if (done()) return target();
        Cost out = std::min(lowest, target());
        if (!queue.empty()) out = std::min(out, queue.front().bound);
        for (const Interval& open : columns) out = std::min(out, open.bound);
        for (std::size_t at = n_accepted; at < jobs.size(); ++at) out = std::min(out, jobs[at].open.bound);
        return out;
    }
};

}  // namespace exactree::ranks
