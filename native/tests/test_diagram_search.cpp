// The search for diagrams against trying everything, its bounds against all trees of a pattern, and how it ends.
#undef NDEBUG
#include <bit>
#include <cassert>
#include <numeric>
#include <set>

#include "diagrams/exact/search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks;
using namespace exactree::diagrams::exact;
using namespace exactree::testing;

namespace {

using Groups = std::vector<Rows>;

Cost errors_of(const Data& data, const Rows& rows) { return leaf_cost(data, {}, rows); }

// Both sides of every question, that of asking nothing included.
std::vector<std::pair<Rows, Rows>> all_splits(const Data& data, const Rows& rows) {
    std::vector<std::pair<Rows, Rows>> out{{{}, rows}};
    for (std::size_t column = 0; column < data.n_columns(); ++column)
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank)
            out.emplace_back(side_of(data, rows, column, rank, true), side_of(data, rows, column, rank, false));
    return out;
}

// Lowest cost of all that is below a layer, by trying everything.
struct Everything {
    const Data& data;
    const DiagramShape& shape;

    Cost best(std::size_t layer, const Groups& groups, std::int64_t nodes_left) const {
        if (groups.empty()) return 0;
        std::vector<std::pair<Rows, std::size_t>> flows;
        return split(layer, groups, 0, flows, nodes_left);
    }
    Cost split(std::size_t layer, const Groups& groups, std::size_t at,
               std::vector<std::pair<Rows, std::size_t>>& flows, std::int64_t nodes_left) const {
        if (at == groups.size()) {
            Groups next;
            std::vector<std::set<std::size_t>> parents;
            return route(layer, flows, 0, next, parents, nodes_left);
        }
        Cost out = kInfiniteCost;
        for (const auto& [yes, no] : all_splits(data, groups[at])) {
            flows.emplace_back(yes, at);
            flows.emplace_back(no, at);
            out = std::min(out, split(layer, groups, at + 1, flows, nodes_left));
            flows.resize(flows.size() - 2);
        }
        return out;
    }
    Cost route(std::size_t layer, const std::vector<std::pair<Rows, std::size_t>>& flows, std::size_t at, Groups& next,
               std::vector<std::set<std::size_t>>& parents, std::int64_t nodes_left) const {
        if (at == flows.size()) {
            for (const Rows& group : next)
                if (size_of(data, group).rows < shape.rules.least_rows) return kInfiniteCost;
            const auto n = static_cast<std::int64_t>(next.size());
            return shape.node_price * n + best(layer + 1, next, nodes_left - n);
        }
        const auto& [rows, from] = flows[at];
        Cost out = kInfiniteCost;
        if (rows.empty() || size_of(data, rows).weight >= shape.rules.least_weight)
            out = std::min(out, errors_of(data, rows) + route(layer, flows, at + 1, next, parents, nodes_left));
        if (rows.empty()) return out;
        for (std::size_t group = 0; group < next.size(); ++group) {
            if (shape.rules.tree || parents[group].count(from)) continue;
            const Rows before = next[group];
            next[group].insert(next[group].end(), rows.begin(), rows.end());
            parents[group].insert(from);
            out = std::min(out, route(layer, flows, at + 1, next, parents, nodes_left));
            next[group] = before;
            parents[group].erase(from);
        }
        const bool room =
            layer + 1 < shape.widths.size() && next.size() < static_cast<std::size_t>(shape.widths[layer + 1]);
        if (!room || static_cast<std::int64_t>(next.size()) >= nodes_left) return out;
        next.push_back(rows);
        parents.push_back({from});
        out = std::min(out, route(layer, flows, at + 1, next, parents, nodes_left));
        next.pop_back();
        parents.pop_back();
        return out;
    }
};

// Errors and nodes of a diagram, found by sending the rows through it one by one.
Cost cost_of(const Data& data, const DiagramShape& shape, const Tree& tree) {
    Cost errors = 0;
    std::set<std::size_t> asking;
    for (RowId row = 0; row < data.n_rows; ++row) {
        std::size_t at = 0;
        while (tree[at].column >= 0) {
            asking.insert(at);
            const bool yes =
                static_cast<std::int64_t>(data.rank(static_cast<std::size_t>(tree[at].column), row)) <= tree[at].rank;
            at = static_cast<std::size_t>(yes ? tree[at].yes : tree[at].no);
        }
        errors += data.base[row] - (data.label[row] == tree[at].label ? data.gain[row] : 0);
    }
    return errors + shape.node_price * (static_cast<Cost>(asking.size()) - 1);
}

