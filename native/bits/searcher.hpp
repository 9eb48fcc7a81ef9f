// Branch and bound on bit sets, for few questions: trees of depth two from pair sums, deeper ones by branching over
// columns in the order of their depth-two look-ahead.
//
// Several threads share the columns of the root, its bounds and the cache; an idle thread joins another in its
// subproblem one level below. A column that comes earlier in the order wins a tie whoever finishes first, so the tree
// is the same with any number of threads.
//
// Similarity bounds: with A and S sets of rows, opt(S) >= opt(A) - base(A without S). Whenever a column is solved, both
// its sides bound both sides of every column still open.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "bits/pair_trees.hpp"
#include "core/budget.hpp"
#include "core/settings.hpp"
#include "core/tree_searcher.hpp"

namespace exactree::bits {

template <class Ops>
class BitSearcher : public TreeSearcher {
 public:
    BitSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes, Ops ops,
                const Settings& settings);

    SubtreeBounds solve_root(int depth, std::int64_t leaves, Cost below, ProgressListener& listener) override;
    std::unique_ptr<SubtreeEngine> make_subtree_engine(Watchdog& watchdog, std::size_t cache_bytes) override;
    Tree reconstruct(const SubtreeBounds& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    template <class>
    friend class BitSubtrees;
    using Table = BitTable<Ops>;
    using Sums = PairSums<Ops>;

    // Buffers of one level of the recursion, reused.
    struct BitFrame {
        const Table* table = nullptr;  // the rows of the subproblem: `part`, or all rows
        const Sums* sums = nullptr;    // over all of them
        Table part;
        Sums part_sums;
        RootCosts estimates;                    // of depth two
        std::vector<Cost> yes_bound, no_bound;  // of the sides of each column, leaves of any size allowed
        std::vector<std::size_t> order;
        // of the current column
        RowBits yes, no;
        Sums small;  // over the smaller side
    };
    struct ColumnExploration;
    struct ColumnJob;
    struct WorkBoard;
    class SharedExploration;
    class JoinedExploration;

    // A helper: shares table and cache with its leader, works with frames and a watchdog of its own.
    BitSearcher(const BitSearcher& leader, Watchdog& watchdog);

    BitFrame& frame(int depth);
    SubtreeBounds solve(const Table& table, const RowBits& set, Key key, int depth, std::int64_t leaves, Cost below,
                        ProgressListener* listener);
    SubtreeBounds solve_shallow(const Table& table, const RowBits& set, Shape shape);
    SubtreeBounds explore(const Table& table, const RowBits& set, Key key, Shape shape, Cost below,
                          ProgressListener* listener);
    Cost bound_of_whole(Key key, Shape shape, const SubtreeBounds& of_depth_two);
    void prepare(BitFrame& here, const Table& table, const RowBits& set, bool everything);
    void explore_allocation(ColumnExploration& state, std::int64_t yes_leaves);
    void bound_columns(ColumnExploration& state) const;
    void order_columns(ColumnExploration& state) const;
    bool allowed(const Sums& sums, std::size_t column) const;
    void work(ColumnExploration& state);
    void explore_in_parallel(ColumnExploration& root);
    void explore_shared(ColumnExploration& state);
    void help_until_done();
    template <class Task>
    void guard(const Task& task);
    bool help();
    bool next_job(ColumnExploration& state, ColumnJob& job);
    void solve_job(const ColumnExploration& state, ColumnJob& job);
    void finish_job(ColumnExploration& state, const ColumnJob& job);
    void solve_both_pairs(const ColumnExploration& state, ColumnJob& job, Key yes_key, Key no_key);
    void solve_both_deep(const ColumnExploration& state, ColumnJob& job, Key yes_key, Key no_key);
    void bound_others(ColumnExploration& state, const ColumnJob& job);
    Cost base_without(const Table& table, const RowBits& a, const Word* b) const;
    void report(const ColumnExploration& state) const;
    std::optional<SubtreeBounds> lookup(Key key, Shape shape);
    void store_bounds(Key key, Shape shape, const SubtreeBounds& known);
    std::int32_t write(const RowBits& set, const SubtreeBounds& known, int depth, Tree& out);

    struct BitCounters {
        std::uint64_t subproblems = 0, cache_hits = 0, pair_sums = 0, columns_tried = 0, columns_bounded = 0;
        void add(const BitCounters& other);
    };

    const Limits& limits_;
    Watchdog& watchdog_;
    Ops ops_;
    Settings settings_;
    Prices prices_;
    std::shared_ptr<const Table> all_;
    std::shared_ptr<Cache> cache_;
    std::deque<BitFrame> frames_;  // by depth; a deque so that frames stay where they are
    Sums all_sums_;                // over all rows, once they are needed
    Sums shallow_;                 // scratch for subproblems of depth two and less
    BitCounters counters_;
    WorkBoard* board_ = nullptr;  // while several threads are at work
};

extern template class BitSearcher<SmallOps>;
extern template class BitSearcher<MediumOps>;
extern template class BitSearcher<WideOps>;

}  // namespace exactree::bits
