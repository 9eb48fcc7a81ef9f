// A set of rows on which the best subtree is wanted, laid out for scoring splits: per column the rows in rank order,
// and for each row the cells (column, rank) it falls into. Ranks are renumbered so that a small node has few cells.
#pragma once

#include <algorithm>
#include <vector>

#include "data.hpp"
#include "key.hpp"

namespace exactree {

struct NodeColumn {
    std::uint32_t source;      // column of the data
    std::uint32_t first_cell;  // its cells are first_cell .. first_cell + n_ranks - 1, in rank order
    std::uint32_t n_ranks;     // at least two: columns that are constant in the node are left out
};

enum class Side { yes, no };

class Node {
 public:
    // All rows of the data.
    void fill(const Data& data);
    // The rows of `parent` on one side of the cut after local rank `cut` of its column number `column`.
    void fill(const Data& data, const Node& parent, std::size_t column, std::uint32_t cut, Side side);

    std::size_t n_rows() const noexcept { return rows_.size(); }
    std::size_t n_cells() const noexcept { return cell_rank_.size(); }
    const std::vector<NodeColumn>& columns() const noexcept { return columns_; }
    RowId row(std::uint32_t local) const noexcept { return rows_[local]; }
    Rank rank_of_cell(std::size_t cell) const noexcept { return cell_rank_[cell]; }

    // Local rows in rank order of a column; those of one cell stand at cell_begin .. cell_end.
    const std::uint32_t* order(std::size_t column) const noexcept { return order_.data() + column * rows_.size(); }
    std::uint32_t cell_begin(std::size_t cell) const noexcept { return cell_begin_[cell]; }
    std::uint32_t cell_end(const NodeColumn& column, std::uint32_t rank) const noexcept {
        return rank + 1 < column.n_ranks ? cell_begin_[column.first_cell + rank + 1]
                                         : static_cast<std::uint32_t>(rows_.size());
    }
    // Cells of a local row, one per column in order.
    const std::uint32_t* cells(std::uint32_t local) const noexcept { return cells_.data() + local * stride_; }

    const std::vector<Cost>& gains() const noexcept { return gains_; }  // per class
    Cost base() const noexcept { return base_; }
    Size size() const noexcept { return size_; }
    Key key() const noexcept { return key_; }
    Question question(std::size_t column, std::uint32_t cut) const noexcept {
        const NodeColumn& c = columns_[column];
        return {static_cast<std::int32_t>(c.source), cell_rank_[c.first_cell + cut]};
    }
    // The local cut that answers a question of the data as it does here.
    std::pair<std::size_t, std::uint32_t> locate(Question question) const;

    Cost leaf_error() const { return base_ - *std::max_element(gains_.begin(), gains_.end()); }
    std::int32_t best_label() const {
        return static_cast<std::int32_t>(std::max_element(gains_.begin(), gains_.end()) - gains_.begin());
    }

 private:
    void total(const Data& data);

    std::vector<RowId> rows_;
    std::vector<NodeColumn> columns_;
    std::vector<std::uint32_t> order_;       // n_columns x n_rows
    std::vector<std::uint32_t> cells_;       // n_rows x stride
    std::vector<Rank> cell_rank_;            // rank in the data
    std::vector<std::uint32_t> cell_begin_;  // first position in the column's order
    std::size_t stride_ = 0;
    std::vector<Cost> gains_;
    Cost base_ = 0;
    Size size_;
    Key key_;
    std::vector<std::uint32_t> local_of_;  // scratch: local row in this node of each local row of the parent
};

}  // namespace exactree
