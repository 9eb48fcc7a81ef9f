// Scans a column of a set of rows cut by cut, with the sums of both sides, over the sure and over all rows.
#pragma once

#include <algorithm>
#include <vector>

#include "worst_leaf/sets.hpp"

namespace exactree::pareto {

// Sure and all rows of one side, by channel.
struct FrontSide {
    const double* sure;
    const double* all;
};

class FrontScan {
 public:
    explicit FrontScan(const worst_leaf::LeafData& data)
        : data_(data), yes_(2 * data.n_channels()), no_(2 * data.n_channels()) {}

    // Calls visit(rank, yes, no) for each cut that splits the rows, lowest first.
    template <class Visit>
    void cuts(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, std::size_t column, Visit visit) {
        const std::size_t width = data_.n_channels(), step = set.exact() ? width : 2 * width;
        const Rank n_ranks = data_.data.n_ranks[column];
        sum_up(set, column, step);
        std::fill(yes_.begin(), yes_.end(), 0.0);
        const FrontSide yes{yes_.data() + (set.exact() ? width : 0), yes_.data() + width};
        const FrontSide no{no_.data() + (set.exact() ? width : 0), no_.data() + width};
        for (Rank rank = 0; rank < n_ranks; ++rank) {
            if (!used_[rank]) continue;
            used_[rank] = false;
            double* here = sums_.data() + rank * step;
            for (std::size_t c = 0; c < step; ++c) yes_[2 * width - step + c] += here[c];
            for (std::size_t c = 0; c < width; ++c) {
                no_[width + c] = tally.all[c] - yes_[width + c];
                no_[c] = tally.sure[c] - yes_[c];
            }
            if (rank + 1 < n_ranks) visit(rank, yes, no);
            std::fill(here, here + step, 0.0);
        }
    }

 private:
    // Sums by rank: all rows, with the sure ones before them if they are not all.
    void sum_up(const worst_leaf::RowSet& set, std::size_t column, std::size_t step) {
        const Data& data = data_.data;
        const Rank* ranks = data.ranks.data() + column * data.n_rows;
        if (sums_.size() < data.n_ranks[column] * step) sums_.assign(data.n_ranks[column] * step, 0.0);
        if (used_.size() < data.n_ranks[column]) used_.assign(data.n_ranks[column], false);
        const std::size_t all = set.exact() ? 0 : data_.n_channels();
        for (std::size_t i = 0; i < set.rows.size(); ++i) {
            const RowId row = set.rows[i];
            double* here = sums_.data() + ranks[row] * step;
            used_[ranks[row]] = true;
            data_.add(here + all, row);
            if (all > 0 && i < set.sure) data_.add(here, row);
        }
    }

    const worst_leaf::LeafData& data_;
    std::vector<double> yes_, no_;  // sure, then all
    std::vector<double> sums_;      // zero between two scans
    std::vector<std::uint8_t> used_;
};

}  // namespace exactree::pareto
