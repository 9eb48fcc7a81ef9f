// What the predictions of rows cost and add to the sums that constraints limit.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/data.hpp"
#include "core/leaf_limit.hpp"
#include "core/tree_searcher.hpp"

namespace exactree::constrained {

// Channels of a row: for each label its cost and its part of every sum, then what leaf limits count. The first row of a
// group carries those of the whole group, the others zeros; so rows of a node add up.
struct Channels {
    int n_classes = 0;
    std::size_t n_sums = 0;
    std::size_t width = 0;          // of a row
    Cost leaf_price = 0;            // in the units of the costs here
    std::span<const Cost> of_rows;  // rows x width

    const Cost* row(RowId at) const noexcept { return of_rows.data() + static_cast<std::size_t>(at) * width; }
    // Within the channels of a row, or their sum over rows.
    const Cost& cost(const Cost* channels, int label) const noexcept { return channels[part(label)]; }
    const Cost* sums(const Cost* channels, int label) const noexcept { return channels + part(label) + 1; }
    const Cost* amounts(const Cost* channels) const noexcept { return channels + part(n_classes); }
    void add(Cost* to, RowId at) const noexcept {
        const Cost* from = row(at);
        for (std::size_t c = 0; c < width; ++c) to[c] += from[c];
    }

 private:
    std::size_t part(int label) const noexcept { return static_cast<std::size_t>(label) * (1 + n_sums); }
};

// Penalty of the largest violation among several limits on sums: `price` per `unit` of it.
struct SoftLimit {
    struct LimitedSum {
        std::size_t sum;
        double sign;     // 1 where the sum is limited from above, -1 where from below
        double at_most;  // of sign times the sum
        double unit;     // of violation
    };
    double price = 0;
    std::vector<LimitedSum> sides;

    double penalty(const Cost* sums) const noexcept {
        double largest = 0;
        for (const LimitedSum& side : sides)
            largest = std::max(largest, (side.sign * static_cast<double>(sums[side.sum]) - side.at_most) / side.unit);
        return price * largest;
    }
};

// What the sums of a tree must be.
struct SumLimits {
    std::vector<Cost> least, most;  // by sum
    std::vector<SoftLimit> soft;

    // There is one sum or more, and none has a price or is limited from below.
    bool one_sided() const noexcept {
        return soft.empty() &&
               std::all_of(least.begin(), least.end(), [](Cost lowest) { return lowest <= -kInfiniteCost; });
    }
    bool allow(const Cost* sums) const noexcept {
        for (std::size_t j = 0; j < least.size(); ++j)
            if (sums[j] < least[j] || sums[j] > most[j]) return false;
        return true;
    }
    double penalty(const Cost* sums) const noexcept {
        double total = 0;
        for (const SoftLimit& limit : soft) total += limit.penalty(sums);
        return total;
    }
};

// What a tree must be, and what its leaves cost beside the relaxed cost.
struct ListingRules {
    const Limits& limits;
    const Channels& channels;  // of costs in units of their own
    const SumLimits& sums;
    const std::vector<LeafLimit>& leaf_limits;

    int depth() const noexcept {
        return static_cast<int>(std::min<std::int64_t>(limits.max_depth, limits.max_leaves - 1));
    }
    bool counts_leaves() const noexcept { return limits.max_leaves < full_tree_leaves(limits.max_depth); }
    // Cost of a leaf with a label, from sums of channels; none if the label is not allowed.
    std::optional<Cost> leaf_cost(const Cost* sums_of_channels, int label) const;
};

}  // namespace exactree::constrained
