// Trees from outside: relabelled, pruned, and refused where they do not fit.
#undef NDEBUG
#include <cassert>

#include "search/greedy.hpp"
#include "search/warm_start.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::search;
using namespace exactree::testing;

namespace {

// Four rows, exclusive or: a tree of depth two has no errors, smaller ones have two.
Table exclusive_or() {
    Table table(2);
    table.add({0, 0}, 0);
    table.add({0, 1}, 1);
    table.add({1, 0}, 1);
    table.add({1, 1}, 0);
    return table;
}

// Labels of the leaves are wrong on purpose.
const Tree kFull{{0, 0, 1, 4, 0}, {1, 0, 2, 3, 0},     {-1, -1, -1, -1, 1}, {-1, -1, -1, -1, 0},
                 {1, 0, 5, 6, 0}, {-1, -1, -1, -1, 0}, {-1, -1, -1, -1, 1}};

void fits() {
    Table table = exclusive_or();
    const Data data = table.data();
    const ScoredTree found = prune_to_limits(data, limits_of(2, 4), kFull);
    assert(found.cost == 0 && found.tree.size() == 7);
    const TreeFacts shape = shape_of(data, limits_of(2, 4), found.tree, all_rows(data));
    assert(shape.cost == 0 && shape.depth == 2 && shape.leaves == 4);
}

void does_not_fit() {
    Table table = exclusive_or();
    const Data data = table.data();
    assert(prune_to_limits(data, limits_of(1, 4), kFull).tree.size() == 1);     // too deep; what is left splits nothing
    assert(prune_to_limits(data, limits_of(2, 3), kFull).cost == 1);            // one leaf less
    assert(prune_to_limits(data, limits_of(2, 4, 2), kFull).tree.size() == 1);  // leaves of a single row
    assert(prune_to_limits(data, limits_of(2, 4, 1, 1), kFull).tree.size() ==
           1);  // four leaves cost more than two errors
    const ScoredTree leaf = single_leaf(data, limits_of(2, 4, 9, 5));
    assert(leaf.cost == 7 && leaf.tree.size() == 1 && leaf.tree[0].label == 0);
}

// A split that no longer pays is cut off, the rest stays.
void prunes() {
    Table table(2);
    table.add({0, 0}, 0);
    table.add({0, 1}, 0);
    table.add({1, 0}, 1);
    table.add({1, 1}, 0);
    const Data data = table.data();
    const ScoredTree found = prune_to_limits(data, limits_of(2, 4), kFull);
    assert(found.cost == 0 && found.tree.size() == 5);
    const TreeFacts shape = shape_of(data, limits_of(2, 4), found.tree, all_rows(data));
    assert(shape.cost == 0 && shape.leaves == 3);
}

// Lowest cost of a pruning to so many leaves, by trying every share of them.
Cost cheapest_pruning(const Data& data, const Limits& limits, const Tree& tree, const Rows& rows, std::int32_t at,
                      std::int64_t leaves) {
    const TreeNode& node = tree[static_cast<std::size_t>(at)];
    Cost best = leaf_cost(data, limits, rows);
    if (node.column < 0) return best;
    const auto column = static_cast<std::size_t>(node.column);
    const Rows yes = side_of(data, rows, column, static_cast<Rank>(node.rank), true),
               no = side_of(data, rows, column, static_cast<Rank>(node.rank), false);
    for (std::int64_t share = 1; share < leaves; ++share)
        best = std::min(best, cheapest_pruning(data, limits, tree, yes, node.yes, share) +
                                  cheapest_pruning(data, limits, tree, no, node.no, leaves - share));
    return best;
}

void prunes_to_fewer_leaves() {
    std::mt19937 random(16);
    for (int trial = 0; trial < 60; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 60, 4, 8);
        const Data data = table.data();
        const Tree tree = grow_greedy_tree(data, limits_of(4, 16));
        for (std::int64_t leaves = 1; leaves <= 12; ++leaves) {
            const Limits limits = limits_of(4, leaves, 1, trial % 3);
            const ScoredTree found = prune_to_limits(data, limits, tree);
            assert(found.cost == cheapest_pruning(data, limits, tree, all_rows(data), 0, leaves));
            const TreeFacts facts = shape_of(data, limits, found.tree, all_rows(data));
            assert(facts.cost == found.cost && facts.leaves <= leaves);
        }
    }
}

void ties_go_to_the_first_label() {
    Table table(3);
    table.add({0}, 2);
    table.add({1}, 1);
    const Data data = table.data();
    assert(single_leaf(data, limits_of(0, 1)).tree[0].label == 1);
}

}  // namespace

int main() {
    fits();
    does_not_fit();
    prunes();
    prunes_to_fewer_leaves();
    ties_go_to_the_first_label();
}
