// Sums per cell: one number for two classes, one per class for more.
#undef NDEBUG
#include <cassert>

#include "../tally.hpp"
#include "table.hpp"

using namespace exactree;
using namespace exactree::testing;

namespace {

void two_classes_by_hand() {
    Table table(2);
    table.add({0, 1}, 0, 2);
    table.add({0, 0}, 1, 5);
    table.add({1, 1}, 1, 3);
    const Data data = table.data();
    Node node;
    node.fill(data);
    Tally tally;
    tally.clear(data, node, true);
    tally.add_all(data, node);
    assert(tally.width() == 1);
    const std::vector<Cost> sums(tally.sums(), tally.sums() + node.n_cells());
    assert((sums == std::vector<Cost>{3, 3, 5, 1}));  // class 1 minus class 0, by column and rank
    assert((tally.gains() == std::vector<Cost>{2, 8}));
    assert(tally.base() == 10 && tally.best_gain() == 8);
    assert(tally.size().rows == 3 && tally.size().weight == 10);
    assert(tally.sizes()[0].rows == 2 && tally.sizes()[0].weight == 7);
}

void check(const Data& data, const Node& node, const Tally& tally) {
    const auto n_classes = static_cast<std::size_t>(data.n_classes);
    std::vector<Cost> sums(node.n_cells() * n_classes, 0);
    std::vector<Size> sizes(node.n_cells());
    for (std::size_t j = 0; j < node.columns().size(); ++j)
        for (std::uint32_t local = 0; local < node.n_rows(); ++local) {
            const std::size_t cell = node.cells(local)[j];
            const RowId row = node.row(local);
            sums[cell * n_classes + static_cast<std::size_t>(data.label[row])] += data.gain[row];
            sizes[cell] += data.size[row];
        }
    for (std::size_t cell = 0; cell < node.n_cells(); ++cell) {
        assert(tally.sizes()[cell].rows == sizes[cell].rows && tally.sizes()[cell].weight == sizes[cell].weight);
        if (n_classes == 2)
            assert(tally.sums()[cell] == sums[2 * cell + 1] - sums[2 * cell]);
        else
            for (std::size_t k = 0; k < n_classes; ++k)
                assert(tally.sums()[cell * n_classes + k] == sums[cell * n_classes + k]);
    }
    assert(tally.gains() == node.gains() && tally.base() == node.base());
}

void random_tables() {
    std::mt19937 random(2);
    Tally tally;  // one for all: nothing of the table before may be left
    for (const int n_classes : {2, 3, 4})
        for (const std::size_t n_rows : {1, 63, 64, 65, 200}) {
            Table table = random_table(random, n_classes, n_rows, 4, 5);
            const Data data = table.data();
            Node node;
            node.fill(data);
            tally.clear(data, node, true);
            tally.add_all(data, node);
            check(data, node, tally);
        }
}

}  // namespace

int main() {
    two_classes_by_hand();
    random_tables();
}
