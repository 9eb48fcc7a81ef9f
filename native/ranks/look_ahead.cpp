#include "ranks/look_ahead.hpp"

#include <algorithm>

#include "ranks/depth_one.hpp"

namespace exactree::ranks {
namespace {

constexpr std::size_t kWidth = 2;  // columns followed below the root

}  // namespace

Tree LookAhead::grow(const Node& node, int depth) {
    frames_.resize(static_cast<std::size_t>(std::max(depth, 2)) + 1);
    return grow(node, depth, node.n_columns()).tree;
}

LookAhead::Grown LookAhead::leaf(const Node& node) const {
    return {node.leaf_error() + limits_.leaf_price, {{-1, -1, -1, -1, node.best_label()}}};
}

LookAhead::Grown LookAhead::joined(const Node& node, Question question, const Grown& yes, const Grown& no) const {
    Grown out = leaf(node);
    if (yes.cost + no.cost >= out.cost) return out;
    out.cost = yes.cost + no.cost;
    const auto first_no = static_cast<std::int32_t>(1 + yes.tree.size());
    out.tree[0] = {question.column, static_cast<std::int32_t>(question.rank), 1, first_no, out.tree[0].label};
    for (const auto& [side, by] : {std::pair(&yes, 1), std::pair(&no, first_no)})
        for (TreeNode below : side->tree) {
            if (below.column >= 0) {
                below.yes += by;
                below.no += by;
            }
            out.tree.push_back(below);
        }
    return out;
}

LookAhead::Grown LookAhead::grow(const Node& node, int depth, std::size_t width) {
    const Grown alone = leaf(node);
    if (depth <= 0 || alone.cost <= 2 * limits_.leaf_price || node.n_columns() == 0 || watchdog_.stopped())
        return alone;
    if (depth == 1) return grow_shallow(node, solve_depth_one(data_, limits_, node), depth);
    LookAheadFrame& here = frames_[static_cast<std::size_t>(depth)];
    const SubtreeBounds two = depth_two_.solve(node, {4}, watchdog_, &here.guesses);
    if (depth == 2) return grow_shallow(node, two, depth);
    Grown best = alone;
    for (const Cut& cut : best_cuts(node, two, here.guesses, width)) {
        Node::split(data_, node, cut, here.yes, here.no);
        watchdog_.spend(4 * node.n_rows() * node.n_columns());
        const Grown yes = grow(here.yes, depth - 1, kWidth);
        if (yes.cost >= best.cost) continue;
        Grown found = joined(node, node.question(cut), yes, grow(here.no, depth - 1, kWidth));
        if (found.cost < best.cost) best = std::move(found);
    }
    return best;
}

// A tree whose first question is known, with the best splits of its sides.
LookAhead::Grown LookAhead::grow_shallow(const Node& node, const SubtreeBounds& known, int depth) {
    const std::optional<Cut> cut = node.find_cut(known.question);
    if (!cut) return leaf(node);
    LookAheadFrame& here = frames_[static_cast<std::size_t>(depth)];
    Node::split(data_, node, *cut, here.yes, here.no);
    const Grown yes = grow(here.yes, depth - 1, 1), no = grow(here.no, depth - 1, 1);
    return joined(node, known.question, yes, no);
}

// The best cuts at depth two, each of another column, the best first. With a minimum leaf size only one is returned:
// the others were scored without it.
std::vector<Cut> LookAhead::best_cuts(const Node& node, const SubtreeBounds& two, std::vector<ScoredCut>& guesses,
                                      std::size_t width) const {
    std::vector<Cut> out;
    if (const std::optional<Cut> cut = node.find_cut(two.question)) out.push_back(*cut);
    if (limits_.limits_leaf_size()) return out;
    std::vector<std::size_t> order;
    for (std::size_t column = 0; column < guesses.size(); ++column)
        if (guesses[column].cost < kInfiniteCost && (out.empty() || column != out[0].column)) order.push_back(column);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return guesses[a].cost < guesses[b].cost; });
    for (const std::size_t column : order)
        if (out.size() < width) out.push_back({column, guesses[column].cut});
    return out;
}

}  // namespace exactree::ranks
