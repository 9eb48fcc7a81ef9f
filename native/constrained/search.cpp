#include "constrained/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constrained/best_pair.hpp"
#include "constrained/rank_roots.hpp"

namespace exactree::constrained {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kFirstGap = 1.0 / 512;  // of the bound: the first level above it; then twice that, and so on
// With an incumbent so near to the bound, as a share of it, the first level is the incumbent: rounds begin anew.
constexpr double kClose = 1.0 / 64, kCloseShallow = 1.0 / 4;
constexpr std::size_t kMostPoints = std::size_t{1} << 31;

class Rounds {
 public:
    Rounds(const ConstrainedProblem& problem, Roots& roots, const Budget& budget, Watchdog& watchdog)
        : problem_(problem), rules_(problem.rules), roots_(roots), watchdog_(watchdog) {
        best_.cost = problem.known_cost;
        best_.bound = problem.known_bound;
        for (int label = 0; label < rules_.channels.n_classes; ++label) roots_.arena().push_back({{}, 0, 0, label});
        most_memory_ = budget.memory.value_or(SIZE_MAX);
    }

    ConstrainedOutcome run() {
        raise_to_relaxed();
        double gap = std::max(kFirstGap * best_.bound, problem_.step);
        if (best_.cost - best_.bound <= (depth() <= 2 ? kCloseShallow : kClose) * best_.bound) gap = kInfinite;
        if (problem_.all_at_once) gap = kInfinite;
        for (; !finished(); gap *= 2) {
            const double level = std::min(best_.bound + gap, target());
            list_up_to(level);
            if (watchdog_.stopped()) break;
            // All trees up to the level were listed, and the best allowed one among them is known.
            raise(target() <= level || level >= highest() ? best_.cost : level);
        }
        best_.status = finished() ? Status::proved : watchdog_.status().value_or(Status::out_of_memory);
        best_.counters = roots_.counters();
        best_.counters.push_back({"rounds", n_rounds_});
        return std::move(best_);
    }

 private:
    int depth() const { return rules_.depth(); }
    double target() const { return best_.cost - problem_.step; }  // of a better tree
    bool finished() const { return best_.bound > target() || best_.bound == kInfinite; }
    // More than any tree costs.
    double highest() const { return (roots_.highest() - problem_.shift) / problem_.ratio + 1; }
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

    // The relaxed problem bounds the cost.
    void raise_to_relaxed() {
        report();
        raise((static_cast<double>(roots_.lowest()) - problem_.shift) / problem_.ratio);
    }

    void list_up_to(double level) {
        ++n_rounds_;
        level_ = level;
        list_leaves();
        if (depth() == 0) return;
        Cost most = relaxed_of(std::min(level_, target()));
        std::vector<RootQuestion> found = roots_.questions(most);
        std::stable_sort(found.begin(), found.end(),
                         [](const RootQuestion& a, const RootQuestion& b) { return a.cost() < b.cost(); });
        const std::size_t n_labels = static_cast<std::size_t>(rules_.channels.n_classes);
        for (const RootQuestion& root : found) {
            most = relaxed_of(std::min(level_, target()));
            if (root.cost() > most || watchdog_.stopped()) break;
            roots_.arena().resize(n_labels);
            try_root(root, most);
            if (roots_.arena().size() > std::min(kMostPoints, most_memory_ / sizeof(TreeOrigin)))
                watchdog_.stop(Status::out_of_memory);
        }
    }

    void list_leaves() {
        Points leaves = roots_.no_points();
        roots_.list_leaves(relaxed_of(target()), leaves);
        for (std::size_t at = 0; at < leaves.size(); ++at) {
            if (!rules_.sums.allow(leaves.sums(at))) continue;
            const double cost = static_cast<double>(leaves[at].cost) + rules_.sums.penalty(leaves.sums(at));
            if (cost <= target()) keep(cost, tree_of(roots_.arena(), leaves[at].at));
        }
    }

    void try_root(const RootQuestion& root, Cost most) {
        roots_.open(root);
        Points yes = roots_.no_points(), no = roots_.no_points();
        roots_.list_side(true, most - root.no, yes);
        if (yes.size() == 0) return;
        roots_.list_side(false, most - yes[0].relaxed, no);
        const Pair pair = best_pair(yes, no, rules_.sums, rules_.limits.max_leaves, target(), watchdog_);
        if (!pair.found) return;
        roots_.arena().push_back({root.question, yes[pair.yes].at, no[pair.no].at, 0});
        keep(pair.cost, tree_of(roots_.arena(), static_cast<std::uint32_t>(roots_.arena().size() - 1)));
    }

    void keep(double cost, Tree tree) {
        best_.cost = cost;
        best_.tree = std::move(tree);
        report();
    }

    const ConstrainedProblem& problem_;
    const ListingRules& rules_;
    Roots& roots_;
    Watchdog& watchdog_;
    ConstrainedOutcome best_;
    double level_ = 0;
    std::size_t most_memory_;
    std::uint64_t n_rounds_ = 0;
};

}  // namespace

ConstrainedOutcome search_constrained(const ConstrainedProblem& problem, Roots& roots, const Budget& budget,
                                      Watchdog& watchdog) {
    return Rounds(problem, roots, budget, watchdog).run();
}

ConstrainedOutcome search_constrained(const Data& relaxed, const ConstrainedProblem& problem, const Budget& budget,
                                      bool portable) {
    Watchdog watchdog(budget);
    RankRoots roots(relaxed, problem.rules, budget, watchdog, portable);
    return search_constrained(problem, roots, budget, watchdog);
}

}  // namespace exactree::constrained
