// Scans the columns of a set of rows cut by cut, with the sums of both sides, over the sure and over all rows.
#pragma once

#include <algorithm>
#include <limits>
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
        : data_(data), yes_(2 * data.n_channels()), no_(2 * data.n_channels()) {
        group_levels();
    }

    // Calls visit(column, rank, yes, no) for each cut that splits the rows, column by column, lowest first.
    template <class Visit>
    void cuts(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, Visit visit) {
        for (std::size_t column = 0; column < data_.data.n_columns(); ++column)
            if (!is_level_[column]) scan_column(set, tally, column, visit);
        for (const LevelGroup& group : groups_) scan_levels(set, tally, group, visit);
    }

 private:
    // Columns of two ranks no two of which have rank 0 in one row, such as the levels of a category: one pass adds up
    // the rows of all of them.
    struct LevelGroup {
        std::vector<std::size_t> columns;
        std::vector<Rank> code;  // of each row: which of the columns has rank 0, or one more than all
    };

    void group_levels() {
        const Data& data = data_.data;
        is_level_.assign(data.n_columns(), false);
        for (std::size_t column = 0; column < data.n_columns(); ++column) {
            if (data.n_ranks[column] != 2) continue;
            is_level_[column] = true;
            const auto apart = [&](const LevelGroup& group) {
                for (RowId row = 0; row < data.n_rows; ++row)
                    if (data.rank(column, row) == 0 && group.code[row] != kNoLevel) return false;
                return true;
            };
            if (groups_.empty() || !apart(groups_.back()))
                groups_.push_back({{}, std::vector<Rank>(data.n_rows, kNoLevel)});
            LevelGroup& group = groups_.back();
            for (RowId row = 0; row < data.n_rows; ++row)
                if (data.rank(column, row) == 0) group.code[row] = static_cast<Rank>(group.columns.size());
            group.columns.push_back(column);
        }
        for (LevelGroup& group : groups_)
            std::replace(group.code.begin(), group.code.end(), kNoLevel, static_cast<Rank>(group.columns.size()));
    }

    template <class Visit>
    void scan_column(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, std::size_t column, Visit visit) {
        const Data& data = data_.data;
        const Rank n_ranks = data.n_ranks[column];
        const std::size_t width = data_.n_channels(), step = set.exact() ? width : 2 * width;
        sum_up(set, data.ranks.data() + column * data.n_rows, n_ranks, step);
        std::fill(yes_.begin(), yes_.end(), 0.0);
        for (const Rank rank : used_) {
            double* here = sums_.data() + rank * step;
            for (std::size_t c = 0; c < step; ++c) yes_[2 * width - step + c] += here[c];
            if (rank + 1 < n_ranks) visit_cut(set, tally, column, rank, visit);
            std::fill(here, here + step, 0.0);
        }
    }

    template <class Visit>
    void scan_levels(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, const LevelGroup& group,
                     Visit visit) {
        const std::size_t width = data_.n_channels(), step = set.exact() ? width : 2 * width;
        const auto n_levels = static_cast<Rank>(group.columns.size());
        sum_up(set, group.code.data(), n_levels + 1, step);
        for (const Rank level : used_) {
            double* here = sums_.data() + level * step;
            std::fill(yes_.begin(), yes_.end(), 0.0);
            std::copy(here, here + step, yes_.end() - static_cast<std::ptrdiff_t>(step));
            if (level < n_levels) visit_cut(set, tally, group.columns[level], 0, visit);
            std::fill(here, here + step, 0.0);
        }
    }

    template <class Visit>
    void visit_cut(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, std::size_t column, Rank rank,
                   Visit visit) {
        const std::size_t width = data_.n_channels();
        for (std::size_t c = 0; c < width; ++c) {
            no_[width + c] = tally.all[c] - yes_[width + c];
            no_[c] = tally.sure[c] - yes_[c];
        }
        const std::size_t sure = set.exact() ? width : 0;
        visit(column, rank, FrontSide{yes_.data() + sure, yes_.data() + width},
              FrontSide{no_.data() + sure, no_.data() + width});
    }

    // Sums by rank: all rows, with the sure ones before them if they are not all; and the ranks that rows have.
    void sum_up(const worst_leaf::RowSet& set, const Rank* ranks, Rank n_ranks, std::size_t step) {
        if (sums_.size() < n_ranks * step) sums_.assign(n_ranks * step, 0.0);
        if (is_used_.size() < n_ranks) is_used_.assign(n_ranks, false);
        used_.clear();
        const std::size_t all = set.exact() ? 0 : data_.n_channels();
        for (std::size_t i = 0; i < set.rows.size(); ++i) {
            const RowId row = set.rows[i];
            double* here = sums_.data() + ranks[row] * step;
            if (!is_used_[ranks[row]]) used_.push_back(ranks[row]);
            is_used_[ranks[row]] = true;
            data_.add(here + all, row);
            if (all > 0 && i < set.sure) data_.add(here, row);
        }
        if (used_.size() * kFewer < n_ranks) {
            std::sort(used_.begin(), used_.end());
        } else {
            used_.clear();
            for (Rank rank = 0; rank < n_ranks; ++rank)
                if (is_used_[rank]) used_.push_back(rank);
        }
        for (const Rank rank : used_) is_used_[rank] = false;
    }

    static constexpr std::size_t kFewer = 16;  // ranks are sorted if rows have so many times fewer than there are
    static constexpr Rank kNoLevel = std::numeric_limits<Rank>::max();

    const worst_leaf::LeafData& data_;
    std::vector<char> is_level_;  // by column: whether it is in a group
    std::vector<LevelGroup> groups_;
    std::vector<double> yes_, no_;  // sure, then all
    std::vector<double> sums_;      // zero between two scans
    std::vector<std::uint8_t> is_used_;
    std::vector<Rank> used_;  // by the rows of the set, lowest first
};

}  // namespace exactree::pareto
