// All trees that no other beats in worst leaf and errors: against trying everything, on few and on many ranks.
#undef NDEBUG
#include <cassert>
#include <cmath>

#include "pareto/front.hpp"
#include "pareto/search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::worst_leaf;
using namespace exactree::pareto;
using namespace exactree::testing;

namespace {

struct Pair {
    double score, wrong;
};
using Pairs = std::vector<Pair>;

bool beats(const Pair& a, const Pair& b) { return a.score >= b.score - 1e-12 && a.wrong <= b.wrong; }

void add(Pairs& pairs, Pair pair) {
    if (std::any_of(pairs.begin(), pairs.end(), [&](const Pair& other) { return beats(other, pair); })) return;
    std::erase_if(pairs, [&](const Pair& other) { return beats(pair, other); });
    pairs.push_back(pair);
}

Pair leaf(const Data& data, const Rows& rows, const LeafRule& rule) {
    std::vector<double> weight(static_cast<std::size_t>(data.n_classes));
    double total = 0;
    for (const RowId row : rows) {
        weight[static_cast<std::size_t>(data.label[row])] += static_cast<double>(data.gain[row]);
        total += static_cast<double>(data.gain[row]);
    }
    const double most = *std::max_element(weight.begin(), weight.end());
    return {rule.score(most, total - most), total - most};
}

Pairs front(const Data& data, const Limits& limits, const LeafRule& rule, const Rows& rows, int depth,
            std::int64_t leaves) {
    Pairs found{leaf(data, rows, rule)};
    if (depth == 0 || leaves < 2) return found;
    for (std::size_t column = 0; column < data.n_columns(); ++column) {
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const Rows yes = side_of(data, rows, column, rank, true), no = side_of(data, rows, column, rank, false);
            if (yes.empty() || no.empty() || !limits.allows(size_of(data, yes), size_of(data, no))) continue;
            for (std::int64_t given = 1; given < leaves; ++given)
                for (const Pair& a : front(data, limits, rule, yes, depth - 1, given))
                    for (const Pair& b : front(data, limits, rule, no, depth - 1, leaves - given))
                        add(found, {std::min(a.score, b.score), a.wrong + b.wrong});
        }
    }
    std::sort(found.begin(), found.end(), [](const Pair& a, const Pair& b) { return a.wrong < b.wrong; });
    return found;
}

Pair score_tree(const Data& data, const LeafRule& rule, const Tree& tree, std::size_t at, const Rows& rows) {
    const TreeNode& node = tree[at];
    if (node.column < 0) return leaf(data, rows, rule);
    const auto column = static_cast<std::size_t>(node.column);
    const auto rank = static_cast<Rank>(node.rank);
    const Pair yes =
        score_tree(data, rule, tree, static_cast<std::size_t>(node.yes), side_of(data, rows, column, rank, true));
    const Pair no =
        score_tree(data, rule, tree, static_cast<std::size_t>(node.no), side_of(data, rows, column, rank, false));
    return {std::min(yes.score, no.score), yes.wrong + no.wrong};
}

void check(const Data& data, const Limits& limits, const LeafRule& rule, Budget budget = {}) {
    const Rows rows = all_rows(data);
    const Pairs wanted = front(data, limits, rule, rows, limits.max_depth, limits.max_leaves);
    const FrontOutcome out = search_front(data, limits, rule, 1.0, {}, budget);
    assert(out.status == Status::proved && out.points.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const FrontPoint& point = out.points[i];
        assert(point.proved);
        assert(std::abs(point.score - wanted[i].score) < 1e-9 && std::abs(point.wrong - wanted[i].wrong) < 1e-9);
        const Pair real = score_tree(data, rule, point.tree, 0, rows);
        assert(std::abs(real.score - point.score) < 1e-9 && std::abs(real.wrong - point.wrong) < 1e-9);
        const TreeFacts shape = shape_of(data, limits, point.tree, rows);
        assert(shape.allowed && shape.leaves <= limits.max_leaves && shape.depth <= limits.max_depth);
    }
}

void equals_trying_everything() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 500; ++trial) {
        const int depth = trial % 4;
        const Rank n_ranks = depth == 3 ? 3 : 2 + static_cast<Rank>(random() % 4);
        Table table = random_table(random, 1 + trial % 4, 1 + random() % 24, 2, n_ranks);
        Limits limits = limits_of(depth, std::int64_t{1} << depth, 1 + static_cast<std::int64_t>(random() % 4));
        if (random() % 3 == 0) limits.max_leaves = 1 + static_cast<std::int64_t>(random() % 7);
        if (random() % 4 == 0) limits.least.weight = static_cast<std::int64_t>(random() % 6);
        Budget budget;
        if (trial % 3 == 0) budget.memory = 1;  // no room for sums over pairs: as with many ranks
        check(table.data(), limits, LeafRule{trial % 2 ? 0.0 : 1.645}, budget);
    }
}

void equals_trying_everything_at_depth_four() {
    std::mt19937 random(8);
    for (int trial = 0; trial < 20; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 8 + random() % 12, 3, 2);
        Budget budget;
        if (trial % 2 == 0) budget.memory = 1;
        check(table.data(), limits_of(4, trial % 3 ? 16 : 6, 1 + trial % 2), LeafRule{}, budget);
    }
}

void equals_trying_everything_on_many_ranks() {
    std::mt19937 random(9);
    for (int trial = 0; trial < 10; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 80, 2, 78);
        check(table.data(), limits_of(2, 4, 3 + trial), LeafRule{trial % 2 ? 0.0 : 1.0});
    }
}

void a_stopped_search_claims_nothing() {
    std::mt19937 random(10);
    Table table = random_table(random, 2, 300, 4, 20);
    const Data data = table.data();
    Budget budget;
    budget.seconds = 0.0;
    const FrontOutcome out = search_front(data, limits_of(3, 8), LeafRule{}, 1.0, {}, budget);
    assert(out.status == Status::out_of_time && !out.points.empty());
    for (const FrontPoint& point : out.points) assert(!point.proved);
}

void steps_keep_what_nothing_beats() {
    ParetoFront entries;
    assert(entries.admits(0.1, 100));
    entries.add({0.5, 10, nullptr});
    entries.add({0.7, 12, nullptr});
    assert(!entries.admits(0.5, 10) && !entries.admits(0.6, 12) && !entries.admits(0.7, 13));
    assert(entries.admits(0.6, 11) && entries.admits(0.1, 9) && entries.admits(0.8, 50));
    entries.add({0.8, 11, nullptr});
    assert(entries.entries().size() == 2 && entries.needed(11) == 0.8 && entries.needed(10.5) == 0.5 &&
           entries.needed(9) < 0);
    entries.most_wrong = 10;
    assert(!entries.admits(0.99, 11));
}

}  // namespace

int main() {
    equals_trying_everything();
    equals_trying_everything_at_depth_four();
    equals_trying_everything_on_many_ranks();
    a_stopped_search_claims_nothing();
    steps_keep_what_nothing_beats();
}
