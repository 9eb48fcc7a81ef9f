// The bound from disjoint sets of rows against trying everything, at every step.
#undef NDEBUG
#include <cassert>

#include "partition/bound.hpp"
#include "partition/part_data.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::partition;
using namespace exactree::testing;

namespace {

const Budget kNoLimit;

// Whole groups only: a row that continues a group follows its first row.
void check_groups(const Data& part) {
    assert(!continues_group(part, 0));
    for (RowId row = 1; row < part.n_rows; ++row)
        if (continues_group(part, row))
            for (std::size_t column = 0; column < part.n_columns(); ++column)
                assert(part.rank(column, row) == part.rank(column, row - 1));
}

Cost exhaustive(const Data& part, const Limits& limits, double, Watchdog&) {
    check_groups(part);
    assert(!limits.limits_leaf_size());
    return best_cost(part, limits, all_rows(part), limits.max_depth, limits.max_leaves);
}

Limits any_limits(std::mt19937& random) {
    const int depth = static_cast<int>(random() % 4);
    Limits limits = limits_of(depth, std::int64_t{1} << depth);
    if (random() % 3 == 0) limits.max_leaves = 1 + static_cast<std::int64_t>(random() % 6);
    if (random() % 2) limits.least.rows = 1 + static_cast<std::int64_t>(random() % 4);
    if (random() % 3 == 0) limits.least.weight = static_cast<std::int64_t>(random() % 7);
    if (random() % 3) limits.leaf_price = static_cast<Cost>(random() % 12);
    return limits;
}

// Steps to the end; the bound rises, and never above the optimum. Returns the last one.
Cost check_rises(PartitionBound& bound, Cost optimum) {
    Watchdog watchdog(kNoLimit);
    Cost before = bound.bound();
    while (!bound.ended()) {
        assert(bound.advance(0, watchdog) > 0);
        assert(before <= bound.bound() && bound.bound() <= optimum);
        before = bound.bound();
    }
    return before;
}

void never_exceeds_the_optimum() {
    std::mt19937 random(3);
    for (int trial = 0; trial < 600; ++trial) {
        const int n_classes = 2 + static_cast<int>(random() % 3);
        const std::size_t n = 2 + random() % 12;
        Table table = trial % 2 ? random_table(random, n_classes, n, 2, 4) : groups(random, n_classes, n, 2, 4);
        const Data data = table.data();
        const Limits limits = any_limits(random);
        const Cost optimum = best_cost(data, limits, all_rows(data), limits.max_depth, limits.max_leaves);
        const Schedule schedule{1 + random() % 3, 1 + static_cast<int>(random() % 2), 1};
        PartitionBound bound(data, limits, schedule, random(), exhaustive);
        check_rises(bound, optimum);
    }
}

// Without questions every part is a leaf: together they pay the price once, and the rows of the rarer label.
void parts_pay_the_price_once() {
    for (const Cost price : {0, 1, 7, 1000}) {
        Table table(2);
        for (int row = 0; row < 13; ++row) table.add({0}, 1);
        const Data data = table.data();
        PartitionBound bound(data, limits_of(2, 4, 1, price), {1, 1, 1}, 5, exhaustive);
        assert(bound.n_parts() == 8);
        assert(check_rises(bound, price) == price);
    }
}

// What is proved of small parts counts until the larger one that they make is solved.
void unsolved_parts_count_with_their_halves() {
    std::mt19937 random(8);
    Table table = random_table(random, 2, 64, 3, 8);
    const Data data = table.data();
    const Limits limits = limits_of(1, 2);
    bool solves = true;
    const auto sometimes = [&](const Data& part, const Limits& its, double share, Watchdog& watchdog) {
        return solves ? exhaustive(part, its, share, watchdog) : 0;
    };
    PartitionBound bound(data, limits, {8, 1, 1}, 5, sometimes);
    Watchdog watchdog(kNoLimit);
    for (int part = 0; part < 8; ++part) bound.advance(0, watchdog);
    const Cost after_round = bound.bound();
    assert(bound.n_parts() == 4 && after_round > 0);
    solves = false;
    assert(check_rises(bound, best_cost(data, limits, all_rows(data), 1, 2)) == after_round);
}

// The first round asks for less, each other for more of what is left.
void shares_grow() {
    std::mt19937 random(8);
    Table table = random_table(random, 2, 64, 1, 8);
    const Data data = table.data();
    double last = 0;
    std::size_t rounds = 0;
    PartitionBound bound(data, limits_of(1, 2), {8, 1, 0.5}, 5,
                         [&](const Data&, const Limits&, double share, Watchdog&) {
                             assert(share >= last && share <= 1);
                             rounds += share > last;
                             last = share;
                             return Cost{0};
                         });
    check_rises(bound, 0);
    assert(rounds == 2);
}

// Parts that take too long are given up, and larger ones are not tried.
void ends_when_parts_are_too_hard() {
    std::mt19937 random(8);
    Table table = random_table(random, 2, 64, 1, 8);
    const Data data = table.data();
    int asked = 0;
    PartitionBound bound(data, limits_of(1, 2), {4, 1, 1}, 5,
                         [&](const Data&, const Limits&, double, Watchdog& within) {
                             ++asked;
                             while (!within.spend(1'000'000'000)) {
                             }
                             return Cost{0};
                         });
    assert(check_rises(bound, 0) == 0);
    assert(asked == 3);
}

void same_for_a_seed() {
    std::mt19937 random(4);
    Table table = random_table(random, 3, 40, 3, 8);
    const Data data = table.data();
    const auto run = [&](std::uint64_t seed) {
        std::vector<Cost> out;
        PartitionBound bound(data, limits_of(2, 4), {5, 1, 1}, seed, exhaustive);
        for (Watchdog watchdog(kNoLimit); !bound.ended(); out.push_back(bound.bound())) bound.advance(0, watchdog);
        return out;
    };
    assert(run(1) == run(1));
    assert(run(1) != run(2));
}

void too_few_rows_end_at_once() {
    Table table(2);
    table.add({0}, 0);
    const Data data = table.data();
    PartitionBound bound(data, limits_of(2, 4), Schedule::of_depth(2), 0, exhaustive);
    Watchdog watchdog(kNoLimit);
    assert(bound.ended() && bound.advance(1000, watchdog) == 0 && bound.bound() == 0);
}

}  // namespace

int main() {
    never_exceeds_the_optimum();
    parts_pay_the_price_once();
    unsolved_parts_count_with_their_halves();
    shares_grow();
    ends_when_parts_are_too_hard();
    same_for_a_seed();
    too_few_rows_end_at_once();
}
