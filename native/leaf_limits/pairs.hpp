// The cheapest trees of depth two, from sums over pairs of columns.
#pragma once

#include <array>
#include <vector>

#include "leaf_limits/leaf_costs.hpp"
#include "worst_leaf/pairs.hpp"

namespace exactree::leaf_limits {

constexpr std::size_t kMostPairLeaves = 4;

// A tree of two to four leaves: its first question, and whether each side is split once more.
struct PairTree {
    double cost = kNever;
    Question question;
    bool splits_yes = false, splits_no = false;

    std::int64_t n_leaves() const noexcept { return 2 + splits_yes + splits_no; }
};

// The cheapest tree of at most so many leaves, from two on.
using PairTrees = std::array<PairTree, kMostPairLeaves + 1>;

class PairCosts {
 public:
    PairCosts(const worst_leaf::LeafData& data, const LeafCosts& costs) : data_(data), costs_(costs) {}

    PairTrees cheapest(const worst_leaf::PairRows& sums);

    std::uint64_t work(const worst_leaf::PairTables& tables) const noexcept {
        return 4 * tables.n_cells() * data_.n_channels();
    }

 private:
    // A cut that splits the rows, with its sides as leaves and split once more.
    struct PairCut {
        Question question;
        double leaf_yes = kNever, leaf_no = kNever;
    };

    void open_cuts(const worst_leaf::PairRows& sums, std::size_t f);
    void sum_up(const worst_leaf::PairRows& sums, std::size_t f, std::size_t g);
    void price_pairs(std::size_t u);
    void fill_leaves(std::size_t channel, std::size_t u, std::size_t n);
    void set_rows(ManyLeaves& leaves, std::size_t n) const;
    PairTrees best_trees() const;
    double* channel_of(ManyLeaves& leaves, std::size_t channel) const {
        return channel < data_.n_classes() ? leaves.amounts[channel].data() : leaves.rows.data();
    }

    const worst_leaf::LeafData& data_;
    const LeafCosts& costs_;
    std::vector<PairCut> cuts_;                        // all that split the rows, by column
    std::vector<std::size_t> first_;                   // of each column; one more at the end
    std::vector<double> split_yes_, split_no_;         // of each cut: the cheapest further split of its sides
    std::vector<double> total_;                        // by channel
    std::vector<std::vector<double>> yes_, both_yes_;  // by channel: of each cut; of each pair of cuts
    std::vector<double> prefix_sums_;                  // of the current pair of columns
    ManyLeaves leaves_[4];                             // low low, low high, high low, high high
};

}  // namespace exactree::leaf_limits
