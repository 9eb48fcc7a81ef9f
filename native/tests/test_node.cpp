// Sets of rows: their order, their ties, their sums, and their two sides.
#undef NDEBUG
#include <algorithm>
#include <cassert>

#include "ranks/node.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks;
using namespace exactree::testing;

namespace {

Rows rows_of(const Node& node) {
    Rows out;
    for (std::uint32_t local = 0; local < node.n_rows(); ++local) out.push_back(node.row(local));
    std::sort(out.begin(), out.end());
    return out;
}

// Every column's order is sorted by rank and holds all rows once; ties and sums of bases agree with it.
void check_layout(const Data& data, const Node& node) {
    const auto n = static_cast<Place>(node.n_rows());
    for (std::size_t j = 0; j < node.n_columns(); ++j) {
        std::vector<bool> seen(n, false);
        Cost base = 0;
        for (Place at = 0; at < n; ++at) {
            const std::uint32_t local = node.order(j)[at];
            assert(!seen[local]);
            seen[local] = true;
            assert(node.rank_at(j, at) == data.rank(node.source(j), node.row(local)));
            assert(node.label(local) == data.label[node.row(local)]);
            const bool new_rank = at > 0 && node.rank_at(j, at) != node.rank_at(j, at - 1);
            assert(at == 0 || node.rank_at(j, at) >= node.rank_at(j, at - 1));
            assert(at == 0 || new_rank || node.tied(j));
            assert(at == 0 || new_rank || node.label(local) >= node.label(node.order(j)[at - 1]));
            assert(node.tie_begin(j, at) == (at == 0 || new_rank ? at : node.tie_begin(j, at - 1)));
            if (at > 0) assert(node.tie_end(j, at - 1) == (new_rank ? at : node.tie_end(j, at)));
            assert(node.base_before(j, at) == base);
            const Place beyond = node.place_beyond(j, base);
            assert(beyond == n || node.base_before(j, beyond) > base);
            assert(beyond == 0 || node.base_before(j, beyond - 1) <= base);
            base += data.base[node.row(local)];
        }
        assert(node.base_before(j, n) == base && node.place_beyond(j, -1) == 0);
    }
}

void check_sums(const Data& data, const Node& node) {
    std::vector<Cost> gains(static_cast<std::size_t>(data.n_classes), 0);
    Cost base = 0;
    Key key;
    for (const RowId row : rows_of(node)) {
        gains[static_cast<std::size_t>(data.label[row])] += data.gain[row];
        base += data.base[row];
        key += row_key(row);
    }
    assert(node.gains() == gains && node.base() == base && node.key() == key);
    const Size size = size_of(data, rows_of(node));
    assert(node.size().rows == size.rows && node.size().weight == size.weight);
    assert(node.leaf_error() == leaf_cost(data, {}, rows_of(node)));
}

void check_children(const Data& data, const Node& node, int depth) {
    check_layout(data, node);
    check_sums(data, node);
    if (depth == 0) return;
    for (std::size_t j = 0; j < node.n_columns(); ++j)
        for (Place cut = 1; cut < node.n_rows(); ++cut) {
            if (node.tie_begin(j, cut) != cut) continue;
            const Question question = node.question({j, cut});
            const std::optional<Cut> found = node.find_cut(question);
            assert(found && found->column == j && found->place == cut);
            Node yes, no;
            Node::split(data, node, {j, cut}, yes, no);
            const auto column = static_cast<std::size_t>(question.column);
            assert(rows_of(yes) == side_of(data, rows_of(node), column, question.rank, true));
            assert(rows_of(no) == side_of(data, rows_of(node), column, question.rank, false));
            Key both = yes.key();
            both += no.key();
            assert(both == node.key());
            check_children(data, yes, depth - 1);
            check_children(data, no, depth - 1);
        }
}

// Row counts around a machine word.
void random_tables() {
    std::mt19937 random(1);
    for (const std::size_t n_rows : {1, 2, 9, 63, 64, 65}) {
        Table table = random_table(random, 3, n_rows, 3, 4);
        const Data data = table.data();
        Node root;
        root.fill(data);
        assert(rows_of(root) == all_rows(data));
        check_children(data, root, n_rows < 60 ? 2 : 1);
    }
}

void constant_columns_go() {
    Table table(2);
    table.add({0, 0, 5}, 0);
    table.add({0, 1, 5}, 1);
    table.add({1, 1, 7}, 1);
    const Data data = table.data();
    Node root, yes, no;
    root.fill(data);
    Node::split(data, root, {0, 2}, yes, no);
    assert(yes.n_columns() == 1 && yes.source(0) == 1);
    assert(!yes.find_cut({2, 5}) && no.n_columns() == 0);  // no such question here
}

// A question between two ranks that the node does not have is answered like the next lower one.
void gaps_between_ranks() {
    Table table(2);
    table.add({0, 0}, 0);
    table.add({4, 0}, 1);
    table.add({2, 1}, 1);
    const Data data = table.data();
    Node root, yes, no;
    root.fill(data);
    Node::split(data, root, {1, 2}, yes, no);
    const std::optional<Cut> cut = yes.find_cut({0, 3});
    assert(cut && cut->column == 0 && cut->place == 1);
    assert(yes.question({0, 1}).rank == 0);
    assert(!yes.find_cut({0, 4}));  // all rows answer yes
}

void ties_go_to_the_first_label() {
    Table table(3);
    table.add({0}, 2, 4);
    table.add({1}, 1, 4);
    table.add({2}, 0, 3);
    Node root;
    root.fill(table.data());
    assert(root.best_label() == 1 && root.leaf_error() == 7);
}

}  // namespace

int main() {
    random_tables();
    constant_columns_go();
    gaps_between_ranks();
    ties_go_to_the_first_label();
}
