// Ranks of the distinct values of a column of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "table/predict.hpp"

namespace exactree::table {

// What ranking a column leaves behind, beside the ranks.
struct RankedNumbers {
    std::vector<double> ordered;   // all values, ascending
    std::vector<double> distinct;  // ascending; empty if no two values are equal
};

// Writes the rank of each row among the distinct values; 0.0 and -0.0 are one value. Nothing if a value is NaN: the
// ranks are then not written. O(rows), but for values that are nearly equal in relation to their range.
std::optional<RankedNumbers> rank_numbers(Strided<double> column, std::size_t n_rows, std::uint32_t* ranks);

}  // namespace exactree::table
