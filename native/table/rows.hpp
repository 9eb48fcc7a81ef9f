// What the encoding of a table asks of every cell, in one pass each: columns of two values ranked, equal rows found.
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

// Ranks of the columns that hold exactly two values, column after column: 0 for the lower one. Nothing for a column
// that holds one, more, or NaN; its ranks are then left half written. Integers must be exact as doubles.
template <class Value>
std::vector<std::optional<TwoValues>> rank_two_values(std::span<const Strided<Value>> columns, std::size_t n_rows,
                                                      std::uint32_t* ranks);

// Numbers the rows by first appearance, so that two rows share a number if and only if all their keys are equal.
std::vector<std::int64_t> number_rows(std::span<const std::span<const std::uint32_t>> keys, std::size_t n_rows);

// Writes the values of some rows of a column down.
void take_rows(std::span<const std::uint32_t> column, std::span<const std::int64_t> rows, std::uint32_t* out);

}  // namespace exactree::table
