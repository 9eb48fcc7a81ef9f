// The sweep at depth two against trying everything, for three and four leaves and all limits.
#undef NDEBUG
#include <cassert>

#include "../depth_two.hpp"
#include "table.hpp"

using namespace exactree;
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

void check(const Data& data, const Limits& limits, std::int64_t leaves, Cost below) {
    Budget budget;
    Watchdog watchdog(budget);
    Node node;
    node.fill(data);
    DepthTwo depth_two(data, limits);
    std::vector<Cost> guesses;
    const Known known = depth_two.solve(node, leaves, below, watchdog, &guesses);
    const Cost best = best_cost(data, limits, all_rows(data), 2, leaves);
    Limits relaxed = limits;
    relaxed.least = {0, 0};
    assert(known.lower <= best && best <= known.upper);
    assert(known.relaxed <= best_cost(data, relaxed, all_rows(data), 2, leaves));
    if (best < below) assert(known.solved() && known.upper == best);
    if (best >= below) assert(known.solved() || known.lower >= below);
    assert(guesses.size() == node.n_cells());
    for (std::size_t j = 0; j < node.columns().size(); ++j)  // a guess is a relaxed lower bound of its cut
        for (std::uint32_t cut = 0; cut + 1 < node.columns()[j].n_ranks; ++cut) {
            const Question question = node.question(j, cut);
            const auto column = static_cast<std::size_t>(question.column);
            const Rows yes = side_of(data, all_rows(data), column, question.rank, true);
            const Rows no = side_of(data, all_rows(data), column, question.rank, false);
            Cost cost = kNoCost;
            for (std::int64_t share = std::max<std::int64_t>(1, leaves - 2); share <= 2; ++share)
                cost = std::min(
                    cost, best_cost(data, relaxed, yes, 1, share) + best_cost(data, relaxed, no, 1, leaves - share));
            const Cost guess = guesses[node.columns()[j].first_cell + cut];
            assert(guess == kNoCost || guess <= cost);  // no guess: the sweep ended before this column
        }
}

void random_tables() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 300; ++trial) {
        Table table = any_table(random, 2 + trial % 3);
        const Data data = table.data();
        const Limits limits = limits_of(random);
        for (const std::int64_t leaves : {3, 4})
            for (const Cost below : {kNoCost, static_cast<Cost>(random() % 20)}) check(data, limits, leaves, below);
    }
}

// Stopped before the end, the sweep proves nothing.
void stopped() {
    std::mt19937 random(6);
    Table table = random_table(random, 2, 3000, 6, 1000);
    const Data data = table.data();
    Limits limits;
    limits.max_depth = 2;
    limits.max_leaves = 4;
    Budget budget;
    budget.seconds = 0.0;
    Watchdog watchdog(budget);
    Node node;
    node.fill(data);
    const Known known = DepthTwo(data, limits).solve(node, 4, kNoCost, watchdog);
    assert(watchdog.ending() == Ending::out_of_time);
    assert(known.lower == 0 && known.relaxed == 0 && known.upper < kNoCost);
}

}  // namespace

int main() {
    random_tables();
    stopped();
}
