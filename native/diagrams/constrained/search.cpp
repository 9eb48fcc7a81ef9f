#include "diagrams/constrained/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "diagrams/constrained/lister.hpp"

namespace exactree::diagrams::constrained {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kFirstGap = 1.0 / 512;  // of the bound: the first level above it; then twice that, and so on

class DiagramRounds {
 public:
    DiagramRounds(const ConstrainedDiagrams& problem, const Budget& budget, Watchdog& watchdog)
        : problem_(problem),
          watchdog_(watchdog),
          lister_(problem.relaxed, problem.shape.rules, problem.channels, is_one_sided(problem.sums), watchdog,
                  budget.memory.value_or(SIZE_MAX / 2), problem.reach) {
        const auto& widths = problem.shape.widths;
        most_ = std::min(std::accumulate(widths.begin(), widths.end(), std::int64_t{0}), problem.shape.max_nodes) - 1;
        // Without a price more nodes are never worse.
        least_ = problem.shape.node_price == 0 && problem.channels.leaf_price == 0 ? most_ : 0;
        best_.cost = problem.known_cost;
        best_.bound = problem.known_bound;
        report();
    }

    exactree::constrained::ConstrainedOutcome run() {
        double gap = std::max(kFirstGap * best_.bound, problem_.step);
        for (; !finished() && !watchdog_.stopped(); gap *= 2) {
            const double level = std::min(best_.bound + gap, target());
            list_up_to(level);
            if (watchdog_.stopped()) break;
            // All diagrams up to the level were listed, and the best allowed one among them is known.
            raise(target() <= level || level >= highest() ? best_.cost : level);
        }
        best_.status = finished() ? Status::proved : watchdog_.status().value_or(Status::out_of_memory);
        best_.counters = {{"listed", lister_.n_points}, {"listed_states", lister_.n_states}, {"rounds", n_rounds_}};
        return std::move(best_);
    }

 private:
    static bool is_one_sided(const exactree::constrained::SumLimits& sums) {
        return sums.soft.empty() &&
               std::all_of(sums.least.begin(), sums.least.end(), [](Cost least) { return least <= -kInfiniteCost; });
    }
    double target() const { return best_.cost - problem_.step; }  // of a better diagram
    bool finished() const { return best_.bound > target() || best_.bound == kInfinite; }
    // More than any diagram costs.
    double highest() const {
        Cost total = problem_.shape.node_price * most_;
        for (const Cost base : problem_.relaxed.base) total += base;
        return (static_cast<double>(total) - problem_.shift) / problem_.ratio + 1;
    }
    Cost relaxed_of(double cost) const {
        const double relaxed = problem_.ratio * cost + problem_.shift;
        return relaxed >= static_cast<double>(kInfiniteCost / 2) ? kInfiniteCost / 2
                                                                 : static_cast<Cost>(std::floor(relaxed));
    }
    void raise(double bound) {
        best_.bound = std::max(best_.bound, std::min(bound, best_.cost));
        report();
    }
    void report() {
        watchdog_.cost = best_.cost == kInfinite ? kInfiniteCost : static_cast<Cost>(best_.cost);
        watchdog_.bound = static_cast<Cost>(std::min(best_.bound, static_cast<double>(kInfiniteCost)));
    }

    void list_up_to(double level) {
        ++n_rounds_;
        lister_.forget();
        for (std::int64_t n_nodes = least_; n_nodes <= most_ && !watchdog_.stopped(); ++n_nodes) {
            const Cost price = problem_.shape.node_price * n_nodes;
            const auto most = [&] { return relaxed_of(std::min(level, target())) - price; };
            if (most() < 0) return;
            for (const std::vector<int>& profile : exact::profiles(problem_.shape.widths, n_nodes)) {
                watchdog_.spend(1000);
                if (most() < 0 || watchdog_.stopped()) break;
                if (lister_.bound(profile, most() + 1) > most()) continue;
                lister_.list(profile, most, [&](const PlanPoint& point, const Cost* sums) {
                    take(point, sums, problem_.channels.leaf_price * n_nodes);
                });
            }
        }
    }

    void take(const PlanPoint& point, const Cost* sums, Cost price) {
        if (!problem_.sums.allow(sums)) return;
        const double cost = static_cast<double>(point.cost + price) + problem_.sums.penalty(sums);
        if (cost > target()) return;
        best_.cost = cost;
        best_.tree = write_plan(lister_.arena, point.origin);
        report();
    }

    const ConstrainedDiagrams& problem_;
    Watchdog& watchdog_;
    DiagramLister lister_;
    std::int64_t least_ = 0, most_ = 0;
    exactree::constrained::ConstrainedOutcome best_;
    std::uint64_t n_rounds_ = 0;
};

}  // namespace

exactree::constrained::ConstrainedOutcome search_constrained_diagrams(const ConstrainedDiagrams& problem,
                                                                      const Budget& budget) {
    Watchdog watchdog(budget);
    return DiagramRounds(problem, budget, watchdog).run();
}

}  // namespace exactree::diagrams::constrained
