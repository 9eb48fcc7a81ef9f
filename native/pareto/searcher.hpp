// The Pareto front of score of the worst leaf against errors, for any set of rows.
//
// A tree combines one subtree for each side of its root cut: the minimum of their scores, the sum of their errors. So
// nondominated trees are combinations of nondominated subtrees, of which those are pruned that the front found so far
// and the bounds of the other side rule out. Cuts of columns with many ranks are bounded in intervals: rows that may be
// on a side count if they are right and do not if they are wrong, which no cut of the interval can exceed.
#pragma once

#include <memory>
#include <vector>

#include "core/budget.hpp"
#include "pareto/front.hpp"
#include "pareto/pairs.hpp"
#include "pareto/scan.hpp"
#include "worst_leaf/sets.hpp"

namespace exactree::pareto {

class FrontSearcher {
 public:
    FrontSearcher(const worst_leaf::LeafData& data, const FrontRule& rule, std::size_t memory, Watchdog& watchdog);

    // Adds all nondominated trees to `out`: the complete front, unless the watchdog stops the search.
    void grow(int depth, std::int64_t leaves, ParetoFront& out);
    // A tree for all rows with the best labels; its leaves must be large enough.
    FrontEntry score_tree(const Tree& tree) const;

    bool has_few_ranks() const noexcept { return few_ranks_; }
    std::uint64_t sets_looked_at = 0;

 private:
    void find_equivalent_points();
    double unavoidable(const worst_leaf::RowSet& set) const;
    void grow(const worst_leaf::RowSet& set, int depth, std::int64_t leaves, const FrontTarget& target,
              ParetoFront& out);
    void add_leaf(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, const FrontTarget& target,
                  ParetoFront& out) const;
    void grow_depth_one(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, const FrontTarget& target,
                        ParetoFront& out);
    void grow_depth_two(const worst_leaf::RowSet& set, std::int64_t leaves, const FrontTarget& target,
                        ParetoFront& out);
    void grow_depth_three(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, std::int64_t leaves,
                          const FrontTarget& target, ParetoFront& out);
    void grow_below(Question question, const double* yes, const double* no, std::int64_t leaves,
                    const FrontTarget& target, ParetoFront& out);
    void grow_column(const worst_leaf::RowSet& set, std::size_t column, int depth, std::int64_t leaves,
                     const FrontTarget& target, ParetoFront& out);
    bool join(const worst_leaf::CutSides& sides, Question question, int depth, std::int64_t leaves,
              const FrontTarget& target, ParetoFront* out);
    FrontEntry score_tree(const Tree& tree, std::size_t at, const worst_leaf::RowSet& set) const;

    // A leaf of some set between the sure and all rows: no set has a higher score or fewer errors.
    struct Leaf {
        double score = -1;  // below 0: too small
        double wrong = 0;
        int label = 0;
    };
    Leaf leaf_of(const double* sure, const double* all) const;
    void grow_side(const Leaf& leaf, std::int64_t leaves, FrontPairs& pairs, const FrontTarget& target,
                   ParetoFront& out) const;
    double weight_of(const double* channels) const;

    const worst_leaf::LeafData& data_;
    const FrontRule rule_;
    Watchdog& watchdog_;
    FrontScan scan_;
    bool few_ranks_ = true;
    std::unique_ptr<worst_leaf::PairTables> two_, whole_, yes_;  // with few ranks
    std::unique_ptr<FrontPairs> pairs_, pairs_yes_, pairs_no_;
    std::vector<double> unavoidable_;  // equivalent-points bound: weight of rows that differ in label from the heaviest
                                       // of the same ranks
};

}  // namespace exactree::pareto
