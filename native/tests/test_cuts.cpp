// Bounds of cuts between two solved ones: never above the truth, and the choice of the next cut.
#undef NDEBUG
#include <cassert>

#include "../cuts.hpp"
#include "table.hpp"

using namespace exactree;
using namespace exactree::testing;

namespace {

void prefixes_by_hand() {
    Table table(2);
    table.add({0}, 0, 2);
    table.add({2}, 1, 3);
    table.add({1}, 0, 5);
    table.add({0}, 1, 7);
    const Data data = table.data();
    Node node;
    node.fill(data);
    Prefixes prefixes;
    prefixes.fill(data, node);
    assert((prefixes.base == std::vector<Cost>{9, 14, 17}));
    assert(prefixes.size[0].rows == 2 && prefixes.size[1].rows == 3 && prefixes.size[2].rows == 4);
    assert(prefixes.key[2] == node.key());
    Key rest = prefixes.key[1];
    rest += row_key(1);
    assert(rest == node.key());
}

struct Sides {
    Cost yes, no;
};

// Best relaxed costs of both sides of every cut of column 0, with a subtree of depth one on either side.
std::vector<Sides> truth(const Data& data, const Limits& limits) {
    Limits relaxed = limits;
    relaxed.least = {0, 0};
    std::vector<Sides> out;
    for (Rank rank = 0; rank + 1 < data.n_ranks[0]; ++rank) {
        const Rows yes = side_of(data, all_rows(data), 0, rank, true),
                   no = side_of(data, all_rows(data), 0, rank, false);
        out.push_back({best_cost(data, relaxed, yes, 1, 2), best_cost(data, relaxed, no, 1, 2)});
    }
    return out;
}

void check_interval(const CutBounds& bounds, const Interval& open, const std::vector<Sides>& sides) {
    Cost lowest = kNoCost, lowest_allowed = kNoCost;
    for (std::int32_t cut = open.low + 1; cut < open.high; ++cut) {
        const Ends ends = bounds.at(open, cut);
        const Sides& exact = sides[static_cast<std::size_t>(cut)];
        assert(ends.yes <= exact.yes && ends.no <= exact.no);
        lowest = std::min(lowest, ends.yes + ends.no);
        if (bounds.allowed(open, cut)) lowest_allowed = std::min(lowest_allowed, ends.yes + ends.no);
    }
    assert(bounds.lowest(open).relaxed == lowest && bounds.lowest(open).allowed == lowest_allowed);
    if (lowest_allowed == kNoCost) assert(bounds.middle(open, kNoCost).cut < 0);
    for (const Cost target : {lowest_allowed, lowest_allowed + 1}) {
        if (target > kNoCost) continue;
        const CutBounds::Choice choice = bounds.middle(open, target);
        if (lowest_allowed >= target) {
            assert(choice.cut < 0);
            continue;
        }
        assert(open.low < choice.cut && choice.cut < open.high && choice.width >= 0);
        const Ends ends = bounds.at(open, choice.cut);
        assert(bounds.allowed(open, choice.cut) && ends.yes + ends.no < target);
    }
}

void bounds_hold() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 100; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 8 + random() % 8, 2, 6);
        for (Rank rank = 0; rank < 6; ++rank) table.rows[rank][0] = rank;  // every rank of column 0 is taken
        const Data data = table.data();
        Limits limits;
        limits.least = {1 + static_cast<std::int64_t>(random() % 3), 0};
        limits.leaf_price = static_cast<Cost>(random() % 3);
        Node node;
        node.fill(data);
        Prefixes prefixes;
        prefixes.fill(data, node);
        const CutBounds bounds(limits, node, prefixes);
        const std::vector<Sides> sides = truth(data, limits);
        const auto n_cuts = static_cast<std::int32_t>(sides.size());
        for (std::int32_t low = -1; low < n_cuts; ++low)
            for (std::int32_t high = low + 2; high <= n_cuts; ++high) {
                Interval open{0, low, high, {}, {}, 1};
                if (low >= 0) open.at_low = {sides[low].yes, sides[low].no};
                if (high < n_cuts) open.at_high = {sides[high].yes, sides[high].no};
                check_interval(bounds, open, sides);
            }
    }
}

void first_of_the_best_guesses() {
    Table table(2);
    for (Rank rank = 0; rank < 5; ++rank) table.add({rank}, static_cast<int>(rank % 2));
    const Data data = table.data();
    Limits limits;
    limits.least = {2, 0};
    Node node;
    node.fill(data);
    Prefixes prefixes;
    prefixes.fill(data, node);
    const CutBounds bounds(limits, node, prefixes);
    const Interval open{0, -1, 4, {}, {}, 1};
    assert(bounds.best_guess(open, {0, 3, 3, 0, 0}).cut == 1);  // the outer cuts leave a single row
    assert(bounds.best_guess(open, {0, 3, 2, 0, 0}).cut == 2);
    limits.least = {3, 0};
    assert(bounds.best_guess(open, {0, 0, 0, 0, 0}).cut == -1);
}

}  // namespace

int main() {
    prefixes_by_hand();
    bounds_hold();
    first_of_the_best_guesses();
}
