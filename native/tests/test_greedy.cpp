// The greedy tree: purest split first, within the limits.
#undef NDEBUG
#include <cassert>

#include "search/greedy.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::search;
using namespace exactree::testing;

namespace {

// Column 1 separates the classes but for one row, column 0 hardly.
Table two_columns() {
    Table table(2);
    table.add({0, 0}, 0);
    table.add({1, 0}, 0);
    table.add({0, 0}, 0);
    table.add({1, 1}, 1);
    table.add({0, 1}, 1);
    table.add({1, 0}, 1);
    return table;
}

void purest_split_first() {
    Table table = two_columns();
    const Data data = table.data();
    const Tree tree = grow_greedy_tree(data, limits_of(1, 2));
    assert(tree.size() == 3 && tree[0].column == 1 && tree[0].rank == 0);
    assert(tree[1].label == 0 && tree[2].label == 1);
}

void pure_nodes_are_leaves() {
    Table table(2);
    table.add({0}, 1);
    table.add({1}, 1);
    assert(grow_greedy_tree(table.data(), limits_of(3, 8)).size() == 1);
}

void ties_go_to_the_first_column_and_cut() {
    Table table(2);
    table.add({0, 0}, 0);
    table.add({1, 1}, 1);
    const Tree tree = grow_greedy_tree(table.data(), limits_of(3, 8));
    assert(tree[0].column == 0 && tree[0].rank == 0);
}

void keeps_the_limits() {
    std::mt19937 random(8);
    for (int trial = 0; trial < 200; ++trial) {
        Table table = random_table(random, 2 + trial % 3, 1 + random() % 60, 3, 5);
        const Data data = table.data();
        const Limits limits = limits_of(trial % 5, 1 + static_cast<std::int64_t>(random() % 9), 1 + trial % 4);
        const Tree tree = grow_greedy_tree(data, limits);
        const TreeFacts shape = shape_of(data, limits, tree, all_rows(data));
        assert(shape.depth <= limits.max_depth && shape.leaves <= limits.max_leaves && shape.allowed);
    }
}

void no_columns() {
    Table table(2);
    table.add({}, 0);
    table.add({}, 1);
    assert(grow_greedy_tree(table.data(), limits_of(2, 4)).size() == 1);
}

}  // namespace

int main() {
    purest_split_first();
    pure_nodes_are_leaves();
    ties_go_to_the_first_column_and_cut();
    keeps_the_limits();
    no_columns();
}
