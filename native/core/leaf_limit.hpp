// Limits on every leaf by itself: which label a leaf may have, given the amounts of each class in it.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace exactree {

// At least a share of a leaf is right; a small leaf may have so much wrong instead. The same rule as LeafLimit in
// problem/leaf_limit.py, and the same numbers: amounts are integers where the sample weights have a common unit, and
// then all of this is exact in doubles; `noise` is 0 there.
struct LeafLimit {
    double costs = 0, earns = 1;  // a wrong unit costs, a right one earns; a leaf may not cost more than it earns
    double noise = 0;
    double small = 0, errors = 0;  // leaves of less than `small` in all are judged by what is wrong
    // What a leaf that breaks the limit adds to the cost; infinite where it is not allowed at all.
    double price = std::numeric_limits<double>::infinity();

    bool is_hard() const noexcept { return price == std::numeric_limits<double>::infinity(); }
    bool allows(double right, double wrong) const noexcept {
        return right + wrong < small ? wrong <= errors + noise : costs * wrong <= earns * right + noise;
    }
    // Whether a leaf may be allowed of which only bounds of what is right and what is wrong are known.
    bool may_allow(double least_right, double most_right, double least_wrong, double most_wrong) const noexcept {
        if (least_right + least_wrong < small && least_wrong <= errors + noise) return true;
        return most_right + most_wrong >= small && costs * least_wrong <= earns * most_right + noise;
    }
};

// Whether a leaf of these amounts by class may have a label, by all hard limits.
inline bool allows_label(std::span<const LeafLimit> limits, std::span<const double> amounts,
                         std::size_t label) noexcept {
    double total = 0;
    for (const double amount : amounts) total += amount;
    for (const LeafLimit& limit : limits)
        if (limit.is_hard() && !limit.allows(amounts[label], total - amounts[label])) return false;
    return true;
}

}  // namespace exactree
