#include "searcher.hpp"

#include <algorithm>

namespace exactree {

// One subproblem whose cuts are being tried.
struct Searcher::Exploration {
    const Node& node;
    Frame& frame;
    CutBounds bounds;
    int depth;
    std::int64_t leaves;
    Cost below;
    Listener* listener;
    Known best;
    Cost lowest = kNoCost;          // over the cuts that are done with
    Cost lowest_relaxed = kNoCost;  // the same, leaves of any size allowed
    std::vector<Interval> queue;    // a heap

    Cost target() const noexcept { return std::min(below, best.upper); }

    Cost bound() const {
        Cost out = std::min(lowest, best.upper);
        for (const Interval& open : queue) out = std::min(out, open.bound);
        return out;
    }
};

namespace {

// Columns of which no cut was solved come first, by guess, to find a good tree soon; then the lowest bound. Ties go
// to the lower column and cut, so that every run is the same.
bool comes_later(const Interval& a, const Interval& b) {
    if (a.fresh != b.fresh) return b.fresh;
    const Cost by_a = a.fresh ? a.guess : a.bound, by_b = b.fresh ? b.guess : b.bound;
    if (by_a != by_b) return by_a > by_b;
    if (a.column != b.column) return a.column > b.column;
    return a.low != b.low ? a.low > b.low : a.yes_leaves > b.yes_leaves;
}

}  // namespace

Searcher::Searcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes)
    : data_(data), limits_(limits), watchdog_(watchdog), cache_(cache_bytes), depth_two_(data, limits) {
    twice_least_ += limits.least;
    twice_least_ += limits.least;
    root_.fill(data);
}

Known Searcher::solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) {
    return solve(root_, depth, leaves, below, &listener);
}

Known Searcher::solve(const Node& node, int depth, std::int64_t leaves, Cost below, Listener* listener) {
    ++n_subproblems_;
    Known leaf;
    leaf.lower = leaf.upper = node.leaf_error() + limits_.leaf_price;
    leaf.relaxed = limits_.leaf_price;
    const Shape shape(depth, leaves);
    leaves = shape.leaves;
    depth = shape.depth;
    if (depth <= 0 || leaf.upper <= 2 * limits_.leaf_price) {  // a split costs at least two leaves
        leaf.relaxed = leaf.upper;
        return leaf;
    }
    if (!node.size().reaches(twice_least_)) return leaf;
    std::optional<Known> cached = cache_.find(node.key(), depth, leaves);
    if (cached && (cached->solved() || cached->lower >= below)) {
        ++n_cache_hits_;
        return *cached;
    }
    Known known;
    if (depth == 1)
        known = solve_depth_one(data_, limits_, node, scratch_);
    else if (depth == 2)
        known = depth_two_.solve(node, leaves, below, watchdog_);
    else
        known = explore(node, depth, leaves, below, listener);
    cached = cache_.find(node.key(), depth, leaves);
    if (cached) {  // keep the better of the two proofs
        known.lower = std::max(known.lower, cached->lower);
        known.relaxed = std::max(known.relaxed, cached->relaxed);
    }
    cache_.store(node.key(), depth, leaves, known);
    return known;
}

Known Searcher::explore(const Node& node, int depth, std::int64_t leaves, Cost below, Listener* listener) {
    while (frames_.size() <= static_cast<std::size_t>(depth)) frames_.emplace_back();
    Frame& frame = frames_[static_cast<std::size_t>(depth)];
    frame.prefixes.fill(data_, node);
    Exploration state{
        node,    frame, CutBounds(limits_, node, frame.prefixes), depth, leaves, below, listener, {}, kNoCost,
        kNoCost, {}};
    // The best tree of depth two is a start, and the cost of its cuts tells which to try first.
    state.best = depth_two_.solve(node, std::min<std::int64_t>(leaves, 4), below, watchdog_, &frame.guesses);
    state.best.lower = 0;
    if (listener && state.best.upper < below) listener->improved(state.best, depth);

    const std::int64_t half = most_leaves(depth - 1);
    for (std::int64_t yes = std::max<std::int64_t>(1, leaves - half); yes <= std::min(half, leaves - 1); ++yes)
        for (std::uint32_t column = 0; column < node.columns().size(); ++column) open_column(state, column, yes);
    while (!state.queue.empty() && !watchdog_.stopped()) {
        std::pop_heap(state.queue.begin(), state.queue.end(), comes_later);
        const Interval open = state.queue.back();
        state.queue.pop_back();
        const CutBounds::Choice choice = open.bound >= state.target() ? CutBounds::Choice{}
                                         : open.fresh                 ? state.bounds.best_guess(open, frame.guesses)
                                                                      : state.bounds.middle(open, state.target());
        if (choice.cut < 0) {
            state.lowest = std::min(state.lowest, open.bound);
            state.lowest_relaxed = std::min(state.lowest_relaxed, state.bounds.lowest(open).relaxed);
            continue;
        }
        try_cut(state, open, choice);
        watchdog_.spend(static_cast<std::uint64_t>(open.high - open.low));
        if (listener) listener->bounded(state.bound(), depth);
    }
    state.best.lower = state.bound();
    for (const Interval& open : state.queue)
        state.lowest_relaxed = std::min(state.lowest_relaxed, state.bounds.lowest(open).relaxed);
    const Cost relaxed = std::min(node.leaf_error() + limits_.leaf_price, state.lowest_relaxed);
    state.best.relaxed = limits_.limits_size() ? std::min(relaxed, state.best.lower) : state.best.lower;
    return state.best;
}

