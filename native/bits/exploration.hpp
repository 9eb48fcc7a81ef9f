// State of one subproblem of the bit-set search, and the jobs made of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

#include "bits/searcher.hpp"

namespace exactree::bits {

// One subproblem whose columns are being tried. At the root and one level below several threads may work on it, each
// holding the lock while it reads or changes more than the table and the sums.
template <class Ops>
struct BitSearcher<Ops>::ColumnExploration {
    ColumnExploration(BitFrame& at, const Shape& allowed, Cost limit, ProgressListener* told)
        : frame(at), shape(allowed), below(limit), listener(told) {}

    BitFrame& frame;
    Shape shape;
    Cost below;
    ProgressListener* listener;
    SubtreeBounds best;
    Cost whole = 0;                       // no tree for all rows as one side costs less, leaves of any size allowed
    Cost lowest = kInfiniteCost;          // over the closed columns
    Cost lowest_relaxed = kInfiniteCost;  // the same, leaves of any size allowed
    // for the current allocation of leaves
    std::int64_t yes_leaves = 0;
    std::size_t next = 0;              // position in the order of the next column to try
    std::size_t best_at = 0;           // position of the best column, 0 if the best tree is from another allocation
    std::vector<std::size_t> running;  // columns that are being solved
    bool open = false;                 // several threads may work on it
    mutable std::mutex mutex;
    int n_helpers = 0;  // at work on it beside its owner; guarded by the board

    std::int64_t no_leaves() const noexcept { return shape.leaves - yes_leaves; }
    Cost bound(std::size_t column) const noexcept { return frame.yes_bound[column] + frame.no_bound[column]; }
    // Cutoff of a column. Before the best column, an equal cost is accepted.
    Cost target(std::size_t at) const noexcept { return std::min(below, best.upper + (at + 1 < best_at ? 1 : 0)); }
    std::unique_lock<std::mutex> lock() const {
        return open ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
    }
    bool has_columns_left() const {
        const auto held = lock();
        return next < frame.order.size();
    }
};

// A column to solve, with the bounds at the time of its creation.
template <class Ops>
struct BitSearcher<Ops>::ColumnJob {
    std::size_t at = 0;  // in the order
    std::size_t column = 0;
    Cost target = 0, yes_bound = 0, no_bound = 0;
    SubtreeBounds yes, no;
};

// The explorations that idle threads may join, the root first.
template <class Ops>
struct BitSearcher<Ops>::WorkBoard {
    int depth;  // of the root
    std::mutex mutex;
    std::vector<ColumnExploration*> open;
    std::atomic<bool> over = false;
    std::exception_ptr failure;  // of a helper
};

}  // namespace exactree::bits
