// How wrong a leaf may be: limits on each leaf by itself.
#pragma once

#include <optional>
#include <vector>

#include "core/data.hpp"

namespace exactree::constrained {

// As LeafLimit in src/exactree/problem/leaf_limit.py; amounts are integers, products stay below 2^53.
struct LeafLimit {
    double wrong_costs = 0, right_earns = 1;  // a leaf may not cost more than it earns
    double small = 0;                         // leaves of less are judged by `errors` alone
    double errors = 0;
    double noise = 0;
    std::optional<Cost> price;  // of a leaf that is not allowed; without one there is none

    bool allows(const Cost* amounts, int n_classes, int label) const noexcept {
        double all = 0;
        for (int k = 0; k < n_classes; ++k) all += static_cast<double>(amounts[k]);
        const auto right = static_cast<double>(amounts[label]);
        if (all < small) return all - right <= errors + noise;
        return wrong_costs * (all - right) <= right_earns * right + noise;
    }
};

// What a leaf with a label costs beside its rows; none if it is not allowed. `amounts` has those of each class for each
// limit.
inline std::optional<Cost> price_of_leaf(const std::vector<LeafLimit>& limits, const Cost* amounts, int n_classes,
                                         int label) noexcept {
    Cost price = 0;
    for (const LeafLimit& limit : limits) {
        if (!limit.allows(amounts, n_classes, label)) {
            if (!limit.price) return std::nullopt;
            price += *limit.price;
        }
        amounts += n_classes;
    }
    return price;
}

}  // namespace exactree::constrained
