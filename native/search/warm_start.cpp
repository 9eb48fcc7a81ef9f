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

}  // namespace

ScoredTree prune_to_limits(const Data& data, const Limits& limits, const Tree& tree) {
    const std::vector<Arrived> at = route_rows(data, tree);
    std::vector<Cost> cost(tree.size());
    std::vector<bool> split(tree.size(), false);
    std::vector<std::int64_t> leaves(tree.size(), 1);
    for (std::size_t back = tree.size(); back-- > 0;) {  // children before parents
        const TreeNode& node = tree[back];
        cost[back] =
            at[back].base - *std::max_element(at[back].gains.begin(), at[back].gains.end()) + limits.leaf_price;
        if (node.column < 0) continue;
        const bool allowed = at[back].depth < limits.max_depth && limits.allows(at[node.yes].size, at[node.no].size);
        if (!allowed || cost[node.yes] + cost[node.no] >= cost[back]) continue;
        cost[back] = cost[node.yes] + cost[node.no];
        leaves[back] = leaves[node.yes] + leaves[node.no];
        split[back] = true;
    }
    if (leaves[0] > limits.max_leaves) return single_leaf(data, limits);
    ScoredTree out{{}, cost[0]};
    copy(tree, split, at, 0, out.tree);
    return out;
}

ScoredTree single_leaf(const Data& data, const Limits& limits) {
    return prune_to_limits(data, limits, {{-1, -1, -1, -1, 0}});
}

}  // namespace exactree::search
