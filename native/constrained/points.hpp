// Predictions of trees for a set of rows, as points: relaxed cost, cost, and the sums that the constraints limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "constrained/rows.hpp"
#include "core/budget.hpp"

namespace exactree::constrained {

// Where a point comes from: a leaf with a label, or a question and the points of its sides.
struct TreeOrigin {
    Question question;
    std::uint32_t yes = 0, no = 0;  // places in the arena
    std::int32_t label = 0;         // of a leaf
};

using Arena = std::vector<TreeOrigin>;

// The tree whose origin stands at a place of the arena.
Tree tree_of(const Arena& arena, std::uint32_t at);

template <class Origin>
struct PointFrom {
    Cost relaxed = 0;
    Cost cost = 0;
    std::int64_t leaves = 1;
    Origin origin;
    std::uint32_t at = 0;  // its origin's place in the arena, once it is settled
};

// Points with their sums. Of points with equal sums and as many leaves only a cheapest one is kept; where every sum is
// limited from above only, none is kept that another dominates in one sum and cost.
template <class Origin>
class PointList {
 public:
    // `one_sided`: there is one sum, and it is limited from above only. `count_leaves`: their number is limited.
    PointList(std::size_t n_sums, bool one_sided, bool count_leaves)
        : n_sums_(n_sums), one_sided_(one_sided && n_sums == 1), count_leaves_(count_leaves) {}

    static PointList of(const ListingRules& rules) {
        return {rules.channels.n_sums, rules.sums.one_sided(), rules.counts_leaves()};
    }

    void clear() {
        points_.clear();
        sums_.clear();
        n_kept_ = 0;
    }
    // `sums` is read before this returns.
    void add(const PointFrom<Origin>& point, const Cost* sums) {
        points_.push_back(point);
        sums_.insert(sums_.end(), sums, sums + n_sums_);
        if (points_.size() >= 2 * n_kept_ + kBatch) drop_dominated();
    }
    // Drops what is dominated, sorts by relaxed cost, and enters the origins of what is left into the arena.
    void settle(std::vector<Origin>& arena);

    std::size_t size() const noexcept { return points_.size(); }
    const PointFrom<Origin>& operator[](std::size_t at) const noexcept { return points_[at]; }
    const Cost* sums(std::size_t at) const noexcept { return sums_.data() + at * n_sums_; }
    std::size_t n_sums() const noexcept { return n_sums_; }

 private:
    static constexpr std::size_t kBatch = std::size_t{1} << 15;

    void drop_dominated();
    void take(const std::vector<std::uint32_t>& order);
    bool precedes(std::uint32_t a, std::uint32_t b) const;
    bool same_place(std::uint32_t a, std::uint32_t b) const;

    std::size_t n_sums_;
    bool one_sided_, count_leaves_;
    std::size_t n_kept_ = 0;  // after the last time that dominated ones were dropped
    std::vector<PointFrom<Origin>> points_;
    std::vector<Cost> sums_;  // points x sums
};

// By sums, leaves and cost: those that may replace each other are neighbours.
template <class Origin>
bool PointList<Origin>::precedes(std::uint32_t a, std::uint32_t b) const {
    const Cost *left = sums(a), *right = sums(b);
    for (std::size_t j = 0; j < n_sums_; ++j)
        if (left[j] != right[j]) return left[j] < right[j];
    if (count_leaves_ && points_[a].leaves != points_[b].leaves) return points_[a].leaves < points_[b].leaves;
    return points_[a].cost < points_[b].cost;
}

template <class Origin>
bool PointList<Origin>::same_place(std::uint32_t a, std::uint32_t b) const {
    return std::equal(sums(a), sums(a) + n_sums_, sums(b)) &&
           (!count_leaves_ || points_[a].leaves == points_[b].leaves);
}

template <class Origin>
void PointList<Origin>::drop_dominated() {
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

template <class Origin>
void PointList<Origin>::take(const std::vector<std::uint32_t>& order) {
    std::vector<PointFrom<Origin>> points;
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

template <class Origin>
void PointList<Origin>::settle(std::vector<Origin>& arena) {
    drop_dominated();
    std::vector<std::uint32_t> order(points_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return points_[a].relaxed < points_[b].relaxed; });
    take(order);
    for (PointFrom<Origin>& point : points_) {
        point.at = static_cast<std::uint32_t>(arena.size());
        arena.push_back(point.origin);
    }
}

using ListedPoint = PointFrom<TreeOrigin>;
using Points = PointList<TreeOrigin>;

// Adds the trees with this question at their root, and with the given subtrees.
void join(const Points& yes, const Points& no, Question question, Cost most, std::int64_t max_leaves,
          Watchdog& watchdog, Points& out);

}  // namespace exactree::constrained
