// The worst leaf as good as possible: against trying everything, on few and on many ranks, and what leaves are score.
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <cstdlib>

#include "tests/table.hpp"
#include "worst_leaf/search.hpp"
#include "worst_leaf/sets.hpp"

using namespace exactree;
using namespace exactree::worst_leaf;
using namespace exactree::testing;

namespace {

double leaf_score(const Data& data, const Rows& rows, const LeafRule& rule) {
    std::vector<double> weight(static_cast<std::size_t>(data.n_classes));
    double total = 0;
    for (const RowId row : rows) {
        weight[static_cast<std::size_t>(data.label[row])] += static_cast<double>(data.gain[row]);
        total += static_cast<double>(data.gain[row]);
    }
    const double most = *std::max_element(weight.begin(), weight.end());
    return rule.score(most, total - most);
}

double best_score(const Data& data, const Limits& limits, const LeafRule& rule, const Rows& rows, int depth,
                  std::int64_t leaves) {
    double best = leaf_score(data, rows, rule);
    if (depth == 0 || leaves < 2) return best;
    for (std::size_t column = 0; column < data.n_columns(); ++column) {
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const Rows yes = side_of(data, rows, column, rank, true), no = side_of(data, rows, column, rank, false);
            const auto small = [&](const Rows& side) {
                return side.empty() || static_cast<std::int64_t>(side.size()) < limits.least.rows;
            };
            if (small(yes) || small(no)) continue;
            for (std::int64_t given = 1; given < leaves; ++given)
                best = std::max(best, std::min(best_score(data, limits, rule, yes, depth - 1, given),
                                               best_score(data, limits, rule, no, depth - 1, leaves - given)));
        }
    }
    return best;
}

double tree_score(const Data& data, const LeafRule& rule, const Tree& tree, std::size_t at, const Rows& rows) {
    const TreeNode& node = tree[at];
    if (node.column < 0) return leaf_score(data, rows, rule);
    const auto column = static_cast<std::size_t>(node.column);
    const auto rank = static_cast<Rank>(node.rank);
    return std::min(
        tree_score(data, rule, tree, static_cast<std::size_t>(node.yes), side_of(data, rows, column, rank, true)),
        tree_score(data, rule, tree, static_cast<std::size_t>(node.no), side_of(data, rows, column, rank, false)));
}

void check(const Data& data, const Limits& limits, const LeafRule& rule) {
    const double best = best_score(data, limits, rule, all_rows(data), limits.max_depth, limits.max_leaves);
    const Outcome out = search_leaves(data, limits, rule, 1.0, {});
    assert(out.status == Status::proved && out.cost == out.bound);
    assert(std::abs(1 - static_cast<double>(out.cost) / kLeafCostUnit - best) < 1e-9);
    assert(tree_score(data, rule, out.tree, 0, all_rows(data)) > best - 1e-9);
    std::int64_t leaves = 0;
    for (const TreeNode& node : out.tree) leaves += node.column < 0;
    assert(leaves <= limits.max_leaves);
}

void equals_trying_everything() {
    std::mt19937 random(3);
    for (int trial = 0; trial < 400; ++trial) {
        const int depth = trial % 4;
        const Rank n_ranks = depth == 3 ? 3 : 2 + static_cast<Rank>(random() % 4);
        Table table = random_table(random, 1 + trial % 4, 1 + random() % 20, 2, n_ranks);
        Limits limits = limits_of(depth, std::int64_t{1} << depth, 1 + static_cast<std::int64_t>(random() % 4));
        if (random() % 3 == 0) limits.max_leaves = 1 + static_cast<std::int64_t>(random() % 5);
        check(table.data(), limits, LeafRule{trial % 2 ? 0.0 : 1.645});
    }
}

void equals_trying_everything_on_many_ranks() {
    std::mt19937 random(4);
    for (int trial = 0; trial < 12; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 90, 2, 80);
        check(table.data(), limits_of(2, 4, 5 + trial), LeafRule{trial % 2 ? 0.0 : 1.0});
    }
}

void sure_rows_are_on_a_side_of_every_cut() {
    std::mt19937 random(5);
    Table table = random_table(random, 2, 30, 1, 9);
    const Data data = table.data();
    const RowSet all{all_rows(data), data.n_rows};
    const CutSides sides = sides_of(data, all, 0, 2, 5);
    for (std::size_t i = 0; i < sides.yes.rows.size(); ++i)
        assert(data.rank(0, sides.yes.rows[i]) <= (i < sides.yes.sure ? 2u : 5u));
    for (std::size_t i = 0; i < sides.no.rows.size(); ++i)
        assert(data.rank(0, sides.no.rows[i]) > (i < sides.no.sure ? 5u : 2u));
    assert(sides.yes.rows.size() + sides.no.sure == data.n_rows);
}

void a_leaf_passes_every_threshold_below_its_score() {
    for (const double z : {0.0, 1.0, 1.645}) {
        const LeafRule rule{z};
        for (double right = 1; right < 40; right += 3) {
            for (double wrong = 0; wrong < 30; wrong += 2) {
                const double value = rule.score(right, wrong);
                assert(LeafTest(rule, value - 1e-9).passes(right, wrong));
                assert(!LeafTest(rule, value + 1e-9).passes(right, wrong));
            }
        }
    }
}

}  // namespace

int main() {
    equals_trying_everything();
    equals_trying_everything_on_many_ranks();
    sure_rows_are_on_a_side_of_every_cut();
    a_leaf_passes_every_threshold_below_its_score();
}
