// Local search: a better question is found, limits are kept, and no tree gets worse.
#undef NDEBUG
#include <cassert>

#include "search/greedy.hpp"
#include "search/local_search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::search;
using namespace exactree::testing;

namespace {

ScoredTree improved(const Data& data, const Limits& limits, const Tree& tree) {
    const Budget budget;
    Watchdog watchdog(budget);
    return improve_tree(data, limits, tree, watchdog);
}

void replaces_a_question() {
    Table table(2);
    for (int i = 0; i < 3; ++i) table.add({0, 0}, 0);
    table.add({1, 0}, 0);
    for (int i = 0; i < 2; ++i) table.add({1, 1}, 1);
    const Tree noise{{0, 0, 1, 2, 0}, {-1, -1, -1, -1, 0}, {-1, -1, -1, -1, 1}};
    const Data data = table.data();
    assert(prune_to_limits(data, limits_of(1, 2), noise).cost == 1);
    const ScoredTree found = improved(data, limits_of(1, 2), noise);
    assert(found.cost == 0 && found.tree[0].column == 1);
    assert(improved(data, limits_of(1, 2, 3), noise).cost == 1);  // a leaf of two rows is too small
}

// The best question leaves three rows on one side, the next best four.
void passes_over_small_sides() {
    Table table(2);
    for (int i = 0; i < 3; ++i) table.add({1, 1, 1}, 1);
    table.add({1, 0, 1}, 0);
    table.add({1, 0, 0}, 0);
    for (int i = 0; i < 6; ++i) table.add({0, 0, 0}, 0);
    const Tree first{{0, 0, 1, 2, 0}, {-1, -1, -1, -1, 0}, {-1, -1, -1, -1, 1}};
    const Data data = table.data();
    assert(prune_to_limits(data, limits_of(1, 2, 4), first).cost == 2);
    const ScoredTree found = improved(data, limits_of(1, 2, 4), first);
    assert(found.cost == 1 && found.tree[0].column == 2);
    assert(improved(data, limits_of(1, 2, 3), first).cost == 0);
}

void never_worse_and_within_limits() {
    std::mt19937 random(12);
    int better = 0;
    for (int trial = 0; trial < 300; ++trial) {
        Table table = trial % 2 ? random_table(random, 2 + trial % 3, 2 + random() % 60, 3, 5)
                                : groups(random, 2 + trial % 3, 2 + random() % 40, 3, 5);
        const Data data = table.data();
        const Limits limits = limits_of(1 + trial % 4, 2 + static_cast<std::int64_t>(random() % 9), 1 + trial % 3,
                                        static_cast<Cost>(trial % 2));
        const Tree tree = grow_greedy_tree(data, limits);
        const ScoredTree before = prune_to_limits(data, limits, tree), after = improved(data, limits, tree);
        const TreeFacts shape = shape_of(data, limits, after.tree, all_rows(data));
        assert(after.cost <= before.cost && shape.cost == after.cost && shape.allowed);
        assert(shape.depth <= limits.max_depth && shape.leaves <= limits.max_leaves);
        better += after.cost < before.cost;
    }
    assert(better >= 30);  // of trees on noise many can be bettered
}

void leaf_and_no_columns() {
    Table table(2);
    table.add({}, 0);
    table.add({}, 1);
    const Tree leaf{{-1, -1, -1, -1, 0}};
    assert(improved(table.data(), limits_of(2, 4), leaf).tree.size() == 1);
}

}  // namespace

int main() {
    replaces_a_question();
    passes_over_small_sides();
    never_worse_and_within_limits();
    leaf_and_no_columns();
}