DiagramShape any_shape(std::mt19937& random) {
    const std::vector<std::vector<int>> widths{{1}, {1, 1}, {1, 2}, {1, 1, 1}, {1, 1, 2}, {1, 2, 1}, {1, 2, 2}};
    DiagramShape shape;
    shape.widths = widths[random() % widths.size()];
    shape.max_nodes = random() % 2 ? 1 + static_cast<std::int64_t>(random() % 5) : 100;
    shape.node_price = static_cast<Cost>(random() % 3);
    shape.rules = {random() % 3 ? 1 : 1 + static_cast<std::int64_t>(random() % 4), random() % 3 == 0, 0};
    return shape;
}

void equals_trying_everything() {
    std::mt19937 random(3);
    for (int trial = 0; trial < 250; ++trial) {
        Table table = groups(random, 2 + trial % 3, 2 + random() % 5, 2, 2 + random() % 2);
        const Data data = table.data();
        DiagramShape shape = any_shape(random);
        const std::int64_t half = size_of(data, all_rows(data)).weight / 2;
        if (random() % 2) shape.rules.least_weight = static_cast<std::int64_t>(random()) % (half + 1);
        const Everything everything{data, shape};
        const Cost best = everything.best(0, {all_rows(data)}, shape.max_nodes - 1);
        const DiagramSettings settings{random() % 3, 50, static_cast<int>(random() % 4)};
        const Outcome out = search_diagram(data, shape, {}, 0, kInfiniteCost, settings);
        assert(out.status == Status::proved && out.cost == best && out.bound == best);
        assert(cost_of(data, shape, out.tree) <= best);  // a node without rows costs nothing here
        for (const Progress& step : out.history) assert(step.bound <= best && best <= step.cost);
        // Nothing better than what is known: no diagram, and the same proof.
        const Outcome again = search_diagram(data, shape, {}, 0, best, settings);
        assert(again.tree.empty() && again.status == Status::proved && again.bound == best);
    }
}

// Sides that are too light to end one by one may meet though there are nodes enough.
void light_sides_meet() {
    std::mt19937 random(4);
    for (int trial = 0; trial < 60; ++trial) {
        Table table = groups(random, 2, 4 + random() % 3, 2, 3);
        const Data data = table.data();
        DiagramShape shape{{1, 2, 1 + trial % 2}, 100, 0, {1, false, 0}};
        const std::int64_t total = size_of(data, all_rows(data)).weight;
        shape.rules.least_weight = total * (4 + static_cast<std::int64_t>(random() % 5)) / 20;
        const Cost best = Everything{data, shape}.best(0, {all_rows(data)}, 99);
        const Outcome out = search_diagram(data, shape, {}, 0, kInfiniteCost, {0, 0, 2});
        assert(out.status == Status::proved && out.cost == best);
    }
}

// Fewest errors of a tree of a pattern, by trying every question, and to ask nothing and pass all rows on.
Cost best_tree(const Data& data, const Rows& rows, LayerPattern pattern) {
    Cost out = pattern.length == 0 ? errors_of(data, rows) : best_tree(data, rows, pattern.rest());
    for (const auto& [yes, no] : all_splits(data, rows)) {
        const Cost yes_leaf = errors_of(data, yes), no_leaf = errors_of(data, no);
        out = std::min(out, yes_leaf + no_leaf);
        if (pattern.length == 0 || yes.empty() || no.empty()) continue;
        const Cost yes_best = best_tree(data, yes, pattern.rest()), no_best = best_tree(data, no, pattern.rest());
        out = std::min({out, yes_leaf + no_best, yes_best + no_leaf});
        if (pattern.begins_wide()) out = std::min(out, yes_best + no_best);
    }
    return out;
}

