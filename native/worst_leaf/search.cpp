#include "worst_leaf/search.hpp"

#include <algorithm>
#include <cmath>

#include "core/tree_searcher.hpp"
#include "worst_leaf/searcher.hpp"

namespace exactree::worst_leaf {

namespace {

constexpr double kClose = 0.004;  // below this gap, maximising directly is faster than bisection
constexpr std::size_t kDefaultMemory = std::size_t{1} << 32;
constexpr int kDeep = 4;  // from this depth on bisection comes first, for an early bound

Cost cost_of(double value) { return static_cast<Cost>(std::llround((1 - value) * kLeafCostUnit)); }

class WorstLeafRun {
 public:
    WorstLeafRun(const Data& data, const Limits& limits, const LeafRule& rule, double unit, const Budget& budget)
        : budget_(budget),
          shape_(limits.max_depth, limits.max_leaves),
          watchdog_(budget),
          data_(data, unit),
          searcher_(data_, rule,
                    {static_cast<double>(limits.least.rows), static_cast<double>(limits.least.weight) * unit,
                     budget.memory.value_or(kDefaultMemory)},
                    watchdog_) {
        start_with_leaf(rule);
    }

    Outcome run() {
        for (int depth = 1; depth <= shape_.depth && !ended(); ++depth) raise(depth);
        const bool proved = !watchdog_.status() && best_ >= most_;
        if (proved) break_ties();
        if (proved) outcome_.status = Status::proved;
        if (!proved) outcome_.status = watchdog_.status().value_or(Status::gap_reached);
        append_tree(plan_, outcome_.tree);
        outcome_.cost = cost_of(best_);
        outcome_.bound = std::min(outcome_.cost, cost_of(most_));
        outcome_.counters = {{"sets", searcher_.sets_looked_at},
                             {"cache_hits", searcher_.found_in_cache},
                             {"questions_of_value", passes_},
                             {"ties_settled", ties_settled_ ? 1u : 0u}};
        return std::move(outcome_);
    }

 private:
    // One leaf for all rows is allowed whatever its size.
    void start_with_leaf(const LeafRule& rule) {
        std::vector<double> weight(data_.n_classes(), 0.0);
        double total = 0;
        for (std::size_t row = 0; row < data_.data.n_rows; ++row) {
            weight[static_cast<std::size_t>(data_.data.label[row])] += data_.weight[row];
            total += data_.weight[row];
        }
        const auto largest = std::max_element(weight.begin(), weight.end());
        plan_.become_leaf(static_cast<int>(largest - weight.begin()));
        best_ = rule.score(*largest, total - *largest);
        most_ = shape_.depth == 0 ? best_ : rule.score(total, 0);
        note();
    }

    bool ended() {
        const double cost = 1 - best_, gap = most_ - best_;
        return watchdog_.status() || (budget_.gap > 0 && gap <= budget_.gap * cost * (1 - kLeafNoise) && best_ < most_);
    }

    // For deep trees, bisection between incumbent and bound; then maximisation of the score.
    void raise(int depth) {
        const std::int64_t leaves = std::min(shape_.leaves, full_tree_leaves(depth));
        double high = most_;
        while (depth >= kDeep && !ended() && high - best_ > kClose) {
            const double q = (high + best_) / 2;
            std::optional<PlannedTree> found = searcher_.find(q, depth, leaves);
            if (found) {
                plan_ = std::move(*found);
                best_ = std::max(best_, searcher_.worst_score(plan_));
            } else if (!watchdog_.status()) {
                high = q;
            }
            note(depth, high);
        }
        if (ended() || best_ >= high) return;
        LeafSearcher::LeafIncumbent incumbent{std::move(plan_), best_};
        searcher_.maximize_score(incumbent, depth, leaves);
        plan_ = std::move(incumbent.plan);
        best_ = incumbent.score;
        note(depth, watchdog_.status() ? high : best_);
    }

    // Fewest leaves, then fewest errors, of all trees of the optimal score.
    void break_ties() {
        const double q = best_ - kLeafNoise;
        LeafSearcher::LeafIncumbent incumbent{std::move(plan_), best_};
        searcher_.minimize_leaves(incumbent, q, shape_.depth);
        plan_ = std::move(incumbent.plan);
        if (watchdog_.status()) return;
        std::optional<PlannedTree> found = searcher_.minimize_errors(q, shape_.depth, plan_.n_leaves());
        if (!found) return;
        plan_ = std::move(*found);
        ties_settled_ = true;
    }

    void note(int depth, double high) {
        ++passes_;
        if (depth == shape_.depth) most_ = std::max(best_, high);
        note();
    }

    void note() {
        watchdog_.cost = cost_of(best_);
        watchdog_.bound = std::min(cost_of(best_), cost_of(most_));
        outcome_.history.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound});
    }

    const Budget& budget_;
    Shape shape_;
    Watchdog watchdog_;
    LeafData data_;
    LeafSearcher searcher_;
    PlannedTree plan_;
    double best_ = 0, most_ = 1;
    std::uint64_t passes_ = 0;
    bool ties_settled_ = false;
    Outcome outcome_;
};

}  // namespace

Outcome search_leaves(const Data& data, const Limits& limits, const LeafRule& rule, double unit, const Budget& budget) {
    return WorstLeafRun(data, limits, rule, unit, budget).run();
}

}  // namespace exactree::worst_leaf
