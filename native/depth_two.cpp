#include "depth_two.hpp"

#include "sides.hpp"

namespace exactree {

struct DepthTwo::Sweep {
    std::int64_t leaves;
    Cost below;
    std::vector<Cost>* guesses;
    Known best;
    Cost lowest = kNoCost;          // over all cuts: cost if allowed, or a bound
    Cost lowest_relaxed = kNoCost;  // the same, leaves of any size allowed
    // of the cut at hand
    Cost cost = kNoCost, relaxed = kNoCost;
    std::int64_t yes_leaves = 2, no_leaves = 2;
    int used = 1, best_used = 1;  // leaves that the cut at hand and the best tree really need

    Cost target() const noexcept { return std::min(below, best.upper); }
};

void DepthTwo::score(const Node& node, Sweep& state) {
    ++n_cuts_scored_;
    const SplitGains gains = best_splits(node, all_, left_, limits_);
    Cost right_leaf = 0;
    for (std::size_t k = 0; k < all_.gains().size(); ++k)
        right_leaf = std::max(right_leaf, all_.gains()[k] - left_.gains()[k]);
    const Cost price = limits_.leaf_price, right_base = all_.base() - left_.base();
    const Joined best = join(SideCosts::of(left_.base(), left_.best_gain(), gains.left, price),
                             SideCosts::of(right_base, right_leaf, gains.right, price), state.leaves);
    const Joined relaxed = join(SideCosts::of(left_.base(), left_.best_gain(), gains.left_relaxed, price),
                                SideCosts::of(right_base, right_leaf, gains.right_relaxed, price), state.leaves);
    state.cost = best.cost;
    state.yes_leaves = best.yes_leaves;
    state.no_leaves = best.no_leaves;
    state.used = best.used;
    state.relaxed = relaxed.cost;
    if (!limits_.allows(left_.size(), all_.size() - left_.size())) state.cost = kNoCost;
}

void DepthTwo::sweep(const Node& node, std::size_t column, Watchdog& watchdog, Sweep& state) {
    const NodeColumn& by = node.columns()[column];
    left_.clear(data_, node, limits_.limits_size());
    Cost last = -kNoCost, base_then = 0;  // relaxed cost of the last cut scored, and the base left of it
    for (std::uint32_t cut = 0; cut + 1 < by.n_ranks; ++cut) {
        const std::uint32_t begin = node.cell_begin(by.first_cell + cut), end = node.cell_end(by, cut);
        for (std::uint32_t at = begin; at < end; ++at) left_.add(data_, node, node.order(column)[at]);
        std::uint64_t work = (end - begin) * node.columns().size();
        const Cost bound = last - (left_.base() - base_then);
        if (bound >= state.target()) {
            state.lowest = std::min(state.lowest, bound);
            state.lowest_relaxed = std::min(state.lowest_relaxed, bound);
            if (state.guesses) (*state.guesses)[by.first_cell + cut] = bound;
        } else {
            score(node, state);
            work += node.n_cells() * left_.width();
            last = state.relaxed;
            base_then = left_.base();
            state.lowest = std::min(state.lowest, state.cost);
            state.lowest_relaxed = std::min(state.lowest_relaxed, state.relaxed);
            if (state.guesses) (*state.guesses)[by.first_cell + cut] = state.relaxed;
            if (state.cost < state.best.upper || (state.cost == state.best.upper && state.used < state.best_used)) {
                state.best_used = state.used;
                state.best.upper = state.cost;
                state.best.question = node.question(column, cut);
                state.best.yes_leaves = state.yes_leaves;
                state.best.no_leaves = state.no_leaves;
            }
        }
        if (watchdog.spend(work)) return;
    }
}

Known DepthTwo::solve(const Node& node, std::int64_t leaves, Cost below, Watchdog& watchdog,
                      std::vector<Cost>* guesses) {
    all_.clear(data_, node, limits_.limits_size());
    all_.add_all(data_, node);
    if (guesses) guesses->assign(node.n_cells(), kNoCost);
    Sweep state{leaves, below, guesses, {}, kNoCost, kNoCost, kNoCost, kNoCost, 2, 2, 1, 1};
    state.best.upper = node.leaf_error() + limits_.leaf_price;
    state.lowest_relaxed = state.best.upper;
    for (std::size_t column = 0; column < node.columns().size(); ++column) {
        if (state.target() <= 2 * limits_.leaf_price) {  // no split can be better
            state.lowest = std::min(state.lowest, 2 * limits_.leaf_price);
            state.lowest_relaxed = std::min(state.lowest_relaxed, 2 * limits_.leaf_price);
            break;
        }
        sweep(node, column, watchdog, state);
        if (watchdog.stopped()) {
            state.best.lower = state.best.relaxed = 0;
            return state.best;
        }
    }
    state.best.lower = std::min(state.best.upper, state.lowest);
    state.best.relaxed = std::min(state.best.lower, state.lowest_relaxed);
    return state.best;
}

}  // namespace exactree
