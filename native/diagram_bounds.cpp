#include "diagram_bounds.hpp"

#include "depth_one.hpp"
#include "diagram_cuts.hpp"

namespace exactree {
namespace {

Limits any_tree() {
    Limits limits;
    limits.max_depth = kDeepest;
    limits.max_leaves = most_leaves(kDeepest);
    return limits;
}

}  // namespace

TreeBounds::TreeBounds(const Data& data, Watchdog& watchdog, std::size_t bytes, int reach)
    : data_(data),
      limits_(any_tree()),
      watchdog_(watchdog),
      reach_(reach),
      cache_(bytes / 2),
      trees_(data, limits_, watchdog, bytes / 2, {}, false) {}

TreeBounds::Frame& TreeBounds::frame(int length) {
    while (frames_.size() <= static_cast<std::size_t>(length)) frames_.emplace_back();
    return frames_[static_cast<std::size_t>(length)];
}

std::optional<Known> TreeBounds::recall(Key key, Pattern pattern) const {
    return cache_.find(key, pattern.length + 1, static_cast<std::int64_t>(pattern.wide));
}

Known TreeBounds::errors(const Node& node, Pattern pattern, Cost below) {
    Known out;
    out.upper = node.leaf_error();
    if (out.upper == 0 || pattern.length > reach_) return out;
    const std::optional<Known> cached = recall(node.key(), pattern);
    if (cached && (cached->solved() || cached->lower >= below)) return *cached;
    ++n_solved_;
    watchdog_.spend(4 * node.n_rows() * node.n_columns());
    if (pattern.length == 0)
        out = solve_depth_one(data_, limits_, node);
    else if (pattern.all_wide())
        out = trees_.solve_node(node, pattern.length + 1, below);
    else
        out = explore(node, pattern, below);
    if (cached) out.lower = std::max(out.lower, cached->lower);
    if (!watchdog_.stopped())
        cache_.store(node.key(), pattern.length + 1, static_cast<std::int64_t>(pattern.wide), out);
    return out;
}

CutEnds TreeBounds::cut_ends(const Node& node, Cut cut, Pattern rest, bool wide, const CutEnds& floors, Cost target,
                             Node& yes, Node& no) {
    Node::split(data_, node, cut, yes, no);
    watchdog_.spend(4 * node.n_rows() * node.n_columns());
    CutEnds out{{yes.leaf_error(), floors.yes.best}, {no.leaf_error(), floors.no.best}};
    // A side that goes on meets, beside it, at least the errors of the other as it would be at best.
    const auto other = [&](const SideBound& side) { return wide ? side.best : side.leaf; };
    const bool yes_first = yes.n_rows() >= no.n_rows();
    for (const bool is_yes : {yes_first, !yes_first}) {
        SideBound& side = is_yes ? out.yes : out.no;
        const Cost left = target - other(is_yes ? out.no : out.yes);
        if (side.best >= left) continue;
        side.best = std::max(side.best, errors(is_yes ? yes : no, rest, left).lower);
    }
    return out;
}

// Best tree of a pattern with layers of one node, below which the kernel does not go.
Known TreeBounds::explore(const Node& node, Pattern pattern, Cost below) {
    const bool wide = pattern.begins_wide();
    Known out;
    out.upper = node.leaf_error();
    Frame& sides = frame(pattern.length);
    const auto target = [&] { return std::min(below, out.upper); };
    const auto visit = [&](const CutRange& range, Place cut) {
        const CutEnds ends =
            cut_ends(node, {range.column, cut}, pattern.rest(), wide, range.floors(), target(), sides.yes, sides.no);
        // Below the target both sides are solved, because neither was cut short.
        if (!watchdog_.stopped()) out.upper = std::min(out.upper, std::max(ends.lower(wide), Cost{0}));
        return ends;
    };
    visit_cuts(node, wide, target, visit, [&] { return out.upper == 0 || watchdog_.stopped(); });
    out.lower = watchdog_.stopped() ? 0 : target();
    return out;
}

}  // namespace exactree
