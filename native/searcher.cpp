#include "searcher.hpp"

#include <algorithm>

#include "depth_one.hpp"

namespace exactree {

// One subproblem whose cuts are being tried.
struct Searcher::Exploration {
    Exploration(const Data& data, const Limits& limits, const Node& at, Frame& room, int levels, const Wanted& asked,
                Listener* told)
        : node(at), frame(room), bounds(data, limits, at), depth(levels), wanted(asked), listener(told) {}

    const Node& node;
    Frame& frame;
    CutBounds bounds;
    int depth;
    const Wanted& wanted;
    Listener* listener;
    Known best;
    Cost lowest = kNoCost;          // over the cuts that had to be left unsolved
    Cost lowest_relaxed = kNoCost;  // over the cuts that are done with, leaves of any size allowed
    std::vector<Interval> columns;  // not tried yet, the most promising last
    std::vector<Interval> queue;    // a heap

    Cost target() const noexcept { return std::min(wanted.below, best.upper); }
    std::int64_t no_leaves(const Interval& open) const noexcept { return wanted.leaves - open.yes_leaves; }
    bool done() const noexcept { return target() <= wanted.at_least; }

    // Of all allowed trees. Cuts that are done with cost no less than the target.
    Cost bound() const {
        if (done()) return target();
        Cost out = std::min(lowest, target());
        if (!queue.empty()) out = std::min(out, queue.front().bound);
        for (const Interval& open : columns) out = std::min(out, open.bound);
        return out;
    }
};

Searcher::Searcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
                   const Settings& settings, bool portable)
    : data_(data),
      limits_(limits),
      watchdog_(watchdog),
      settings_(settings),
      cache_(cache_bytes),
      depth_two_(make_depth_two(data, limits, portable)) {
    twice_least_ += limits.least;
    twice_least_ += limits.least;
    root_.fill(data);
}

Known Searcher::solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) {
    return solve(root_, depth, {leaves, below}, &listener);
}

Known Searcher::solve(const Node& node, int depth, const Wanted& asked, Listener* listener) {
    ++n_subproblems_;
    Known leaf;
    leaf.lower = leaf.upper = node.leaf_error() + limits_.leaf_price;
    leaf.relaxed = limits_.leaf_price;
    const Shape shape(depth, asked.leaves);
    Wanted wanted = asked;
    wanted.leaves = shape.leaves;
    if (shape.depth <= 0 || leaf.upper <= 2 * limits_.leaf_price) {  // a split costs at least two leaves
        leaf.relaxed = leaf.upper;
        return leaf;
    }
    if (!node.size().reaches(twice_least_)) return leaf;
    std::optional<Known> cached;
    if (settings_.cache) cached = cache_.find(node.key(), shape.depth, shape.leaves);
    if (cached && (cached->solved() || cached->lower >= wanted.below)) {
        ++n_cache_hits_;
        return *cached;
    }
    Known known;
    if (shape.depth == 1)
        known = solve_depth_one(data_, limits_, node);
    else if (shape.depth == 2)
        known = depth_two_->solve(node, wanted, watchdog_, nullptr);
    else
        known = explore(node, shape.depth, wanted, listener);
    if (!settings_.cache) return known;
    cached = cache_.find(node.key(), shape.depth, shape.leaves);
    if (cached) {  // keep the better of the two proofs
        known.lower = std::max(known.lower, cached->lower);
        known.relaxed = std::max(known.relaxed, cached->relaxed);
    }
    cache_.store(node.key(), shape.depth, shape.leaves, known);
    return known;
}

