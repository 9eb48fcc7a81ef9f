#include "leaf_limits/search.hpp"

#include <algorithm>
#include <cmath>

#include "core/tree_searcher.hpp"
#include "leaf_limits/local_search.hpp"
#include "leaf_limits/searcher.hpp"

namespace exactree::leaf_limits {

namespace {

constexpr std::size_t kDefaultMemory = std::size_t{1} << 32;

Cost rounded(double cost) { return cost == kNever ? kInfiniteCost : static_cast<Cost>(std::llround(cost)); }

Plan plan_of(const Tree& tree, std::size_t at) {
    const TreeNode& node = tree[at];
    if (node.column < 0) return FrontTree::leaf(node.label);
    const Question question{node.column, static_cast<Rank>(node.rank)};
    return FrontTree::branch(question, plan_of(tree, static_cast<std::size_t>(node.yes)),
                             plan_of(tree, static_cast<std::size_t>(node.no)));
}

class LimitRun {
 public:
    LimitRun(const LimitProblem& problem, const Budget& budget)
        : problem_(problem),
          budget_(budget),
          shape_(problem.max_depth, problem.max_leaves),
          watchdog_(budget),
          data_(problem.data, problem.unit),
          costs_(data_.n_classes(), problem.rules),
          searcher_(data_, costs_, problem.unavoidable, budget.memory.value_or(kDefaultMemory), watchdog_),
          bound_(problem.bound) {
        if (problem.free == nullptr || shape_.depth < 3) return;
        free_ = std::make_unique<FreeBounds>(*problem.free, budget.memory.value_or(kDefaultMemory) / 4, watchdog_);
        searcher_.use(free_.get());
    }

    Outcome run() {
        const RowSet all = worst_leaf::all_rows(problem_.data.n_rows);
        offer(searcher_.leaf_of(all, true));
        for (const Tree& start : problem_.starts) offer(searcher_.prune(all, *plan_of(start, 0), true));
        watchdog_.check_now();
        for (int depth = 1; depth <= shape_.depth && !ended(); ++depth) deepen(depth);
        if (shape_.depth == 0) bound_ = best_.lower;
        return outcome();
    }

 private:
    bool is_proved() const { return bound_ >= best_.lower - costs_.rules().noise; }
    bool ended() const {
        if (watchdog_.status() || is_proved()) return true;
        return best_.plan && budget_.gap > 0 && best_.lower - bound_ <= budget_.gap * best_.lower;
    }

    void deepen(int depth) {
        const bool last = depth == shape_.depth;
        const std::int64_t leaves = std::min(shape_.leaves, full_tree_leaves(depth));
        RootListener listener;
        listener.improved = [&](const Found& found) { offer(found); };
        listener.bounded = [&](double bound) {
            if (last) raise(bound);
        };
        improve(searcher_, data_, best_, depth, leaves, watchdog_, listener);
        if (ended()) return;
        const Found found = searcher_.solve_root(depth, leaves, best_.lower, listener);
        if (watchdog_.status()) return;
        offer(found);
        if (last) raise(best_.lower);
    }

    void offer(const Found& found) {
        if (!found.plan || found.lower >= best_.lower - costs_.rules().noise) return;
        best_ = found;
        note();
    }
    void raise(double bound) {
        bound = std::min(bound, best_.lower);
        if (bound <= bound_) return;
        bound_ = bound;
        note();
        if (ended() && !is_proved()) watchdog_.stop(Status::gap_reached);
    }
    void note() {
        watchdog_.cost = rounded(best_.lower);
        watchdog_.bound = rounded(std::min(bound_, best_.lower));
        outcome_.history.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound});
    }

    Outcome outcome() {
        outcome_.cost = rounded(best_.lower);
        outcome_.bound = rounded(std::min(bound_, best_.lower));
        outcome_.status = is_proved() ? Status::proved : watchdog_.status().value_or(Status::gap_reached);
        if (best_.plan) pareto::append_tree(*best_.plan, outcome_.tree);
        outcome_.counters = {{"sets", searcher_.sets_looked_at}, {"cache_hits", searcher_.found_in_cache}};
        return std::move(outcome_);
    }

    const LimitProblem& problem_;
    const Budget& budget_;
    Shape shape_;
    Watchdog watchdog_;
    LeafData data_;
    LeafCosts costs_;
    LimitSearcher searcher_;
    std::unique_ptr<FreeBounds> free_;
    Found best_;
    double bound_;
    Outcome outcome_;
};

}  // namespace

Outcome search_limited(const LimitProblem& problem, const Budget& budget) { return LimitRun(problem, budget).run(); }

}  // namespace exactree::leaf_limits
