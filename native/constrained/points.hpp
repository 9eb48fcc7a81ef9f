// Predictions of trees for a set of rows, as points: relaxed cost, cost, and the sums that the constraints limit.
#pragma once

#include <cstdint>
#include <vector>

#include "constrained/rows.hpp"
#include "core/budget.hpp"

namespace exactree::constrained {

// Where a point comes from: a leaf with a label, or a question and the points of its sides.
struct Origin {
    Question question;
    std::uint32_t yes = 0, no = 0;  // places in the arena
    std::int32_t label = 0;         // of a leaf
};

using Arena = std::vector<Origin>;

// The tree whose origin stands at a place of the arena.
Tree tree_of(const Arena& arena, std::uint32_t at);

struct ListedPoint {
    Cost relaxed = 0;
    Cost cost = 0;
    std::int64_t leaves = 1;
    Origin origin;
    std::uint32_t at = 0;  // its origin's place in the arena, once it is settled
};

// Points with their sums. Of points with equal sums and as many leaves only a cheapest one is kept; where every sum is
// limited from above only, none is kept that another dominates in one sum and cost.
class Points {
 public:
    // `one_sided`: there is one sum, and it is limited from above only. `count_leaves`: their number is limited.
    Points(std::size_t n_sums, bool one_sided, bool count_leaves)
        : n_sums_(n_sums), one_sided_(one_sided && n_sums == 1), count_leaves_(count_leaves) {}

    static Points of(const ListingRules& rules) {
        return {rules.channels.n_sums, rules.sums.one_sided(), rules.counts_leaves()};
    }

    void clear() {
        points_.clear();
        sums_.clear();
        n_kept_ = 0;
    }
    // `sums` is read before this returns.
    void add(const ListedPoint& point, const Cost* sums) {
        points_.push_back(point);
        sums_.insert(sums_.end(), sums, sums + n_sums_);
        if (points_.size() >= 2 * n_kept_ + kBatch) drop_dominated();
    }
    // Drops what is dominated, sorts by relaxed cost, and enters the origins of what is left into the arena.
    void settle(Arena& arena);

    std::size_t size() const noexcept { return points_.size(); }
    const ListedPoint& operator[](std::size_t at) const noexcept { return points_[at]; }
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
    std::vector<ListedPoint> points_;
    std::vector<Cost> sums_;  // points x sums
};

// Adds the trees with this question at their root, and with the given subtrees.
void join(const Points& yes, const Points& no, Question question, Cost most, std::int64_t max_leaves,
          Watchdog& watchdog, Points& out);

}  // namespace exactree::constrained
