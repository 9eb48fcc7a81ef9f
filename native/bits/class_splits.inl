// The best second questions of a tree of depth two, for any number of classes: included by ops.inl.
#include <algorithm>

#include "bits/ops.hpp"
#include "core/lanes.inl"

namespace exactree::bits::EXACTREE_ISA {
namespace {

using exactree::EXACTREE_ISA::Lanes;

// Largest sums over the classes, a column in each lane: of the rows that have i and j, i only, j only, neither.
template <class Sum>
struct Quarters {
    Lanes<Sum> both, only_i, only_j, neither;

    template <bool kRest>
    void meet(const ClassSums<Sum>& rows, const Lanes<Sum>& with, const Lanes<Sum>& without, std::size_t at) {
        Lanes<Sum> pairs = Lanes<Sum>::load(rows.pairs + at);
        if constexpr (kRest) pairs = pairs - Lanes<Sum>::load(rows.part + at);
        const Lanes<Sum> others = Lanes<Sum>::load(rows.singles + at) - pairs;
        both = larger(both, pairs);
        only_i = larger(only_i, with - pairs);
        only_j = larger(only_j, others);
        neither = larger(neither, without - others);
    }
};

template <class Sum>
Sum largest(const Lanes<Sum>& lanes) {
    Sum all[Lanes<Sum>::n];
    lanes.store(all);
    return *std::max_element(all, all + Lanes<Sum>::n);
}

// Columns are padded to a multiple of kColumnBlock; padding is zero and splits no rows.
template <class Sum, bool kRest>
Splits<Sum> best_splits(const ClassSums<Sum>* classes, std::size_t n_classes, std::size_t n_columns) {
    constexpr std::size_t n = Lanes<Sum>::n;
    Lanes<Sum> with, without;
    for (std::size_t at = 0; at < n_columns; at += 2 * n) {
        Quarters<Sum> first, second;  // two at a time share what is the same for all columns
        for (std::size_t k = 0; k < n_classes; ++k) {
            const auto all_with = Lanes<Sum>::all(classes[k].with), all_without = Lanes<Sum>::all(classes[k].without);
            first.template meet<kRest>(classes[k], all_with, all_without, at);
            second.template meet<kRest>(classes[k], all_with, all_without, at + n);
        }
        with = larger(with, larger(first.both + first.only_i, second.both + second.only_i));
        without = larger(without, larger(first.only_j + first.neither, second.only_j + second.neither));
    }
    return {largest(with), largest(without)};
}

// The same, and the best split whose sides both have the minimum leaf size. No padding column qualifies: one of its
// sides is empty.
template <class Sum>
SizedSplits<Sum> sized_splits(const ClassSums<Sum>* classes, std::size_t n_classes, std::size_t n_columns,
                              const SizeSums<Sum>& sizes) {
    using V = Lanes<Sum>;
    V with, without, with_allowed, without_allowed;
    const V size_with = V::all(sizes.with), size_without = V::all(sizes.without), least = V::all(sizes.least);
    for (std::size_t at = 0; at < n_columns; at += V::n) {
        Quarters<Sum> most;
        for (std::size_t k = 0; k < n_classes; ++k)
            most.template meet<false>(classes[k], V::all(classes[k].with), V::all(classes[k].without), at);
        const V both = V::load(sizes.pairs + at), only_j = V::load(sizes.singles + at) - both;
        const V may_with = reaches(both, least) & reaches(size_with - both, least);
        const V may_without = reaches(only_j, least) & reaches(size_without - only_j, least);
        const V here_with = most.both + most.only_i, here_without = most.only_j + most.neither;
        with = larger(with, here_with);
        without = larger(without, here_without);
        with_allowed = larger(with_allowed, here_with & may_with);
        without_allowed = larger(without_allowed, here_without & may_without);
    }
    return {{largest(with), largest(without)}, {largest(with_allowed), largest(without_allowed)}};
}

}  // namespace
}  // namespace exactree::bits::EXACTREE_ISA
