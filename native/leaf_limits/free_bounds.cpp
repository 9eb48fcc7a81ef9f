#include "leaf_limits/free_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace exactree::leaf_limits {

namespace {

constexpr double kRounding = 1e-11;  // of costs that are no integers, as a share of all

}  // namespace

double FreeBounds::of_cuts(std::size_t column, Rank first, Rank last, int depth, std::int64_t leaves, double below) {
    const auto in_column = static_cast<std::int32_t>(column);
    const auto low = root_.find_cut({in_column, first}), high = root_.find_cut({in_column, last});
    if (!low || !high) return 0;
    const bool single = low->place == high->place;
    ranks::Node::split(problem_.groups, root_, *low, yes_, single ? no_ : rest_);
    if (!single) ranks::Node::split(problem_.groups, root_, *high, rest_, no_);
    const double whole = std::ceil(below / problem_.scale) - static_cast<double>(problem_.offset);
    const Cost most = whole < static_cast<double>(kInfiniteCost) ? static_cast<Cost>(whole) : kInfiniteCost;
    const std::int64_t most_leaves = std::min(leaves - 1, full_tree_leaves(depth - 1));
    const Cost yes = of_side(yes_, single, depth - 1, most_leaves, most);
    const Cost no = yes >= most ? problem_.limits.leaf_price : of_side(no_, single, depth - 1, most_leaves, most - yes);
    return static_cast<double>(yes + no + problem_.offset) * problem_.scale * (1 - kRounding);
}

Cost FreeBounds::of_side(const ranks::Node& side, bool single, int depth, std::int64_t leaves, Cost below) {
    const SubtreeBounds known = searcher_.solve_node(side, depth, leaves, below);
    return std::min(single ? known.lower : known.relaxed, below);
}

}  // namespace exactree::leaf_limits
