// The best single split against trying all of them, with and without a least size.
#undef NDEBUG
#include <cassert>

#include "../depth_one.hpp"
#include "table.hpp"

using namespace exactree;
using namespace exactree::testing;

namespace {

Limits limited(Size least, Cost price) {
    Limits limits;
    limits.max_depth = 1;
    limits.max_leaves = 2;
    limits.least = least;
    limits.leaf_price = price;
    return limits;
}

void solves_depth_one() {
    std::mt19937 random(3);
    Tally scratch;
    for (int trial = 0; trial < 200; ++trial) {
        Table table = random_table(random, 2 + trial % 3, 1 + random() % 20, 3, 4);
        const Data data = table.data();
        Node node;
        node.fill(data);
        const Limits limits = limited({1 + static_cast<std::int64_t>(random() % 4), trial % 2 * 5}, trial % 3);
        const Known known = solve_depth_one(data, limits, node, scratch);
        assert(known.solved() && known.upper == best_cost(data, limits, all_rows(data), 1, 2));
        assert(known.relaxed == best_cost(data, limited({1, 0}, limits.leaf_price), all_rows(data), 1, 2));
        if (known.question.column < 0) assert(known.upper == leaf_cost(data, limits, all_rows(data)));
    }
}

// What the best split of some rows gains over the worst answers, sides of any size or of at least `least`. The split
// that parts nothing counts as well if `idle`: it gains what a leaf does.
Cost best_gain(const Data& data, const Rows& rows, Size least, bool idle) {
    Limits limits = limited(least, 0);
    Cost base = 0;
    for (const RowId row : rows) base += data.base[row];
    Cost best = idle ? base - leaf_cost(data, limits, rows) : -kNoCost;
    for (std::size_t column = 0; column < data.n_columns(); ++column)
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const Rows yes = side_of(data, rows, column, rank, true), no = side_of(data, rows, column, rank, false);
            if (!limits.allows(size_of(data, yes), size_of(data, no))) continue;
            best = std::max(best, base - leaf_cost(data, limits, yes) - leaf_cost(data, limits, no));
        }
    return best;
}

// A split may or may not be told from a leaf that gains the same or more; nothing else may differ.
void check(Cost found, const Data& data, const Rows& rows, Size least) {
    const Cost leaf = best_gain(data, rows, least, true), split = best_gain(data, rows, least, false);
    assert(std::max(found, leaf) == leaf && found >= split);
}

void scores_both_sides_of_a_cut() {
    std::mt19937 random(4);
    for (int trial = 0; trial < 100; ++trial) {
        Table table = random_table(random, 2 + trial % 2, 2 + random() % 20, 3, 4);
        const Data data = table.data();
        const Limits limits = limited({1 + static_cast<std::int64_t>(random() % 4), 0}, 0);
        Node node;
        node.fill(data);
        Tally all, left;
        all.clear(data, node, limits.limits_size());
        all.add_all(data, node);
        left.clear(data, node, limits.limits_size());
        const Rank cut = static_cast<Rank>(random() % 4);
        for (std::uint32_t local = 0; local < node.n_rows(); ++local)
            if (data.rank(0, local) <= cut) left.add(data, node, local);
        const SplitGains gains = best_splits(node, all, left, limits);
        const Rows yes = side_of(data, all_rows(data), 0, cut, true), no = side_of(data, all_rows(data), 0, cut, false);
        check(gains.left, data, yes, limits.least);
        check(gains.right, data, no, limits.least);
        check(gains.left_relaxed, data, yes, {0, 0});
        check(gains.right_relaxed, data, no, {0, 0});
    }
}

}  // namespace

int main() {
    solves_depth_one();
    scores_both_sides_of_a_cut();
}
