// Diagrams: built within the limits, never more expensive after the local search, the same for the same seed.
#undef NDEBUG
#include <cassert>
#include <random>

#include "diagrams/heuristic/improver.hpp"
#include "diagrams/heuristic/multistart.hpp"

using namespace exactree;
using namespace exactree::diagrams::heuristic;

namespace {

// Rows of small ranks with any costs. Valid as long as it is neither changed nor moved.
struct Rows {
    std::vector<Rank> ranks;
    std::vector<std::int32_t> label;
    std::vector<Cost> cost;
    std::vector<Size> size;
    std::vector<std::uint32_t> stake;
    std::size_t n_classes, n_columns;

    Rows(std::mt19937& random, std::size_t n_rows, std::size_t columns, Rank n_ranks, std::size_t classes)
        : n_classes(classes), n_columns(columns) {
        for (std::size_t i = 0; i < n_rows * columns; ++i)
            ranks.push_back(static_cast<Rank>(random() % std::min<std::size_t>(n_ranks, n_rows)));
        for (std::size_t row = 0; row < n_rows; ++row) {
            label.push_back(static_cast<std::int32_t>(random() % classes));
            size.push_back({1 + static_cast<std::int64_t>(random() % 3), static_cast<std::int64_t>(random() % 5)});
            stake.push_back(static_cast<std::uint32_t>(random() % 4));
            for (std::size_t k = 0; k < classes; ++k)
                cost.push_back(static_cast<Cost>(k) == label.back() ? 0 : static_cast<Cost>(1 + random() % 9));
        }
    }

    DiagramData data() const {
        DiagramData out;
        out.n_classes = n_classes;
        out.n_rows = label.size();
        out.n_columns = n_columns;
        out.ranks = ranks;
        out.label = label;
        out.cost = cost;
        out.size = size;
        out.stake = stake;
        return out;
    }
};

DiagramLimits any_limits(std::mt19937& random) {
    const std::vector<std::vector<std::size_t>> widths{{1},       {1, 2},       {1, 1, 2},
                                                       {1, 2, 4}, {1, 2, 3, 3}, {1, 2, 2, 2, 2}};
    DiagramLimits limits;
    limits.widths = widths[random() % widths.size()];
    limits.node_price = static_cast<Cost>(random() % 5);
    limits.max_nodes = random() % 2 ? 99 : 1 + random() % 5;
    limits.min_rows = random() % 2 ? 1 : 1 + static_cast<std::int64_t>(random() % 8);
    limits.tree = random() % 3 == 0;
    limits.min_weight = random() % 2 ? 0 : static_cast<std::int64_t>(random() % 12);
    return limits;
}

void check_limits(const DiagramData& data, const DiagramLimits& limits, const Diagram& diagram) {
    std::vector<std::uint32_t> parents;
    std::vector<Size> sizes;
    diagram.count_parents(parents);
    assert(diagram.n_used() <= limits.max_nodes);
    assert(is_large_enough(data, limits, diagram, sizes));
    for (std::size_t layer = 0; layer < diagram.n_layers(); ++layer)
        for (std::size_t at = diagram.first[layer]; at < diagram.first[layer + 1]; ++at) {
            if (!diagram.used[at]) continue;
            assert(!limits.tree || parents[at] <= 1);
            for (const Target to : diagram.nodes[at].to)
                assert(diagram.is_label(to) ||
                       (layer + 1 < diagram.n_layers() && diagram.place(to) >= diagram.first[layer + 1] &&
                        diagram.place(to) < diagram.first[layer + 2]));
        }
}

void keeps_the_limits_and_never_gets_dearer() {
    std::mt19937 random(3);
    int n_cheaper = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const Rows rows(random, 1 + random() % 60, 1 + random() % 4, static_cast<Rank>(2 + random() % 6),
                        2 + random() % 3);
        const DiagramData data = rows.data();
        const DiagramLimits limits = any_limits(random);
        const SortedColumns sorted(data);
        DiagramBuilder builder(data, limits, sorted);
        DiagramImprover improver(data, limits, sorted);
        const Budget budget;
        Watchdog watchdog(budget);
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            Random chance(seed);
            Diagram diagram = builder.build(chance, {seed == 0 ? 1.0 : 0.6, seed > 0}, watchdog);
            check_limits(data, limits, diagram);
            const Cost built = cost_of(data, limits, diagram);
            const Cost pruned = improver.prune(diagram);
            assert(pruned == cost_of(data, limits, diagram));
            check_limits(data, limits, diagram);
            const Cost improved = improver.improve(diagram, pruned, watchdog);
            assert(improved == cost_of(data, limits, diagram));
            check_limits(data, limits, diagram);
            assert(pruned <= built && improved <= pruned);
            n_cheaper += improved < pruned;
            const auto again = from_nodes(to_nodes(diagram), limits.widths, data.n_classes);
            assert(again && cost_of(data, limits, *again) == improved);
        }
    }
    assert(n_cheaper > 100);
}

void same_seed_same_diagram() {
    std::mt19937 random(4);
    const Rows rows(random, 80, 5, 9, 3);
    const DiagramData data = rows.data();
    DiagramLimits limits;
    limits.widths = {1, 2, 4};
    limits.max_nodes = 7;
    const auto nodes = [&](std::uint64_t seed) {
        const ConstructedDiagrams out = run_multistart(data, limits, {seed, 20, false}, Budget{}, {});
        assert(out.starts == 20 && out.diagrams.size() == 1);
        return std::pair(out.cost, out.diagrams[0].size());
    };
    assert(nodes(1) == nodes(1));
}

void random_numbers_are_those_of_the_paper() {
    Random random(1234567);
    assert(random.next() == 6457827717110365317u && random.next() == 3203168211198807973u);
}

}  // namespace

int main() {
    keeps_the_limits_and_never_gets_dearer();
    same_seed_same_diagram();
    random_numbers_are_those_of_the_paper();
}
