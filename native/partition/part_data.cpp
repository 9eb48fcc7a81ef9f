#include "partition/part_data.hpp"

#include <algorithm>

namespace exactree::partition {

PartData::PartData(const Data& whole, std::span<const RowId> rows) {
    for (const RowId row : rows) {
        labels_.push_back(whole.label[row]);
        gains_.push_back(whole.gain[row]);
        bases_.push_back(whole.base[row]);
        sizes_.push_back(whole.size[row]);
    }
    ranks_.reserve(rows.size() * whole.n_columns());
    data_.n_classes = whole.n_classes;
    data_.n_rows = rows.size();
    for (std::size_t column = 0; column < whole.n_columns(); ++column) renumber(whole, rows, column);
    data_.ranks = ranks_;
    data_.label = labels_;
    data_.gain = gains_;
    data_.base = bases_;
    data_.size = sizes_;
}

// Only the order of ranks matters to a question, so those that occur become 0, 1, 2, ...
void PartData::renumber(const Data& whole, std::span<const RowId> rows, std::size_t column) {
    met_.clear();
    for (const RowId row : rows) met_.push_back(whole.rank(column, row));
    std::sort(met_.begin(), met_.end());
    met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
    for (const RowId row : rows) {
        const auto at = std::lower_bound(met_.begin(), met_.end(), whole.rank(column, row));
        ranks_.push_back(static_cast<Rank>(at - met_.begin()));
    }
    data_.n_ranks.push_back(static_cast<Rank>(met_.size()));
}

std::vector<RowId> group_starts(const Data& data) {
    std::vector<RowId> out;
    for (RowId row = 0; row < data.n_rows; ++row)
        if (!continues_group(data, row)) out.push_back(row);
    return out;
}

}  // namespace exactree::partition
