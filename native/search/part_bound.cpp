#include "search/part_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "search/greedy.hpp"
#include "search/local_search.hpp"
#include "search/warm_start.hpp"

namespace exactree::search {
namespace {

class CheapestCost : public ProgressListener {
 public:
    explicit CheapestCost(Cost first) : cost(first) {}
    void improved(const SubtreeBounds& root, int) override { cost = std::min(cost, root.upper); }
    void bounded(Cost, int) override {}

    Cost cost;
};

bool has_questions(const Data& data) {
    return std::any_of(data.n_ranks.begin(), data.n_ranks.end(), [](Rank n) { return n > 1; });
}

}  // namespace

Cost bound_part(const Data& data, const Limits& limits, double share, Watchdog& watchdog, Engine engine,
                const Settings& settings, std::size_t cache_bytes) {
    const Cost leaf = single_leaf(data, limits).cost, two_leaves = 2 * limits.leaf_price;
    const Shape shape(limits.max_depth, limits.max_leaves);
    if (shape.depth <= 0 || leaf <= two_leaves || !has_questions(data)) return leaf;
    CheapestCost best(leaf);
    const Tree greedy = grow_greedy_tree(data, limits, &watchdog);
    best.cost = std::min(best.cost, improve_tree(data, limits, greedy, watchdog).cost);
    const auto below = static_cast<Cost>(std::ceil(share * static_cast<double>(best.cost)));
    Settings alone = settings;
    alone.threads = 1;
    const std::unique_ptr<TreeSearcher> searcher =
        choose_engine(data, limits, engine, alone).make(watchdog, cache_bytes);
    for (int depth = std::min(2, shape.depth); !watchdog.stopped(); ++depth) {
        const Cost cutoff = std::min(below, best.cost);
        const SubtreeBounds known = searcher->solve_root(depth, limits.max_leaves, cutoff, best);
        best.cost = std::min(best.cost, known.upper);
        if (depth == shape.depth) return std::max(two_leaves, known.lower);
    }
    return two_leaves;
}

}  // namespace exactree::search
