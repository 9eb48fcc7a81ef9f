// The search of one set of rows: its columns, and what is known of the two sides of each.
#pragma once

#include <algorithm>

#include "sparse/searcher.hpp"

namespace exactree::sparse {

template <class Ops>
struct SparseSearcher<Ops>::SetExploration {
    SetFrame& frame;
    std::size_t level;
    Cost below;
    ProgressListener* listener;
    SubtreeBounds best;
    Cost lowest = kInfiniteCost, lowest_relaxed = kInfiniteCost;  // over the closed columns

    Cost target() const noexcept { return std::min(below, best.upper); }
    void close(const SplitSides& sides) noexcept {
        lowest = std::min(lowest, sides.lower());
        lowest_relaxed = std::min(lowest_relaxed, sides.relaxed());
    }
};

}  // namespace exactree::sparse
