// Prediction: which leaf of a decision graph each row ends in.
//
// Columns are read in the caller's memory (any stride, no copy). Rows go through the graph in blocks: at each node the
// rows of the block that arrived there are split by one typed loop without branches, so a step costs about the read of
// one value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace exactree::table {

// The test of a node; the numbers are those of the Python enum `Test`.
enum class Test : std::uint8_t {
    leaf = 0,
    at_most = 1,     // value <= threshold; a missing value answers as `missing_yes` says
    is_level = 2,    // the code of a category equals `code`; missing and unknown levels answer no
    is_missing = 3,  // there is no value
};

// The code of a missing value. Other negative codes are levels unknown to the model: at `at_most` they have no place
// in the order, so they are answered as if missing; at `is_missing` they answer no.
inline constexpr std::int32_t missing_code = -1;

// One column in the caller's memory; `stride` counts values, not bytes, and may be negative.
template <class T>
struct Strided {
    const T* data;
    std::ptrdiff_t stride;

    T operator[](std::ptrdiff_t row) const { return data[row * stride]; }
};

using NumberColumn = Strided<double>;         // NaN where missing
using IntegerColumn = Strided<std::int64_t>;  // never missing; compared with `code`, not with `threshold`
using CodeColumn = Strided<std::int32_t>;     // codes of levels
using ColumnView = std::variant<NumberColumn, IntegerColumn, CodeColumn>;

// The arrays of a graph, all of the same length. Assumes what the boundary has checked: children come after their
// parents, and `column` is in range at branches.
struct GraphView {
    std::span<const std::uint8_t> test;
    std::span<const std::int32_t> column;
    std::span<const double> threshold;
    std::span<const std::int64_t> code;
    std::span<const bool> missing_yes;
    std::span<const std::int32_t> yes;
    std::span<const std::int32_t> no;
};

// Write the leaf of row i to leaf[i]. Every column has at least leaf.size() rows. Costs O(rows x depth) time and a few
// tens of kilobytes.
void apply(const GraphView& graph, std::span<const ColumnView> columns, std::span<std::int32_t> leaf);

}  // namespace exactree::table
