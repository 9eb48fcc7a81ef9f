// Passes over all cells that encoding needs: ranks of two-valued columns, and groups of equal rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "table/predict.hpp"

namespace exactree::table {

struct TwoValues {
    double low, high;
};

// Ranks of the columns that hold exactly two values, column after column: 0 for the lower one. Empty for a column that
// holds one, more, or NaN; its ranks are then incomplete. Integers must be exact as doubles.
template <class Value>
std::vector<std::optional<TwoValues>> rank_two_values(std::span<const Strided<Value>> columns, std::size_t n_rows,
                                                      std::uint32_t* ranks);

// Numbers the rows by first appearance, so that two rows share a number if and only if all their keys are equal.
std::vector<std::int64_t> number_rows(std::span<const std::span<const std::uint32_t>> keys, std::size_t n_rows);

// Copies the values of some rows of a column.
void take_rows(std::span<const std::uint32_t> column, std::span<const std::int64_t> rows, std::uint32_t* out);

}  // namespace exactree::table
