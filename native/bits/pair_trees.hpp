// The best trees of depth two, from sums per pair of columns.
#pragma once

#include "bits/pair_sums.hpp"
#include "core/cache.hpp"

namespace exactree::bits {

struct Prices {
    Cost unit;  // of a unit of gain
    Cost leaf;
    Cost least = 1;  // rows of a leaf
};

// The best trees of depth two, by column of the root; infinite where it does not split the rows.
struct RootCosts {
    std::vector<Cost> total;
    // Of the rows that have the column and of the others, with at most two leaves of any size.
    std::vector<Cost> yes, no;

    void reset(std::size_t n_columns) {
        for (std::vector<Cost>* costs : {&total, &yes, &no}) costs->assign(n_columns, kInfiniteCost);
    }
};

// Best tree with at most `leaves` leaves and depth two; its bound is relaxed with a minimum leaf size. `roots`, if
// given, receives the costs of each root.
template <class Ops>
SubtreeBounds solve_pairs(const BitTable<Ops>& table, const PairSums<Ops>& sums, std::int64_t leaves,
                          const Prices& prices, const Ops& ops, RootCosts* roots = nullptr);

// The same for the rows of `all` that are not in `part`, without storing their sums.
template <class Ops>
SubtreeBounds solve_complement(const BitTable<Ops>& table, const PairSums<Ops>& all, const PairSums<Ops>& part,
                               std::int64_t leaves, const Prices& prices, const Ops& ops);

}  // namespace exactree::bits
