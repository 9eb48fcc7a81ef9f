// The probes at depth two against trying everything, for three and four leaves and all limits.
#undef NDEBUG
#include <cassert>

#include "ranks/depth_two.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks;
using namespace exactree::testing;

namespace {

Limits limits_of(std::mt19937& random) {
    Limits limits;
    limits.max_depth = 2;
    limits.max_leaves = 4;
    limits.least = {1 + static_cast<std::int64_t>(random() % 4), static_cast<std::int64_t>(random() % 2 * 4)};
    limits.leaf_price = static_cast<Cost>(random() % 3);
    return limits;
}

Table any_table(std::mt19937& random, int n_classes) {
    Table table(n_classes);
    const std::size_t n_groups = 1 + random() % 14;
    for (std::size_t group = 0; group < n_groups; ++group) {
        std::vector<Cost> costs(static_cast<std::size_t>(n_classes));
        for (Cost& cost : costs) cost = static_cast<Cost>(random() % 6);
        table.add_group({static_cast<Rank>(random() % 6), static_cast<Rank>(random() % 4)}, costs,
                        1 + static_cast<std::int64_t>(random() % 3));
    }
    return table;
}

void check(const Data& data, const Limits& limits, const SubproblemGoal& wanted, bool portable) {
    Budget budget;
    Watchdog watchdog(budget);
    Node node;
    node.fill(data);
    std::vector<ScoredCut> guesses;
    const SubtreeBounds known = make_depth_two_solver(data, limits, portable)->solve(node, wanted, watchdog, &guesses);
    const Cost best = best_cost(data, limits, all_rows(data), 2, wanted.leaves);
    Limits relaxed = limits;
    relaxed.least = {0, 0};
    assert(known.lower <= best && best <= known.upper);
    assert(known.relaxed <= best_cost(data, relaxed, all_rows(data), 2, wanted.leaves));
    if (best < wanted.below) assert(known.solved() && known.upper == best);
    if (best >= wanted.below) assert(known.solved() || known.lower >= wanted.below);
    assert(guesses.size() == node.n_columns());
    for (std::size_t j = 0; j < node.n_columns(); ++j) {  // a guess is the relaxed cost of its cut
        if (guesses[j].cut == 0) continue;
        const Question question = node.question({j, guesses[j].cut});
        const auto column = static_cast<std::size_t>(question.column);
        const Rows yes = side_of(data, all_rows(data), column, question.rank, true);
        const Rows no = side_of(data, all_rows(data), column, question.rank, false);
        Cost cost = kInfiniteCost;
        for (std::int64_t share = std::max<std::int64_t>(1, wanted.leaves - 2); share <= 2; ++share)
            cost = std::min(
                cost, best_cost(data, relaxed, yes, 1, share) + best_cost(data, relaxed, no, 1, wanted.leaves - share));
        assert(guesses[j].cost == cost);
    }
}

void random_tables() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 300; ++trial) {
        Table table = any_table(random, 2 + trial % 3);
        const Data data = table.data();
        const Limits limits = limits_of(random);
        for (const std::int64_t leaves : {3, 4})
            for (const Cost below : {kInfiniteCost, static_cast<Cost>(random() % 20)}) {
                const Question hints[] = {{0, static_cast<Rank>(random() % 6)}, {1, 9}, {}};
                check(data, limits, {leaves, below}, trial % 2 == 0);
                Limits relaxed = limits;
                relaxed.least = {0, 0};
                const Cost best = best_cost(data, relaxed, all_rows(data), 2, leaves);
                check(data, limits, {leaves, below, best - static_cast<Cost>(random() % 3), hints}, trial % 2 == 1);
            }
    }
}

// Stopped before the end, the search has a tree, and a bound that holds.
void stopped() {
    std::mt19937 random(6);
    Table table = random_table(random, 2, 3000, 6, 1000);
    const Data data = table.data();
    Limits limits;
    limits.max_depth = 2;
    limits.max_leaves = 4;
    Budget budget;
    Node node;
    node.fill(data);
    const std::unique_ptr<DepthTwoSolver> depth_two = make_depth_two_solver(data, limits, false);
    Watchdog patient(budget);
    const SubtreeBounds best = depth_two->solve(node, {4}, patient, nullptr);
    budget.seconds = 0.0;
    Watchdog hasty(budget);
    hasty.check_now();
    const SubtreeBounds known = depth_two->solve(node, {4}, hasty, nullptr);
    assert(hasty.status() == Status::out_of_time);
    assert(known.lower < best.lower && known.relaxed <= best.relaxed && known.upper > best.upper);
}

}  // namespace

int main() {
    random_tables();
    stopped();
}
