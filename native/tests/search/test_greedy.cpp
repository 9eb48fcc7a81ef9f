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

double gini(const std::vector<Cost>& weights) {
    double squares = 0, total = 0;
    for (const Cost w : weights) {
        squares += static_cast<double>(w) * static_cast<double>(w);
        total += static_cast<double>(w);
    }
    return total > 0 ? squares / total : 0;
}

// The first of the purest splits, by trying all.
Question purest_split(const Data& data, const std::vector<RowId>& rows) {
    Question best{-1, 0};
    double most = -1;
    for (std::size_t column = 0; column < data.n_columns(); ++column)
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const auto n_classes = static_cast<std::size_t>(data.n_classes);
            std::vector<Cost> yes(n_classes), no(n_classes);
            std::size_t n_yes = 0;
            for (const RowId row : rows) {
                const bool is_yes = data.rank(column, row) <= rank;
                n_yes += is_yes;
                (is_yes ? yes : no)[static_cast<std::size_t>(data.label[row])] += data.gain[row];
            }
            const double score = gini(yes) + gini(no);
            if (n_yes == 0 || n_yes == rows.size() || score <= most) continue;
            most = score;
            best = {static_cast<std::int32_t>(column), rank};
        }
    return best;
}

void check_splits(const Data& data, const Tree& tree, std::int32_t at, const std::vector<RowId>& rows) {
    const TreeNode& node = tree[static_cast<std::size_t>(at)];
    if (node.column < 0) return;
    const Question best = purest_split(data, rows);
    assert(best.column == node.column && static_cast<std::int32_t>(best.rank) == node.rank);
    std::vector<RowId> yes, no;
    for (const RowId row : rows)
        (data.rank(static_cast<std::size_t>(node.column), row) <= best.rank ? yes : no).push_back(row);
    check_splits(data, tree, node.yes, yes);
    check_splits(data, tree, node.no, no);
}

// Nodes of few rows sort the ranks of these; the others look at all ranks.
void every_split_is_the_purest() {
    std::mt19937 random(5);
    for (const int n_ranks : {3, 40, 400}) {
        Table table = random_table(random, 3, 150, 4, n_ranks);
        const Data data = table.data();
        const Tree tree = grow_greedy_tree(data, limits_of(8, 256));
        assert(tree.size() > 31);
        check_splits(data, tree, 0, all_rows(data));
    }
}

void looks_at_the_clock() {
    std::mt19937 random(6);
    Table table = random_table(random, 2, 2000, 600, 4);
    const Data data = table.data();
    Budget budget;
    budget.seconds = 0.0;
    Watchdog watchdog(budget);
    const Limits limits = limits_of(3, 8);
    const Tree tree = grow_greedy_tree(data, limits, &watchdog);
    assert(watchdog.status() == Status::out_of_time);
    assert(tree.size() == 3);  // what was found at the root is used
    Watchdog patient(budget);
    patient.grant(3600);
    assert(grow_greedy_tree(data, limits, &patient).size() == 15);
}

}  // namespace

int main() {
    purest_split_first();
    pure_nodes_are_leaves();
    ties_go_to_the_first_column_and_cut();
    keeps_the_limits();
    no_columns();
    every_split_is_the_purest();
    looks_at_the_clock();
}