Known Searcher::explore(const Node& node, int depth, const Wanted& wanted, Listener* listener) {
    while (frames_.size() <= static_cast<std::size_t>(depth)) frames_.emplace_back();
    Exploration state(data_, limits_, node, frames_[static_cast<std::size_t>(depth)], depth, wanted, listener);
    // The best tree of depth two is a start, and the cost of its cuts tells which to try first.
    Wanted shallow = wanted;
    shallow.leaves = std::min<std::int64_t>(wanted.leaves, 4);
    state.best = depth_two_->solve(node, shallow, watchdog_, &state.frame.guesses);
    state.lowest_relaxed = node.leaf_error() + limits_.leaf_price;
    if (listener && state.best.upper < wanted.below) listener->improved(state.best, depth);
    open_columns(state);
    // All columns of the root, to find good trees soon; below it, where there are good ones, only the best guess.
    for (std::size_t n = listener ? state.columns.size() : 1; n > 0 && !state.columns.empty(); --n) {
        const Interval open = state.columns.back();
        state.columns.pop_back();
        try_interval(state, open, state.frame.guesses[open.column].cut);
    }
    for (const Interval& open : state.columns) push(state, open);
    state.columns.clear();
    while (!state.queue.empty() && !state.done() && !watchdog_.stopped()) {
        std::pop_heap(state.queue.begin(), state.queue.end(), comes_later);
        const Interval open = state.queue.back();
        state.queue.pop_back();
        try_interval(state, open, 0);
    }
    state.best.lower = state.bound();
    for (const Interval& open : state.queue) state.lowest_relaxed = std::min(state.lowest_relaxed, open.bound);
    if (state.done() && !watchdog_.stopped()) state.lowest_relaxed = std::max(state.lowest_relaxed, state.target());
    state.best.relaxed = limits_.limits_size() ? std::min(state.lowest_relaxed, state.best.lower) : state.best.lower;
    return state.best;
}

// A bound of the cost of all rows as one side of a split.
Cost Searcher::bound_of_whole(const Exploration& state, std::int64_t leaves) const {
    if (state.depth == 3) return state.best.relaxed;  // still that of depth two
    const Shape shape(state.depth - 1, leaves);
    const std::optional<Known> known =
        settings_.cache ? cache_.find(state.node.key(), shape.depth, shape.leaves) : std::nullopt;
    return known ? known->relaxed : 0;
}

void Searcher::open_columns(Exploration& state) {
    std::vector<Guess>& guesses = state.frame.guesses;
    for (const Question& hint : state.wanted.hints) {
        const std::optional<Cut> cut = state.node.locate(hint);
        if (cut) guesses[cut->column] = {0, cut->place};
    }
    const std::int64_t leaves = state.wanted.leaves, half = most_leaves(state.depth - 1);
    for (std::int64_t yes = std::max<std::int64_t>(1, leaves - half); yes <= std::min(half, leaves - 1); ++yes) {
        const Cost whole_yes = bound_of_whole(state, yes), whole_no = bound_of_whole(state, leaves - yes);
        for (std::uint32_t column = 0; column < state.node.n_columns(); ++column)
            state.columns.push_back(state.bounds.all(column, yes, whole_yes, whole_no));
    }
    std::stable_sort(state.columns.begin(), state.columns.end(), [&](const Interval& a, const Interval& b) {
        return guesses[a.column].cost > guesses[b.column].cost;
    });
}

void Searcher::push(Exploration& state, Interval open) {
    if (open.high - open.low <= 1) return;
    state.bounds.update(open);
    state.queue.push_back(open);
    std::push_heap(state.queue.begin(), state.queue.end(), comes_later);
}

// Tries the cut `guess` of an interval, or one in the middle of those that may still be good.
void Searcher::try_interval(Exploration& state, const Interval& open, Place guess) {
    const Alive alive = open.bound >= state.target() ? Alive{} : state.bounds.alive(open, state.target());
    if (alive.empty() || watchdog_.stopped()) {
        // Cuts that are left out are either bounded by the target or leave too little on one side.
        state.lowest_relaxed = std::min(state.lowest_relaxed, open.bound);
        if (!alive.empty()) state.lowest = std::min(state.lowest, open.bound);
        return;
    }
    const bool use_guess = alive.first <= guess && guess <= alive.last;
    const Place cut = use_guess ? guess : state.bounds.middle(open, alive);
    try_cut(state, open, cut, state.bounds.reach(open, cut, alive));
    if (state.listener) state.listener->bounded(state.bound(), state.depth);
}

