#include "constrained/points.hpp"

namespace exactree::constrained {

Tree tree_of(const Arena& arena, std::uint32_t at) {
    Tree tree;
    std::vector<std::uint32_t> waiting{at};  // a place in the arena for each node
    tree.push_back({-1, -1, -1, -1, 0});
    for (std::size_t node = 0; node < waiting.size(); ++node) {
        const TreeOrigin& origin = arena[waiting[node]];
        tree[node].label = origin.label;
        if (origin.question.column < 0) continue;
        tree[node].column = origin.question.column;
        tree[node].rank = static_cast<std::int32_t>(origin.question.rank);
        tree[node].yes = static_cast<std::int32_t>(tree.size());
        tree[node].no = tree[node].yes + 1;
        waiting.push_back(origin.yes);
        waiting.push_back(origin.no);
        tree.resize(tree.size() + 2, {-1, -1, -1, -1, 0});
    }
    return tree;
}

std::optional<Cost> ListingRules::leaf_cost(const Cost* sums_of_channels, int label) const {
    Cost cost = channels.cost(sums_of_channels, label) + channels.leaf_price;
    const Cost* amounts = channels.amounts(sums_of_channels);
    for (const LeafLimit& limit : leaf_limits) {
        Cost wrong = 0;
        for (int k = 0; k < channels.n_classes; ++k) wrong += k == label ? 0 : amounts[k];
        if (!limit.allows(static_cast<double>(amounts[label]), static_cast<double>(wrong))) {
            if (limit.is_hard()) return std::nullopt;
            cost += static_cast<Cost>(limit.price);
        }
        amounts += channels.n_classes;
    }
    return cost;
}

void join(const Points& yes, const Points& no, Question question, Cost most, std::int64_t max_leaves,
          Watchdog& watchdog, Points& out) {
    std::vector<Cost> sums(yes.n_sums());
    for (std::size_t a = 0; a < yes.size(); ++a) {
        for (std::size_t b = 0; b < no.size() && yes[a].relaxed + no[b].relaxed <= most; ++b) {
            const std::int64_t leaves = yes[a].leaves + no[b].leaves;
            if (leaves > max_leaves) continue;
            for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = yes.sums(a)[j] + no.sums(b)[j];
            const ListedPoint point{
                yes[a].relaxed + no[b].relaxed, yes[a].cost + no[b].cost, leaves, {question, yes[a].at, no[b].at, 0}};
            out.add(point, sums.data());
        }
        watchdog.spend(8 * no.size());
        if (watchdog.stopped()) return;
    }
}

}  // namespace exactree::constrained