void bounds_are_the_best_trees() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 200; ++trial) {
        Table table = groups(random, 2 + trial % 3, 3 + random() % 12, 2, 4);
        const Data data = table.data();
        const Budget budget;
        Watchdog watchdog(budget);
        TreeBounds bounds(data, watchdog, 1 << 20, 3);
        Node node;
        node.fill(data);
        for (int asked = 0; asked < 6; ++asked) {
            const int length = static_cast<int>(random() % 4);
            const LayerPattern pattern{length, random() % (std::uint64_t{1} << length)};
            const Cost best = best_tree(data, all_rows(data), pattern), below = static_cast<Cost>(random() % 12);
            const SubtreeBounds known = bounds.errors(node, pattern, below);
            assert(known.lower <= best && (known.lower >= below || known.lower == best));
            assert(bounds.errors(node, pattern, kInfiniteCost).lower == best);
        }
        assert(bounds.errors(node, {4, 15}, kInfiniteCost).lower == 0);  // beyond its reach
    }
}

void parts_are_what_was_asked_for() {
    std::mt19937 random(6);
    Table table = random_table(random, 3, 70, 3, 5);
    const Data data = table.data();
    Node root, in, out;
    root.fill(data);
    RowBits some(words_for(data.n_rows), 0);
    Key key;
    for (RowId row = 0; row < data.n_rows; row += 3) {
        add_row(some, row);
        key += row_key(row);
    }
    Node::split_by_set(data, root, some, in, out);
    assert(in.n_rows() == 24 && out.n_rows() == 46 && in.key() == key && out.key() == root.key() - key);
    for (std::uint32_t local = 0; local < in.n_rows(); ++local) assert(in.row(local) % 3 == 0);
}

// Eight rows of weight 30. In layers of 1, 2 and 2 a tree has two errors at least; a diagram none, as sides merge.
void parity_of_three_bits() {
    Table table(2);
    for (Rank at = 0; at < 8; ++at) table.add({at & 1, at >> 1 & 1, at >> 2}, std::popcount(at) % 2, 30);
    const Data data = table.data();
    const auto cost = [&](const std::vector<int>& widths, Cost price, bool tree) {
        DiagramShape shape{widths, 100, price, {1, tree, 0}};
        const Outcome out = search_diagram(data, shape, {}, 0, kInfiniteCost, {0, 0, 2});
        for (const Progress& step : out.history) assert(step.bound <= out.cost);
        assert(out.status == Status::proved && cost_of(data, shape, out.tree) == out.cost);
        return out.cost;
    };
    assert(cost({1, 2, 2}, 6, false) == 4 * 6 && cost({1, 2, 2}, 6, true) == 2 * 30 + 3 * 6);
    assert(cost({1, 2, 4}, 4, false) == 4 * 4 && cost({1, 2, 4}, 4, true) == 6 * 4);
}

void profiles_are_all_ways_to_share_nodes() {
    assert(profiles({1, 2, 4}, 0) == std::vector<std::vector<int>>{{}});
    assert((profiles({1, 2, 4}, 3) == std::vector<std::vector<int>>{{1, 2}, {2, 1}}));
    assert(profiles({1, 2, 4}, 7).empty());
    assert(profiles({1, 2, 4, 8}, 14).size() == 1);
}

void a_stopped_search_has_a_valid_bound() {
    std::mt19937 random(8);
    Table table = random_table(random, 2, 400, 6, 40);
    const Data data = table.data();
    DiagramShape shape;
    shape.widths = {1, 2, 4, 4};
    shape.max_nodes = 11;
    shape.node_price = 1;
    Budget budget;
    budget.seconds = 0.05;
    const Outcome out = search_diagram(data, shape, budget, 0, 500);
    assert(out.status == Status::out_of_time && out.bound < out.cost && out.cost <= 500);
    budget.seconds.reset();
    budget.poll = [](const Progress&) { return false; };
    assert(search_diagram(data, shape, budget, 0, 500).status == Status::interrupted);
    budget.memory = 1000;
    assert(search_diagram(data, shape, budget, 0, 500).status == Status::out_of_memory);
}

}  // namespace

int main() {
    equals_trying_everything();
    light_sides_meet();
    bounds_are_the_best_trees();
    parts_are_what_was_asked_for();
    parity_of_three_bits();
    profiles_are_all_ways_to_share_nodes();
    a_stopped_search_has_a_valid_bound();
}
