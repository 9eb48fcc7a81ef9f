// What the encoding of a table asks of every cell, in one pass each: columns of two values ranked, equal rows found.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "predict.hpp"

namespace exactree {

struct TwoValues {
    double low, high;
};

// Ranks of a column that holds exactly two values: 0 for the lower one. Nothing if it holds one, more, or NaN; `ranks`
// is then left half written.
std::optional<TwoValues> rank_two_values(NumberColumn column, std::span<std::uint32_t> ranks);

// Numbers the rows by first appearance, so that two rows share a number if and only if all their keys are equal.
std::vector<std::int64_t> number_rows(std::span<const std::span<const std::uint32_t>> keys, std::size_t n_rows);

// Writes the values of some rows of a column down.
void take_rows(std::span<const std::uint32_t> column, std::span<const std::int64_t> rows, std::uint32_t* out);

}  // namespace exactree
