// The hot loops of depth two on ranked columns; the variant for the processor is chosen at run time. Same results
// everywhere.
//
// A probe is a cut for whose two sides the best second splits are sought. A vector holds one number for each of several
// probes, and one pass over a column in rank order scores all of its cuts for all probes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data.hpp"
#include "core/vector_width.hpp"

namespace exactree::ranks::simd {

// Rows of one label that follow each other in a column's order.
template <class Lane>
struct LabelRun {
    std::uint32_t end;    // place behind the last row
    std::int32_t label;   // of its rows
    Lane gain;            // of all its rows
    Lane before;          // up to the end: gain of all rows of the label; if signed, gain of all rows
    std::uint32_t stops;  // 1 if the split behind it has to be scored, else 0
};

// A column for the loops: by runs, or by place, where labels change so often that runs do not help.
template <class Lane>
struct ProbedColumn {
    const std::uint32_t* order;
    bool by_place;
    // Two classes by place: signed gains up to its row, and all bits set if a split may lie behind it; null if it
    // always may.
    const Lane* signed_before;
    const Lane* may_part;
    // Else: runs; by place, they have one row each.
    const LabelRun<Lane>* runs;
    std::size_t n_runs;
};

// What the loops read of a node.
template <class Lane>
struct ProbedRows {
    std::size_t n_rows;
    std::size_t n_classes;
    Lane signed_gain;        // of all rows: gain of class 1 less gain of class 0, for two classes
    const Lane* class_gain;  // of all rows, by label, for many classes
    const Lane* gain;        // by row; for the loops for two classes signed
    const Lane* rows;        // sizes by row, only with a minimum leaf size
    const Lane* weight;      //
    const std::vector<ProbedColumn<Lane>>* columns;
};

// Minimum size of both sides of a split.
template <class Lane>
struct LeastSize {
    Lane rows, weight;
};

// One number per probe for each of its sides.
template <class Lane>
struct BothSides {
    Lane yes[kLanes<Lane>], no[kLanes<Lane>];
};

// What a pass finds, over all columns. Signed gains are those of class 1 less those of class 0.
template <class Lane>
struct SignedRange {
    BothSides<Lane> whole;      // signed gains of the side
    BothSides<Lane> low, high;  // smallest and largest signed gains of the low side of a split
};
template <class Lane>
struct BestGains {
    BothSides<Lane> leaf;     // of the best label
    BothSides<Lane> split;    // of the best split of any size
    BothSides<Lane> allowed;  // of the best split whose sides have the minimum leaf size; 0 if there is none
};

// The labels of rows that are sorted by label.
struct RowLabels {
    const std::uint32_t* of_row;
    const std::uint32_t* begins;  // the first row of each label but the first
    std::size_t n_begins;
};

// Sets a bit for every place in a column's order whose row has another label, or another rank, than the row before. All
// ranks change if none are given.
using FindChanges = void (*)(const std::uint32_t* order, const RowLabels& labels, const Rank* ranks, std::size_t n_rows,
                             std::uint64_t* labels_change, std::uint64_t* ranks_change);

// Whether a number is as wide as the marks of a row, which then have room for a sign.
template <class Lane>
constexpr bool kMarksHoldSigns = sizeof(Lane) == sizeof(std::uint32_t) && kLanes<Lane> < 32;
constexpr std::uint32_t kNegative = 0x80000000u;

template <class LaneType>
struct ProbeOps {
    using Lane = LaneType;
    FindChanges find_changes;
    // marks[row] has bit x set if ranks[x][row] <= at_most[x], for n_probes columns of n_rows ranks.
    void (*mark)(const Rank* const* ranks, const Rank* at_most, std::size_t n_probes, std::size_t n_rows,
                 std::uint32_t* marks);
    // spread[row * lanes + x] = gain[row] if bit x is set in marks[row], else 0.
    void (*spread)(const std::uint32_t* marks, const Lane* gain, std::size_t n_rows, Lane* spread);
    // Best splits of both sides of all probes, for two classes.
    void (*two_classes)(const ProbedRows<Lane>& rows, const Lane* spread, SignedRange<Lane>& out);
    // The same where gains are 1 and -1, from marks that have kNegative set where it is -1; null unless
    // kMarksHoldSigns.
    void (*two_classes_marked)(const ProbedRows<Lane>& rows, const std::uint32_t* marks, SignedRange<Lane>& out);
    // The same for any number of classes and leaves of any size; `allowed` stays as it is.
    void (*many_classes)(const ProbedRows<Lane>& rows, const Lane* spread, Lane* scratch, BestGains<Lane>& out);
    // The same with a minimum leaf size.
    void (*sized)(const ProbedRows<Lane>& rows, const std::uint32_t* marks, const Lane* spread, LeastSize<Lane> least,
                  Lane* scratch, BestGains<Lane>& out);
};

// Room that the loops for many classes need, in numbers: a vector per class, five per run, and four to spare.
template <class Lane>
constexpr std::size_t probe_scratch(std::size_t n_classes, std::size_t n_runs) {
    return (n_classes + 5 * n_runs + 4) * kLanes<Lane>;
}

// For the processor this runs on; `portable` selects the variant that runs on any.
template <class Lane>
ProbeOps<Lane> probe_ops(bool portable = false);

}  // namespace exactree::ranks::simd
