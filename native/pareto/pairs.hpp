// The Pareto front of all trees of depth two on columns of few ranks, from sums over pairs of columns.
#pragma once

#include <vector>

#include "pareto/front.hpp"
#include "worst_leaf/pairs.hpp"
#include "worst_leaf/rule.hpp"
#include "worst_leaf/sets.hpp"

namespace exactree::pareto {

// Minimum size and score of leaves.
struct FrontRule {
    worst_leaf::LeafRule rule;
    double min_rows = 1;
    double min_weight = 0;
};

class FrontPairs {
 public:
    FrontPairs(const worst_leaf::LeafData& data, const FrontRule& rule);

    // Reads the sums of a set of rows, and finds the fewest errors on both sides of each cut. Trees have two leaves or
    // more.
    void load(const worst_leaf::PairRows& sums, std::int64_t leaves);
    // Of all trees with a split; infinite if no cut leaves two sides that are large enough.
    double fewest_wrong() const noexcept { return fewest_wrong_; }
    // Adds all nondominated trees.
    void grow(const FrontTarget& target, ParetoFront& out);

    std::uint64_t work(const worst_leaf::PairTables& sums) const noexcept {
        return 8 * sums.n_cells() * data_.n_channels();
    }

 private:
    // A side of a cut: one leaf, or two.
    struct SideOption {
        double score = 0, wrong = 0;
        Question question;
        int label_yes = 0, label_no = 0;
    };
    struct RootSide {
        double weight = 0;
        SideOption leaf;                 // its score is below 0 if it is too small
        double split_wrong = kNoErrors;  // fewest errors with one more question
        double wrong = kNoErrors;        // fewest of all
    };
    struct PairRoot {
        Question question;
        RootSide yes, no;
    };
    struct LeafErrors {
        std::vector<double> wrong, weight, rows, most;  // by cut of the second column
    };

    void sum_up(const worst_leaf::PairRows& sums, std::size_t channel, std::size_t f, std::size_t g);
    void score_columns();
    void score_pair(std::size_t f, std::size_t g);
    void fill_leaves(std::size_t f, std::size_t g, std::size_t a);
    void grow_below(const PairRoot& root, const FrontTarget& target, ParetoFront& out);
    void find_splits(const PairRoot& root, bool yes, double needed, const FrontTarget& target);
    void add_split(const PairRoot& root, bool yes, Question question, double needed, const FrontTarget& target);
    void join(const PairRoot& root, bool yes_leaf, bool no_leaf, const FrontTarget& target, ParetoFront& out);
    SideOption leaf_of(const double* channels) const;
    double* prefix_sums(std::size_t channel, std::size_t f, std::size_t g) {
        return prefix_sums_.data() + channel * n_cells_ + first_[f * n_columns_ + g];
    }
    // Rows with rank at most a in f and at most b in g, one channel.
    double low(std::size_t channel, std::size_t f, std::size_t a, std::size_t g, std::size_t b) {
        return f <= g ? prefix_sums(channel, f, g)[a * n_ranks_[g] + b]
                      : prefix_sums(channel, g, f)[b * n_ranks_[f] + a];
    }

    const worst_leaf::LeafData& data_;
    const FrontRule rule_;
    std::size_t n_columns_, n_cells_ = 0;
    std::vector<std::size_t> n_ranks_, first_, first_root_;
    std::vector<double> prefix_sums_;  // running sums, by channel, pair, rank and rank
    std::vector<PairRoot> roots_;      // all cuts, by column
    std::vector<std::size_t> order_;
    LeafErrors leaves_[4];  // low low, low high, high low, high high
    std::vector<SideOption> splits_[2], chosen_[2];
    double fewest_wrong_ = kNoErrors;
    std::int64_t most_leaves_ = 4;
};

}  // namespace exactree::pareto
