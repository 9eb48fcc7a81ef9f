// The incumbent of a search for trees and its lower bound, with the history of both. Helper threads of the proof and
// the leader's work beside it may report at the same time.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "core/budget.hpp"
#include "core/outcome.hpp"
#include "core/tree_searcher.hpp"
#include "search/warm_start.hpp"

namespace exactree::search {

class Incumbent : public ProgressListener {
 public:
    // `offset` is the unavoidable cost that was subtracted from the data: the gap is relative to the total cost.
    Incumbent(const Limits& limits, const Budget& budget, Cost offset, Watchdog& watchdog)
        : limits_(limits), budget_(budget), offset_(offset), watchdog_(watchdog) {}

    // A tree that is not `settled` came from work beside the proof. It is no cutoff of the proof: that would make the
    // tree depend on the timing of threads.
    void update(ScoredTree found, bool settled = true);
    // The tree itself is reconstructed once, at the end.
    void improved(const SubtreeBounds& root, int depth) override;
    void bounded(Cost bound, int depth) override;

    // Of the trees that are allowed.
    int max_depth() const;
    Cost cost() const noexcept { return watchdog_.cost; }
    // Of the proof: the cheapest tree that it found or began with. It finds a tree of its own for any lower cost.
    Cost cutoff() const noexcept { return cutoff_; }
    bool proved() const noexcept { return watchdog_.bound >= watchdog_.cost; }

    // Ends the search. `searcher` reconstructs the tree if its cost came from there.
    Outcome outcome(TreeSearcher* searcher = nullptr);

 private:
    struct Described {
        SubtreeBounds root;
        int depth;
    };

    void record();

    const Limits& limits_;
    const Budget& budget_;
    Cost offset_;
    Watchdog& watchdog_;
    std::mutex mutex_;  // of all below
    Tree tree_;
    std::optional<Described> described_;  // root of a better tree than tree_, reconstructed at the end
    std::vector<Progress> history_;
    Cost cutoff_ = kInfiniteCost;
};

}  // namespace exactree::search
