// Probes against trying every split of both sides: all widths, plain and vector loops, with and without a least size.
#undef NDEBUG
#include <cassert>

#include "ranks/probe_table.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks::simd;
using namespace exactree::ranks;
using namespace exactree::testing;

namespace {

void check_side(const Data& data, const Limits& limits, const Rows& rows, const SideCosts& found) {
    assert(found.one == leaf_cost(data, limits, rows));
    assert(found.two == best_cost(data, limits, rows, 1, 2));
}

template <class Lane>
void check(const Data& data, const Limits& limits, Cost unit, bool portable, std::mt19937& random) {
    Node node;
    node.fill(data);
    if (node.n_columns() == 0) return;
    ProbeTable<Lane> table(data, limits, unit, probe_ops<Lane>(portable), random() % 2 ? 0 : kSpreadRows);
    const Budget budget;
    Watchdog watchdog(budget);
    assert(table.fill(node, watchdog));
    std::vector<Cut> cuts;
    while (cuts.size() < 1 + random() % kLanes<Lane>) {
        const std::size_t column = random() % node.n_columns();
        const auto place = node.tie_begin(column, static_cast<Place>(random() % node.n_rows()));
        if (place > 0) cuts.push_back({column, place});
    }
    std::vector<ProbedCut> scored(cuts.size());
    table.score(node, cuts, scored.data());
    Limits relaxed = limits;
    relaxed.least = {0, 0};
    for (std::size_t x = 0; x < cuts.size(); ++x) {
        const Question asked = node.question(cuts[x]);
        const auto column = static_cast<std::size_t>(asked.column);
        const Rows yes = side_of(data, all_rows(data), column, asked.rank, true);
        const Rows no = side_of(data, all_rows(data), column, asked.rank, false);
        check_side(data, relaxed, yes, scored[x].relaxed.yes);
        check_side(data, relaxed, no, scored[x].relaxed.no);
        check_side(data, limits, yes, scored[x].allowed.yes);
        check_side(data, limits, no, scored[x].allowed.no);
    }
}

// From labels that change all the time to long runs, from no ties to nothing but ties.
Table any_table(std::mt19937& random, int n_classes, Cost unit) {
    const std::size_t n_rows = 2 + random() % 40;
    const Rank n_ranks = random() % 2 ? 4 : 1000;
    const std::size_t run = 1 + random() % 12;
    const std::size_t lowest = random() % 2, n_gains = 1 + random() % 3;
    Table table(n_classes);
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::vector<Rank> at(3);
        for (Rank& rank : at) rank = static_cast<Rank>(random() % n_ranks);
        const std::size_t label = random() % 5 ? at[0] * n_rows / n_ranks / run : random();
        table.add(std::move(at), static_cast<int>(label % static_cast<std::size_t>(n_classes)),
                  unit * static_cast<Cost>(lowest + random() % n_gains));
    }
    return table;
}

void random_tables() {
    std::mt19937 random(8);
    for (int trial = 0; trial < 60; ++trial) {
        const Cost unit = trial % 4 == 0 ? 7 : 1;
        Table table = any_table(random, 2 + trial % 4, unit);
        const Data data = table.data();
        Limits limits;
        limits.leaf_price = static_cast<Cost>(random() % 3);
        if (trial % 3 == 0) limits.least = {1 + static_cast<std::int64_t>(random() % 5), random() % 2 ? 4 : 0};
        for (const bool portable : {false, true}) {
            check<std::int16_t>(data, limits, unit, portable, random);
            check<std::int32_t>(data, limits, unit, portable, random);
            check<std::int64_t>(data, limits, unit, portable, random);
        }
    }
}

}  // namespace

int main() { random_tables(); }
