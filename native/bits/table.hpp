// A set of rows with few questions, laid out for the bit-set search: a bit set per question, and per row what it adds
// to the sum of every question it answers with yes. With two classes that is its gain, negative for class 0, and one
// sum says all. With more, or where leaves have a least size, it is its gain; the rows are sorted by class, and every
// class has sums of its own. Sizes are summed up like gains.
//
// Only the rows of the set are there, and of questions that split them identically only the first: the deeper in the
// tree, the smaller the table.
#pragma once

#include <cstdlib>
#include <numeric>

#include "bits/ops.hpp"
#include "core/data.hpp"
#include "core/key.hpp"

namespace exactree::bits {

// Rows that share their sums: those of one class, or with two classes all.
struct RowRun {
    std::int32_t label;
    std::size_t begin, end;
};

template <class Ops>
class BitTable {
 public:
    using Cell = typename Ops::Cell;

    // All rows of the data. Gains are multiples of `unit`. Sizes are kept if `sized`.
    void fill(const Data& data, Cost unit, const Ops& ops, bool sized = false);
    // The rows of another table that are in `set`. Without merging, columns that split them identically stay. Columns
    // are left out if the base of one side is at most `unsupported`, in units.
    void fill(const BitTable& whole, const RowBits& set, const Ops& ops, bool merging, Cost unsupported = -1);

    std::size_t n_rows() const noexcept { return gain_.size(); }
    std::size_t n_words() const noexcept { return words_for(gain_.size()); }
    std::size_t n_columns() const noexcept { return questions_.size(); }
    std::size_t stride() const noexcept { return stride_; }                 // columns, padded
    std::size_t n_sums() const noexcept { return runs_.size() * stride_; }  // with one question: per run and other one
    const Word* column(std::size_t j) const noexcept { return bits_.data() + j * n_words(); }
    Question question(std::size_t j) const noexcept { return questions_[j]; }
    const Cell* cells() const noexcept { return cells_.data(); }  // n_rows x stride
    Cell largest() const noexcept { return largest_; }            // cell in magnitude
    bool all_alike() const noexcept { return all_alike_; }        // whether no gain is more than 1 or less than -1
    bool has_signs() const noexcept { return signs_; }            // whether gains of class 0 of two are negative
    bool sized() const noexcept { return sized_; }
    const Cell* size_cells() const noexcept { return size_cells_.data(); }  // n_rows x stride, if it is sized
    Cell largest_size() const noexcept { return largest_size_; }
    Cost size(std::uint32_t row) const noexcept { return size_[row]; }  // rows of the user's table
    const std::vector<RowRun>& runs() const noexcept { return runs_; }
    Cost gain(std::uint32_t row) const noexcept { return gain_[row]; }  // in units; negative as has_signs says
    // In units. Of the rows of a group the one of the cheapest label carries the base: it equals the gain of this
    // label.
    Cost base(std::uint32_t row) const noexcept {
        return base_carriers_[row / 64] >> (row % 64) & 1 ? std::abs(gain_[row]) : 0;
    }
    // What any label but its own costs more than its own on a row and the rest of its group at least, in units.
    Cost sure(std::uint32_t row) const noexcept { return sure_[row]; }
    const RowBits& base_carriers() const noexcept { return base_carriers_; }
    bool all_carry_base() const noexcept { return all_carry_base_; }
    // The label that gains most on the rows of a set; the first of several.
    std::int32_t best_label(const RowBits& set) const;

    // Notes for each row the columns in which it differs from most rows, if these are few: sums over pairs of columns
    // then need no others.
    void index_rare_cells(const Ops& ops);
    bool sparse() const noexcept { return !rare_begin_.empty(); }
    std::span<const std::uint16_t> rare(std::uint32_t row) const noexcept {
        return {rare_.data() + rare_begin_[row], rare_begin_[row + 1] - rare_begin_[row]};
    }
    bool is_common(std::size_t j) const noexcept { return common_[j]; }  // most rows have it

    // Hash key of a set of rows, the same in every table.
    Key key_of(const RowBits& set) const;
    Key key() const noexcept { return key_; }                    // of all rows
    std::uint64_t version() const noexcept { return version_; }  // another after every fill

 private:
    // Copies the rows of the data, without their columns; returns the source of each.
    std::vector<RowId> add_rows(const Data& data, Cost unit);
    // One row of the data, as several if its gain or its size is too large for one; returns how many.
    std::size_t add_row(Cost gain, Cost sure, Cost size, bool copy);
    void fill_cells();
    // The cells of the rows in `set` and of the columns kept.
    void take_cells(const std::vector<Cell>& whole, std::size_t stride, const RowBits& set,
                    std::vector<Cell>& cells) const;
    void add_rows(const BitTable& whole, const RowBits& set, const Ops& ops);
    // Which bits of a word stand for rows.
    Word rows_of(std::size_t word) const noexcept {
        return word + 1 < n_words() || n_rows() % 64 == 0 ? ~Word{0} : (Word{1} << (n_rows() % 64)) - 1;
    }
    // Calls `take(row)` for the rows that differ from most in a column.
    template <class Take>
    void for_each_rare(std::size_t j, const Take& take) const;
    // Appends a column unless it splits no rows, or splits them as an earlier one does.
    bool add_column(const Word* bits, Question question, bool merging);
    // Whether the bases on both sides of a column exceed `least`.
    bool supports(const Word* bits, Cost least) const;

    std::vector<Word> bits_;  // n_columns x n_words
    std::vector<Question> questions_;
    std::vector<std::uint64_t> seen_;  // hashes of the columns, an open-addressing table of column number + 1
    std::vector<Cell> cells_, size_cells_;
    std::size_t stride_ = 0;
    std::vector<Cost> gain_, size_;
    std::vector<Cost> sure_;
    std::vector<RowRun> runs_;
    RowBits base_carriers_;
    std::vector<Key> keys_;  // per row
    Key key_;
    std::uint64_t version_ = 0;
    Cell largest_ = 1, largest_size_ = 1;
    bool all_alike_ = true, all_carry_base_ = true, signs_ = true, sized_ = false;
    std::vector<char> common_;               // per column
    std::vector<std::uint16_t> rare_;        // columns, row by row
    std::vector<std::uint32_t> rare_begin_;  // of each row, and the end; none if the table is not sparse
    // scratch
    std::vector<Word> scratch_;
    std::vector<std::uint32_t> kept_;
};

// Rows of larger gain are written out as several of gain one while that makes the table at most so many times as
// long: sets of rows are then weighed by counting bits.
constexpr Cost kMostCopies = 2;

// Greatest common divisor of all gains, at least 1.
inline Cost gain_unit(const Data& data) {
    Cost unit = 0;
    for (const Cost gain : data.gain) unit = std::gcd(unit, gain);
    return std::max<Cost>(unit, 1);
}

std::size_t count_questions(const Data& data);

extern template class BitTable<SmallOps>;
extern template class BitTable<MediumOps>;
extern template class BitTable<WideOps>;

}  // namespace exactree::bits
