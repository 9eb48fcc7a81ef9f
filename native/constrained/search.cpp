#include "constrained/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constrained/best_pair.hpp"
#include "constrained/lister.hpp"

namespace exactree::constrained {
namespace {

using ranks::Node;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kFirstGap = 1.0 / 512;  // of the bound: the first level above it; then twice that, and so on
// With an incumbent so near to the bound, as a share of it, the first level is the incumbent: rounds begin anew.
constexpr double kClose = 1.0 / 64, kCloseShallow = 1.0 / 4;
constexpr std::size_t kMostPoints = std::size_t{1} << 31;

class Rounds {
 public:
    Rounds(const ConstrainedProblem& problem, const Budget& budget, Watchdog& watchdog, bool portable)
        : problem_(problem),
          watchdog_(watchdog),
          searcher_(problem.relaxed, problem.limits, watchdog, budget.memory.value_or(SIZE_MAX) / 2, Settings{},
                    portable),
          lister_(problem.relaxed, problem.limits, problem.channels, problem.leaf_limits, is_one_sided(problem.sums),
                  searcher_, watchdog) {
        root_.fill(problem.relaxed, portable);
        best_.cost = problem.known_cost;
        best_.bound = problem.known_bound;
        for (int label = 0; label < problem.relaxed.n_classes; ++label) lister_.arena.push_back({{}, 0, 0, label});
        most_memory_ = budget.memory.value_or(SIZE_MAX);
    }

    ConstrainedOutcome run() {
        raise_to_relaxed();
        double gap = std::max(kFirstGap * best_.bound, problem_.step);
        if (best_.cost - best_.bound <= (depth() <= 2 ? kCloseShallow : kClose) * best_.bound) gap = kInfinite;
        for (; !finished(); gap *= 2) {
            const double level = std::min(best_.bound + gap, target());
            list_up_to(level);
            if (watchdog_.stopped()) break;
            // All trees up to the level were listed, and the best allowed one among them is known.
            raise(target() <= level || level >= highest() ? best_.cost : level);
        }
        best_.status = finished() ? Status::proved : watchdog_.status().value_or(Status::out_of_memory);
        best_.counters = {{"listed", lister_.n_points}, {"cuts_tried", lister_.n_cuts}, {"rounds", n_rounds_}};
        for (const auto& counter : searcher_.counters())
            best_.counters.push_back({"relaxed_" + counter.first, counter.second});
        return std::move(best_);
    }

 private:
    static bool is_one_sided(const SumLimits& sums) {
        return sums.soft.empty() &&
               std::all_of(sums.least.begin(), sums.least.end(), [](Cost least) { return least <= -kInfiniteCost; });
    }
    int depth() const {
        return static_cast<int>(std::min<std::int64_t>(problem_.limits.max_depth, problem_.limits.max_leaves - 1));
    }
    double target() const { return best_.cost - problem_.step; }  // of a better tree
    bool finished() const { return best_.bound > target() || best_.bound == kInfinite; }
    // More than any tree costs.
    double highest() const {
        Cost total = 0;
        for (const Cost base : problem_.relaxed.base) total += base;
        total += problem_.limits.leaf_price * std::min<Cost>(problem_.limits.max_leaves, problem_.relaxed.n_rows);
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

    // The relaxed problem bounds the cost; its solution stays in the cache, which the listing reads.
    void raise_to_relaxed() {
        report();
        const std::int64_t leaves = std::min(problem_.limits.max_leaves, full_tree_leaves(depth()));
        const SubtreeBounds relaxed = searcher_.solve_node(root_, depth(), leaves, kInfiniteCost);
        raise((static_cast<double>(relaxed.lower) - problem_.shift) / problem_.ratio);
    }

    void list_up_to(double level) {
        ++n_rounds_;
        level_ = level;
        list_leaves();
        if (depth() == 0) return;
        std::vector<OpenCut> cuts;
        Cost most = relaxed_of(std::min(level_, target()));
        lister_.visit_cuts(root_, depth(), most, [&](const OpenCut& open) { cuts.push_back(open); });
        std::stable_sort(cuts.begin(), cuts.end(),
                         [](const OpenCut& a, const OpenCut& b) { return a.cost() < b.cost(); });
        const std::size_t n_labels = static_cast<std::size_t>(problem_.relaxed.n_classes);
        for (const OpenCut& open : cuts) {
            most = relaxed_of(std::min(level_, target()));
            if (open.cost() > most || watchdog_.stopped()) break;
            lister_.arena.resize(n_labels);
            try_cut(open, most);
            if (lister_.arena.size() > std::min(kMostPoints, most_memory_ / sizeof(TreeOrigin)))
                watchdog_.stop(Status::out_of_memory);
        }
    }

    void list_leaves() {
        Points leaves = lister_.no_points();
        lister_.list(root_, 0, relaxed_of(target()), leaves);
        for (std::size_t at = 0; at < leaves.size(); ++at) {
            if (!problem_.sums.allow(leaves.sums(at))) continue;
            const double cost = static_cast<double>(leaves[at].cost) + problem_.sums.penalty(leaves.sums(at));
            if (cost <= target()) keep(cost, tree_of(lister_.arena, leaves[at].at));
        }
    }

    void try_cut(const OpenCut& open, Cost most) {
        Lister::Frame& sides = lister_.frame(depth());
        Node::split(problem_.relaxed, root_, open.cut, sides.yes, sides.no);
        Points yes = lister_.no_points(), no = lister_.no_points();
        lister_.list(sides.yes, depth() - 1, most - open.no, yes);
        if (yes.size() == 0) return;
        lister_.list(sides.no, depth() - 1, most - yes[0].relaxed, no);
        const Pair pair = best_pair(yes, no, problem_.sums, problem_.limits.max_leaves, target(), watchdog_);
        if (!pair.found) return;
        lister_.arena.push_back({root_.question(open.cut), yes[pair.yes].at, no[pair.no].at, 0});
        keep(pair.cost, tree_of(lister_.arena, static_cast<std::uint32_t>(lister_.arena.size() - 1)));
    }

    void keep(double cost, Tree tree) {
        best_.cost = cost;
        best_.tree = std::move(tree);
        report();
    }

    const ConstrainedProblem& problem_;
    Watchdog& watchdog_;
    ranks::RankSearcher searcher_;
    Lister lister_;
    Node root_;
    ConstrainedOutcome best_;
    double level_ = 0;
    std::size_t most_memory_;
    std::uint64_t n_rounds_ = 0;
};

}  // namespace

ConstrainedOutcome search_constrained(const ConstrainedProblem& problem, const Budget& budget, bool portable) {
    Watchdog watchdog(budget);
    return Rounds(problem, budget, watchdog, portable).run();
}

}  // namespace exactree::constrained
