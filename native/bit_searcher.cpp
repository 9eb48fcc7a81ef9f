#include "bit_searcher.hpp"

#include <algorithm>
#include <cstdlib>

namespace exactree {

// One subproblem whose columns are being tried, for one way to share the leaves.
template <class Ops>
struct BitSearcher<Ops>::Exploration {
    Frame& frame;
    Shape shape;
    Cost below;
    Listener* listener;
    Known best;
    Cost lowest = kNoCost;  // over the columns that are done with
    std::int64_t yes_leaves = 0;

    std::int64_t no_leaves() const noexcept { return shape.leaves - yes_leaves; }
    Cost target() const noexcept { return std::min(below, best.upper); }
    Cost bound(std::size_t column) const noexcept { return frame.yes_bound[column] + frame.no_bound[column]; }
    bool yes_smaller(std::size_t column) const noexcept { return 2 * frame.sums.n_rows(column) <= frame.sums.n_rows(); }
};

template <class Ops>
BitSearcher<Ops>::BitSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
                              Ops ops)
    : limits_(limits),
      watchdog_(watchdog),
      ops_(ops),
      prices_{gain_unit(data), limits.leaf_price},
      cache_(cache_bytes) {
    all_.fill(data, prices_.unit, ops);
}

template <class Ops>
typename BitSearcher<Ops>::Frame& BitSearcher<Ops>::frame(int depth) {
    while (frames_.size() <= static_cast<std::size_t>(depth)) frames_.emplace_back();
    return frames_[static_cast<std::size_t>(depth)];
}

template <class Ops>
Known BitSearcher<Ops>::solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) {
    return solve(all_, all_rows(all_.n_rows()), all_.name(), depth, leaves, below, &listener);
}

template <class Ops>
Known BitSearcher<Ops>::solve(const Table& table, const RowBits& set, Key name, int depth, std::int64_t leaves,
                              Cost below, Listener* listener) {
    ++n_subproblems_;
    const Shape shape(depth, leaves);
    const Known* cached = cache_.find(name, shape.depth + 1, shape.leaves);
    if (cached && (cached->solved() || cached->lower >= below)) {
        ++n_cache_hits_;
        return *cached;
    }
    Known known = shape.depth <= 2 ? solve_shallow(table, set, shape) : explore(table, set, shape, below, listener);
    cached = cache_.find(name, shape.depth + 1, shape.leaves);
    if (cached) known.lower = known.relaxed = std::max(known.lower, cached->lower);
    cache_.store(name, shape.depth + 1, shape.leaves, known);
    return known;
}

template <class Ops>
Known BitSearcher<Ops>::solve_shallow(const Table& table, const RowBits& set, Shape shape) {
    const bool with_pairs = shape.depth == 2 && shape.leaves >= 3;
    shallow_.fill(table, set, ops_, with_pairs);
    n_pair_sums_ += with_pairs;
    watchdog_.spend(table.n_columns() * (with_pairs ? shallow_.n_rows() / 4 + table.stride() / 8 : table.n_words()));
    if (shape.depth > 0) return solve_pairs(table, shallow_, shape.leaves, prices_, ops_);
    Known leaf;
    leaf.upper = prices_.unit * ((shallow_.base() - std::abs(shallow_.sum())) / 2) + prices_.leaf;
    leaf.lower = leaf.relaxed = leaf.upper;
    return leaf;
}

template <class Ops>
Known BitSearcher<Ops>::explore(const Table& table, const RowBits& set, Shape shape, Cost below, Listener* listener) {
    Frame& here = frame(shape.depth);
    here.table.fill(table, set, ops_);
    here.sums.fill(here.table, all_rows(here.table.n_rows()), ops_, true);
    ++n_pair_sums_;
    watchdog_.spend(here.table.n_columns() * (here.table.n_rows() / 2 + here.table.stride() / 8));
    Exploration state{here, shape, below, listener, {}};
    state.best =
        solve_pairs(here.table, here.sums, std::min<std::int64_t>(shape.leaves, 4), prices_, ops_, &here.guesses);
    state.best.lower = state.best.relaxed = 0;
    if (listener && state.best.upper < below) listener->improved(state.best, shape.depth);
    if (state.target() > 2 * prices_.leaf) {
        const std::int64_t half = most_leaves(shape.depth - 1);
        const std::int64_t first = std::max<std::int64_t>(1, shape.leaves - half);
        for (std::int64_t yes = first; yes <= std::min(half, shape.leaves - 1); ++yes) explore_share(state, yes);
    } else {
        state.lowest = 2 * prices_.leaf;  // no split costs less
    }
    state.best.lower = state.best.relaxed = std::min(state.lowest, state.best.upper);
    return state.best;
}

