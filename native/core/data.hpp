// The input of the search: rows of ranks, and the gain of each label on them. Views only; nothing here owns the arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

namespace exactree {

using Cost = std::int64_t;
using RowId = std::uint32_t;
using Rank = std::uint32_t;

// How large a set of rows is, by number and by weight.
struct Size {
    std::int64_t rows = 0;    // of the user's table
    std::int64_t weight = 0;  // in integer units, whatever the unit is

    Size& operator+=(const Size& other) noexcept {
        rows += other.rows;
        weight += other.weight;
        return *this;
    }
    friend Size operator-(const Size& a, const Size& b) noexcept { return {a.rows - b.rows, a.weight - b.weight}; }
    bool reaches(const Size& least) const noexcept { return rows >= least.rows && weight >= least.weight; }
};

constexpr Cost kInfiniteCost = std::numeric_limits<Cost>::max() / 4;  // the sum of two does not overflow

// A number per row, or one for all rows: then nothing is stored for each.
template <class T>
class PerRow {
 public:
    PerRow() = default;
    PerRow(std::span<const T> all) : first_(all.data()), n_rows_(all.size()) {}
    PerRow(const std::vector<T>& all) : PerRow(std::span<const T>(all)) {}
    // `stride` is 0 if there is one number, else 1.
    PerRow(const T* first, std::size_t n_rows, std::size_t stride) : first_(first), n_rows_(n_rows), stride_(stride) {}

    const T& operator[](std::size_t row) const noexcept { return first_[row * stride_]; }
    std::size_t size() const noexcept { return n_rows_; }
    class Iterator {
     public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T*;
        using reference = const T&;

        Iterator(const PerRow& of, std::size_t row) : of_(&of), row_(row) {}
        reference operator*() const noexcept { return (*of_)[row_]; }
        Iterator& operator++() noexcept {
            ++row_;
            return *this;
        }
        Iterator operator++(int) noexcept { return {*of_, row_++}; }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.row_ == b.row_; }

     private:
        const PerRow* of_;
        std::size_t row_;
    };
    Iterator begin() const noexcept { return {*this, 0}; }
    Iterator end() const noexcept { return {*this, n_rows_}; }

    // Whether there is one number for all rows; others may be equal as well.
    bool is_one() const noexcept { return stride_ == 0; }

 private:
    const T* first_ = nullptr;
    std::size_t n_rows_ = 0, stride_ = 1;
};

// A row gains `gain` if it is predicted as `label`, and nothing otherwise; its worst prediction costs `base`. So a leaf
// costs (sum of base) - (largest sum of gain over labels) + leaf price. The caller has already subtracted the cost that
// no tree can avoid (the equivalent-points bound), so the cheapest prediction of any one row costs 0. Rows that differ
// only in label (more than two classes) follow each other; the first of them carries the base.
struct Data {
    int n_classes = 0;
    std::size_t n_rows = 0;
    std::vector<Rank> n_ranks;    // per column
    std::span<const Rank> ranks;  // column-major, n_columns x n_rows
    std::span<const std::int32_t> label;
    PerRow<Cost> gain;
    PerRow<Cost> base;
    PerRow<Size> size;

    std::size_t n_columns() const noexcept { return n_ranks.size(); }
    Rank rank(std::size_t column, RowId row) const noexcept { return ranks[column * n_rows + row]; }
};

struct Limits {
    int max_depth = 0;
    std::int64_t max_leaves = 1;
    Size least{1, 0};  // of a leaf
    Cost leaf_price = 0;

    // Whether leaves have a minimum size. If so, more rows can make a split legal and a tree cheaper, so bounds taken
    // from other sets of rows must ignore the limit: they are called relaxed.
    bool limits_leaf_size() const noexcept { return least.rows > 1 || least.weight > 0; }
    bool allows(const Size& yes, const Size& no) const noexcept { return yes.reaches(least) && no.reaches(least); }
};

// A yes/no question: is the rank in `column` at most `rank`? A negative column marks the absence of a question.
struct Question {
    std::int32_t column = -1;
    Rank rank = 0;

    friend bool operator==(const Question&, const Question&) noexcept = default;
};

// A node of the tree that is returned: root first, children after their parents.
struct TreeNode {
    std::int32_t column;  // < 0 marks a leaf
    std::int32_t rank;
    std::int32_t yes;
    std::int32_t no;
    std::int32_t label;
};

using Tree = std::vector<TreeNode>;

}  // namespace exactree
