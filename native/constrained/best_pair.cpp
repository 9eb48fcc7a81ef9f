#include "constrained/best_pair.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace exactree::constrained {
namespace {

// The points of one side by their first sum, so that those that fit a point of the other side are neighbours.
class BySum {
 public:
    explicit BySum(const Points& points) : points_(points), order_(points.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (points.n_sums() == 0) return;
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t a, std::size_t b) { return points.sums(a)[0] < points.sums(b)[0]; });
    }
    // First place whose sum is at least `least`.
    std::size_t first(Cost least) const {
        const auto at = std::partition_point(order_.begin(), order_.end(),
                                             [&](std::size_t point) { return points_.sums(point)[0] < least; });
        return static_cast<std::size_t>(at - order_.begin());
    }
    std::size_t size() const noexcept { return order_.size(); }
    std::size_t operator[](std::size_t at) const noexcept { return order_[at]; }

 private:
    const Points& points_;
    std::vector<std::size_t> order_;
};

// The cheapest point of any range of places: for each power of two, the cheapest of as many from each place on.
class CheapestOfRange {
 public:
    CheapestOfRange(const Points& points, const BySum& order) : points_(points) {
        std::vector<std::size_t> level(order.size());
        for (std::size_t at = 0; at < level.size(); ++at) level[at] = order[at];
        for (std::size_t width = 1; !level.empty(); width *= 2) {
            levels_.push_back(level);
            if (2 * width > order.size()) break;
            for (std::size_t at = 0; at + 2 * width <= order.size(); ++at)
                level[at] = cheaper(level[at], level[at + width]);
            level.resize(order.size() - 2 * width + 1);
        }
    }
    std::size_t find(std::size_t first, std::size_t end) const {
        std::size_t level = 0;
        while ((std::size_t{2} << level) <= end - first) ++level;
        return cheaper(levels_[level][first], levels_[level][end - (std::size_t{1} << level)]);
    }

 private:
    std::size_t cheaper(std::size_t a, std::size_t b) const { return points_[b].cost < points_[a].cost ? b : a; }

    const Points& points_;
    std::vector<std::vector<std::size_t>> levels_;
};

class PairFinder {
 public:
    PairFinder(const Points& yes, const Points& no, const SumLimits& limits, std::int64_t max_leaves, double most,
               Watchdog& watchdog)
        : yes_(yes),
          no_(no),
          limits_(limits),
          max_leaves_(max_leaves),
          most_(most),
          watchdog_(watchdog),
          order_(no),
          sums_(yes.n_sums()) {}

    Pair run(bool leaves_limited) {
        if (yes_.n_sums() == 1 && limits_.soft.empty() && !leaves_limited) {
            find_in_ranges();
        } else {
            find_among_all();
        }
        return pair_;
    }

 private:
    // Places of the other side whose first sum fits.
    std::pair<std::size_t, std::size_t> range(std::size_t a) const {
        if (sums_.empty()) return {0, order_.size()};
        const Cost sum = yes_.sums(a)[0];
        const Cost most = limits_.most[0] >= kInfiniteCost ? kInfiniteCost : limits_.most[0] - sum;
        const Cost least = limits_.least[0] <= -kInfiniteCost ? -kInfiniteCost : limits_.least[0] - sum;
        return {order_.first(least), order_.first(most + 1)};
    }

    void find_in_ranges() {
        const CheapestOfRange cheapest(no_, order_);
        for (std::size_t a = 0; a < yes_.size(); ++a) {
            const auto [first, end] = range(a);
            if (first < end) consider(a, cheapest.find(first, end), 0);
        }
    }

    void find_among_all() {
        for (std::size_t a = 0; a < yes_.size() && !watchdog_.stopped(); ++a) {
            const auto [first, end] = range(a);
            for (std::size_t place = first; place < end; ++place) try_pair(a, order_[place]);
            watchdog_.spend(4 * (end - first));
        }
    }

    void try_pair(std::size_t a, std::size_t b) {
        if (static_cast<double>(yes_[a].cost + no_[b].cost) > most_) return;
        if (yes_[a].leaves + no_[b].leaves > max_leaves_) return;
        for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] = yes_.sums(a)[j] + no_.sums(b)[j];
        if (limits_.allow(sums_.data())) consider(a, b, limits_.penalty(sums_.data()));
    }

    void consider(std::size_t a, std::size_t b, double penalty) {
        const double cost = static_cast<double>(yes_[a].cost + no_[b].cost) + penalty;
        if (cost > most_ || (pair_.found && cost >= pair_.cost)) return;
        pair_ = {true, a, b, cost};
        most_ = cost;
    }

    const Points &yes_, &no_;
    const SumLimits& limits_;
    std::int64_t max_leaves_;
    double most_;
    Watchdog& watchdog_;
    BySum order_;
    std::vector<Cost> sums_;
    Pair pair_;
};

}  // namespace

Pair best_pair(const Points& yes, const Points& no, const SumLimits& limits, std::int64_t max_leaves, double most,
               Watchdog& watchdog) {
    if (yes.size() == 0 || no.size() == 0) return {};
    std::int64_t leaves = 0;
    for (std::size_t a = 0; a < yes.size(); ++a) leaves = std::max(leaves, yes[a].leaves);
    std::int64_t others = 0;
    for (std::size_t b = 0; b < no.size(); ++b) others = std::max(others, no[b].leaves);
    return PairFinder(yes, no, limits, max_leaves, most, watchdog).run(leaves + others > max_leaves);
}

}  // namespace exactree::constrained
