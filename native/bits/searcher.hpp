// The search on bit sets, for few questions: trees of depth two from pair sums, deeper ones by branching over columns
// in the order of their depth-two look-ahead.
//
// Several threads share the columns of the root, its bounds and the cache; a thread for which none is left joins
// another in what that one has below. A column that comes earlier in the order wins a tie whoever finishes first, so
// the tree is the same with any number of threads.
//
// Similar sets bound each other: with A and S sets of rows, opt(S) >= opt(A) - base(A without S). Whenever a column is
// solved, both its sides bound both sides of every column still open.
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

    Known solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) override;
    Tree good_tree(int) override { return {}; }  // those of lesser depth will do
    Tree write_down(const Known& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    using Table = BitTable<Ops>;
    using Sums = PairSums<Ops>;

    // What one level of the recursion works with; kept so that its memory is used again.
    struct Frame {
        const Table* table = nullptr;  // the rows of the subproblem: `part`, or all rows
        const Sums* sums = nullptr;    // over all of them
        Table part;
        Sums part_sums;
        std::vector<Cost> guesses;
        std::vector<Cost> yes_bound, no_bound;  // of the sides of each column, leaves of any size allowed
        std::vector<std::size_t> order;
        // of the column at hand
        RowBits yes, no;
        Sums small;  // over the smaller side
    };
    struct Exploration;
    struct Job;
    struct Board;
    class Opened;
    class Joined;

    // A helper: shares table and cache with its leader, works with frames and a watchdog of its own.
    BitSearcher(const BitSearcher& leader, Watchdog& watchdog);

    Frame& frame(int depth);
    Known solve(const Table& table, const RowBits& set, Key name, int depth, std::int64_t leaves, Cost below,
                Listener* listener);
    Known solve_shallow(const Table& table, const RowBits& set, Shape shape);
    Known explore(const Table& table, const RowBits& set, Key name, Shape shape, Cost below, Listener* listener);
    Cost bound_of_whole(Key name, Shape shape, const Known& of_depth_two);
    void prepare(Frame& here, const Table& table, const RowBits& set, bool everything);
    void explore_share(Exploration& state, std::int64_t yes_leaves);
    void bound_columns(Exploration& state) const;
    void order_columns(Exploration& state) const;
    bool allowed(const Sums& sums, std::size_t column) const;
    void work(Exploration& state);
    void work_together(Exploration& root);
    void work_openly(Exploration& state);
    void help_until_over();
    template <class Task>
    void guard(const Task& task);
    bool help();
    bool next_job(Exploration& state, Job& job);
    void solve_job(const Exploration& state, Job& job);
    void finish_job(Exploration& state, const Job& job);
    void solve_both_pairs(const Exploration& state, Job& job, Key yes_name, Key no_name);
    void solve_both_deep(const Exploration& state, Job& job, Key yes_name, Key no_name);
    void bound_others(Exploration& state, const Job& job);
    Cost base_without(const Table& table, const RowBits& a, const Word* b) const;
    void report(const Exploration& state) const;
    std::optional<Known> recall(Key name, Shape shape);
    void remember(Key name, Shape shape, const Known& known);
    std::int32_t write(const RowBits& set, const Known& known, int depth, Tree& out);

    struct Counters {
        std::uint64_t subproblems = 0, cache_hits = 0, pair_sums = 0, columns_tried = 0, columns_bounded = 0;
        void add(const Counters& other);
    };

    const Limits& limits_;
    Watchdog& watchdog_;
    Ops ops_;
    Settings settings_;
    Prices prices_;
    std::shared_ptr<const Table> all_;
    std::shared_ptr<Cache> cache_;
    std::deque<Frame> frames_;  // by depth; a deque so that frames stay where they are
    Sums all_sums_;             // over all rows, once they are needed
    Sums shallow_;              // scratch for subproblems of depth two and less
    Counters counters_;
    Board* board_ = nullptr;  // while several threads are at work
};

extern template class BitSearcher<SmallOps>;
extern template class BitSearcher<MediumOps>;
extern template class BitSearcher<WideOps>;

}  // namespace exactree::bits
