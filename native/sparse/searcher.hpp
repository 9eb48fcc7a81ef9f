// Branch and bound on bit sets for trees of any depth: the price of a leaf is all that limits a tree.
//
// A subproblem is a set of rows, without depth or leaves, so every result holds wherever the set is met again. Sums
// over pairs of columns give its best tree of up to four leaves at depth two; any other tree has four leaves at least.
// So a cost of four prices ends the search of a set, and a side of a split costs the least of one leaf, two leaves and
// three prices. Conflicts between rows bound trees of any shape (conflicts.hpp). A split is of no use if a side costs
// no less than all its rows answered wrongly: the tree of the other side, grown for all rows, is no more expensive.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>

#include "bits/pair_trees.hpp"
#include "core/budget.hpp"
#include "core/settings.hpp"
#include "core/tree_searcher.hpp"
#include "sparse/conflicts.hpp"

namespace exactree::sparse {

using bits::PairSums;
using bits::Prices;

// One side of a split.
struct SplitSide {
    SubtreeBounds known;
    Cost base = 0;  // all its rows answered wrongly

    // Raises the lower bound of trees with leaves of any size.
    void raise(Cost bound) noexcept {
        known.relaxed = std::max(known.relaxed, bound);
        known.lower = std::max(known.lower, known.relaxed);
    }
    // Takes over what a search has found out.
    void learn(const SubtreeBounds& found) noexcept {
        raise(found.relaxed);
        known.lower = std::max(known.lower, found.lower);
        known.upper = std::min(known.upper, found.upper);
    }
    // Whether the tree of the other side, grown for all rows, is no more expensive than the split.
    bool useless() const noexcept { return known.relaxed >= base; }
};

// What is known of both sides of a split.
struct SplitSides {
    SplitSide yes, no;
    Key yes_key, no_key;
    bool has_keys = false;

    Cost lower() const noexcept { return yes.known.lower + no.known.lower; }
    Cost relaxed() const noexcept { return yes.known.relaxed + no.known.relaxed; }
    Cost upper() const noexcept { return std::min(kInfiniteCost, yes.known.upper + no.known.upper); }
    bool useless() const noexcept { return yes.useless() || no.useless(); }
};

template <class Ops>
class SparseSearcher : public TreeSearcher {
 public:
    SparseSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes, Ops ops,
                   const Settings& settings);

    bool deepens() const override { return false; }
    SubtreeBounds solve_root(int depth, std::int64_t leaves, Cost below, ProgressListener& listener) override;
    std::unique_ptr<SubtreeEngine> make_subtree_engine(Watchdog& watchdog, std::size_t cache_bytes) override;
    Tree reconstruct(const SubtreeBounds& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    using Table = BitTable<Ops>;
    using Sums = PairSums<Ops>;

    struct SetExploration;

    // Buffers of one level of the recursion, reused.
    struct SetFrame {
        Table part;
        Sums sums;
        bits::RootCosts roots;
        ConflictPacking<Ops> conflicts;
        std::vector<SplitSides> sides;  // by column
        std::vector<std::size_t> open;  // columns
        // of the current column
        RowBits yes, no;
        Sums small;  // over the smaller side
    };

    SetFrame& frame(std::size_t level);
    SubtreeBounds solve(const Table& table, const RowBits& set, Key key, std::size_t level, Cost below,
                        ProgressListener* listener);
    static void improve(SubtreeBounds& known, const SubtreeBounds& other);
    SubtreeBounds explore(SetExploration& state);
    SubtreeBounds cap(SubtreeBounds of_depth_two) const;
    void bound_columns(SetExploration& state);
    bool is_allowed(const Sums& sums, std::size_t column) const;
    void drop_closed(SetExploration& state);
    void look_ahead(SetExploration& state);
    void branch(SetExploration& state);
    void load_sides(SetExploration& state, std::size_t column);
    void sum_sides(SetExploration& state, std::size_t column);
    void solve_sides(SetExploration& state, std::size_t column);
    void take(SetExploration& state, std::size_t column);
    void bound_others(SetExploration& state, std::size_t column);
    Cost base_without(const Table& table, const RowBits& a, const Word* b) const;
    void report(const SetExploration& state) const;
    std::optional<SubtreeBounds> lookup(Key key) const;
    void store_bounds(Key key, const SubtreeBounds& known);
    SubtreeBounds recall(const RowBits& set);
    std::int32_t write(const RowBits& set, const SubtreeBounds& known, Tree& out);

    struct SparseCounters {
        std::uint64_t subproblems = 0, cache_hits = 0, packings = 0, pair_sums = 0, explored = 0, summed = 0,
                      branched = 0;
    };

    const Data& data_;
    const Limits& limits_;
    Watchdog& watchdog_;
    Ops ops_;
    Settings settings_;
    Prices prices_;
    Cost unsupported_;  // base of a side that no leaf pays for, in units
    Table all_;
    Cache cache_;
    std::deque<SetFrame> frames_;  // by level; a deque so that frames stay where they are
    SparseCounters counters_;
};

extern template class SparseSearcher<bits::SmallOps>;
extern template class SparseSearcher<bits::MediumOps>;
extern template class SparseSearcher<bits::WideOps>;

}  // namespace exactree::sparse