void Searcher::open_column(Exploration& state, std::uint32_t column, std::int64_t yes_leaves) {
    const auto n_cuts = static_cast<std::int32_t>(state.node.columns()[column].n_ranks) - 1;
    Interval open{column, -1, n_cuts, {}, {}, yes_leaves};
    const CutBounds::Choice first = state.bounds.best_guess(open, state.frame.guesses);
    if (first.cut >= 0) open.guess = state.frame.guesses[state.bounds.cell(open, first.cut)];
    push(state, open);
}

void Searcher::push(Exploration& state, Interval open) {
    const CutBounds::Lowest lowest = state.bounds.lowest(open);
    open.bound = lowest.allowed;
    if (open.bound >= state.target()) {  // nothing inside is worth trying
        state.lowest = std::min(state.lowest, open.bound);
        state.lowest_relaxed = std::min(state.lowest_relaxed, lowest.relaxed);
        return;
    }
    state.queue.push_back(open);
    std::push_heap(state.queue.begin(), state.queue.end(), comes_later);
}

Known Searcher::solve_side(Exploration& state, const Interval& open, std::int32_t cut, Side side, Cost below) {
    state.frame.child.fill(data_, state.node, open.column, static_cast<std::uint32_t>(cut), side);
    watchdog_.spend(state.node.n_rows() * state.node.columns().size());
    const std::int64_t leaves = side == Side::yes ? open.yes_leaves : state.leaves - open.yes_leaves;
    return solve(state.frame.child, state.depth - 1, leaves, below, nullptr);
}

void Searcher::try_cut(Exploration& state, const Interval& open, CutBounds::Choice choice) {
    ++n_cuts_tried_;
    const std::size_t cell = state.bounds.cell(open, choice.cut);
    Ends ends = state.bounds.at(open, choice.cut);
    const bool yes_first = 2 * state.frame.prefixes.base[cell] >= state.node.base();
    // A little beyond what this cut needs: an exact value also decides the cuts around it.
    const Cost slack = choice.width / 2;
    const Side first_side = yes_first ? Side::yes : Side::no, second_side = yes_first ? Side::no : Side::yes;
    Cost& first_end = yes_first ? ends.yes : ends.no;
    Cost& second_end = yes_first ? ends.no : ends.yes;

    const Known first = solve_side(state, open, choice.cut, first_side, state.target() - second_end + slack);
    first_end = std::max(first_end, first.relaxed);
    Cost lower = std::max(first.lower, first_end) + second_end;
    if (lower < state.target() && !watchdog_.stopped()) {
        const Known second = solve_side(state, open, choice.cut, second_side, state.target() - first.lower + slack);
        second_end = std::max(second_end, second.relaxed);
        lower = std::max(first.lower, first_end) + std::max(second.lower, second_end);
        const Cost cost = first.upper + second.upper;
        // An unsolved side (the search was stopped) would have to be searched again to write the tree down.
        if (first.solved() && second.solved() && cost < state.best.upper) {
            state.best.upper = cost;
            state.best.question = state.node.question(open.column, static_cast<std::uint32_t>(choice.cut));
            state.best.yes_leaves = open.yes_leaves;
            state.best.no_leaves = state.leaves - open.yes_leaves;
            if (state.listener && cost < state.below) state.listener->improved(state.best, state.depth);
        }
    }
    state.lowest = std::min(state.lowest, lower);
    state.lowest_relaxed = std::min(state.lowest_relaxed, ends.yes + ends.no);
    Interval under = open, over = open;
    under.fresh = over.fresh = false;
    under.high = over.low = choice.cut;
    under.at_high = over.at_low = ends;
    if (under.high - under.low > 1) push(state, under);
    if (over.high - over.low > 1) push(state, over);
}

Tree Searcher::write_down(const Known& root, int depth) {
    watchdog_.hold(true);
    Tree out;
    write(root_, root, depth, out);
    watchdog_.hold(false);
    return out;
}

std::int32_t Searcher::write(const Node& node, const Known& known, int depth, Tree& out) {
    const auto here = static_cast<std::int32_t>(out.size());
    out.push_back({-1, -1, -1, -1, node.best_label()});
    if (known.question.column < 0) return here;
    out[here].column = known.question.column;
    out[here].rank = static_cast<std::int32_t>(known.question.rank);
    const auto [column, cut] = node.locate(known.question);
    for (const Side side : {Side::yes, Side::no}) {
        Node child;
        child.fill(data_, node, column, cut, side);
        const std::int64_t share = side == Side::yes ? known.yes_leaves : known.no_leaves;
        const Known best = solve(child, depth - 1, share, known.upper + 1, nullptr);
        const std::int32_t at = write(child, best, depth - 1, out);
        (side == Side::yes ? out[here].yes : out[here].no) = at;
    }
    return here;
}

std::vector<std::pair<std::string, std::uint64_t>> Searcher::counters() const {
    return {{"subproblems", n_subproblems_},
            {"cache_hits", n_cache_hits_},
            {"cache_entries", cache_.size()},
            {"cuts_tried", n_cuts_tried_},
            {"depth_two_cuts", depth_two_.n_cuts_scored()}};
}

}  // namespace exactree
