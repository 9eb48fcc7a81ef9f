// The rows of a subproblem, laid out for scoring cuts: per column the rows in rank order, and the ranks by row. Columns
// that are constant in the node are left out.
//
// A cut is a place in a column's order: the rows before it answer yes. Between equal ranks there is no cut.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/budget.hpp"
#include "core/data.hpp"
#include "core/key.hpp"
#include "core/row_bits.hpp"
#include "ranks/simd/partition.hpp"

namespace exactree::ranks {

using Place = std::uint32_t;  // in a column's order

enum class Side { yes, no };

// A cut of a node: its number of the column, and the place.
struct Cut {
    std::size_t column = 0;
    Place place = 0;
};

class Node {
 public:
    // All rows of the data. `portable` uses no instructions beyond the baseline. If `watchdog` stops it, columns are
    // missing: nothing may be concluded from such a node.
    void fill(const Data& data, bool portable = false, Watchdog* watchdog = nullptr);
    // The rows of `parent` on the two sides of a cut. O(rows x columns) of the parent, without branches on the side.
    static void split(const Data& data, const Node& parent, Cut cut, Node& yes, Node& no);
    // The rows of `parent` that are in a set, and the others.
    static void split_by_set(const Data& data, const Node& parent, const RowBits& rows, Node& in, Node& out);

    std::size_t n_rows() const noexcept { return rows_.size(); }
    std::size_t n_columns() const noexcept { return sources_.size(); }
    std::uint32_t source(std::size_t column) const noexcept { return sources_[column]; }  // column of the data
    RowId row(std::uint32_t local) const noexcept { return rows_[local]; }
    std::int32_t label(std::uint32_t local) const noexcept { return static_cast<std::int32_t>(labels_[local]); }
    const std::uint32_t* labels() const noexcept { return labels_.data(); }  // by local row
    Cost base(std::uint32_t local) const noexcept { return uniform_base_ ? *uniform_base_ : bases_[local]; }

    // Local rows in rank order of a column, and ranks in the data by local row.
    const std::uint32_t* order(std::size_t column) const noexcept { return order_.data() + column * rows_.size(); }
    const Rank* ranks(std::size_t column) const noexcept { return ranks_.data() + column * rows_.size(); }
    Rank rank_at(std::size_t column, Place place) const noexcept { return ranks(column)[order(column)[place]]; }
    // Whether rows of the node may have the same rank.
    bool tied(std::size_t column) const noexcept { return tied_[column]; }
    // Where the rows with the rank of the one at `place` begin and end.
    Place tie_begin(std::size_t column, Place place) const;
    Place tie_end(std::size_t column, Place place) const;

    // Sum of bases of the rows before a place.
    Cost base_before(std::size_t column, Place place) const noexcept {
        return uniform_base_ ? *uniform_base_ * static_cast<Cost>(place)
                             : base_before_[column * (rows_.size() + 1) + place];
    }
    // The first place after which more than `base` lies before; at most the number of rows.
    Place place_beyond(std::size_t column, Cost base) const;

    const std::vector<Cost>& gains() const noexcept { return gains_; }  // per class
    Cost base() const noexcept { return base_; }
    Size size() const noexcept { return size_; }
    Key key() const noexcept { return key_; }
    Question question(Cut cut) const noexcept {
        return {static_cast<std::int32_t>(sources_[cut.column]), rank_at(cut.column, cut.place - 1)};
    }
    // The cut that is equivalent to a question of the data; none if all rows give the same answer.
    std::optional<Cut> find_cut(Question question) const;

    Cost leaf_error() const { return base_ - *std::max_element(gains_.begin(), gains_.end()); }
    std::int32_t best_label() const {
        return static_cast<std::int32_t>(std::max_element(gains_.begin(), gains_.end()) - gains_.begin());
    }

 private:
    static void partition(const Data& data, const Node& parent, std::uint32_t n_yes, Node& yes, Node& no);
    void read_bases(const Data& data);
    void sum_up(const Data& data);
    void subtract(const Node& whole, const Node& part);
    void add_up_bases();
    void resize_rows(std::size_t n_rows);
    void reserve_columns(std::size_t n_columns);
    void keep_unless_constant(std::uint32_t source, bool tied);

    simd::PartitionOps partition_ops_{};
    std::vector<RowId> rows_;
    std::vector<std::uint32_t> labels_;
    std::vector<Cost> bases_;  // by row; empty if all are the same
    std::vector<std::uint32_t> sources_;
    std::vector<char> tied_;
    std::vector<std::uint32_t> order_;  // n_columns x n_rows
    std::vector<Rank> ranks_;           // n_columns x n_rows
    std::vector<Cost> gains_;
    Cost base_ = 0;
    Size size_;
    Key key_;
    std::optional<Cost> uniform_base_;      // of every row, if all have the same; then no sums are kept
    std::vector<Cost> base_before_;         // n_columns x (n_rows + 1)
    std::vector<std::uint32_t> new_place_;  // scratch for `split`: side and local row of each row of the parent
};

}  // namespace exactree::ranks
