// Depth two on columns of few ranks: sums over pairs of columns give all four leaves of every pair of questions.
#pragma once

#include <span>
#include <vector>

#include "worst_leaf/sets.hpp"

namespace exactree::worst_leaf {

constexpr Rank kFewRanks = 64;

// Contingency tables: weight by class, and number of rows where it differs, for every pair of columns and every pair of
// their ranks. Tables of disjoint sets of rows add up, so those of a set are updated as rows are added.
class PairTables {
 public:
    explicit PairTables(const LeafData& data);

    // Bytes that the tables of some data take; the largest number if a column has too many ranks.
    static std::size_t bytes(const LeafData& data, Rank most_ranks = kFewRanks);
    std::size_t n_pairs() const noexcept { return first_.size(); }
    std::size_t n_cells() const noexcept { return n_cells_; }
    void clear() { std::fill(cells_.begin(), cells_.end(), 0.0); }
    void add(std::span<const RowId> rows);
    // One channel of the pair f <= g, by rank of f and then of g.
    const double* table(std::size_t channel, std::size_t f, std::size_t g) const {
        const std::size_t size = std::size_t{data_.data.n_ranks[f]} * data_.data.n_ranks[g];
        return cells_.data() + first_[f * n_columns_ + g] * data_.n_channels() + channel * size;
    }

 private:
    void add_pair(std::span<const RowId> rows, std::size_t f, std::size_t g, std::span<const std::uint32_t> members);
    void complete(std::size_t f, std::size_t g, bool by_f);

    const LeafData& data_;
    std::size_t n_columns_, n_cells_ = 0;
    std::vector<std::size_t> first_;  // cell of a pair
    std::vector<double> cells_;       // by pair, channel, rank and rank
    // Of the rows that are added: ranks by column, numbers of those of rank 0 by column of two ranks, and of all.
    std::vector<std::uint32_t> ranks_, every_row_;
    std::vector<std::vector<std::uint32_t>> of_level_;
};

// The sums of some rows, or of their difference to others.
struct PairRows {
    const PairTables& all;
    const PairTables* without = nullptr;
};

// Running sums of a table over both axes, or of the difference of two: first down its columns, which vectorises.
void sum_prefixes(const double* table, const double* without, std::size_t n_f, std::size_t n_g, double* prefix_sums);

constexpr int kNoLeaves = 1 << 20;

// The fewest leaves, four at most, of a tree of depth two whose leaves are all feasible.
class LeafPairs {
 public:
    explicit LeafPairs(const LeafData& data) : data_(data) {}

    // Stops as soon as `enough` leaves or fewer are found to be sufficient.
    int fewest(const PairRows& sums, const LeafRequirements& needs, int enough);

    // All root cuts of feasible trees of depth two with so many leaves.
    std::vector<Question> feasible_cuts(const PairRows& sums, const LeafRequirements& needs, std::int64_t leaves);

    std::uint64_t work(const PairRows& sums) const noexcept { return 4 * sums.all.n_cells() * data_.n_channels(); }

 private:
    // For each cut of a column whether its sides are feasible leaves, or can be split into two.
    struct Cuts {
        std::vector<std::uint8_t> leaf_yes, leaf_no, pair_yes, pair_no, alive;
    };
    struct LeafSums {
        std::vector<double> most, weight, rows;  // by rank: of the heaviest class, of all, and their number

        void resize(std::size_t n) {
            most.resize(n);
            weight.resize(n);
            rows.resize(n);
        }
        void clear(std::size_t n);
    };

    void score_columns(const PairRows& sums, const LeafRequirements& needs);
    bool score_pair(const PairRows& sums, const LeafRequirements& needs, std::size_t f, std::size_t g);
    void sum_up(const PairRows& sums, std::size_t f, std::size_t g);
    void fill_leaves(std::size_t a, std::size_t n_f, std::size_t n_g);
    int fewest_of(const Cuts& cuts, std::size_t rank) const;

    const LeafData& data_;
    std::vector<Cuts> cuts_;                        // per column
    std::vector<std::vector<double>> prefix_sums_;  // per channel: running sums of the current pair
    LeafSums leaves_[4];                            // low low, low high, high low, high high
    std::vector<double> feasible_[4];               // 1 or 0, by rank of g
    std::vector<double> marked_yes_, marked_no_;    // above 0: sides of cuts of g that the current pair can split
};

}  // namespace exactree::worst_leaf
