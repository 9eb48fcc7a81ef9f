// The rows of a diagram's columns in the order of their ranks, and the bins of ranks that histograms are built by.
#pragma once

#include "diagrams/heuristic/diagram.hpp"

namespace exactree::diagrams::heuristic {

// A bin is a range of ranks of a column. Sums over the rows of each bin bound the gain of any cut inside it, so most
// bins are never scanned.
class SortedColumns {
 public:
    static constexpr std::uint32_t kFirst = 1u << 31;  // first row of its rank
    static constexpr std::size_t kMostBins = 64;       // a class's counts stay within 256 bytes

    explicit SortedColumns(const DiagramData& data);

    // Rows by rank, the first row of every rank marked, so that one pass needs no ranks.
    std::span<const std::uint32_t> of(std::size_t column) const noexcept {
        return {rows_.data() + column * n_rows_, n_rows_};
    }
    RowId row_at(std::size_t column, std::size_t place) const noexcept {
        return rows_[column * n_rows_ + place] & ~kFirst;
    }
    // Bin of each row.
    const std::uint8_t* bins(std::size_t column) const noexcept { return bins_.data() + column * n_rows_; }
    std::size_t n_bins(std::size_t column) const noexcept { return n_bins_[column]; }
    // Places of a bin's rows: from the first to before the last.
    std::size_t begin(std::size_t column, std::size_t bin) const noexcept {
        return bin == 0 ? 0 : ends_[column * kMostBins + bin - 1];
    }
    std::size_t end(std::size_t column, std::size_t bin) const noexcept { return ends_[column * kMostBins + bin]; }
    // Whether every bin is one rank.
    bool exact(std::size_t column) const noexcept { return exact_[column] != 0; }

 private:
    void sort(const DiagramData& data, std::size_t column, std::vector<std::uint32_t>& begin);
    void make_bins(std::size_t column);

    std::size_t n_rows_;
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint8_t> bins_;
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint8_t> n_bins_, exact_;
};

}  // namespace exactree::diagrams::heuristic