template <class Ops>
void BitSearcher<Ops>::explore_share(Exploration& state, std::int64_t yes_leaves) {
    Frame& here = state.frame;
    state.yes_leaves = yes_leaves;
    here.order.resize(here.table.n_columns());
    for (std::size_t j = 0; j < here.order.size(); ++j) here.order[j] = j;
    std::stable_sort(here.order.begin(), here.order.end(),
                     [&](std::size_t a, std::size_t b) { return here.guesses[a] < here.guesses[b]; });
    here.yes_bound.assign(here.order.size(), prices_.leaf);
    here.no_bound.assign(here.order.size(), prices_.leaf);
    for (std::size_t at = 0; at < here.order.size(); ++at) {
        const std::size_t column = here.order[at];
        if (watchdog_.stopped() || state.bound(column) >= state.target()) {
            ++n_bounded_;
            state.lowest = std::min(state.lowest, state.bound(column));
            continue;
        }
        try_column(state, column);
        bound_others(state, column, at + 1);
        if (state.listener) report(state, at + 1);
    }
}

// Tells the listener what is proved after the first `done` columns of the last way to share the leaves.
template <class Ops>
void BitSearcher<Ops>::report(Exploration& state, std::size_t done) const {
    if (state.yes_leaves < std::min(most_leaves(state.shape.depth - 1), state.shape.leaves - 1)) return;
    Cost bound = std::min(state.lowest, state.best.upper);
    for (std::size_t at = done; at < state.frame.order.size(); ++at)
        bound = std::min(bound, state.bound(state.frame.order[at]));
    state.listener->bounded(bound, state.shape.depth);
}

template <class Ops>
void BitSearcher<Ops>::try_column(Exploration& state, std::size_t column) {
    ++n_columns_tried_;
    Frame& here = state.frame;
    const Word* has = here.table.column(column);
    const RowBits all = all_rows(here.table.n_rows());
    here.yes.resize(all.size());
    here.no.resize(all.size());
    for (std::size_t w = 0; w < all.size(); ++w) {
        here.yes[w] = has[w];
        here.no[w] = all[w] & ~has[w];
    }
    const Key yes_name = here.table.name_of(here.yes), no_name = here.table.name() - yes_name;
    Known yes, no;
    if (state.shape.depth == 3)
        solve_both_pairs(state, yes, no, yes_name, no_name);
    else
        solve_both_deep(state, column, yes, no, yes_name, no_name);
    Cost& yes_bound = here.yes_bound[column];
    Cost& no_bound = here.no_bound[column];
    yes_bound = std::max(yes_bound, yes.lower);
    no_bound = std::max(no_bound, no.lower);
    state.lowest = std::min(state.lowest, yes_bound + no_bound);
    if (!yes.solved() || !no.solved() || yes.upper + no.upper >= state.best.upper) return;
    state.best.upper = yes.upper + no.upper;
    state.best.question = here.table.question(column);
    state.best.yes_leaves = state.yes_leaves;
    state.best.no_leaves = state.no_leaves();
    if (state.listener && state.best.upper < state.below) state.listener->improved(state.best, state.shape.depth);
}

// Both sides have depth two left: the pair sums of the smaller side give both.
template <class Ops>
void BitSearcher<Ops>::solve_both_pairs(Exploration& state, Known& yes, Known& no, Key yes_name, Key no_name) {
    Frame& here = state.frame;
    struct Part {
        Known& known;
        const RowBits& set;
        Key name;
        Shape shape;
        bool cached;
    };
    Part parts[] = {{yes, here.yes, yes_name, Shape(2, state.yes_leaves), false},
                    {no, here.no, no_name, Shape(2, state.no_leaves()), false}};
    for (Part& part : parts)
        if (const Known* cached = cache_.find(part.name, part.shape.depth + 1, part.shape.leaves)) {
            part.known = *cached;
            part.cached = true;
            ++n_cache_hits_;
        }
    if (parts[0].cached && parts[1].cached) return;
    std::size_t n_yes = 0;
    for (const Word w : here.yes) n_yes += static_cast<std::size_t>(std::popcount(w));
    Part &small = parts[2 * n_yes > here.table.n_rows()], &large = parts[2 * n_yes <= here.table.n_rows()];
    here.small.fill(here.table, small.set, ops_, true);
    ++n_pair_sums_;
    watchdog_.spend(here.table.n_columns() * (here.small.n_rows() / 4 + here.table.stride() / 8));
    if (!small.cached) {
        small.known = solve_pairs(here.table, here.small, small.shape.leaves, prices_, ops_);
        cache_.store(small.name, small.shape.depth + 1, small.shape.leaves, small.known);
    }
    if (!large.cached) {
        large.known = solve_rest(here.table, here.sums, here.small, large.shape.leaves, prices_, ops_);
        cache_.store(large.name, large.shape.depth + 1, large.shape.leaves, large.known);
    }
}

