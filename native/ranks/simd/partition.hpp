// Stable partition of the rows of a node into its two sides; the variant for the processor is chosen at run time. Same
// results everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace exactree::ranks::simd {

constexpr std::uint32_t kNoSide = 0x80000000u;  // in a target: the row answers no; the rest is its local row there
constexpr std::size_t kPartitionPadding = 8;    // values behind the last one of a side that may be written to

// Both are stable.
struct PartitionOps {
    // Value `at` goes to the side that target_of[at] names.
    void (*values)(const std::uint32_t* from, const std::uint32_t* target_of, std::size_t n, std::uint32_t* yes,
                   std::uint32_t* no);
    // Row from[at] goes to the side that its target names, as the local row there.
    void (*rows)(const std::uint32_t* from, const std::uint32_t* target_of, std::size_t n, std::uint32_t* yes,
                 std::uint32_t* no);
};

// For the processor this runs on; `portable` selects the variant that runs on any.
PartitionOps partition_ops(bool portable = false);

}  // namespace exactree::ranks::simd
