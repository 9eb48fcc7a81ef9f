// Cuts of a set of rows in intervals, the lowest bound first.
#include <algorithm>

#include "core/tree_searcher.hpp"
#include "leaf_limits/searcher.hpp"

namespace exactree::leaf_limits {

namespace {

constexpr double kFirstWidth = 1.0 / 16;  // share of the rows that an interval has between its ends to be bounded
constexpr int kFreeDepth = 3;             // of trees whose first cuts are bounded without limits first
constexpr double kWider = 1.5;            // after an interval was pruned; after one was not, by so much less

}  // namespace

Found LimitSearcher::explore(const RowSet& set, int depth, std::int64_t leaves, double below, bool is_root) {
    Exploration state{set, depth, leaves, below, is_root};
    state.rows.resize(data_.data.n_columns());
    for (std::size_t i = set.sure; i < set.rows.size(); ++i) state.slack += data_.count[set.rows[i]];
    state.width = kFirstWidth * static_cast<double>(set.rows.size());
    const double floor = floor_of(set) + costs_.rules().leaf_price;
    for (std::uint32_t column = 0; column < data_.data.n_columns(); ++column)
        if (data_.data.n_ranks[column] > 1) state.queue.push_back({column, 0, data_.data.n_ranks[column] - 2, floor});
    const auto later = [](const WaitingCuts& a, const WaitingCuts& b) {
        return a.bound != b.bound ? a.bound > b.bound : a.column > b.column;
    };
    std::make_heap(state.queue.begin(), state.queue.end(), later);
    while (!state.queue.empty() && !watchdog_.stopped()) {
        const WaitingCuts open = state.queue.front();
        if (is_root) listener_->bounded(std::min({open.bound, state.best.lower, below}));
        if (open.bound >= target(below, state.best)) break;
        std::pop_heap(state.queue.begin(), state.queue.end(), later);
        state.queue.pop_back();
        const std::size_t before = state.queue.size();
        try_cuts(state, open);
        for (std::size_t at = before; at < state.queue.size(); ++at)
            std::push_heap(state.queue.begin(), state.queue.begin() + static_cast<std::ptrdiff_t>(at) + 1, later);
    }
    return ended(state.best, below);
}

std::vector<double> LimitSearcher::rows_up_to(const RowSet& set, std::size_t column) const {
    std::vector<double> up_to(data_.data.n_ranks[column], 0.0);
    for (const RowId row : set.rows) up_to[data_.data.rank(column, row)] += data_.count[row];
    for (std::size_t rank = 1; rank < up_to.size(); ++rank) up_to[rank] += up_to[rank - 1];
    return up_to;
}

void LimitSearcher::bisect(Exploration& state, const WaitingCuts& open, double bound) const {
    const std::vector<double>& up_to = state.rows[open.column];
    const double half = (up_to[open.first] + up_to[open.last]) / 2;
    const auto first = up_to.begin() + open.first, last = up_to.begin() + open.last;
    // The last cut of the lower part: at least one, and not the last of all.
    const auto above = std::upper_bound(first, last, half);
    const auto middle = std::clamp<std::ptrdiff_t>(above - first - 1, 0, last - first - 1);
    const auto cut = open.first + static_cast<Rank>(middle);
    state.queue.push_back({open.column, open.first, cut, bound});
    state.queue.push_back({open.column, cut + 1, open.last, bound});
}

// Whether trees without limits are a better bound of first cuts than what is known.
bool LimitSearcher::raise_bound(const Exploration& state, WaitingCuts& open) {
    if (free_ == nullptr || !state.is_root || open.is_bounded || state.depth < kFreeDepth) return false;
    const double below = std::min(state.below, state.best.lower);
    const double bound = free_->of_cuts(open.column, open.first, open.last, state.depth, state.leaves, below);
    open.is_bounded = true;
    if (watchdog_.stopped() || bound <= open.bound) return false;
    open.bound = bound;
    return true;
}

void LimitSearcher::try_cuts(Exploration& state, WaitingCuts open) {
    std::vector<double>& up_to = state.rows[open.column];
    if (up_to.empty()) up_to = rows_up_to(state.set, open.column);
    const double least = costs_.rules().min_rows;
    if (up_to[open.last] < least || up_to.back() - up_to[open.first] < least) return;
    const double between = up_to[open.last] - up_to[open.first];
    const bool single = between == 0;
    const bool ends = single || between <= state.slack / 2;
    if (between <= state.width && raise_bound(state, open)) return state.queue.push_back(open);
    if (!ends && between > (has_pair_sums_ ? 0.0 : state.width)) return bisect(state, open, open.bound);
    const Question question{static_cast<std::int32_t>(open.column), open.first};
    const CutSides sides = worst_leaf::sides_of(data_.data, state.set, open.column, open.first, open.last);
    Found found = solve_sides(sides, question, state);
    if (watchdog_.stopped()) return;
    found.lower = std::max(found.lower, open.bound);
    const bool pruned = found.lower >= target(state.below, state.best);
    if (!single) state.width = std::max(1.0, pruned ? state.width * kWider : state.width / kWider);
    if (pruned) return;
    if (!ends) return bisect(state, open, found.lower);
    if (state.set.exact() && !found.plan) return;
    state.best = found;
    if (state.is_root) listener_->improved(found);
}

// The cheapest allocation of leaves to both sides.
Found LimitSearcher::solve_sides(const CutSides& sides, Question question, const Exploration& state) {
    const std::int64_t most = full_tree_leaves(state.depth - 1), leaves = state.leaves;
    const double below = std::min(state.below, state.best.lower);
    if (leaves >= 2 * most) return solve_sides(sides, question, state.depth, most, most, below);
    Found best;
    for (std::int64_t yes = std::max<std::int64_t>(1, leaves - most); yes <= std::min(most, leaves - 1); ++yes) {
        const Found found = solve_sides(sides, question, state.depth, yes, leaves - yes,
                                        std::min(below, best.plan ? best.lower : below));
        if (found.lower < best.lower) best = found;
    }
    return best;
}

Found LimitSearcher::solve_sides(const CutSides& sides, Question question, int depth, std::int64_t leaves_yes,
                                 std::int64_t leaves_no, double below) {
    const double noise = costs_.rules().noise;
    const bool yes_first = sides.yes.rows.size() <= sides.no.rows.size();
    const RowSet &first = yes_first ? sides.yes : sides.no, &second = yes_first ? sides.no : sides.yes;
    const double floor = floor_of(second);
    const Found one = solve(first, depth - 1, yes_first ? leaves_yes : leaves_no, below - floor);
    if (one.lower + floor >= below - noise) return {one.lower + floor, nullptr};
    const Found other = solve(second, depth - 1, yes_first ? leaves_no : leaves_yes, below - one.lower);
    Found both{one.lower + other.lower, nullptr};
    if (one.plan && other.plan)
        both.plan = FrontTree::branch(question, (yes_first ? one : other).plan, (yes_first ? other : one).plan);
    return both;
}

}  // namespace exactree::leaf_limits