// More than depth two left: the larger side first, as it is the more likely to show that the column cannot help.
template <class Ops>
void BitSearcher<Ops>::solve_both_deep(Exploration& state, std::size_t column, Known& yes, Known& no, Key yes_name,
                                       Key no_name) {
    Frame& here = state.frame;
    const int depth = state.shape.depth - 1;
    const bool no_first = state.yes_smaller(column);
    const auto solve_side = [&](bool side_no, Cost below) {
        return side_no ? solve(here.table, here.no, no_name, depth, state.no_leaves(), below, nullptr)
                       : solve(here.table, here.yes, yes_name, depth, state.yes_leaves, below, nullptr);
    };
    const Cost second_bound = no_first ? here.yes_bound[column] : here.no_bound[column];
    Known& first = no_first ? no : yes;
    Known& second = no_first ? yes : no;
    first = solve_side(no_first, state.target() - second_bound);
    if (first.lower + second_bound >= state.target() || watchdog_.stopped()) return;
    second = solve_side(!no_first, state.target() - first.lower);
}

// What the sides of a solved column say about the sides of the columns from position `from` of the order on.
template <class Ops>
void BitSearcher<Ops>::bound_others(Exploration& state, std::size_t column, std::size_t from) {
    Frame& here = state.frame;
    const Cost yes = here.yes_bound[column], no = here.no_bound[column];
    const Cost all = here.sums.base(), mine = here.sums.base(column);
    for (std::size_t at = from; at < here.order.size(); ++at) {
        const std::size_t other = here.order[at];
        const Cost only_mine = base_without(here.table, here.yes, here.table.column(other));
        const Cost both = mine - only_mine, only_theirs = here.sums.base(other) - both;
        const Cost neither = all - mine - only_theirs;
        Cost& yes_bound = here.yes_bound[other];
        Cost& no_bound = here.no_bound[other];
        yes_bound = std::max({yes_bound, yes - prices_.unit * only_mine, no - prices_.unit * neither});
        no_bound = std::max({no_bound, no - prices_.unit * only_theirs, yes - prices_.unit * both});
    }
    watchdog_.spend(here.table.n_words() * (here.order.size() - from) / 2);
}

// Base of the rows in a but not in b, in units.
template <class Ops>
Cost BitSearcher<Ops>::base_without(const Table& table, const RowBits& a, const Word* b) const {
    if (table.all_alike()) return static_cast<Cost>(ops_.count_difference(a.data(), b, a.size()));
    Cost total = 0;
    for (std::size_t w = 0; w < a.size(); ++w)
        for (Word word = a[w] & ~b[w]; word; word &= word - 1)
            total += std::abs(
                table.gain(static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(word))));
    return total;
}

template <class Ops>
Tree BitSearcher<Ops>::write_down(const Known& root, int depth) {
    watchdog_.hold(true);
    Tree out;
    write(all_rows(all_.n_rows()), root, depth, out);
    watchdog_.hold(false);
    return out;
}

template <class Ops>
std::int32_t BitSearcher<Ops>::write(const RowBits& set, const Known& known, int depth, Tree& out) {
    const auto here = static_cast<std::int32_t>(out.size());
    Cost sum = 0;
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) { sum += all_.gain(row); });
    out.push_back({-1, -1, -1, -1, sum > 0 ? 1 : 0});
    if (known.question.column < 0) return here;
    out[here].column = known.question.column;
    out[here].rank = static_cast<std::int32_t>(known.question.rank);
    std::size_t column = 0;
    while (all_.question(column) != known.question) ++column;
    for (const bool with : {true, false}) {
        RowBits side(set.size());
        for (std::size_t w = 0; w < set.size(); ++w)
            side[w] = set[w] & (with ? all_.column(column)[w] : ~all_.column(column)[w]);
        const std::int64_t leaves = with ? known.yes_leaves : known.no_leaves;
        const Known best = solve(all_, side, all_.name_of(side), depth - 1, leaves, known.upper + 1, nullptr);
        const std::int32_t at = write(side, best, depth - 1, out);
        (with ? out[here].yes : out[here].no) = at;
    }
    return here;
}

template <class Ops>
std::vector<std::pair<std::string, std::uint64_t>> BitSearcher<Ops>::counters() const {
    return {{"subproblems", n_subproblems_}, {"cache_hits", n_cache_hits_},       {"cache_entries", cache_.size()},
            {"pair_sums", n_pair_sums_},     {"columns_tried", n_columns_tried_}, {"columns_bounded", n_bounded_}};
}

template class BitSearcher<SmallOps>;
template class BitSearcher<MediumOps>;
template class BitSearcher<WideOps>;

}  // namespace exactree
