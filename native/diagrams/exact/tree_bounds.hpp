// Lower bounds of the errors of a set of rows at a node of a diagram, from trees.
//
// The sub-diagram below a node, unrolled, is a tree with one node per path. Where the next layer has one node only, one
// side of each node ends in a leaf, since the two sides of a node never have the same target, or the node passes all
// its rows; where it has two or more, both sides may continue, which is never worse than to pass. A `LayerPattern`
// records which case holds, layer by layer. The best tree of the pattern has no more errors than any diagram of these
// widths, because every such diagram unrolls to such a tree; the bounds of several sets add up, because each has a tree
// of its own.
//
// Errors only: the price of nodes is known from their number. Leaves and nodes may be of any size here, so that more
// rows never have fewer errors: a set of rows bounds its supersets, and a row of base m changes the errors by at most
// m.
#pragma once

#include <deque>
#include <optional>

#include "ranks/searcher.hpp"

namespace exactree::diagrams::exact {

struct LayerPattern {
    int length = 0;          // layers that follow
    std::uint64_t wide = 0;  // bit i: layer i of them has two nodes or more

    static LayerPattern of(std::span<const int> widths) {
        LayerPattern out;
        for (const int width : widths) out.wide |= std::uint64_t{width >= 2} << out.length++;
        return out;
    }
    LayerPattern rest() const noexcept { return {length - 1, wide >> 1}; }
    bool begins_wide() const noexcept { return wide & 1; }
    bool all_wide() const noexcept { return wide == (std::uint64_t{1} << length) - 1; }
};

// Lower bounds of the errors of the two sides of a cut, if both continue.
struct CutErrors {
    Cost yes = 0, no = 0;

    // Errors of any diagram with this cut, or with a cut whose sides hold these rows and more.
    Cost lower() const noexcept { return yes + no; }
};

// A cut one side of which ends in a leaf while the other continues.
struct Peel {
    ranks::Place cut;
    Cost leaf;  // errors of the side that ends
};

class TreeBounds {
 public:
    // Trees of more than `reach` layers below the first have the trivial bound 0. `least_weight` is the minimum weight
    // of a leaf, which bounds ignore.
    TreeBounds(const Data& data, Watchdog& watchdog, std::size_t bytes, int reach, std::int64_t least_weight = 0);

    std::optional<SubtreeBounds> lookup(Key key, LayerPattern pattern) const;
    // Fewest errors of a tree of the pattern: solved, or a bound of `below` or more. Without further layers it is
    // always solved, and has the question.
    SubtreeBounds errors(const ranks::Node& node, LayerPattern pattern, Cost below);
    // The best split of a node into two leaves, or a single leaf; kInfiniteCost if the rows are too light for a leaf.
    SubtreeBounds terminal_split(const ranks::Node& node);
    // From the cache, if it is there.
    std::optional<SubtreeBounds> lookup_terminal_split(Key key) const;
    // Bounds of both sides of a cut of the node, with the layers of `rest` below them; `floors` are known already. They
    // need not be exact where they prune by `target`. The sides are left in `yes` and `no`.
    CutErrors cut_errors(const ranks::Node& node, ranks::Cut cut, LayerPattern rest, const CutErrors& floors,
                         Cost target, ranks::Node& yes, ranks::Node& no);
    // The same for one side, while the other ends in a leaf.
    Cost rest_errors(const ranks::Node& node, ranks::Cut cut, bool yes_ends, LayerPattern rest, Cost floor, Cost below,
                     ranks::Node& yes, ranks::Node& no);

    // Limits the effort from here on; once it is exhausted, bounds are the trivial 0. A set of rows takes one unit,
    // times four for each layer that follows.
    void limit_effort(std::uint64_t effort) noexcept {
        most_effort_ = effort > UINT64_MAX - effort_ ? effort : effort_ + effort;
    }
    bool exhausted() const noexcept { return effort_ >= most_effort_; }

    std::size_t size() const { return cache_.size(); }
    std::uint64_t n_solved() const noexcept { return n_solved_; }

 private:
    struct BoundFrame {
        ranks::Node yes, no;
        std::vector<Peel> peels;
        std::vector<Cost> gains;
    };
    BoundFrame& frame(int length);
    void update_best(SubtreeBounds& best, Cost errors, Cost below) const;
    SubtreeBounds explore_peels(const ranks::Node& node, LayerPattern pattern, Cost below);
    SubtreeBounds explore_cuts(const ranks::Node& node, LayerPattern pattern, Cost below);

    const Data& data_;
    Limits limits_;      // none but the depth: for trees whose layers are all wide
    Limits end_limits_;  // of a node whose sides both end in leaves
    Watchdog& watchdog_;
    int reach_;
    Cache cache_;
    ranks::RankSearcher trees_;
    std::deque<BoundFrame> frames_;
    std::uint64_t n_solved_ = 0, effort_ = 0, most_effort_ = UINT64_MAX;
};

}  // namespace exactree::diagrams::exact
