// Branch and bound over ranked columns: the only file of the folder that knows all the others.
//
// The cuts of the root are jobs that threads share. A job is created once a fixed number of earlier jobs are accepted,
// reads their bounds, and is accepted in order of creation: the tree does not depend on the number of threads.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/budget.hpp"
#include "core/cache.hpp"
#include "core/settings.hpp"
#include "core/tree_searcher.hpp"
#include "ranks/cut_bounds.hpp"
#include "ranks/depth_two.hpp"

namespace exactree::ranks {

class RankSearcher : public TreeSearcher {
 public:
    // `portable` uses no instructions beyond the baseline.
    RankSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
                 const Settings& settings, bool portable);

    SubtreeBounds solve_root(int depth, std::int64_t leaves, Cost below, ProgressListener& listener) override;
    // Best tree for the rows of a node.
    SubtreeBounds solve_node(const Node& node, int depth, std::int64_t leaves, Cost below) {
        return solve(node, depth, {leaves, below}, nullptr);
    }
    std::unique_ptr<SubtreeEngine> make_subtree_engine(Watchdog& watchdog, std::size_t cache_bytes) override;
    Tree reconstruct(const SubtreeBounds& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    friend class RankSubtrees;

    // Buffers of one level of the recursion, reused.
    struct NodeFrame {
        Node yes, no;
        std::vector<ScoredCut> guesses;
    };
    struct CutExploration;
    struct CutJob;
    class WorkerPool;
    static constexpr std::size_t kMaxUnmerged = 32;  // jobs with a cache of their own, until all are accepted

    // A helper: shares data with its leader, works with frames and a watchdog of its own.
    RankSearcher(const RankSearcher& leader, Watchdog& watchdog, const Limits& limits, std::shared_ptr<Cache> cache);

    NodeFrame& frame(int depth);
    SubtreeBounds solve(const Node& node, int depth, const SubproblemGoal& asked, ProgressListener* listener);
    SubtreeBounds solve_shape(const Node& node, Shape shape, const SubproblemGoal& asked, ProgressListener* listener);
    SubtreeBounds explore(const Node& node, int depth, const SubproblemGoal& wanted, ProgressListener* listener);
    SubtreeBounds branch(const Node& node, int depth, const SubproblemGoal& wanted, const SubtreeBounds& of_depth_two,
                         ProgressListener* listener);
    Cost bound_of_whole(const CutExploration& state, std::int64_t leaves) const;
    static void take_hints(const Node& node, const SubproblemGoal& wanted, std::vector<ScoredCut>& guesses);
    void open_columns(CutExploration& state) const;
    void push(CutExploration& state, Interval open) const;
    bool choose(CutExploration& state, const Interval& open, Place guess, CutJob& job) const;
    bool next_job(CutExploration& state, CutJob& job) const;
    void try_cuts(CutExploration& state);
    void try_cut(const CutExploration& state, CutJob& job);
    SubtreeBounds solve_side(const CutExploration& state, const Interval& open, Side side, Cost below, Cost at_least);
    void accept(CutExploration& state, const CutJob& job) const;
    // With helper threads, see parallel_root.cpp
    void try_cuts_in_parallel(CutExploration& state);
    void start_helpers(const CutExploration& state, WorkerPool& pool);
    void work(const CutExploration& state, WorkerPool& pool, CutJob& job);
    void accept_next(CutExploration& state, WorkerPool& pool);
    void requeue(CutExploration& state) const;
    bool merge_caches(CutExploration& state, WorkerPool& pool);

    std::optional<SubtreeBounds> lookup(Key key, Shape shape) const;
    void store_bounds(Key key, Shape shape, const SubtreeBounds& known);
    std::int32_t write(const Node& node, const SubtreeBounds& known, int depth, Tree& out);

    struct RankCounters {
        std::uint64_t subproblems = 0, cache_hits = 0, cuts_tried = 0;
    };

    const Data& data_;
    const Limits& limits_;
    Watchdog& watchdog_;
    Settings settings_;
    bool portable_;
    Size twice_least_;  // what a node needs to be split
    std::shared_ptr<Cache> cache_;
    std::size_t own_bytes_;            // of the cache of one job
    Cache* own_ = nullptr;             // cache of the current job: other jobs must not depend on its timing
    const CutJob* earlier_ = nullptr;  // jobs whose caches the current one reads, beside the common cache
    std::size_t n_earlier_ = 0;
    std::unique_ptr<DepthTwoSolver> depth_two_;
    Node root_;
    std::deque<NodeFrame> frames_;  // by depth; a deque so that frames stay where they are
    RankCounters counters_;
    // helpers and their watchdogs, created on demand
    std::deque<Watchdog> watchdogs_;
    std::vector<std::unique_ptr<RankSearcher>> helpers_;  // by pointer: a deque of an incomplete type is not portable
};

}  // namespace exactree::ranks
