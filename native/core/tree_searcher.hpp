// The interface of both engines of the search: over ranked columns and over bit sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cache.hpp"
#include "core/data.hpp"
#include "core/subtree_engine.hpp"

namespace exactree {

// Notified of every better incumbent and every better lower bound at the root.
class ProgressListener {
 public:
    virtual ~ProgressListener() = default;
    virtual void improved(const SubtreeBounds& root, int depth) = 0;
    virtual void bounded(Cost bound, int depth) = 0;
};

class TreeSearcher {
 public:
    virtual ~TreeSearcher() = default;
    // Whether it helps to solve lesser depths first.
    virtual bool deepens() const { return true; }
    // Best tree for all rows. `below` is the cutoff: trees of this cost or more are pruned.
    virtual SubtreeBounds solve_root(int depth, std::int64_t leaves, Cost below, ProgressListener& listener) = 0;
    // Its rows and questions for a primal heuristic, with buffers and a cache of their own.
    virtual std::unique_ptr<SubtreeEngine> make_subtree_engine(Watchdog& watchdog, std::size_t cache_bytes) = 0;
    // The tree whose root bounds are given, rebuilt from the cache; what the cache has lost is solved again.
    virtual Tree reconstruct(const SubtreeBounds& root, int depth) = 0;
    virtual std::vector<std::pair<std::string, std::uint64_t>> counters() const = 0;
};

constexpr int kMaxDepth = 60;       // so that the number of leaves of a full tree fits into 64 bits
constexpr int kNoDepthLimit = 61;   // as a limit: trees of any depth are allowed
constexpr int kAnyDepth = 1 << 30;  // of a bound: it holds for trees of any depth

inline std::int64_t full_tree_leaves(int depth) { return std::int64_t{1} << depth; }

// Calls attempt(leaves_yes, leaves_no) for each allocation of leaves to two sides of depth - 1, until it returns true.
template <class Attempt>
void for_each_allocation(int depth, std::int64_t leaves, Attempt attempt) {
    const std::int64_t most = full_tree_leaves(depth - 1);
    if (leaves >= 2 * most) {
        attempt(most, most);
        return;
    }
    for (std::int64_t yes = std::max<std::int64_t>(1, leaves - most); yes <= std::min(most, leaves - 1); ++yes)
        if (attempt(yes, leaves - yes)) return;
}

// Depth and number of leaves that a tree can use: each limit tightened by the other.
struct Shape {
    Shape(int max_depth, std::int64_t max_leaves)
        : leaves(std::min(max_leaves, full_tree_leaves(max_depth))),
          depth(static_cast<int>(std::min<std::int64_t>(max_depth, leaves - 1))) {}
    std::int64_t leaves;
    int depth;
};

}  // namespace exactree
