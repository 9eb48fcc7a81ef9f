// The best second questions of a tree of depth two, for any number of classes: compiled as a part of bit_ops.inl.
#include <algorithm>

#include "bit_ops.hpp"
#include "lanes.inl"

namespace exactree::EXACTREE_ISA {
namespace {

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

// Columns are padded to a multiple of kColumnBlock; what stands there is zero and parts no rows.
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

}  // namespace
}  // namespace exactree::EXACTREE_ISA
