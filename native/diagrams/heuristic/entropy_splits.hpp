// The best split of a node's rows by entropy.
#pragma once

#include <limits>
#include <unordered_map>

#include "core/budget.hpp"
#include "diagrams/heuristic/sorted_columns.hpp"

namespace exactree::diagrams::heuristic {

// Entropies of weights that are integers, as integers: sums are exact, and so are ties.
class EntropyTable {
 public:
    explicit EntropyTable(std::uint64_t largest);
    // n log n
    std::int64_t operator[](std::uint64_t n) const noexcept { return values_[n]; }

 private:
    std::vector<std::int64_t> values_;
};

struct EntropySplit {
    std::int64_t entropy;
    std::uint32_t balance;  // weight of the smaller side
    std::int32_t column;    // negative: none
    std::uint32_t place;    // in the column's order of rows: nothing of the node lies between its last yes and here

    // Of equal splits the earlier is better.
    bool is_better(const EntropySplit& than) const noexcept {
        if (column < 0 || than.column < 0) return column >= 0;
        if (entropy != than.entropy) return entropy < than.entropy;
        if (balance != than.balance) return balance > than.balance;
        return column != than.column ? column < than.column : place < than.place;
    }
};

// Counts the rows by bin and class. A split between two bins is known from the counts; one inside a bin is evaluated
// only where its bound is no worse than the best of all columns.
class SplitFinder {
 public:
    SplitFinder(const DiagramData& data, const SortedColumns& sorted);

    // The best split of some distinct rows, over the columns that `looks` selects.
    EntropySplit best(std::span<const RowId> rows, const std::uint8_t* looks, Watchdog& watchdog);
    // The best split both sides of which weigh so much, given the best of all. Rows and columns must be those of the
    // last call of `best`.
    EntropySplit best_heavy(const EntropySplit& best, const std::uint8_t* looks, std::int64_t least,
                            Watchdog& watchdog);
    // The largest rank that answers yes. The rows must be those of the last call of `best`.
    Rank rank_of(const EntropySplit& split) const;
    const EntropyTable& table() const noexcept { return table_; }

 private:
    static constexpr std::int64_t kNoFloor = std::numeric_limits<std::int64_t>::max();
    static constexpr EntropySplit kNoSplit{0, 0, -1, 0};
    // The best split found of a column, and a lower bound of the entropy of all others.
    struct ColumnSplits {
        EntropySplit split;
        std::int64_t floor;
    };
    static constexpr ColumnSplits kUnknown{{0, 0, -2, 0}, 0};
    // A cut: the weight that answers yes, and sums of n log n over the classes.
    struct CutWeights {
        std::uint32_t yes;
        std::int64_t of_yes, of_no;
    };

    void scan_promising_bins(ColumnSplits* known, const std::uint8_t* looks, EntropySplit& best, Watchdog& watchdog);
    void lay_out(std::span<const RowId> rows);
    ColumnSplits* lookup();
    void count(std::size_t column);
    void scan(std::size_t column, ColumnSplits& known, std::int64_t open);
    std::int64_t move_bin(std::size_t bin, std::uint32_t moved, CutWeights& cut);
    void scan_bin(std::size_t column, std::size_t bin, CutWeights cut, EntropySplit& best);
    void evaluate(std::size_t column, std::size_t place, const CutWeights& cut, EntropySplit& best) const;
    bool is_heavy(const EntropySplit& split, std::int64_t least) const;
    void scan_heavy(std::size_t column, std::int64_t total, std::int64_t least, EntropySplit& best);
    void move_to_yes(RowId row, CutWeights& cut);
    std::int64_t between(std::uint32_t yes) const { return table_[yes] + table_[total_ - yes]; }

    const DiagramData& data_;
    const SortedColumns& sorted_;
    EntropyTable table_;
    std::vector<std::uint64_t> row_keys_;
    // of the current rows
    std::span<const RowId> rows_;
    std::uint64_t key_ = 0;  // names them
    std::uint32_t total_ = 0;
    std::int64_t of_all_ = 0;             // sum of n log n over the classes
    std::vector<std::uint32_t> weights_;  // class
    std::vector<std::uint32_t> slots_;    // of each row: where its class is counted
    std::vector<std::uint32_t> stakes_;   // of each row
    std::vector<std::uint32_t> turn_of_;  // of each row of the table: turn in which it was last used
    std::uint32_t turn_ = 0;
    std::vector<std::uint32_t> counts_;        // class x bin
    std::vector<std::uint32_t> of_bin_;        // bin
    std::vector<std::uint32_t> yes_, inside_;  // class: before the current bin, before the current row
    // By rows, then by column. The first layers have the same rows again and again.
    std::unordered_map<std::uint64_t, std::vector<ColumnSplits>> known_;
    std::vector<ColumnSplits> fresh_;
};

}  // namespace exactree::diagrams::heuristic
