// Decision problem: is there a tree all of whose leaves score above a threshold? Branch and bound over sets of rows.
//
// The cuts of a column are bounded in intervals. Rows on one side of every cut of an interval are sure to be there,
// rows on that side of some cuts are possible; the relaxed leaf of such a set has all possible rows of its label and
// only the sure rows of other labels. Where not even relaxed leaves form a tree, no cut of the interval is feasible.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/budget.hpp"
#include "core/key.hpp"
#include "worst_leaf/pairs.hpp"
#include "worst_leaf/planned_tree.hpp"
#include "worst_leaf/scan.hpp"
#include "worst_leaf/sets.hpp"
#include "worst_leaf/sweep.hpp"

namespace exactree::worst_leaf {

constexpr double kLeafNoise = 1e-10;  // scores that differ by less are equal

struct LeafLimits {
    double min_rows = 1;
    double min_weight = 0;
    std::size_t memory = std::size_t{1} << 32;  // bytes, for sums over pairs and refuted sets
};

class LeafSearcher {
 public:
    LeafSearcher(const LeafData& data, const LeafRule& rule, const LeafLimits& limits, Watchdog& watchdog);

    // A tree whose leaves all score above q, or none; that there is none is proved unless the watchdog stopped the
    // search.
    std::optional<PlannedTree> find(double q, int depth, std::int64_t leaves);
    // Maximises the score of the worst leaf: the final incumbent is optimal, unless the watchdog stopped the search.
    struct LeafIncumbent {
        PlannedTree plan;
        double score = 0;
        bool by_leaves = false;  // minimise leaves at equal score
    };
    void maximize_score(LeafIncumbent& incumbent, int depth, std::int64_t leaves);
    // Minimises the number of leaves of trees whose leaves all score above q.
    void minimize_leaves(LeafIncumbent& incumbent, double q, int depth);
    // Minimises the misclassified weight of trees whose leaves all score above q.
    std::optional<PlannedTree> minimize_errors(double q, int depth, std::int64_t leaves);

    // Score of the worst leaf of a tree.
    double worst_score(const PlannedTree& plan) const;

    std::uint64_t sets_looked_at = 0;
    std::uint64_t found_in_cache = 0;

 private:
    struct RankInterval {
        Rank first, last;
    };

    bool explore(const RowSet& set, int depth, std::int64_t leaves, PlannedTree* plan);
    bool explore_depth_one(const RowSet& set, const Tally& tally, PlannedTree* plan);
    bool explore_depth_two(const RowSet& set, int depth, std::int64_t leaves, PlannedTree* plan);
    bool explore_depth_three(const RowSet& set, const Tally& tally, std::int64_t leaves, PlannedTree* plan);
    void sum_whole(const RowSet& set);
    bool explore_cut(const RowSet& set, const SweptCut& cut, std::int64_t leaves, PlannedTree* plan);
    int fewest_leaves(const double* side, const PairRows& sums, std::int64_t leaves);
    bool explore_columns(const RowSet& set, int depth, std::int64_t leaves, PlannedTree* plan);
    bool explore_column(const RowSet& set, std::size_t column, int depth, std::int64_t leaves, PlannedTree* plan);
    bool explore_sides(const CutSides& sides, Question question, int depth, std::int64_t leaves, PlannedTree* plan);
    bool accept_and_continue(const RowSet& set, PlannedTree* plan);
    bool is_improving(const RowSet& set) const noexcept {
        return incumbent_ != nullptr && set.rows.size() == data_.data.n_rows;
    }
    // Limit on the leaves of a better tree for these rows.
    std::int64_t allowed(const RowSet& set, std::int64_t leaves) const {
        return is_improving(set) && incumbent_->by_leaves ? incumbent_->plan.n_leaves() - 1 : leaves;
    }
    void maximize_all(LeafIncumbent& incumbent, int depth, std::int64_t leaves);
    void set_threshold(double q);
    void reset_refuted_cuts();
    void count_rows(const RowSet& set, std::size_t column, std::vector<double>& up_to) const;

    double fewest_errors(const RowSet& set, int depth, std::int64_t leaves, double below, PlannedTree* plan);
    double fewest_errors_depth_one(const RowSet& set, const Tally& tally, double below, PlannedTree* plan);
    double fewest_errors_depth_two(const RowSet& set, std::int64_t leaves, double below, PlannedTree* plan);
    double fewest_errors_swept(const RowSet& set, const Tally& tally, std::size_t column, std::int64_t leaves,
                               double below, PlannedTree* plan);
    double fewest_errors_column(const RowSet& set, std::size_t column, int depth, std::int64_t leaves, double below,
                                PlannedTree* plan);
    double fewest_errors_sides(const CutSides& sides, Question question, int depth, std::int64_t leaves, double below,
                               PlannedTree* plan);
    double worst_score(const PlannedTree& plan, const RowSet& set) const;

    // Calls visit(cut) for each cut of a column that is not refuted, until it returns true.
    template <class Visit>
    bool sweep(const RowSet& set, const Tally& tally, std::size_t column, Visit visit) {
        const auto is_open = [&](Rank cut) { return !is_refuted(set, column, cut); };
        return sweep_cuts(data_, set, tally, column, *swept_, watchdog_, is_open, visit);
    }

    // Refuted root cuts: once no tree with a cut scores above q, none scores above a larger q.
    bool is_refuted(const RowSet& set, std::size_t column, Rank rank) const {
        return set.rows.size() == data_.data.n_rows && set.exact() && refuted_cuts_[column][rank] <= q_;
    }
    void refute(const RowSet& set, std::size_t column, Rank first, Rank last) {
        if (set.rows.size() != data_.data.n_rows || !set.exact() || watchdog_.stopped()) return;
        if (incumbent_ == nullptr || incumbent_->by_leaves) return;  // refuted for fewer leaves only
        for (Rank rank = first; rank <= last; ++rank)
            refuted_cuts_[column][rank] = std::min(refuted_cuts_[column][rank], q_);
    }
    std::vector<RankInterval> open_cuts(const RowSet& set, std::size_t column) const;

    const LeafData& data_;
    const LeafRule rule_;
    const LeafLimits limits_;
    Watchdog& watchdog_;
    LeafRequirements needs_;
    bool few_ranks_ = true;
    LeafScan scan_;
    LeafPairs pairs_;
    std::unique_ptr<PairTables> two_, whole_, swept_;      // with few ranks
    LeafIncumbent* incumbent_ = nullptr;                   // while maximising or minimising
    std::size_t most_refuted_ = 0;                         // limit by memory
    std::unordered_map<SetKey, double, SetHash> refuted_;  // the lowest threshold refuted so far
    std::vector<std::vector<double>> refuted_cuts_;        // by column and rank: the same for cuts of all rows
    double q_ = 0;
    std::vector<std::size_t> last_column_;  // by depth: where the last tree was found
};

}  // namespace exactree::worst_leaf
