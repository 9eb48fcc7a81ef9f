#include "diagrams/exact/tree_bounds.hpp"

#include "diagrams/exact/cuts.hpp"
#include "ranks/depth_one.hpp"

namespace exactree::diagrams::exact {
namespace {

constexpr std::int64_t kEnds = -1;  // in the cache, where patterns of one layer have 0

Limits any_tree(std::int64_t least_weight) {
    Limits limits;
    limits.least.weight = least_weight;
    limits.max_depth = kMaxDepth;
    limits.max_leaves = full_tree_leaves(kMaxDepth);
    return limits;
}

}  // namespace

TreeBounds::TreeBounds(const Data& data, Watchdog& watchdog, std::size_t bytes, int reach, std::int64_t least_weight)
    : data_(data),
      limits_(any_tree(0)),
      end_limits_(any_tree(least_weight)),
      watchdog_(watchdog),
      reach_(reach),
      cache_(bytes / 2),
      trees_(data, limits_, watchdog, bytes / 2, {}, false) {}

TreeBounds::BoundFrame& TreeBounds::frame(int length) {
    while (frames_.size() <= static_cast<std::size_t>(length)) frames_.emplace_back();
    return frames_[static_cast<std::size_t>(length)];
}

std::optional<SubtreeBounds> TreeBounds::lookup(Key key, LayerPattern pattern) const {
    return cache_.find(key, pattern.length + 1, static_cast<std::int64_t>(pattern.wide));
}

SubtreeBounds TreeBounds::errors(const ranks::Node& node, LayerPattern pattern, Cost below) {
    SubtreeBounds out;
    out.upper = node.leaf_error();
    if (out.upper == 0 || pattern.length > reach_) return out;
    const std::optional<SubtreeBounds> cached = lookup(node.key(), pattern);
    if (cached && (cached->solved() || cached->lower >= below)) return *cached;
    if (exhausted()) return out;
    ++n_solved_;
    effort_ += std::uint64_t{1} << 2 * std::min(pattern.length, 16);
    watchdog_.spend(4 * node.n_rows() * node.n_columns());
    if (pattern.length == 0)
        out = solve_depth_one(data_, limits_, node);
    else if (pattern.length == 1)  // one more layer of one node: at most three leaves
        out = trees_.solve_node(node, 2, pattern.all_wide() ? 4 : 3, below);
    else if (pattern.all_wide())
        out = trees_.solve_node(node, pattern.length + 1, full_tree_leaves(pattern.length + 1), below);
    else
        out = pattern.begins_wide() ? explore_cuts(node, pattern, below) : explore_peels(node, pattern, below);
    if (cached) out.lower = std::max(out.lower, cached->lower);
    if (!watchdog_.stopped() && !exhausted())
        cache_.store(node.key(), pattern.length + 1, static_cast<std::int64_t>(pattern.wide), out);
    return out;
}

std::optional<SubtreeBounds> TreeBounds::lookup_terminal_split(Key key) const {
    return end_limits_.limits_leaf_size() ? cache_.find(key, 1, kEnds) : lookup(key, {});
}

SubtreeBounds TreeBounds::terminal_split(const ranks::Node& node) {
    if (!end_limits_.limits_leaf_size()) return errors(node, {}, kInfiniteCost);
    if (const std::optional<SubtreeBounds> cached = lookup_terminal_split(node.key())) return *cached;
    ++n_solved_;
    ++effort_;
    watchdog_.spend(4 * node.n_rows() * node.n_columns());
    SubtreeBounds out = solve_depth_one(data_, end_limits_, node);
    if (!node.size().reaches(end_limits_.least)) out.upper = out.lower = kInfiniteCost;
    cache_.store(node.key(), 1, kEnds, out);
    return out;
}

CutErrors TreeBounds::cut_errors(const ranks::Node& node, ranks::Cut cut, LayerPattern rest, const CutErrors& floors,
                                 Cost target, ranks::Node& yes, ranks::Node& no) {
    ranks::Node::split(data_, node, cut, yes, no);
    watchdog_.spend(4 * node.n_rows() * node.n_columns());
    CutErrors out = floors;
    const bool yes_first = yes.n_rows() >= no.n_rows();
    for (const bool is_yes : {yes_first, !yes_first}) {
        Cost& side = is_yes ? out.yes : out.no;
        const Cost left = target - (is_yes ? out.no : out.yes);
        if (side < left) side = std::max(side, errors(is_yes ? yes : no, rest, left).lower);
    }
    return out;
}

Cost TreeBounds::rest_errors(const ranks::Node& node, ranks::Cut cut, bool yes_ends, LayerPattern rest, Cost floor,
                             Cost below, ranks::Node& yes, ranks::Node& no) {
    if (floor >= below) return floor;
    ranks::Node::split(data_, node, cut, yes, no);
    watchdog_.spend(4 * node.n_rows() * node.n_columns());
    return std::max(floor, errors(yes_ends ? no : yes, rest, below).lower);
}

// Updates the best question if its errors are fewer than the best so far and the cutoff: then both sides are solved
// exactly, because neither was pruned. Otherwise the value is a bound only.
void TreeBounds::update_best(SubtreeBounds& best, Cost errors, Cost below) const {
    if (errors < below && !watchdog_.stopped()) best.upper = std::min(best.upper, errors);
}

// Best tree of a pattern that begins with one node: one side of the question ends in a leaf, or all rows pass.
SubtreeBounds TreeBounds::explore_peels(const ranks::Node& node, LayerPattern pattern, Cost below) {
    SubtreeBounds out;
    out.upper = node.leaf_error();
    BoundFrame& here = frame(pattern.length);
    const auto target = [&] { return std::min(below, out.upper); };
    const auto stop = [&] { return out.upper == 0 || watchdog_.stopped(); };
    update_best(out, errors(node, pattern.rest(), target()).lower, below);
    for (std::size_t column = 0; column < node.n_columns() && !stop(); ++column)
        for (const bool yes_ends : {true, false}) {
            find_peels(data_, node, column, yes_ends, false, target(), here.gains, here.peels);
            const auto visit = [&](const Peel& peel, Cost floor) {
                const Cost rest = rest_errors(node, {column, peel.cut}, yes_ends, pattern.rest(), floor,
                                              target() - peel.leaf, here.yes, here.no);
                update_best(out, peel.leaf + rest, below);
                return rest;
            };
            visit_peels(here.peels, target, visit, stop);
        }
    out.lower = watchdog_.stopped() ? 0 : target();
    return out;
}

// Best tree of a pattern that begins with two nodes and has one node in a later layer.
SubtreeBounds TreeBounds::explore_cuts(const ranks::Node& node, LayerPattern pattern, Cost below) {
    SubtreeBounds out;
    out.upper = node.leaf_error();
    BoundFrame& here = frame(pattern.length);
    const auto target = [&] { return std::min(below, out.upper); };
    const auto visit = [&](const CutRange& range, ranks::Place cut) {
        const CutErrors ends =
            cut_errors(node, {range.column, cut}, pattern.rest(), range.floors(), target(), here.yes, here.no);
        update_best(out, ends.lower(), below);
        return ends;
    };
    visit_cuts(node, target, visit, [&] { return out.upper == 0 || watchdog_.stopped(); });
    out.lower = watchdog_.stopped() ? 0 : target();
    return out;
}

}  // namespace exactree::diagrams::exact
