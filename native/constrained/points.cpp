#include "constrained/points.hpp"

#include <algorithm>
#include <numeric>

namespace exactree::constrained {

Tree tree_of(const Arena& arena, std::uint32_t at) {
    Tree tree;
    std::vector<std::uint32_t> waiting{at};  // a place in the arena for each node
    tree.push_back({-1, -1, -1, -1, 0});
    for (std::size_t node = 0; node < waiting.size(); ++node) {
        const Origin& origin = arena[waiting[node]];
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

// By sums, leaves and cost: those that may replace each other are neighbours.
bool Points::precedes(std::uint32_t a, std::uint32_t b) const {
    const Cost *left = sums(a), *right = sums(b);
    for (std::size_t j = 0; j < n_sums_; ++j)
        if (left[j] != right[j]) return left[j] < right[j];
    if (count_leaves_ && points_[a].leaves != points_[b].leaves) return points_[a].leaves < points_[b].leaves;
    return points_[a].cost < points_[b].cost;
}

bool Points::same_place(std::uint32_t a, std::uint32_t b) const {
    return std::equal(sums(a), sums(a) + n_sums_, sums(b)) &&
           (!count_leaves_ || points_[a].leaves == points_[b].leaves);
}

void Points::drop_dominated() {
    std::vector<std::uint32_t> order(points_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return precedes(a, b); });
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t at : order) {
        if (!kept.empty()) {
            const bool lower_sum = one_sided_ && !count_leaves_ && points_[kept.back()].cost <= points_[at].cost;
            if (lower_sum || same_place(kept.back(), at)) continue;
        }
        kept.push_back(at);
    }
    take(kept);
    n_kept_ = points_.size();
}

void Points::take(const std::vector<std::uint32_t>& order) {
    std::vector<ListedPoint> points;
    std::vector<Cost> all;
    points.reserve(order.size());
    all.reserve(order.size() * n_sums_);
    for (const std::uint32_t at : order) {
        points.push_back(points_[at]);
        all.insert(all.end(), sums(at), sums(at) + n_sums_);
    }
    points_.swap(points);
    sums_.swap(all);
}

void Points::settle(Arena& arena) {
    drop_dominated();
    std::vector<std::uint32_t> order(points_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return points_[a].relaxed < points_[b].relaxed; });
    take(order);
    for (ListedPoint& point : points_) {
        point.at = static_cast<std::uint32_t>(arena.size());
        arena.push_back(point.origin);
    }
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
