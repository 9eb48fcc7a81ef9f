// The cheapest tree under limits on every leaf: against trying everything, with sums over pairs and without.
#undef NDEBUG
#include <cassert>
#include <cmath>

#include "leaf_limits/search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::leaf_limits;
using namespace exactree::testing;

namespace {

struct Wanted {
    CostRules rules;
    int depth;
    std::int64_t leaves;
};

std::vector<double> amounts_of(const Data& data, const Rows& rows) {
    std::vector<double> amounts(static_cast<std::size_t>(data.n_classes));
    for (const RowId row : rows)
        amounts[static_cast<std::size_t>(data.label[row])] += static_cast<double>(data.gain[row]);
    return amounts;
}

// By what the limits say, without the kernel's bounds.
double price_leaf(const Data& data, const CostRules& rules, const Rows& rows, std::size_t label) {
    const std::vector<double> amounts = amounts_of(data, rows);
    double cost = rules.leaf_price, total = 0;
    for (std::size_t c = 0; c < amounts.size(); ++c) {
        cost += amounts[c] * rules.matrix[label * amounts.size() + c];
        total += amounts[c];
    }
    for (const LeafLimit& limit : rules.limits)
        if (!limit.allows(amounts[label], total - amounts[label])) cost += limit.price;
    return cost;
}

double best_cost(const Data& data, const Wanted& wanted, const Rows& rows, int depth, std::int64_t leaves) {
    double best = kNever;
    for (std::size_t label = 0; label < static_cast<std::size_t>(data.n_classes); ++label)
        best = std::min(best, price_leaf(data, wanted.rules, rows, label));
    if (depth == 0 || leaves < 2) return best;
    for (std::size_t column = 0; column < data.n_columns(); ++column) {
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const Rows yes = side_of(data, rows, column, rank, true), no = side_of(data, rows, column, rank, false);
            if (yes.empty() || no.empty()) continue;
            const auto least = static_cast<std::int64_t>(wanted.rules.min_rows);
            if (size_of(data, yes).rows < least || size_of(data, no).rows < least) continue;
            for (std::int64_t given = 1; given < leaves; ++given)
                best = std::min(best, best_cost(data, wanted, yes, depth - 1, given) +
                                          best_cost(data, wanted, no, depth - 1, leaves - given));
        }
    }
    return best;
}

double cost_of_tree(const Data& data, const CostRules& rules, const Tree& tree, std::size_t at, const Rows& rows) {
    const TreeNode& node = tree[at];
    if (node.column < 0) return price_leaf(data, rules, rows, static_cast<std::size_t>(node.label));
    const auto column = static_cast<std::size_t>(node.column);
    const auto rank = static_cast<Rank>(node.rank);
    return cost_of_tree(data, rules, tree, static_cast<std::size_t>(node.yes),
                        side_of(data, rows, column, rank, true)) +
           cost_of_tree(data, rules, tree, static_cast<std::size_t>(node.no), side_of(data, rows, column, rank, false));
}

void check(const Data& data, const Wanted& wanted, const Budget& budget) {
    const std::vector<double> unavoidable(data.n_rows, 0.0);
    const Outcome out =
        search_limited({data, 1.0, wanted.rules, unavoidable, wanted.depth, wanted.leaves, 0.0, {}}, budget);
    assert(out.status == Status::proved);
    const double best = best_cost(data, wanted, all_rows(data), wanted.depth, wanted.leaves);
    if (best == kNever) {
        assert(out.cost >= kInfiniteCost && out.tree.empty());
        return;
    }
    assert(out.cost == static_cast<Cost>(std::llround(best)) && out.bound == out.cost);
    assert(std::abs(cost_of_tree(data, wanted.rules, out.tree, 0, all_rows(data)) - best) < 1e-9);
}

