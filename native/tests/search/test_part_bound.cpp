// The bound of one part, and the partition bound beside a search: never above the optimum, wherever they stop.
#undef NDEBUG
#include <cassert>

#include "partition/bound.hpp"
#include "search/part_bound.hpp"
#include "search/tree_search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::search;
using namespace exactree::testing;

namespace {

constexpr std::size_t kCache = 1 << 24;
const Budget kNoLimit;

Cost bound_of(const Data& data, const Limits& limits, double share, Engine engine,
              std::optional<std::uint64_t> work = std::nullopt) {
    Watchdog leader(kNoLimit), watchdog(leader, Watchdog::Aside{});
    watchdog.limit_work(work);
    return bound_part(data, limits, share, watchdog, engine, {}, kCache);
}

Limits any_limits(std::mt19937& random, int depth) {
    Limits limits = limits_of(depth, std::int64_t{1} << depth);
    if (random() % 3 == 0) limits.max_leaves = 1 + static_cast<std::int64_t>(random() % 7);
    if (random() % 2) limits.leaf_price = static_cast<Cost>(random() % 6);
    return limits;
}

void is_the_optimum_of_tiny_parts() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 300; ++trial) {
        const int n_classes = 2 + static_cast<int>(random() % 3), depth = static_cast<int>(random() % 4);
        const std::size_t n = 1 + random() % 12;
        Table table = trial % 2 ? random_table(random, n_classes, n, 2, 4) : groups(random, n_classes, n, 2, 4);
        const Data data = table.data();
        const Limits limits = any_limits(random, depth);
        const Cost best = best_cost(data, limits, all_rows(data), depth, limits.max_leaves);
        for (const Engine engine : {Engine::fastest, Engine::ranks, Engine::bits}) {
            assert(bound_of(data, limits, 1, engine) == best);
            const double share = static_cast<double>(random() % 10) / 10;
            const Cost some = bound_of(data, limits, share, engine);
            assert(some <= best && some >= std::min(best, static_cast<Cost>(share * static_cast<double>(best))));
        }
    }
}

Outcome solved(const Data& data, const Limits& limits) {
    Settings settings;
    settings.partition = false;
    const Outcome out = search_tree(data, limits, {}, 0, {}, Engine::fastest, settings);
    assert(out.status == Status::proved);
    return out;
}

void stopped_anywhere_it_is_a_bound() {
    std::mt19937 random(6);
    int n_lower = 0;
    for (int trial = 0; trial < 12; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 150, 3, 40);
        const Data data = table.data();
        const Limits limits = limits_of(3 + trial % 2, 16, 1, trial % 3);
        const Cost best = solved(data, limits).cost;
        for (const Engine engine : {Engine::ranks, Engine::bits})
            for (const std::uint64_t work : {1u, 2'000'000u, 10'000'000u}) {
                const Cost lower = bound_of(data, limits, 1, engine, work);
                assert(lower <= best);
                n_lower += lower < best;
            }
    }
    assert(n_lower > 0);
}

// Rounds with parts of all sizes, of which some are stopped.
void parts_together_never_exceed_the_optimum() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 24; ++trial) {
        const int n_classes = 2 + trial % 3;
        Table table = trial % 2 ? random_table(random, n_classes, 200, 3, 30) : groups(random, n_classes, 150, 3, 30);
        const Data data = table.data();
        Limits limits = any_limits(random, 2 + trial % 2);
        limits.least.rows = 1 + trial % 4;
        const Cost best = solved(data, limits).cost;
        const auto solve = [&](const Data& part, const Limits& its, double share, Watchdog& watchdog) {
            if (random() % 4 == 0) watchdog.limit_work(random() % 3'000'000);
            return bound_part(part, its, share, watchdog, Engine::fastest, {}, kCache);
        };
        partition::PartitionBound bound(data, limits, {5, 1, 0.5 + 0.25 * (trial % 3)}, random(), solve);
        Watchdog leader(kNoLimit);
        for (Cost before = 0; !bound.ended(); before = bound.bound()) {
            bound.advance(0, leader);
            assert(before <= bound.bound() && bound.bound() <= best);
        }
    }
}

}  // namespace

int main() {
    is_the_optimum_of_tiny_parts();
    stopped_anywhere_it_is_a_bound();
    parts_together_never_exceed_the_optimum();
}
