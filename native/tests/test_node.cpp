// Sets of rows: their order, their cells, their sums, and their children.
#undef NDEBUG
#include <cassert>

#include "../node.hpp"
#include "table.hpp"

using namespace exactree;
using namespace exactree::testing;

namespace {

Rows rows_of(const Node& node) {
    Rows out;
    for (std::uint32_t local = 0; local < node.n_rows(); ++local) out.push_back(node.row(local));
    return out;
}

// Every column's order is sorted by rank, its cells cover all rows once, and each row knows its cells.
void check_layout(const Data& data, const Node& node) {
    for (std::size_t j = 0; j < node.columns().size(); ++j) {
        const NodeColumn& column = node.columns()[j];
        std::uint32_t at = 0;
        for (std::uint32_t rank = 0; rank < column.n_ranks; ++rank) {
            const std::size_t cell = column.first_cell + rank;
            assert(node.cell_begin(cell) == at);
            for (; at < node.cell_end(column, rank); ++at) {
                const std::uint32_t local = node.order(j)[at];
                assert(data.rank(column.source, node.row(local)) == node.rank_of_cell(cell));
                assert(node.cells(local)[j] == cell);
            }
            if (rank > 0) assert(node.rank_of_cell(cell) > node.rank_of_cell(cell - 1));
        }
        assert(at == node.n_rows());
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
    for (std::size_t j = 0; j < node.columns().size(); ++j)
        for (std::uint32_t cut = 0; cut + 1 < node.columns()[j].n_ranks; ++cut) {
            const Question question = node.question(j, cut);
            assert(node.locate(question) == std::make_pair(j, cut));
            Node yes, no;
            yes.fill(data, node, j, cut, Side::yes);
            no.fill(data, node, j, cut, Side::no);
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
    Node root, yes;
    root.fill(data);
    yes.fill(data, root, 0, 0, Side::yes);
    assert(yes.columns().size() == 1 && yes.columns()[0].source == 1);
    assert(yes.n_cells() == 2);
    assert(yes.locate({2, 5}).first == yes.columns().size());  // no such question here
}

// A question between two ranks that the node does not have is answered like the next lower one.
void gaps_between_ranks() {
    Table table(2);
    table.add({0, 0}, 0);
    table.add({4, 0}, 1);
    table.add({2, 1}, 1);
    const Data data = table.data();
    Node root, yes;
    root.fill(data);
    yes.fill(data, root, 1, 0, Side::yes);
    assert((yes.locate({0, 3}) == std::pair<std::size_t, std::uint32_t>{0, 0}));
    assert(yes.question(0, 0).rank == 0);
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
