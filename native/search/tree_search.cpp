#include "search/tree_search.hpp"

#include <algorithm>
#include <memory>

#include "search/greedy.hpp"
#include "search/incumbent.hpp"
#include "search/local_search.hpp"
#include "search/warm_start.hpp"

namespace exactree::search {
namespace {

void add_warm_start(const Tree& tree, const Data& data, const Limits& limits, Watchdog& watchdog, Incumbent& incumbent,
                    const Settings& settings) {
    incumbent.update(prune_to_limits(data, limits, tree));
    if (settings.local_search) incumbent.update(improve_tree(data, limits, tree, watchdog));
}

void run(TreeSearcher& searcher, const Data& data, const Limits& limits, Watchdog& watchdog, Incumbent& incumbent,
         const Settings& settings) {
    // Iterative deepening: shallow trees are cheap, and each optimum is the cutoff of the next depth.
    const bool deepens = searcher.deepens();
    const int deepest = incumbent.max_depth(), first = settings.deepening && deepens ? std::min(2, deepest) : deepest;
    for (int depth = first; depth <= deepest && !watchdog.stopped(); ++depth) {
        watchdog.enter(deepens ? Stage::deepening : Stage::unnamed, depth);
        if (const Tree good = searcher.heuristic_tree(depth); !good.empty())
            add_warm_start(good, data, limits, watchdog, incumbent, settings);
        const SubtreeBounds known = searcher.solve_root(depth, limits.max_leaves, incumbent.cost(), incumbent);
        if (known.upper < incumbent.cost()) incumbent.improved(known, depth);
        incumbent.bounded(known.lower, deepens ? depth : kAnyDepth);
    }
}

// A search without this tree would end with a leaf: on a large table it may be so late.
constexpr double kGreedySeconds = 0.5;

// The cheaper of the caller's tree and the greedy one, once both are pruned to the limits; empty if there is neither.
Tree first_tree(const Data& data, const Limits& limits, const Tree& start, const Data* points, Watchdog& watchdog) {
    if (points == nullptr) return start;
    watchdog.enter(Stage::greedy);
    watchdog.grant(kGreedySeconds);
    Tree greedy = grow_greedy_tree(*points, limits, &watchdog);
    watchdog.grant(0);
    if (!start.empty() && prune_to_limits(data, limits, start).cost <= prune_to_limits(data, limits, greedy).cost)
        return start;
    return greedy;
}

}  // namespace

Outcome search_tree(const Data& data, const Limits& asked, const Budget& budget, Cost offset, const Tree& start,
                    Engine engine, const Settings& settings, const Data* points) {
    Watchdog watchdog(budget);
    Limits limits = asked;
    limits.max_depth = static_cast<int>(std::min<std::int64_t>(asked.max_depth, useful_leaves(data, asked) - 1));
    Incumbent incumbent(limits, budget, offset, watchdog);
    incumbent.update(single_leaf(data, limits));
    const EnginePlan chosen = choose_engine(data, limits, engine, settings);
    if (incumbent.max_depth() == 0) {  // no split is allowed, so the leaf is the best tree
        incumbent.bounded(incumbent.cost(), 0);
        return incumbent.outcome();
    }
    const bool grow_last =
        points != nullptr && (is_quick(*points, limits, incumbent.max_depth()) || prefers_sparse(data, limits));
    const Tree first = first_tree(data, limits, start, grow_last ? nullptr : points, watchdog);
    if (budget.seconds && watchdog.seconds() >= *budget.seconds) watchdog.stop(Status::out_of_time);
    if (!first.empty()) add_warm_start(first, data, limits, watchdog, incumbent, settings);
    std::unique_ptr<TreeSearcher> searcher;
    if (budget.memory && chosen.bytes > *budget.memory) {
        watchdog.stop(Status::out_of_memory);
    } else if (!watchdog.stopped()) {
        searcher = chosen.make(watchdog, budget.memory ? *budget.memory - chosen.bytes : SIZE_MAX);
        run(*searcher, data, limits, watchdog, incumbent, settings);
    }
    // A search that ends early never returns a worse tree than CART.
    if (grow_last && !incumbent.proved())
        incumbent.update(prune_to_limits(data, limits, grow_greedy_tree(*points, limits)));
    Outcome out = incumbent.outcome(searcher.get());
    if (searcher) out.counters = searcher->counters();
    return out;
}

}  // namespace exactree::search
