// The search on bit sets, for two classes and few questions: trees of depth two from pair sums, deeper ones by
// branching over columns in the order of their depth-two look-ahead.
//
// Similar sets bound each other: with A and S sets of rows, opt(S) >= opt(A) - base(A without S). Whenever a column is
// solved, both its sides bound both sides of every column still open.
#pragma once

#include <deque>

#include "budget.hpp"
#include "pair_sums.hpp"
#include "tree_searcher.hpp"

namespace exactree {

template <class Ops>
class BitSearcher : public TreeSearcher {
 public:
    BitSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes, Ops ops);

    Known solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) override;
    Tree write_down(const Known& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    using Table = BitTable<Ops>;
    using Sums = PairSums<Ops>;

    // What one level of the recursion works with; kept so that its memory is used again.
    struct Frame {
        Table table;  // the rows of the subproblem
        Sums sums;    // over all of them
        Sums small;   // over the smaller side of the column at hand
        RowBits yes, no;
        std::vector<Cost> guesses, yes_bound, no_bound;
        std::vector<std::size_t> order;
    };
    struct Exploration;

    Frame& frame(int depth);
    Known solve(const Table& table, const RowBits& set, Key name, int depth, std::int64_t leaves, Cost below,
                Listener* listener);
    Known solve_shallow(const Table& table, const RowBits& set, Shape shape);
    Known explore(const Table& table, const RowBits& set, Shape shape, Cost below, Listener* listener);
    void explore_share(Exploration& state, std::int64_t yes_leaves);
    void try_column(Exploration& state, std::size_t column);
    void solve_both_pairs(Exploration& state, Known& yes, Known& no, Key yes_name, Key no_name);
    void solve_both_deep(Exploration& state, std::size_t column, Known& yes, Known& no, Key yes_name, Key no_name);
    void bound_others(Exploration& state, std::size_t column, std::size_t from);
    Cost base_without(const Table& table, const RowBits& a, const Word* b) const;
    void report(Exploration& state, std::size_t done) const;
    std::int32_t write(const RowBits& set, const Known& known, int depth, Tree& out);

    const Limits& limits_;
    Watchdog& watchdog_;
    Ops ops_;
    Prices prices_;
    Table all_;
    Cache cache_;
    std::deque<Frame> frames_;  // by depth; a deque so that frames stay where they are
    Sums shallow_;              // scratch for subproblems of depth two and less
    std::uint64_t n_subproblems_ = 0, n_cache_hits_ = 0, n_pair_sums_ = 0, n_columns_tried_ = 0, n_bounded_ = 0;
};

extern template class BitSearcher<SmallOps>;
extern template class BitSearcher<MediumOps>;
extern template class BitSearcher<WideOps>;

}  // namespace exactree
