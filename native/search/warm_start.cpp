#include "search/warm_start.hpp"

#include <algorithm>

namespace exactree::search {
namespace {

struct Arrived {
    std::vector<Cost> gains;
    Cost base = 0;
    Size size;
    int depth = 0;
};

std::vector<Arrived> route_rows(const Data& data, const Tree& tree) {
    std::vector<Arrived> at(tree.size());
    for (Arrived& node : at) node.gains.assign(static_cast<std::size_t>(data.n_classes), 0);
    for (RowId row = 0; row < data.n_rows; ++row)
        for (std::int32_t node = 0;;) {
            at[node].gains[data.label[row]] += data.gain[row];
            at[node].base += data.base[row];
            at[node].size += data.size[row];
            const TreeNode& here = tree[node];
            if (here.column < 0) break;
            node = data.rank(here.column, row) <= static_cast<Rank>(here.rank) ? here.yes : here.no;
        }
    for (std::size_t node = 0; node < tree.size(); ++node)
        if (tree[node].column >= 0) at[tree[node].yes].depth = at[tree[node].no].depth = at[node].depth + 1;
    return at;
}

// Copies the pruned subtree of `node` in pre-order; returns its new index.
std::int32_t copy(const Tree& tree, const std::vector<bool>& split, const std::vector<Arrived>& at, std::int32_t node,
                  Tree& out) {
    const auto here = static_cast<std::int32_t>(out.size());
    const auto& gains = at[node].gains;
    const auto label = static_cast<std::int32_t>(std::max_element(gains.begin(), gains.end()) - gains.begin());
    out.push_back({-1, -1, -1, -1, label});
    if (split[node]) {
        out[here].column = tree[node].column;
        out[here].rank = tree[node].rank;
        const std::int32_t yes = copy(tree, split, at, tree[node].yes, out);
        const std::int32_t no = copy(tree, split, at, tree[node].no, out);
        out[here].yes = yes;
        out[here].no = no;
    }
    return here;
}

// The cheapest prunings of a subtree to at most 1, 2, ... leaves; `yes` is how many of them its yes side gets, 0 at a
// leaf.
struct Prunings {
    std::vector<Cost> cost;
    std::vector<std::size_t> yes;
};

Prunings join_prunings(Cost leaf, const Prunings& yes, const Prunings& no, std::size_t most) {
    const std::size_t n = std::min(most, yes.cost.size() + no.cost.size());
    Prunings out{std::vector<Cost>(n, leaf), std::vector<std::size_t>(n, 0)};
    for (std::size_t i = 1; i <= yes.cost.size(); ++i)
        for (std::size_t j = 1; j <= no.cost.size() && i + j <= n; ++j) {
            const Cost cost = yes.cost[i - 1] + no.cost[j - 1];
            if (cost >= out.cost[i + j - 1]) continue;
            out.cost[i + j - 1] = cost;
            out.yes[i + j - 1] = i;
        }
    return out;
}

// Which nodes are split in the cheapest pruning to at most `most` leaves of those that `split` marks; returns its cost.
Cost split_fewer(const Tree& tree, const std::vector<Cost>& leaf, std::size_t most, std::vector<bool>& split) {
    std::vector<Prunings> best(tree.size());
    for (std::size_t back = tree.size(); back-- > 0;) {  // children before parents
        best[back] = {{leaf[back]}, {0}};
        if (split[back])
            best[back] = join_prunings(leaf[back], best[static_cast<std::size_t>(tree[back].yes)],
                                       best[static_cast<std::size_t>(tree[back].no)], most);
    }
    std::vector<std::size_t> share(tree.size(), 0);
    share[0] = most;
    for (std::size_t node = 0; node < tree.size(); ++node) {
        const Prunings& here = best[node];
        const std::size_t allowed = std::min(share[node], here.cost.size());
        // Fewer leaves may cost less than exactly so many.
        const auto end = here.cost.begin() + static_cast<std::ptrdiff_t>(allowed);
        const auto used = static_cast<std::size_t>(std::min_element(here.cost.begin(), end) - here.cost.begin());
        split[node] = allowed > 0 && here.yes[used] > 0;
        if (!split[node]) continue;
        share[static_cast<std::size_t>(tree[node].yes)] = here.yes[used];
        share[static_cast<std::size_t>(tree[node].no)] = used + 1 - here.yes[used];
    }
    return *std::min_element(best[0].cost.begin(), best[0].cost.end());
}

}  // namespace

ScoredTree prune_to_limits(const Data& data, const Limits& limits, const Tree& tree) {
    const std::vector<Arrived> at = route_rows(data, tree);
    std::vector<Cost> cost(tree.size()), leaf(tree.size());
    std::vector<bool> split(tree.size(), false);
    std::vector<std::int64_t> leaves(tree.size(), 1);
    for (std::size_t back = tree.size(); back-- > 0;) {  // children before parents
        const TreeNode& node = tree[back];
        leaf[back] = cost[back] =
            at[back].base - *std::max_element(at[back].gains.begin(), at[back].gains.end()) + limits.leaf_price;
        if (node.column < 0) continue;
        const bool allowed = at[back].depth < limits.max_depth && limits.allows(at[node.yes].size, at[node.no].size);
        if (!allowed || cost[node.yes] + cost[node.no] >= cost[back]) continue;
        cost[back] = cost[node.yes] + cost[node.no];
        leaves[back] = leaves[node.yes] + leaves[node.no];
        split[back] = true;
    }
    ScoredTree out{{}, cost[0]};
    if (leaves[0] > limits.max_leaves)
        out.cost = split_fewer(tree, leaf, static_cast<std::size_t>(limits.max_leaves), split);
    copy(tree, split, at, 0, out.tree);
    return out;
}

ScoredTree single_leaf(const Data& data, const Limits& limits) {
    return prune_to_limits(data, limits, {{-1, -1, -1, -1, 0}});
}

}  // namespace exactree::search
