// The cheapest tree whose leaves obey limits, each by itself, or pay for breaking them: branch and bound over sets of
// rows.
//
// A side of a cut is not cheaper because it has more rows: they may make a leaf good enough. So the cuts of a column
// are bounded in intervals as in worst_leaf: rows that may be on a side count for a label where they are right, and
// cost nothing where they are wrong.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/budget.hpp"
#include "core/key.hpp"
#include "leaf_limits/free_bounds.hpp"
#include "leaf_limits/pairs.hpp"
#include "pareto/front.hpp"
#include "pareto/scan.hpp"
#include "worst_leaf/sweep.hpp"

namespace exactree::leaf_limits {

using pareto::FrontTree;
using Plan = std::shared_ptr<const FrontTree>;
using worst_leaf::CutSides;
using worst_leaf::LeafData;
using worst_leaf::RowSet;
using worst_leaf::Tally;

// No tree costs less than `lower`. With a plan, that is what it costs.
struct Found {
    double lower = kNever;
    Plan plan;
};

// Notified of better trees for all rows, and of better bounds on them.
struct RootListener {
    std::function<void(const Found& found)> improved;
    std::function<void(double bound)> bounded;
};

class LimitSearcher {
 public:
    // `unavoidable` is a cost of each row that no tree can avoid.
    LimitSearcher(const LeafData& data, const LeafCosts& costs, std::span<const double> unavoidable, std::size_t memory,
                  Watchdog& watchdog);

    // The cheapest tree for all rows if it costs less than `below`; otherwise a lower bound. Meaningless once the
    // watchdog has stopped the search, except for what the listener was told.
    Found solve_root(int depth, std::int64_t leaves, double below, RootListener& listener);
    // The same for some rows.
    Found solve_part(const RowSet& set, int depth, std::int64_t leaves, double below) {
        return solve(set, depth, leaves, below);
    }
    // Bounds without limits, for the first cuts of deep trees; may be left out.
    void use(FreeBounds* free) noexcept { free_ = free; }
    // The cheapest way to prune a tree for some rows, and to label its leaves.
    Found prune(const RowSet& set, const FrontTree& tree, bool is_root = false) const;
    Found leaf_of(const RowSet& set, bool is_root = false) const { return leaf_of(set, Tally(data_, set), is_root); }
    Found leaf_of(const RowSet& set, const Tally& tally, bool is_root) const;

    bool has_pair_sums() const noexcept { return has_pair_sums_; }
    std::uint64_t sets_looked_at = 0, found_in_cache = 0;

 private:
    struct WaitingCuts {
        std::uint32_t column;
        Rank first, last;
        double bound;
        bool is_bounded = false;  // without limits
    };
    struct Exploration {
        const RowSet& set;
        int depth;
        std::int64_t leaves;
        double below;
        bool is_root;
        Found best{kNever, nullptr};
        std::vector<WaitingCuts> queue{};         // a heap
        std::vector<std::vector<double>> rows{};  // by column and rank: rows up to it; empty until read
        double width = 0;                         // intervals with more possible rows are bisected without a bound
        double slack = 0;                         // possible rows of the set: narrower intervals are not bisected
    };

    Found solve(const RowSet& set, int depth, std::int64_t leaves, double below, bool is_root = false);
    Found split(const RowSet& set, const Tally& tally, int depth, std::int64_t leaves, double below, bool is_root);
    Found split_once(const RowSet& set, const Tally& tally, double below) const;
    Found split_twice(const RowSet& set, std::int64_t leaves, double below);
    Found split_thrice(const RowSet& set, const Tally& tally, std::int64_t leaves, double below, bool is_root);
    void try_swept(const RowSet& set, const worst_leaf::SweptCut& cut, std::int64_t leaves, double below, Found& best);
    Found explore(const RowSet& set, int depth, std::int64_t leaves, double below, bool is_root);
    void try_cuts(Exploration& state, WaitingCuts open);
    bool raise_bound(const Exploration& state, WaitingCuts& open);
    void bisect(Exploration& state, const WaitingCuts& open, double bound) const;
    Found solve_sides(const CutSides& sides, Question question, const Exploration& state);
    Found solve_sides(const CutSides& sides, Question question, int depth, std::int64_t leaves_yes,
                      std::int64_t leaves_no, double below);
    PairTrees pair_trees(const double* side, const worst_leaf::PairRows& sums);
    Plan plan_of(const RowSet& set, const PairTree& tree) const;
    double floor_of(const RowSet& set) const;
    // Trees of this cost or more are not looked for.
    double target(double below, const Found& best) const { return std::min(below, best.lower) - costs_.rules().noise; }
    Found ended(const Found& best, double below) const {
        return best.lower < below - costs_.rules().noise ? best : Found{std::min(best.lower, below), nullptr};
    }
    std::vector<double> rows_up_to(const RowSet& set, std::size_t column) const;

    const LeafData& data_;
    const LeafCosts& costs_;
    std::span<const double> unavoidable_;
    Watchdog& watchdog_;
    bool has_pair_sums_ = false;
    mutable pareto::FrontScan scan_;
    PairCosts pairs_;
    std::unique_ptr<worst_leaf::PairTables> two_, whole_, swept_;  // with few ranks
    RootListener* listener_ = nullptr;
    FreeBounds* free_ = nullptr;
    std::size_t most_known_ = 0;
    std::unordered_map<worst_leaf::SetKey, Found, worst_leaf::SetHash> known_;
};

}  // namespace exactree::leaf_limits
