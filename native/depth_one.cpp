#include "depth_one.hpp"

namespace exactree {
namespace {

// Smallest and largest prefix sums met so far. Starting from 0 stands for the split that parts nothing.
struct Range {
    Cost low = 0, high = 0;
    void meet(Cost value) noexcept {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    // With prefix p and total d of (gain of class 1 - gain of class 0) and s of their sum, the two sides gain
    // (s + |p| + |d - p|) / 2, and |p| + |d - p| is largest at the smallest or the largest p.
    Cost best_gain(Cost sum, Cost difference) const noexcept {
        return (sum + std::max(2 * high - difference, difference - 2 * low)) / 2;
    }
};

template <bool kSizes>
SplitGains two_classes(const Node& node, const Tally& all, const Tally& left, const Limits& limits) {
    Range yes, no, yes_relaxed, no_relaxed;
    for (const NodeColumn& column : node.columns()) {
        Cost prefix = 0, prefix_all = 0;
        Size low, low_all;
        const std::size_t end = column.first_cell + column.n_ranks - 1;
        for (std::size_t cell = column.first_cell; cell < end; ++cell) {
            prefix += left.sums()[cell];
            prefix_all += all.sums()[cell];
            yes_relaxed.meet(prefix);
            no_relaxed.meet(prefix_all - prefix);
            if constexpr (kSizes) {
                low += left.sizes()[cell];
                low_all += all.sizes()[cell];
                const Size low_right = low_all - low, right = all.size() - left.size();
                if (limits.allows(low, left.size() - low)) yes.meet(prefix);
                if (limits.allows(low_right, right - low_right)) no.meet(prefix_all - prefix);
            }
        }
    }
    const Cost left_sum = left.gains()[0] + left.gains()[1], left_difference = left.gains()[1] - left.gains()[0];
    const Cost right_sum = all.gains()[0] + all.gains()[1] - left_sum;
    const Cost right_difference = all.gains()[1] - all.gains()[0] - left_difference;
    SplitGains out;
    out.left_relaxed = yes_relaxed.best_gain(left_sum, left_difference);
    out.right_relaxed = no_relaxed.best_gain(right_sum, right_difference);
    out.left = kSizes ? yes.best_gain(left_sum, left_difference) : out.left_relaxed;
    out.right = kSizes ? no.best_gain(right_sum, right_difference) : out.right_relaxed;
    return out;
}

// Gains per class on both sides of the root cut, each cut in two by the prefix of one column.
class ManyClasses {
 public:
    ManyClasses(const Tally& all, const Tally& left) : all_(all), left_(left), n_(all.gains().size()) {
        prefix_left_.resize(n_);
        prefix_right_.resize(n_);
    }
    void restart() {
        std::fill(prefix_left_.begin(), prefix_left_.end(), 0);
        std::fill(prefix_right_.begin(), prefix_right_.end(), 0);
    }
    // Moves a cell to the low part of both sides and returns what each side gains then.
    std::pair<Cost, Cost> move(std::size_t cell) {
        Cost left_low = 0, left_high = 0, right_low = 0, right_high = 0;
        for (std::size_t k = 0; k < n_; ++k) {
            const Cost at_left = left_.sums()[cell * n_ + k];
            prefix_left_[k] += at_left;
            prefix_right_[k] += all_.sums()[cell * n_ + k] - at_left;
            const Cost left_total = left_.gains()[k], right_total = all_.gains()[k] - left_total;
            left_low = std::max(left_low, prefix_left_[k]);
            left_high = std::max(left_high, left_total - prefix_left_[k]);
            right_low = std::max(right_low, prefix_right_[k]);
            right_high = std::max(right_high, right_total - prefix_right_[k]);
        }
        return {left_low + left_high, right_low + right_high};
    }

 private:
    const Tally& all_;
    const Tally& left_;
    std::size_t n_;
    std::vector<Cost> prefix_left_, prefix_right_;
};

template <bool kSizes>
SplitGains many_classes(const Node& node, const Tally& all, const Tally& left, const Limits& limits) {
    SplitGains out;
    ManyClasses sides(all, left);
    for (const NodeColumn& column : node.columns()) {
        sides.restart();
        Size low, low_all;
        const std::size_t end = column.first_cell + column.n_ranks - 1;
        for (std::size_t cell = column.first_cell; cell < end; ++cell) {
            const auto [at_left, at_right] = sides.move(cell);
            out.left_relaxed = std::max(out.left_relaxed, at_left);
            out.right_relaxed = std::max(out.right_relaxed, at_right);
            if constexpr (kSizes) {
                low += left.sizes()[cell];
                low_all += all.sizes()[cell];
                const Size low_right = low_all - low, right = all.size() - left.size();
                if (limits.allows(low, left.size() - low)) out.left = std::max(out.left, at_left);
                if (limits.allows(low_right, right - low_right)) out.right = std::max(out.right, at_right);
            }
        }
    }
    if constexpr (!kSizes) {
        out.left = out.left_relaxed;
        out.right = out.right_relaxed;
    }
    return out;
}

}  // namespace

SplitGains best_splits(const Node& node, const Tally& all, const Tally& left, const Limits& limits) {
    if (all.width() == 1)
        return limits.limits_size() ? two_classes<true>(node, all, left, limits)
                                    : two_classes<false>(node, all, left, limits);
    return limits.limits_size() ? many_classes<true>(node, all, left, limits)
                                : many_classes<false>(node, all, left, limits);
}

Known solve_depth_one(const Data& data, const Limits& limits, const Node& node, Tally& scratch) {
    Known known;
    known.upper = node.leaf_error() + limits.leaf_price;
    known.relaxed = known.upper;
    // One column at a time, plainly: this runs once per leaf of the answer, not once per subproblem.
    for (std::size_t j = 0; j < node.columns().size(); ++j) {
        scratch.clear(data, node, false);
        const NodeColumn& column = node.columns()[j];
        for (std::uint32_t cut = 0; cut + 1 < column.n_ranks; ++cut) {
            const std::uint32_t begin = node.cell_begin(column.first_cell + cut), end = node.cell_end(column, cut);
            for (std::uint32_t at = begin; at < end; ++at) scratch.add(data, node, node.order(j)[at]);
            Cost high = 0;
            for (std::size_t k = 0; k < node.gains().size(); ++k)
                high = std::max(high, node.gains()[k] - scratch.gains()[k]);
            const Cost cost = node.base() - scratch.best_gain() - high + 2 * limits.leaf_price;
            known.relaxed = std::min(known.relaxed, cost);
            if (cost >= known.upper || !limits.allows(scratch.size(), node.size() - scratch.size())) continue;
            known.upper = cost;
            known.question = node.question(j, cut);
            known.yes_leaves = known.no_leaves = 1;
        }
    }
    known.lower = known.upper;
    return known;
}

}  // namespace exactree
