// Bounds for one set of rows at a node of a diagram, from trees.
//
// Below the node follow layers of at most so many nodes. Unrolled, what the rows of the node meet is a tree: a node of
// it for each way there. Where the next layer has one node only, a side of each node ends in a leaf, since the two
// sides of a node never go to the same one, or the node passes all its rows on; where it has two or more, both sides
// may go on, which is never worse than to pass. A `LayerPattern` says which it is, layer by layer. The best tree of the
// pattern errs no more than any diagram whose layers are so wide, because every diagram unrolls to such a tree; for
// several sets the bounds add up, because each has a tree of its own.
//
// Errors only: what the nodes cost is known once their number is. Leaves and nodes may be of any size here, so that
// more rows never err less: a set of rows bounds its supersets, and a row of base m changes the errors by at most m.
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

// Bounds of the errors of the two sides of a cut, if both go on.
struct CutErrors {
    Cost yes = 0, no = 0;

    // Errors of any diagram with this cut, or with a cut whose sides hold these rows and more.
    Cost lower() const noexcept { return yes + no; }
};

// A cut one side of which ends in a leaf while the other goes on.
struct Peel {
    ranks::Place cut;
    Cost leaf;  // errors of the side that ends
};

class TreeBounds {
 public:
    // Trees of more than `reach` layers below the first are beyond it: no errors are their bound. Sides that end weigh
    // `least_weight`, which bounds make no use of.
    TreeBounds(const Data& data, Watchdog& watchdog, std::size_t bytes, int reach, std::int64_t least_weight = 0);

    std::optional<SubtreeBounds> lookup(Key key, LayerPattern pattern) const;
    // Fewest errors of a tree of the pattern: solved, or a bound of `below` or more. With no layers to follow it is
    // always solved, and has the question.
    SubtreeBounds errors(const ranks::Node& node, LayerPattern pattern, Cost below);
    // The best way for all rows of a node to end here, asked or not; it errs kInfiniteCost if they are too light to
    // end.
    SubtreeBounds terminal_split(const ranks::Node& node);
    // If it is known already.
    std::optional<SubtreeBounds> lookup_terminal_split(Key key) const;
    // Bounds of both sides of a cut of the node, with the layers of `rest` below them; `floors` are known already. They
    // need not be exact where no diagram below `target` can come of it. The nodes of the sides stay in `yes` and `no`.
    CutErrors cut_errors(const ranks::Node& node, ranks::Cut cut, LayerPattern rest, const CutErrors& floors,
                         Cost target, ranks::Node& yes, ranks::Node& no);
    // The same of one side, while the other ends.
    Cost rest_errors(const ranks::Node& node, ranks::Cut cut, bool yes_ends, LayerPattern rest, Cost floor, Cost below,
                     ranks::Node& yes, ranks::Node& no);

    // From here on so much effort is spent, and then no more: no errors are a bound of what is left. A set of rows
    // takes one unit, and four times as much for each layer that follows.
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
    Limits end_limits_;  // of the sides of a node where all rows end
    Watchdog& watchdog_;
    int reach_;
    Cache cache_;
    ranks::RankSearcher trees_;
    std::deque<BoundFrame> frames_;
    std::uint64_t n_solved_ = 0, effort_ = 0, most_effort_ = UINT64_MAX;
};

}  // namespace exactree::diagrams::exact