CostRules random_rules(std::mt19937& random, std::size_t n_classes) {
    CostRules rules;
    for (std::size_t k = 0; k < n_classes; ++k)
        for (std::size_t c = 0; c < n_classes; ++c)
            rules.matrix.push_back(random() % 3 ? (k == c ? 0 : 1) : static_cast<double>(random() % 4));
    rules.class_weight.assign(n_classes, 1.0);
    rules.leaf_price = static_cast<double>(random() % 2);
    rules.min_rows = static_cast<double>(1 + random() % 3);
    rules.noise = 0.25;
    for (std::size_t i = 0; i < 1 + random() % 2; ++i) {
        LeafLimit limit;
        limit.costs = static_cast<double>(1 + random() % 9);
        if (random() % 3 == 0) limit.small = static_cast<double>(random() % 9);
        limit.errors = static_cast<double>(random() % 3);
        if (random() % 2) limit.price = static_cast<double>(random() % 6);
        rules.limits.push_back(limit);
    }
    return rules;
}

void equals_trying_everything() {
    std::mt19937 random(11);
    for (int trial = 0; trial < 600; ++trial) {
        const int depth = trial % 4, n_classes = 2 + trial % 3;
        const Rank n_ranks = depth == 3 ? 3 : 2 + static_cast<Rank>(random() % 4);
        Table table = random_table(random, n_classes, 1 + random() % (depth == 3 ? 14 : 24), 2, n_ranks);
        Wanted wanted{random_rules(random, static_cast<std::size_t>(n_classes)), depth, std::int64_t{1} << depth};
        if (random() % 3 == 0) wanted.leaves = 1 + static_cast<std::int64_t>(random() % 7);
        Budget budget;
        if (trial % 2 == 0) budget.memory = 1;  // no room for sums over pairs: as with many ranks
        check(table.data(), wanted, budget);
    }
}

// Sums over pairs alone, with columns of two ranks among them.
void equals_trying_everything_on_pairs_of_columns() {
    std::mt19937 random(13);
    for (int trial = 0; trial < 500; ++trial) {
        const int n_classes = 2 + trial % 2;
        Table table(n_classes);
        const std::size_t n_rows = 8 + random() % 24;
        for (std::size_t row = 0; row < n_rows; ++row)
            table.add(
                {static_cast<Rank>(random() % 2), static_cast<Rank>(random() % 4), static_cast<Rank>(random() % 3)},
                static_cast<int>(random() % static_cast<unsigned>(n_classes)), 1 + static_cast<Cost>(random() % 2));
        Wanted wanted{random_rules(random, static_cast<std::size_t>(n_classes)), 2, trial % 3 ? 4 : 3};
        wanted.rules.leaf_price = 0;
        wanted.rules.min_rows = 1;
        check(table.data(), wanted, {});
    }
}

void equals_trying_everything_on_many_ranks() {
    std::mt19937 random(12);
    for (int trial = 0; trial < 16; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 60, 2, 58);
        const Wanted wanted{random_rules(random, static_cast<std::size_t>(2 + trial % 2)), 2, 4};
        Budget budget;
        if (trial % 2 == 0) budget.memory = 1;
        check(table.data(), wanted, budget);
    }
}

void a_start_is_pruned_to_what_the_limits_allow() {
    Table table(2);
    for (Rank rank = 0; rank < 10; ++rank) table.add({rank}, rank == 9 || rank == 1);
    const Data data = table.data();
    CostRules rules{{0, 1, 1, 0}, {1, 1}, 0, 1, 0, 0.25, {LeafLimit{4, 1}}};  // four of five are right
    const std::vector<double> unavoidable(data.n_rows, 0.0);
    // Rank 0 alone, then ranks 1 and 2 of which one is right.
    const Tree start{{0, 0, 1, 2, 0}, {-1, -1, -1, -1, 0}, {0, 2, 3, 4, 0}, {-1, -1, -1, -1, 1}, {-1, -1, -1, -1, 0}};
    Budget budget;
    budget.seconds = 0.0;
    const Outcome out = search_limited({data, 1.0, rules, unavoidable, 2, 4, 0.0, {start}}, budget);
    assert(out.status == Status::out_of_time && out.cost == 2 && out.bound == 0 && out.tree.size() == 1);
}

}  // namespace

int main() {
    equals_trying_everything();
    equals_trying_everything_on_pairs_of_columns();
    equals_trying_everything_on_many_ranks();
    a_start_is_pruned_to_what_the_limits_allow();
}
