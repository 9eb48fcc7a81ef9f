#include "search/tree_search.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "search/bounder.hpp"
#include "search/greedy.hpp"
#include "search/improver.hpp"
#include "search/incumbent.hpp"
#include "search/local_search.hpp"
#include "search/time_sharing.hpp"
#include "search/warm_start.hpp"

namespace exactree::search {
namespace {

void add_warm_start(const Tree& tree, const Data& data, const Limits& limits, Watchdog& watchdog, Incumbent& incumbent,
                    const Settings& settings) {
    incumbent.update(prune_to_limits(data, limits, tree));
    if (settings.local_search) incumbent.update(improve_tree(data, limits, tree, watchdog));
}

void deepen(TreeSearcher& searcher, const Limits& limits, Watchdog& watchdog, Incumbent& incumbent,
            TimeSharing& sharing, const Settings& settings) {
    // Iterative deepening: shallow trees are cheap, and each optimum is the cutoff of the next depth.
    const bool deepens = searcher.deepens();
    const int deepest = incumbent.max_depth(), first = settings.deepening && deepens ? std::min(2, deepest) : deepest;
    for (int depth = first; depth <= deepest && !watchdog.stopped(); ++depth) {
        watchdog.enter(deepens ? Stage::deepening : Stage::unnamed, depth);
        sharing.enter(depth);
        const SubtreeBounds known = searcher.solve_root(depth, limits.max_leaves, incumbent.cutoff(), incumbent);
        if (known.upper < incumbent.cutoff()) incumbent.improved(known, depth);
        incumbent.bounded(known.lower, deepens ? depth : kAnyDepth);
    }
}

// How the memory is divided.
struct MemoryPlan {
    // Of the primal heuristic: its cache, and the other memory that it may take at all and with the rows of its tree.
    static constexpr std::size_t kMostCache = std::size_t{256} << 20, kMost = std::size_t{2} << 30,
                                 kMostWithRows = kMost / 4;

    MemoryPlan(const EnginePlan& chosen, std::optional<std::size_t> most) {
        const std::size_t left = most ? *most - std::min(*most, chosen.bytes) : SIZE_MAX;
        improves = chosen.improver_bytes <= std::min(left / 2, kMost);
        keeps_rows = improves && chosen.improver_bytes <= kMostWithRows;
        cache = left - (improves && most ? chosen.improver_bytes : 0);
        improver_cache = std::min(cache / 4, kMostCache);
        if (improves && most) cache -= improver_cache;
        const std::size_t part = chosen.bytes / 2;  // of the rows at most
        bounds = part <= cache / 2;
        part_cache = std::min(cache / 4, kMostCache);
        if (bounds && most) cache -= part + part_cache;
    }

    bool improves, keeps_rows, bounds;
    std::size_t cache, improver_cache, part_cache;
};

// Parts of all work that the primal heuristic and the partition bound get. A proof that is far at depth three has many
// rows, where the partition bound is nearly tight. At depth four the primal heuristic is soon done, at depth five and
// more the partition bound is weak.
struct Shares {
    explicit Shares(int depth) {
        improver.near = depth <= 3 ? 0 : 0.04;  // up to depth three the proof finds good trees as soon
        improver.far = depth <= 3 ? 0.2 : depth == 4 ? 0.3 : 0.65;
        bounder.far = depth <= 3 ? 0.6 : depth == 4 ? 0.5 : 0.2;
    }
    TimeSharing::Share improver{0, 0}, bounder{0, 0};
};
constexpr int kLeastImproved = 4;

// The proof and, beside it, the primal heuristic. At depth four a quick proof begins without one.
void run(TreeSearcher& searcher, const Data& data, const Limits& limits, Watchdog& watchdog, Incumbent& incumbent,
         const Settings& settings, const MemoryPlan& memory, const Tree& first, bool quick, Engine engine) {
    const int depth = incumbent.max_depth();
    const Shares shares(depth);
    TimeSharing sharing(watchdog, depth);
    std::unique_ptr<Improver> improver;
    if (settings.anytime && memory.improves && depth + 1 >= kLeastImproved) {
        improver = std::make_unique<Improver>(searcher, data, limits, watchdog, incumbent, settings,
                                              memory.improver_cache, memory.keeps_rows);
        // The search for sparse trees does not deepen: it has good trees at once.
        const bool helps = depth > kLeastImproved || (depth == kLeastImproved && !quick);
        if (helps && searcher.deepens()) improver->start(first);
        sharing.add(shares.improver, [&improver](std::uint64_t work) { return improver->improve(work); });
        sharing.count(0, improver->work());
    }
    Bounder bounder(data, limits, watchdog, incumbent, settings, engine, memory.part_cache);
    if (settings.partition && memory.bounds && searcher.deepens())
        sharing.add(shares.bounder, [&bounder](std::uint64_t work) { return bounder.raise(work); });
    sharing.start();
    if (!incumbent.proved()) deepen(searcher, limits, watchdog, incumbent, sharing, settings);
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
    incumbent.bounded(2 * limits.leaf_price, incumbent.max_depth());  // a split has two leaves
    const bool quick =
        points != nullptr && (is_quick(*points, limits, incumbent.max_depth()) || prefers_sparse(data, limits));
    const Tree first = first_tree(data, limits, start, quick ? nullptr : points, watchdog);
    if (budget.seconds && watchdog.seconds() >= *budget.seconds) watchdog.stop(Status::out_of_time);
    if (!first.empty()) add_warm_start(first, data, limits, watchdog, incumbent, settings);
    std::unique_ptr<TreeSearcher> searcher;
    if (budget.memory && chosen.bytes > *budget.memory) {
        watchdog.stop(Status::out_of_memory);
    } else if (!watchdog.stopped()) {
        const MemoryPlan memory(chosen, budget.memory);
        searcher = chosen.make(watchdog, memory.cache);
        run(*searcher, data, limits, watchdog, incumbent, settings, memory, first, quick, engine);
    }
    // A search that ends early never returns a worse tree than CART.
    if (quick && !incumbent.proved())
        incumbent.update(prune_to_limits(data, limits, grow_greedy_tree(*points, limits)));
    Outcome out = incumbent.outcome(searcher.get());
    if (searcher) out.counters = searcher->counters();
    return out;
}

}  // namespace exactree::search
