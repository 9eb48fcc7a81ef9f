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
    // Of each cut of a column: costs of both sides as leaves and split once more, and whether it splits the rows.
    struct ColumnCuts {
        std::vector<double> leaf_yes, leaf_no, split_yes, split_no;
        std::vector<Rank> open;
    };

    void price_column(const worst_leaf::PairRows& sums, std::size_t f);
    void price_pair(const worst_leaf::PairRows& sums, std::size_t f, std::size_t g);
    void sum_up(const worst_leaf::PairRows& sums, std::size_t f, std::size_t g);
    void fill_leaves(std::size_t a, std::size_t n_f, std::size_t n_g);
    void set_rows(ManyLeaves& leaves, std::size_t n) const;
    double& cell(ManyLeaves& leaves, std::size_t channel, std::size_t at) const {
        return channel < data_.n_classes() ? leaves.amounts[channel][at] : leaves.rows[at];
    }

    const worst_leaf::LeafData& data_;
    const LeafCosts& costs_;
    std::vector<ColumnCuts> cuts_;                  // by column
    std::vector<std::vector<double>> prefix_sums_;  // by channel: running sums of the current pair
    ManyLeaves leaves_[4];                          // low low, low high, high low, high high
};

}  // namespace exactree::leaf_limits
