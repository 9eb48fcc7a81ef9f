// What the two searches, over ranked columns and over bit sets, offer alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/cache.hpp"
#include "core/data.hpp"

namespace exactree {

// Told of every better tree for all rows, and of every better bound.
class ProgressListener {
 public:
    virtual ~ProgressListener() = default;
    virtual void improved(const SubtreeBounds& root, int depth) = 0;
    virtual void bounded(Cost bound, int depth) = 0;
};

class TreeSearcher {
 public:
    virtual ~TreeSearcher() = default;
    // Best tree for all rows. Costs of `below` and more are of no interest.
    virtual SubtreeBounds solve_root(int depth, std::int64_t leaves, Cost below, ProgressListener& listener) = 0;
    // A good tree for all rows to start from, found without any proof; empty if the search does without.
    virtual Tree heuristic_tree(int depth) = 0;
    // The tree for all rows that `root` describes, written out. Cheap: what it needs is mostly in the cache.
    virtual Tree reconstruct(const SubtreeBounds& root, int depth) = 0;
    virtual std::vector<std::pair<std::string, std::uint64_t>> counters() const = 0;
};

constexpr int kMaxDepth = 60;  // so that the leaves of a full tree can be counted

inline std::int64_t full_tree_leaves(int depth) { return std::int64_t{1} << depth; }

// Depth and leaves that a tree can really use.
struct Shape {
    Shape(int max_depth, std::int64_t max_leaves)
        : leaves(std::min(max_leaves, full_tree_leaves(max_depth))),
          depth(static_cast<int>(std::min<std::int64_t>(max_depth, leaves - 1))) {}
    std::int64_t leaves;
    int depth;
};

}  // namespace exactree
