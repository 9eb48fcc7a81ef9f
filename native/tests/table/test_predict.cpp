// Prediction against answers worked out by hand, and against a plain walk on random graphs.
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "table/predict.hpp"

using namespace exactree;
using namespace exactree::table;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A graph that owns its arrays, built node by node.
struct Owned {
    std::vector<std::uint8_t> test;
    std::vector<std::int32_t> column, yes, no;
    std::vector<double> threshold;
    std::vector<std::int64_t> code;
    std::vector<char> missing_yes;  // vector<bool> has no data()

    void branch(Test how, int at, double limit, std::int64_t level, bool missing, int to_yes, int to_no) {
        test.push_back(static_cast<std::uint8_t>(how));
        column.push_back(at);
        threshold.push_back(limit);
        code.push_back(level);
        missing_yes.push_back(missing);
        yes.push_back(to_yes);
        no.push_back(to_no);
    }
    void leaf() { branch(Test::leaf, -1, nan, 0, false, -1, -1); }

    std::vector<std::int32_t> apply(std::vector<ColumnView> columns, std::size_t n_rows) const {
        std::vector<std::int32_t> out(n_rows, -7);
        const auto flags = std::make_unique<bool[]>(missing_yes.size());
        for (std::size_t i = 0; i < missing_yes.size(); ++i) flags[i] = missing_yes[i] != 0;
        const GraphView graph{test, column, threshold, code, {flags.get(), missing_yes.size()}, yes, no};
        exactree::table::apply(graph, columns, out);
        return out;
    }
};

Owned stump(Test how, double limit, std::int64_t level, bool missing) {
    Owned graph;
    graph.branch(how, 0, limit, level, missing, 1, 2);
    graph.leaf();
    graph.leaf();
    return graph;
}

using Leaves = std::vector<std::int32_t>;

void numbers_and_missing() {
    const std::vector<double> x{1.0, 2.0, 2.5, nan, -INFINITY, INFINITY};
    const NumberColumn column{x.data(), 1};
    assert((stump(Test::at_most, 2.0, 0, false).apply({column}, 6) == Leaves{1, 1, 2, 2, 1, 2}));
    assert((stump(Test::at_most, 2.0, 0, true).apply({column}, 6) == Leaves{1, 1, 2, 1, 1, 2}));
    assert((stump(Test::at_most, INFINITY, 0, false).apply({column}, 6) == Leaves{1, 1, 1, 2, 1, 1}));
    assert((stump(Test::is_missing, nan, 0, false).apply({column}, 6) == Leaves{2, 2, 2, 1, 2, 2}));
}

void strides() {
    const std::vector<double> x{0, 9, 1, 9, 2, 9};
    const NumberColumn every_second{x.data(), 2};
    const NumberColumn backwards{x.data() + 4, -2};
    const NumberColumn one_value{x.data() + 1, 0};
    const Owned graph = stump(Test::at_most, 0.5, 0, false);
    assert((graph.apply({every_second}, 3) == Leaves{1, 2, 2}));
    assert((graph.apply({backwards}, 3) == Leaves{2, 2, 1}));
    assert((graph.apply({one_value}, 3) == Leaves{2, 2, 2}));
}

void large_integers() {
    // These three have only two values as doubles.
    const std::int64_t big = std::int64_t{1} << 53;
    const std::vector<std::int64_t> x{big, big + 1, big + 2};
    const IntegerColumn column{x.data(), 1};
    assert((stump(Test::at_most, nan, big, true).apply({column}, 3) == Leaves{1, 2, 2}));
    assert((stump(Test::at_most, nan, big + 1, true).apply({column}, 3) == Leaves{1, 1, 2}));
    assert((stump(Test::is_missing, nan, 0, true).apply({column}, 3) == Leaves{2, 2, 2}));
}

void codes() {
    const std::vector<std::int32_t> x{0, 1, 2, -1, -2};
    const CodeColumn column{x.data(), 1};
    assert((stump(Test::at_most, 1.0, 0, false).apply({column}, 5) == Leaves{1, 1, 2, 2, 2}));
    assert((stump(Test::at_most, 1.5, 0, true).apply({column}, 5) == Leaves{1, 1, 2, 1, 1}));
    assert((stump(Test::is_level, nan, 2, true).apply({column}, 5) == Leaves{2, 2, 1, 2, 2}));
    assert((stump(Test::is_missing, nan, 0, true).apply({column}, 5) == Leaves{2, 2, 2, 1, 2}));
}

void lone_leaf_and_no_rows() {
    Owned graph;
    graph.leaf();
    assert((graph.apply({}, 3) == Leaves{0, 0, 0}));
    assert(stump(Test::at_most, 0.5, 0, false).apply({NumberColumn{nullptr, 1}}, 0).empty());
}

// Children are drawn from all later nodes, so nodes are shared and a branch may have one child twice.
Owned random_graph(std::mt19937& random, int n_branches, int n_columns) {
    Owned graph;
    const int n_nodes = 2 * n_branches + 1;
    for (int node = 0; node < n_branches; ++node) {
        std::uniform_int_distribution<int> later(node + 1, n_nodes - 1), which(0, n_columns - 1), coin(0, 1);
        graph.branch(Test::at_most, which(random), coin(random) - 0.5, 0, coin(random) == 1, later(random),
                     later(random));
    }
    while (static_cast<int>(graph.test.size()) < n_nodes) graph.leaf();
    return graph;
}

std::int32_t plain_walk(const Owned& graph, const std::vector<double>& x, std::size_t n_columns, std::size_t row) {
    std::int32_t node = 0;
    while (Test{graph.test[node]} != Test::leaf) {
        const double value = x[row * n_columns + graph.column[node]];
        const bool yes = std::isnan(value) ? graph.missing_yes[node] != 0 : value <= graph.threshold[node];
        node = yes ? graph.yes[node] : graph.no[node];
    }
    return node;
}

// Row counts around the block size; columns are strided views of one row-major table.
void random_graphs() {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    constexpr std::size_t n_columns = 3;
    for (const std::size_t n_rows : {1, 7, 2047, 2048, 2049, 5000}) {
        std::vector<double> x(n_rows * n_columns);
        for (double& value : x) value = random() % 8 == 0 ? nan : normal(random);
        std::vector<ColumnView> columns;
        for (std::size_t j = 0; j < n_columns; ++j) columns.push_back(NumberColumn{x.data() + j, n_columns});
        for (int trial = 0; trial < 20; ++trial) {
            const Owned graph = random_graph(random, trial, n_columns);
            const Leaves leaves = graph.apply(columns, n_rows);
            for (std::size_t row = 0; row < n_rows; ++row) assert(leaves[row] == plain_walk(graph, x, n_columns, row));
        }
    }
}

}  // namespace

int main() {
    numbers_and_missing();
    strides();
    large_integers();
    codes();
    lone_leaf_and_no_rows();
    random_graphs();
}