Known Searcher::solve_side(Exploration& state, const Interval& open, Side side, Cost below, Cost at_least) {
    const bool yes = side == Side::yes;
    const Question hints[] = {yes ? open.at_low.yes_asks : open.at_low.no_asks,
                              yes ? open.at_high.yes_asks : open.at_high.no_asks};
    const Wanted wanted{yes ? open.yes_leaves : state.no_leaves(open), below, at_least, hints};
    return solve(yes ? state.frame.yes : state.frame.no, state.depth - 1, wanted, nullptr);
}

// `slack` is what the sides may cost beyond what this cut needs: an exact value also decides the cuts around it.
void Searcher::try_cut(Exploration& state, const Interval& open, Place cut, Cost slack) {
    ++n_cuts_tried_;
    Node::split(data_, state.node, {open.column, cut}, state.frame.yes, state.frame.no);
    watchdog_.spend(4 * state.node.n_rows() * state.node.n_columns());
    Ends ends = state.bounds.at(open, cut);
    const bool yes_first = 2 * state.bounds.base(open, cut) >= state.node.base();
    const Side first_side = yes_first ? Side::yes : Side::no, second_side = yes_first ? Side::no : Side::yes;
    Cost& first_end = yes_first ? ends.yes : ends.no;
    Cost& second_end = yes_first ? ends.no : ends.yes;

    const Known first = solve_side(state, open, first_side, state.target() - second_end + slack, first_end);
    first_end = std::max(first_end, first.relaxed);
    (yes_first ? ends.yes_asks : ends.no_asks) = first.question;
    const Cost first_lower = std::max(first.lower, first_end);
    Cost lower = first_lower + second_end;
    const Cost left = state.target() - first_lower + slack;
    if (left > second_end && !watchdog_.stopped()) {
        const Known second = solve_side(state, open, second_side, left, second_end);
        second_end = std::max(second_end, second.relaxed);
        (yes_first ? ends.no_asks : ends.yes_asks) = second.question;
        lower = first_lower + std::max(second.lower, second_end);
        // An unsolved side (the search was stopped) would have to be searched again to write the tree down.
        if (first.solved() && second.solved()) offer(state, open, cut, first.upper + second.upper);
    }
    if (lower < state.target()) state.lowest = std::min(state.lowest, lower);
    state.lowest_relaxed = std::min(state.lowest_relaxed, ends.cost());
    Interval under = open, over = open;
    under.high = over.low = cut;
    under.at_high = over.at_low = ends;
    push(state, under);
    push(state, over);
}

void Searcher::offer(Exploration& state, const Interval& open, Place cut, Cost cost) {
    if (cost >= state.best.upper) return;
    state.best.upper = cost;
    state.best.question = state.node.question({open.column, cut});
    state.best.yes_leaves = open.yes_leaves;
    state.best.no_leaves = state.no_leaves(open);
    if (state.listener && cost < state.wanted.below) state.listener->improved(state.best, state.depth);
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
    const std::optional<Cut> cut = node.locate(known.question);
    if (!cut) return here;
    out[here].column = known.question.column;
    out[here].rank = static_cast<std::int32_t>(known.question.rank);
    Node yes, no;
    Node::split(data_, node, *cut, yes, no);
    for (const Side side : {Side::yes, Side::no}) {
        const Node& child = side == Side::yes ? yes : no;
        const std::int64_t share = side == Side::yes ? known.yes_leaves : known.no_leaves;
        const Known best = solve(child, depth - 1, {share, known.upper + 1}, nullptr);
        const std::int32_t at = write(child, best, depth - 1, out);
        (side == Side::yes ? out[here].yes : out[here].no) = at;
    }
    return here;
}

std::vector<std::pair<std::string, std::uint64_t>> Searcher::counters() const {
    return {{"subproblems", n_subproblems_}, {"cache_hits", n_cache_hits_},      {"cache_entries", cache_.size()},
            {"cuts_tried", n_cuts_tried_},   {"passes", depth_two_->n_passes()}, {"probes", depth_two_->n_probes()}};
}

}  // namespace exactree
