#include "node.hpp"

#include <numeric>

namespace exactree {
namespace {

constexpr std::uint32_t kElsewhere = 0xffffffffu;

}  // namespace

void Node::total(const Data& data) {
    gains_.assign(static_cast<std::size_t>(data.n_classes), 0);
    base_ = 0;
    size_ = {};
    key_ = {};
    for (const RowId row : rows_) {
        gains_[data.label[row]] += data.gain[row];
        base_ += data.base[row];
        size_ += data.size[row];
        key_ += row_key(row);
    }
}

void Node::fill(const Data& data) {
    const std::size_t n = data.n_rows;
    rows_.resize(n);
    std::iota(rows_.begin(), rows_.end(), RowId{0});
    columns_.clear();
    cell_rank_.clear();
    cell_begin_.clear();
    stride_ = data.n_columns();
    order_.resize(n * stride_);
    cells_.resize(n * stride_);
    for (std::size_t column = 0; column < data.n_columns(); ++column) {
        const auto first_cell = static_cast<std::uint32_t>(cell_rank_.size());
        std::vector<std::uint32_t> next(data.n_ranks[column] + 1, 0);  // counting sort by rank
        for (RowId row = 0; row < n; ++row) ++next[data.rank(column, row) + 1];
        for (Rank rank = 0; rank < data.n_ranks[column]; ++rank) {
            cell_rank_.push_back(rank);
            cell_begin_.push_back(next[rank]);
            next[rank + 1] += next[rank];
        }
        for (RowId row = 0; row < n; ++row) {
            const Rank rank = data.rank(column, row);
            order_[column * n + next[rank]++] = row;
            cells_[row * stride_ + column] = first_cell + rank;
        }
        columns_.push_back({static_cast<std::uint32_t>(column), first_cell, data.n_ranks[column]});
    }
    total(data);
}

void Node::fill(const Data& data, const Node& parent, std::size_t column, std::uint32_t cut, Side side) {
    const NodeColumn& by = parent.columns_[column];
    const std::uint32_t* sorted = parent.order(column);
    const std::uint32_t border = parent.cell_end(by, cut);
    const auto n_parent = static_cast<std::uint32_t>(parent.n_rows());
    local_of_.assign(n_parent, kElsewhere);
    const std::uint32_t begin = side == Side::yes ? 0 : border, end = side == Side::yes ? border : n_parent;
    for (std::uint32_t at = begin; at < end; ++at) local_of_[sorted[at]] = 0;
    rows_.clear();
    for (std::uint32_t local = 0; local < n_parent; ++local)
        if (local_of_[local] != kElsewhere) {
            local_of_[local] = static_cast<std::uint32_t>(rows_.size());
            rows_.push_back(parent.rows_[local]);
        }

    const std::size_t n = rows_.size();
    stride_ = parent.columns_.size();
    order_.resize(n * stride_);
    cells_.resize(n * stride_);
    columns_.clear();
    cell_rank_.clear();
    cell_begin_.clear();
    for (std::size_t j = 0; j < parent.columns_.size(); ++j) {
        const auto first_cell = static_cast<std::uint32_t>(cell_rank_.size());
        const std::size_t at_column = columns_.size();
        std::uint32_t* out = order_.data() + at_column * n;
        std::uint32_t written = 0, last_cell = kElsewhere;
        for (std::uint32_t at = 0; at < n_parent; ++at) {
            const std::uint32_t theirs = parent.order(j)[at], local = local_of_[theirs];
            if (local == kElsewhere) continue;
            const std::uint32_t cell = parent.cells(theirs)[j];
            if (cell != last_cell) {
                last_cell = cell;
                cell_rank_.push_back(parent.cell_rank_[cell]);
                cell_begin_.push_back(written);
            }
            cells_[local * stride_ + at_column] = static_cast<std::uint32_t>(cell_rank_.size() - 1);
            out[written++] = local;
        }
        const auto n_ranks = static_cast<std::uint32_t>(cell_rank_.size()) - first_cell;
        if (n_ranks >= 2) {
            columns_.push_back({parent.columns_[j].source, first_cell, n_ranks});
        } else {  // constant here: give its cell back
            cell_rank_.resize(first_cell);
            cell_begin_.resize(first_cell);
        }
    }
    total(data);
}

std::pair<std::size_t, std::uint32_t> Node::locate(Question question) const {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (columns_[j].source != static_cast<std::uint32_t>(question.column)) continue;
        const auto first = cell_rank_.begin() + columns_[j].first_cell;
        const auto above = std::upper_bound(first, first + columns_[j].n_ranks, question.rank);
        return {j, static_cast<std::uint32_t>(above - first) - 1};
    }
    return {columns_.size(), 0};
}

}  // namespace exactree
