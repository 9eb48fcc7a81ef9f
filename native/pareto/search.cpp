#include "pareto/search.hpp"

#include <algorithm>

#include "core/tree_searcher.hpp"
#include "pareto/searcher.hpp"

namespace exactree::pareto {

namespace {

constexpr std::size_t kDefaultMemory = std::size_t{1} << 32;
// Each pass allows more errors, so that the front is proved from its accurate end on, should time run out. The limit of
// a pass is the errors of the best tree plus this share of the distance to the errors of the tree with the best worst
// leaf; the last pass has no limit.
constexpr double kShares[] = {0.0, 0.25, 0.5};
constexpr int kQuickDepth = 3;  // with few ranks a pass takes the same time whatever the limit on errors

// One leaf for all rows is allowed whatever its size.
FrontEntry single_leaf(const worst_leaf::LeafData& data, const worst_leaf::LeafRule& rule) {
    std::vector<double> weight(data.n_classes(), 0.0);
    double total = 0;
    for (std::size_t row = 0; row < data.data.n_rows; ++row) {
        weight[static_cast<std::size_t>(data.data.label[row])] += data.weight[row];
        total += data.weight[row];
    }
    const auto heaviest = std::max_element(weight.begin(), weight.end());
    const double wrong = total - *heaviest;
    return {rule.score(*heaviest, wrong), wrong, FrontTree::leaf(static_cast<int>(heaviest - weight.begin()))};
}

// Passes with rising limits on errors; returns the limit up to which the front is proved.
double run_passes(FrontSearcher& searcher, const Shape& shape, const Watchdog& watchdog, ParetoFront& entries) {
    double proved = -1;
    const auto pass = [&](double most_wrong) {
        entries.most_wrong = most_wrong;
        searcher.grow(shape.depth, shape.leaves, entries);
        if (!watchdog.status()) proved = most_wrong;
    };
    if (shape.depth > kQuickDepth || !searcher.has_few_ranks()) {
        for (const double share : kShares) {
            const double fewest = entries.fewest_wrong(), most = entries.entries().back().wrong;
            if (!watchdog.status() && fewest + share * (most - fewest) > proved) pass(fewest + share * (most - fewest));
        }
    }
    if (!watchdog.status()) pass(kNoErrors);
    return proved;
}

}  // namespace

FrontOutcome search_front(const Data& data, const Limits& limits, const worst_leaf::LeafRule& rule, double unit,
                          const std::vector<Tree>& starts, const Budget& budget) {
    Watchdog watchdog(budget);
    const worst_leaf::LeafData rows(data, unit);
    const FrontRule front_rule{rule, static_cast<double>(limits.least.rows),
                               static_cast<double>(limits.least.weight) * unit};
    FrontSearcher searcher(rows, front_rule, budget.memory.value_or(kDefaultMemory), watchdog);
    ParetoFront entries;
    entries.add(single_leaf(rows, rule));
    for (const Tree& start : starts) {
        FrontEntry step = searcher.score_tree(start);
        if (step.score >= 0 && entries.admits(step.score, step.wrong)) entries.add(std::move(step));
    }
    watchdog.check_now();
    const double proved = run_passes(searcher, Shape(limits.max_depth, limits.max_leaves), watchdog, entries);
    FrontOutcome out{{}, watchdog.status().value_or(Status::proved), watchdog.seconds(), searcher.sets_looked_at};
    for (const FrontEntry& step : entries.entries()) {
        out.points.push_back({step.score, step.wrong, step.wrong <= proved, {}});
        append_tree(*step.plan, out.points.back().tree);
    }
    return out;
}

}  // namespace exactree::pareto
