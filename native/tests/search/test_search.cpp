// The whole search against trying everything, and how it ends.
#undef NDEBUG
#include <cassert>

#include "search/greedy.hpp"
#include "search/tree_search.hpp"
#include "search/warm_start.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::search;
using namespace exactree::testing;

namespace {

Limits any_limits(std::mt19937& random, int depth) {
    Limits limits;
    limits.max_depth = depth;
    limits.max_leaves = std::int64_t{1} << depth;
    if (random() % 2) limits.max_leaves = 1 + static_cast<std::int64_t>(random() % 6);
    if (random() % 2) limits.least.rows = 1 + static_cast<std::int64_t>(random() % 4);
    if (random() % 3 == 0) limits.least.weight = static_cast<std::int64_t>(random() % 7);
    if (random() % 2) limits.leaf_price = static_cast<Cost>(random() % 4);
    return limits;
}

void check_history(const Outcome& out, Cost best) {
    assert(!out.history.empty() && out.history.back().cost == out.cost);
    for (std::size_t i = 0; i < out.history.size(); ++i) {
        assert(out.history[i].bound <= best && best <= out.history[i].cost);
        if (i == 0) continue;
        assert(out.history[i].cost <= out.history[i - 1].cost && out.history[i].bound >= out.history[i - 1].bound);
        assert(out.history[i].seconds >= out.history[i - 1].seconds);
    }
}

void check(const Data& data, const Limits& limits, Cost best, Engine engine) {
    const Outcome out = search_tree(data, limits, {}, 0, {}, engine);
    assert(out.status == Status::proved && out.cost == best && out.bound == best);
    const TreeFacts shape = shape_of(data, limits, out.tree, all_rows(data));
    assert(shape.cost == best && shape.depth <= limits.max_depth && shape.leaves <= limits.max_leaves);
    assert(shape.allowed);
    check_history(out, best);
}

// Each engine that takes the problem.
void check(const Data& data, const Limits& limits) {
    const Cost best = best_cost(data, limits, all_rows(data), limits.max_depth, limits.max_leaves);
    check(data, limits, best, Engine::ranks);
    check(data, limits, best, Engine::portable_ranks);
    if (limits.limits_leaf_size()) return;
    check(data, limits, best, Engine::bits);
    check(data, limits, best, Engine::portable_bits);
}

void equals_trying_everything() {
    std::mt19937 random(9);
    for (int trial = 0; trial < 600; ++trial) {
        const int depth = trial % 5;
        const std::size_t n_columns = depth < 3 ? 3 : 2;
        const Rank n_ranks = depth < 3 ? 5 : depth == 3 ? 4 : 3;
        Table table = groups(random, 1 + trial % 4, 1 + random() % 16, n_columns, n_ranks);
        check(table.data(), any_limits(random, depth));
    }
}

// Two ranks per column: intervals of a single cut.
void two_ranks_per_column() {
    std::mt19937 random(10);
    for (int trial = 0; trial < 100; ++trial) {
        Table table = groups(random, 2 + trial % 2, 1 + random() % 40, 4, 2);
        check(table.data(), any_limits(random, 2 + trial % 2));
    }
}

// A cache that forgets nearly everything costs time, never exactness.
void small_cache() {
    std::mt19937 random(11);
    Table table = random_table(random, 2, 150, 4, 40);
    const Data data = table.data();
    Limits limits;
    limits.max_depth = 3;
    limits.max_leaves = 8;
    const Outcome roomy = search_tree(data, limits, {}, 0, {});
    Budget budget;
    budget.memory = 1;
    while (search_tree(data, limits, budget, 0, {}).status == Status::out_of_memory) *budget.memory *= 2;
    const Outcome tight = search_tree(data, limits, budget, 0, {});
    assert(roomy.status == Status::proved && tight.status == Status::proved && tight.cost == roomy.cost);
}

// Hard enough not to be proved within a few looks at the clock.
Table hard() {
    std::mt19937 random(12);
    return random_table(random, 2, 600, 8, 300);
}

Limits deep() {
    Limits limits;
    limits.max_depth = 5;
    limits.max_leaves = 32;
    return limits;
}

void check_stopped(const Data& data, const Outcome& out, Status status) {
    assert(out.status == status && out.bound < out.cost);
    const TreeFacts shape = shape_of(data, deep(), out.tree, all_rows(data));
    assert(shape.cost == out.cost && shape.depth <= 5);
}

void no_time_no_memory() {
    Table table = hard();
    const Data data = table.data();
    Budget no_time, no_memory;
    no_time.seconds = 0.0;
    no_memory.memory = 1;
    check_stopped(data, search_tree(data, deep(), no_time, 0, {}), Status::out_of_time);
    check_stopped(data, search_tree(data, deep(), no_memory, 0, {}), Status::out_of_memory);
}

void interrupted() {
    Table table = hard();
    const Data data = table.data();
    Budget budget;
    int calls = 0;
    budget.poll = [&calls](const Progress&) { return ++calls < 5; };
    check_stopped(data, search_tree(data, deep(), budget, 0, {}), Status::interrupted);
    assert(calls == 5);
}

void gap() {
    std::mt19937 random(13);
    Table table = random_table(random, 2, 100, 3, 30);
    const Data data = table.data();
    Limits limits;
    limits.max_depth = 3;
    limits.max_leaves = 8;
    Budget budget;
    budget.gap = 0.999;
    const Outcome out = search_tree(data, limits, budget, 0, {});
    const Cost best = search_tree(data, limits, {}, 0, {}).cost;
    assert(out.status == Status::gap_reached || out.status == Status::proved);
    assert(out.bound <= best && best <= out.cost);
}

// A start that fits is the first tree of the history, however little time there is.
void start() {
    Table table(2);
    table.add({0, 0}, 0);
    table.add({0, 1}, 1);
    table.add({1, 0}, 1);
    table.add({1, 1}, 0);
    const Tree tree{{0, 0, 1, 4, 0}, {1, 0, 2, 3, 0},     {-1, -1, -1, -1, 0}, {-1, -1, -1, -1, 0},
                    {1, 0, 5, 6, 0}, {-1, -1, -1, -1, 0}, {-1, -1, -1, -1, 0}};
    Limits limits;
    limits.max_depth = 2;
    limits.max_leaves = 4;
    Budget budget;
    budget.seconds = 0.0;
    assert(search_tree(table.data(), limits, budget, 0, tree).cost == 0);
    assert(search_tree(table.data(), limits, budget, 0, {}).cost == 2);
}

Outcome without_time(const Data& data, const Limits& limits, const Tree& start, const Data* points) {
    Budget budget;
    budget.seconds = 0.0;
    return search_tree(data, limits, budget, 0, start, Engine::fastest, {}, points);
}

// Without time the result is the greedy tree, whether it comes first (deep) or last (depth two, where proofs are
// quick); or the caller's tree, if that is cheaper once it is pruned to the limits.
void greedy_tree() {
    std::mt19937 random(14);
    int greedy_won = 0, start_won = 0;
    for (int trial = 0; trial < 60; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 80, 4, trial % 2 ? 30 : 3);
        const Data data = table.data();
        const Limits limits = limits_of(2 + trial % 3, 8);
        const Cost greedy = prune_to_limits(data, limits, grow_greedy_tree(data, limits)).cost;
        assert(without_time(data, limits, {}, nullptr).cost > greedy);
        const Outcome alone = without_time(data, limits, {}, &data);
        assert(alone.cost == greedy && alone.history.back().cost == greedy);
        const Tree start = search_tree(data, limits_of(1 + trial % 2, 6), {}, 0, {}).tree;
        const Cost pruned = prune_to_limits(data, limits, start).cost;
        assert(without_time(data, limits, start, &data).cost == std::min(greedy, pruned));
        greedy_won += greedy < pruned;
        start_won += pruned < greedy;
        if (limits.max_depth > 2) continue;
        const Outcome proved = search_tree(data, limits, {}, 0, {}, Engine::fastest, {}, &data);
        assert(proved.status == Status::proved && proved.cost <= greedy);
        assert(proved.cost == search_tree(data, limits, {}, 0, {}).cost);
    }
    assert(greedy_won > 0 && start_won > 0);
}

// A search out of memory or interrupted ends with the greedy tree as well.
void greedy_tree_after_other_ends() {
    std::mt19937 random(15);
    Table table = random_table(random, 2, 200, 5, 60);
    const Data data = table.data();
    const Limits limits = limits_of(2, 4);
    Budget budget;
    budget.memory = 1;
    const Outcome out = search_tree(data, limits, budget, 0, {}, Engine::fastest, {}, &data);
    assert(out.status == Status::out_of_memory &&
           out.cost == prune_to_limits(data, limits, grow_greedy_tree(data, limits)).cost);
}

void counters() {
    Table table = hard();
    Limits limits;
    limits.max_depth = 2;
    limits.max_leaves = 4;
    const Outcome out = search_tree(table.data(), limits, {}, 0, {});
    assert(!out.counters.empty() && out.counters[0].first == "subproblems" && out.counters[0].second > 0);
}

}  // namespace

int main() {
    equals_trying_everything();
    two_ranks_per_column();
    small_cache();
    no_time_no_memory();
    interrupted();
    gap();
    start();
    greedy_tree();
    greedy_tree_after_other_ends();
    counters();
}
