// Costs of the two sides of a root split, combined for a tree of depth two.
#pragma once

#include <algorithm>

#include "core/data.hpp"

namespace exactree {

struct SideCosts {
    Cost one;  // with one leaf
    Cost two;  // with at most two leaves

    // From the rows' base and what one leaf and the best split gain on them.
    static SideCosts of(Cost base, Cost leaf_gain, Cost split_gain, Cost leaf_price) {
        const Cost one = base - leaf_gain + leaf_price;
        return {one, std::min(one, base - split_gain + 2 * leaf_price)};
    }
};

struct SplitCost {
    Cost cost;
    std::int64_t yes_leaves, no_leaves;  // at most so many
    int used;                            // leaves actually used; fewer win a tie
};

// Cheapest allocation of at most `leaves` (3, or 4 and more) leaves to the sides.
inline SplitCost combine_sides(const SideCosts& yes, const SideCosts& no, std::int64_t leaves) {
    const int yes_used = yes.one == yes.two ? 1 : 2, no_used = no.one == no.two ? 1 : 2;
    if (leaves >= 4) return {yes.two + no.two, 2, 2, yes_used + no_used};
    if (yes.two + no.one <= yes.one + no.two) return {yes.two + no.one, 2, 1, yes_used + 1};
    return {yes.one + no.two, 1, 2, 1 + no_used};
}

}  // namespace exactree
