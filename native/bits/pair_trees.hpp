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

// Best tree with at most `leaves` leaves and depth two; its bound is relaxed with a minimum leaf size. `estimates`, if
// given, receives the cost of each root.
template <class Ops>
SubtreeBounds solve_pairs(const BitTable<Ops>& table, const PairSums<Ops>& sums, std::int64_t leaves,
                          const Prices& prices, const Ops& ops, std::vector<Cost>* estimates = nullptr);

// The same for the rows of `all` that are not in `part`, without storing their sums.
template <class Ops>
SubtreeBounds solve_complement(const BitTable<Ops>& table, const PairSums<Ops>& all, const PairSums<Ops>& part,
                               std::int64_t leaves, const Prices& prices, const Ops& ops);

}  // namespace exactree::bits
