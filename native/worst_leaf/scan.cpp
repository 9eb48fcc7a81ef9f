#include "worst_leaf/scan.hpp"

namespace exactree::worst_leaf {

namespace {

// All rows of the data are scanned, members of the set or not, unless the set is smaller by this factor: then its rows
// are sorted instead.
constexpr std::size_t kFewer = 32;

}  // namespace

LeafScan::LeafScan(const LeafData& data)
    : data_(data),
      order_(data.data.n_columns() * data.data.n_rows),
      members_(data.data.n_rows),
      members_of_two_(data.data.n_rows),
      sums_(4 * data.n_channels()) {
    const Data& rows = data.data;
    for (std::size_t row = 0; row < rows.n_rows; ++row) members_[row].label = static_cast<std::size_t>(rows.label[row]);
    for (std::size_t column = 0; column < rows.n_columns(); ++column) {
        std::vector<std::size_t> place(rows.n_ranks[column] + 1, 0);
        const Rank* ranks = rows.ranks.data() + column * rows.n_rows;
        for (std::size_t row = 0; row < rows.n_rows; ++row) ++place[ranks[row] + 1];
        for (std::size_t rank = 1; rank < place.size(); ++rank) place[rank] += place[rank - 1];
        std::uint32_t* order = order_.data() + column * rows.n_rows;
        for (std::size_t row = 0; row < rows.n_rows; ++row)
            order[place[ranks[row]]++] = static_cast<std::uint32_t>(row);
        // Each place has moved to the end of its rank.
        for (std::size_t rank = 0; rank + 1 < place.size(); ++rank)
            if (place[rank] > 0) order[place[rank] - 1] |= kLast;
    }
}

void LeafScan::take(const RowSet& set, const Tally& tally) {
    for (const RowId row : taken_) {
        members_[row].all = members_[row].sure = members_[row].count = 0;
        members_of_two_[row] = {};
    }
    taken_ = set.rows;
    set_ = &set;
    tally_ = &tally;
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
        Member& member = members_[set.rows[i]];
        member.all = data_.weight[set.rows[i]];
        member.sure = i < set.sure ? member.all : 0.0;
        member.count = data_.count[set.rows[i]];
        if (data_.n_channels() > 2) continue;
        members_of_two_[set.rows[i]].all[member.label] = member.all;
        members_of_two_[set.rows[i]].sure[member.label] = member.sure;
    }
}

std::span<const std::uint32_t> LeafScan::order_of(std::size_t column) {
    const Data& rows = data_.data;
    if (set_->rows.size() * kFewer >= rows.n_rows) return std::span(order_).subspan(column * rows.n_rows, rows.n_rows);
    const Rank* ranks = rows.ranks.data() + column * rows.n_rows;
    sorted_.assign(set_->rows.begin(), set_->rows.end());
    std::sort(sorted_.begin(), sorted_.end(), [&](std::uint32_t a, std::uint32_t b) { return ranks[a] < ranks[b]; });
    for (std::size_t i = 0; i + 1 < sorted_.size(); ++i)
        if (ranks[sorted_[i]] != ranks[sorted_[i + 1]]) sorted_[i] |= kLast;
    return sorted_;
}

}  // namespace exactree::worst_leaf
