#include "diagrams/heuristic/sorted_columns.hpp"

#include <algorithm>
#include <numeric>

namespace exactree::diagrams::heuristic {

SortedColumns::SortedColumns(const DiagramData& data)
    : n_rows_(data.n_rows),
      rows_(data.n_columns * data.n_rows),
      bins_(data.n_columns * data.n_rows),
      ends_(data.n_columns * kMostBins),
      n_bins_(data.n_columns),
      exact_(data.n_columns) {
    std::vector<std::uint32_t> begin(data.n_rows + 1);
    for (std::size_t column = 0; column < data.n_columns; ++column) {
        sort(data, column, begin);
        make_bins(column);
    }
}

void SortedColumns::sort(const DiagramData& data, std::size_t column, std::vector<std::uint32_t>& begin) {
    const auto ranks = data.ranks.subspan(column * n_rows_, n_rows_);
    std::fill(begin.begin(), begin.end(), 0);
    for (const Rank rank : ranks) ++begin[rank + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::uint32_t* rows = rows_.data() + column * n_rows_;
    for (std::size_t row = 0; row < n_rows_; ++row) rows[begin[ranks[row]]++] = static_cast<std::uint32_t>(row);
    for (std::size_t i = n_rows_; i-- > 0;)
        if (i == 0 || ranks[rows[i]] != ranks[rows[i - 1]]) rows[i] |= kFirst;
}

// Bins of one rank each if there are few ranks, else of about as many rows.
void SortedColumns::make_bins(std::size_t column) {
    const auto rows = of(column);
    const auto n_ranks = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](std::uint32_t entry) { return (entry & kFirst) != 0; }));
    exact_[column] = n_ranks <= kMostBins;
    const std::size_t least = exact_[column] ? 1 : (n_rows_ + kMostBins - 1) / kMostBins;
    std::size_t bin = 0, begun = 0;
    for (std::size_t place = 0; place < n_rows_; ++place) {
        if ((rows[place] & kFirst) != 0 && place - begun >= least) {
            ends_[column * kMostBins + bin++] = static_cast<std::uint32_t>(place);
            begun = place;
        }
        bins_[column * n_rows_ + (rows[place] & ~kFirst)] = static_cast<std::uint8_t>(bin);
    }
    ends_[column * kMostBins + bin] = static_cast<std::uint32_t>(n_rows_);
    n_bins_[column] = static_cast<std::uint8_t>(bin + 1);
}

}  // namespace exactree::diagrams::heuristic
