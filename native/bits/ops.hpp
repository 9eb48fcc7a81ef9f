// The hot loops of the bit-set search; the variant for the processor is chosen at run time. Same results everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/row_bits.hpp"

namespace exactree::bits {

// Over all columns j: smallest and largest sum of the rows that have both i and j, and of those that have j but not i.
template <class Sum>
struct Extremes {
    Sum with_low, with_high;
    Sum without_low, without_high;
};

// Sums over the rows of one class, for a root i.
template <class Sum>
struct ClassSums {
    const Sum* pairs;    // by column j, of the rows that have both i and j
    const Sum* part;     // the same over rows to subtract
    const Sum* singles;  // of the rows that have j, without those to subtract
    Sum with, without;   // of all that have i, and of all that have not
};

// The most that two leaves gain on the rows that have i, and on those that have not, over all columns j.
template <class Sum>
struct Splits {
    Sum with, without;
};

// Sums of sizes for a root i, and the minimum leaf size.
template <class Sum>
struct SizeSums {
    const Sum* pairs;    // by column j, of the rows that have both i and j
    const Sum* singles;  // of the rows that have j
    Sum with, without;   // of all that have i, and of all that have not
    Sum least;
};
template <class Sum>
struct SizedSplits {
    Splits<Sum> relaxed;  // leaves of any size
    Splits<Sum> allowed;  // leaves of the minimum size; 0 if there are none
};

// Cell: what a row adds to the sum of a column it has; Sum: wide enough for the sum over all rows.
template <class CellType, class SumType>
struct BitOps {
    using Cell = CellType;
    using Sum = SumType;
    // out[j] = sum over the given rows of cells[row][j], j < n_columns, a multiple of kColumnBlock. No cell exceeds
    // `largest` in magnitude.
    void (*sum_rows)(const Cell* cells, std::size_t stride, std::size_t n_columns, Cell largest,
                     const std::uint32_t* rows, std::size_t n_rows, Sum* out);
    // pairs[j] is the sum of the rows that have i and j, singles[j] of those that have j.
    Extremes<Sum> (*extremes)(const Sum* pairs, const Sum* singles, std::size_t stride);
    // The same for the rows of `all` that are not in `part`.
    Extremes<Sum> (*extremes_of_rest)(const Sum* all_pairs, const Sum* all_singles, const Sum* part_pairs,
                                      const Sum* part_singles, std::size_t stride);
    // For any number of classes; a column that splits no rows of a side gains there what one leaf does.
    Splits<Sum> (*best_splits)(const ClassSums<Sum>* classes, std::size_t n_classes, std::size_t n_columns);
    // The same without the rows of `part`.
    Splits<Sum> (*best_splits_of_rest)(const ClassSums<Sum>* classes, std::size_t n_classes, std::size_t n_columns);
    SizedSplits<Sum> (*sized_splits)(const ClassSums<Sum>* classes, std::size_t n_classes, std::size_t n_columns,
                                     const SizeSums<Sum>& sizes);
    // pairs[i][j] += sum of cells[row][j] over the given rows that have i, for the j in i's block of columns and after;
    // -= with `minus`. Bit r of columns[i] is set if the r-th of the rows has i; there are n_words of them per column.
    void (*add_pairs)(const Cell* cells, std::size_t stride, Cell largest, const std::uint32_t* rows,
                      std::size_t n_rows, const Word* columns, std::size_t n_columns, std::size_t n_words, bool minus,
                      Sum* pairs);
    // Copies pairs[i][j] to pairs[j][i] for the blocks that add_pairs leaves out.
    void (*mirror)(Sum* pairs, std::size_t stride, std::size_t n_columns);
    // Bit r of `out` is set if values[r] <= most; bits beyond the last are zero.
    void (*pack)(const std::uint32_t* values, std::size_t n, std::uint32_t most, Word* out);
    // Compresses the bits of `from` at the places set in `mask`; `out` has room for one word more than needed.
    void (*compress)(const Word* from, const Word* mask, std::size_t n_words, Word* out);
    // Rows in `set` whose bit in `column`, inverted where `flip` has ones, is set; returns how many. `out` has room for
    // all and three more.
    std::size_t (*list_rows)(const Word* set, const Word* column, Word flip, std::size_t n_words, std::uint32_t* out);
    std::size_t (*count_rows)(const Word* set, std::size_t n_words);
    // out[r] = number of bits in which `bits` differs from the r-th of the rows of `n_words` words; at most 65,535.
    void (*distances)(const Word* bits, const Word* rows, std::size_t n_rows, std::size_t n_words, std::uint16_t* out);
    // Rows in a but not in b.
    std::size_t (*count_difference)(const Word* a, const Word* b, std::size_t n_words);
};

constexpr std::size_t kColumnBlock = 64;  // rows of cells are padded to a multiple of this

using SmallOps = BitOps<std::int8_t, std::int16_t>;   // gains up to kSmallGain, at most 32767 in all
using MediumOps = BitOps<std::int8_t, std::int32_t>;  // gains up to kSmallGain, at most 2^31 - 1 in all
using WideOps = BitOps<std::int64_t, std::int64_t>;   // any

constexpr int kSmallGain = 15;  // so that the sum of eight rows fits into a byte

// For the processor this runs on; `portable` selects the variant that runs on any.
template <class Ops>
Ops bit_ops(bool portable = false);

}  // namespace exactree::bits
