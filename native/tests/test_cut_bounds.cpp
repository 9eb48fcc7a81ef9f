// Bounds of cuts between two solved ones: never above the truth, and the choice of the next cut.
#undef NDEBUG
#include <cassert>

#include "ranks/cut_bounds.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks;
using namespace exactree::testing;

namespace {

struct Sides {
    Cost yes, no;
};

// Best relaxed costs of both sides of every cut of a column, with a subtree of depth one on either side.
std::vector<Sides> truth(const Data& data, const Limits& limits, std::size_t column = 0) {
    Limits relaxed = limits;
    relaxed.least = {0, 0};
    std::vector<Sides> out;
    for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
        const Rows yes = side_of(data, all_rows(data), column, rank, true),
                   no = side_of(data, all_rows(data), column, rank, false);
        out.push_back({best_cost(data, relaxed, yes, 1, 2), best_cost(data, relaxed, no, 1, 2)});
    }
    return out;
}

// The rank below each cut of column 0: cut number r parts ranks 0 .. r from the rest.
Place place_of(const Node& node, Rank rank) { return node.find_cut({0, rank})->place; }

void check_interval(const CutBounds& bounds, const Node& node, Interval open, const std::vector<Sides>& sides) {
    bounds.update(open);
    Cost lowest = kInfiniteCost;
    for (Rank rank = 0; rank < sides.size(); ++rank) {
        const Place cut = place_of(node, rank);
        if (cut <= open.low || cut >= open.high) continue;
        const SideBounds ends = bounds.at(open, cut);
        assert(ends.yes <= sides[rank].yes && ends.no <= sides[rank].no);
        const Cost cost = sides[rank].yes + sides[rank].no;
        assert(open.bound <= cost);
        if (bounds.allowed(0, cut)) lowest = std::min(lowest, cost);
        for (const Cost target : {cost, cost + 1, Cost{1}}) {
            const OpenCuts alive = bounds.open_cuts(open, target);
            const bool inside = alive.first <= cut && cut <= alive.last;
            assert(inside || cost >= target || !bounds.allowed(0, cut));
        }
    }
    if (lowest == kInfiniteCost) return;
    const OpenCuts alive = bounds.open_cuts(open, lowest + 1);
    assert(!alive.empty() && node.tie_begin(0, alive.first) == alive.first);
    for (const Place cut : {bounds.middle(open, alive), bounds.nearest(open, 0, alive)}) {
        assert(alive.first <= cut && cut <= alive.last && node.tie_begin(0, cut) == cut);
        assert(bounds.reach(open, cut, alive) >= 0);
    }
}

void bounds_hold() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 8 + random() % 8, 2, 6);
        for (Rank rank = 0; rank < 6; ++rank) table.rows[rank][0] = rank;  // every rank of column 0 is taken
        if (trial % 4 == 0) std::fill(table.base.begin(), table.base.end(), 1);
        if (trial % 4 == 0) std::fill(table.gain.begin(), table.gain.end(), 1);
        const Data data = table.data();
        Limits limits;
        limits.least = {1 + static_cast<std::int64_t>(random() % 3), 0};
        limits.leaf_price = static_cast<Cost>(random() % 3);
        Node node;
        node.fill(data);
        const CutBounds bounds(data, limits, node);
        const std::vector<Sides> sides = truth(data, limits);
        const auto n_cuts = static_cast<int>(sides.size());
        Limits relaxed = limits;
        relaxed.least = {0, 0};
        const Cost whole = best_cost(data, relaxed, all_rows(data), 1, 2);
        for (int low = -1; low < n_cuts; ++low)
            for (int high = low + 2; high <= n_cuts; ++high) {
                Interval open = bounds.all(0, 1, trial % 2 ? whole : 0, trial % 2 ? whole : 0);
                if (low >= 0) open.low = place_of(node, static_cast<Rank>(low));
                if (high < n_cuts) open.high = place_of(node, static_cast<Rank>(high));
                if (low >= 0) open.at_low = {sides[low].yes, sides[low].no, {}, {}};
                if (high < n_cuts) open.at_high = {sides[high].yes, sides[high].no, {}, {}};
                check_interval(bounds, node, open, sides);
            }
    }
}

// Bounds that the cuts of column 1 give for those of column 0; returns how many are positive.
int check_floors(const Data& data, const Limits& limits) {
    Node node;
    node.fill(data);
    CutBounds bounds(data, limits, node);
    const std::vector<Sides> sides = truth(data, limits), others = truth(data, limits, 1);
    for (Rank rank = 0; rank < others.size(); ++rank)
        if (const std::optional<Cut> cut = node.find_cut({1, rank}))
            bounds.learn(*cut, {others[rank].yes, others[rank].no, {}, {}});
    const Interval open = bounds.all(0, 1, 0, 0);
    check_interval(bounds, node, open, sides);
    int raised = 0;
    for (Rank rank = 0; rank < sides.size(); ++rank) {
        const SideBounds ends = bounds.at(open, place_of(node, rank));
        raised += ends.yes > limits.leaf_price && ends.no > limits.leaf_price;
    }
    return raised;
}

void floors_hold() {
    std::mt19937 random(11);
    int raised = 0;
    for (int trial = 0; trial < 200; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 12 + random() % 8, 3, 6);
        for (Rank rank = 0; rank < 6; ++rank) table.rows[rank][0] = rank;  // every rank of column 0 is taken
        if (trial % 2 == 0)                                                // columns that say nearly the same
            for (std::size_t row = 0; row < table.rows.size(); ++row)
                table.rows[row][1] = row % 5 == 4 ? table.rows[row][1] : table.rows[row][0];
        Limits limits;
        limits.leaf_price = static_cast<Cost>(random() % 2);
        raised += check_floors(table.data(), limits);
    }
    assert(raised > 100);
}

void least_sizes() {
    Table table(2);
    for (Rank rank = 0; rank < 5; ++rank) table.add({rank}, static_cast<int>(rank % 2));
    const Data data = table.data();
    Node node;
    node.fill(data);
    Limits limits;
    limits.least = {2, 0};
    const CutBounds two(data, limits, node);
    assert(!two.allowed(0, 1) && two.allowed(0, 2) && two.allowed(0, 3) && !two.allowed(0, 4));
    Interval open = two.all(0, 1, 0, 0);
    assert(two.open_cuts(open, kInfiniteCost).first == 2 && two.open_cuts(open, kInfiniteCost).last == 3);
    limits.least = {3, 0};
    assert(CutBounds(data, limits, node).open_cuts(open, kInfiniteCost).empty());
}

void lowest_bound_first() {
    Interval low{1, 0, 5, {}, {}, 1, 3}, high{0, 0, 9, {}, {}, 1, 4};
    assert(has_lower_priority(high, low) && !has_lower_priority(low, high));
    high.bound = 3;
    assert(has_lower_priority(low, high));  // the wider one
}

}  // namespace

int main() {
    bounds_hold();
    floors_hold();
    least_sizes();
    lowest_bound_first();
}
