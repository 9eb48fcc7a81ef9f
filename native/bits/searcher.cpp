#include <algorithm>

#include "bits/exploration.hpp"

namespace exactree::bits {

template <class Ops>
void BitSearcher<Ops>::BitCounters::add(const BitCounters& other) {
    subproblems += other.subproblems;
    cache_hits += other.cache_hits;
    pair_sums += other.pair_sums;
    columns_tried += other.columns_tried;
    columns_bounded += other.columns_bounded;
}

template <class Ops>
BitSearcher<Ops>::BitSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
                              Ops ops, const Settings& settings)
    : limits_(limits),
      watchdog_(watchdog),
      ops_(ops),
      settings_(settings),
      prices_{gain_unit(data), limits.leaf_price, limits.least.rows},
      cache_(std::make_shared<Cache>(cache_bytes)) {
    auto all = std::make_shared<Table>();
    all->fill(data, prices_.unit, ops, limits.limits_leaf_size());
    if (settings.scatter) all->index_rare_cells(ops);
    all_ = std::move(all);
}

template <class Ops>
BitSearcher<Ops>::BitSearcher(const BitSearcher& leader, Watchdog& watchdog)
    : limits_(leader.limits_),
      watchdog_(watchdog),
      ops_(leader.ops_),
      settings_(leader.settings_),
      prices_(leader.prices_),
      all_(leader.all_),
      cache_(leader.cache_) {}

template <class Ops>
typename BitSearcher<Ops>::BitFrame& BitSearcher<Ops>::frame(int depth) {
    while (frames_.size() <= static_cast<std::size_t>(depth)) frames_.emplace_back();
    return frames_[static_cast<std::size_t>(depth)];
}

template <class Ops>
std::optional<SubtreeBounds> BitSearcher<Ops>::lookup(Key key, Shape shape) {
    return settings_.cache ? cache_->find(key, shape.depth + 1, shape.leaves) : std::nullopt;
}

template <class Ops>
void BitSearcher<Ops>::store_bounds(Key key, Shape shape, const SubtreeBounds& known) {
    if (settings_.cache) cache_->store(key, shape.depth + 1, shape.leaves, known);
}

template <class Ops>
SubtreeBounds BitSearcher<Ops>::solve_root(int depth, std::int64_t leaves, Cost below, ProgressListener& listener) {
    return solve(*all_, all_rows(all_->n_rows()), all_->key(), depth, leaves, below, &listener);
}

template <class Ops>
SubtreeBounds BitSearcher<Ops>::solve(const Table& table, const RowBits& set, Key key, int depth, std::int64_t leaves,
                                      Cost below, ProgressListener* listener) {
    ++counters_.subproblems;
    const Shape shape(depth, leaves);
    std::optional<SubtreeBounds> cached = lookup(key, shape);
    if (cached && (cached->solved() || cached->lower >= below)) {
        ++counters_.cache_hits;
        return *cached;
    }
    SubtreeBounds known;
    // Of trees with a price per leaf only those with so many leaves can cost less than the cutoff, and those that are
    // deeper have more. Depth two is answered at once.
    const Cost price = prices_.leaf;
    const std::int64_t most = price == 0 ? kInfiniteCost : std::max<std::int64_t>(3, (below - 1) / price);
    if (!listener && shape.depth > 2 && most <= shape.depth) {
        known = solve(table, set, key, static_cast<int>(most - 1), shape.leaves, below, nullptr);
        known.lower = std::min(known.lower, (most + 1) * price);
        known.relaxed = std::min(known.relaxed, (most + 1) * price);
    } else {
        known = shape.depth <= 2 ? solve_shallow(table, set, shape) : explore(table, set, key, shape, below, listener);
    }
    cached = lookup(key, shape);
    if (cached) {
        known.lower = std::max(known.lower, cached->lower);
        known.relaxed = std::max(known.relaxed, cached->relaxed);
    }
    store_bounds(key, shape, known);
    return known;
}

template <class Ops>
SubtreeBounds BitSearcher<Ops>::solve_shallow(const Table& table, const RowBits& set, Shape shape) {
    const bool with_pairs = shape.depth == 2 && shape.leaves >= 3;
    shallow_.fill(table, set, ops_, with_pairs);
    counters_.pair_sums += with_pairs;
    watchdog_.spend(table.n_columns() * (with_pairs ? shallow_.n_rows() / 4 + table.n_sums() / 8 : table.n_words()));
    return solve_pairs(table, shallow_, shape.leaves, prices_, ops_);
}

template <class Ops>
SubtreeBounds BitSearcher<Ops>::explore(const Table& table, const RowBits& set, Key key, Shape shape, Cost below,
                                        ProgressListener* listener) {
    BitFrame& here = frame(shape.depth);
    prepare(here, table, set, listener != nullptr);
    ColumnExploration state(here, shape, below, listener);
    state.best =
        solve_pairs(*here.table, *here.sums, std::min<std::int64_t>(shape.leaves, 4), prices_, ops_, &here.estimates);
    state.whole = bound_of_whole(key, shape, state.best);
    if (listener && state.best.upper < below) listener->improved(state.best, shape.depth);
    if (std::min(below, state.best.upper) > 2 * prices_.leaf) {
        const std::int64_t half = full_tree_leaves(shape.depth - 1);
        const std::int64_t first = std::max<std::int64_t>(1, shape.leaves - half);
        for (std::int64_t yes = first; yes <= std::min(half, shape.leaves - 1); ++yes) explore_allocation(state, yes);
    } else {
        state.lowest = state.lowest_relaxed = 2 * prices_.leaf;  // no split costs less
    }
    state.best.lower = std::min(state.lowest, state.best.upper);
    state.best.relaxed = std::min(state.lowest_relaxed, state.best.lower);
    return state.best;
}

// A lower bound of the cost of all rows as one side of a split: their bound at one depth less.
template <class Ops>
Cost BitSearcher<Ops>::bound_of_whole(Key key, Shape shape, const SubtreeBounds& of_depth_two) {
    if (shape.depth == 3) return of_depth_two.relaxed;
    const std::optional<SubtreeBounds> known = lookup(key, Shape(shape.depth - 1, shape.leaves));
    return known ? known->relaxed : 0;
}

// Table and sums of a subproblem. Those of all rows are made once and used at every depth.
template <class Ops>
void BitSearcher<Ops>::prepare(BitFrame& here, const Table& table, const RowBits& set, bool everything) {
    here.table = everything ? all_.get() : &here.part;
    here.sums = everything ? &all_sums_ : &here.part_sums;
    if (everything && all_sums_.n_rows() > 0) return;
    if (!everything) here.part.fill(table, set, ops_, settings_.merging);
    if (!everything && settings_.scatter) here.part.index_rare_cells(ops_);
    Sums& sums = everything ? all_sums_ : here.part_sums;
    sums.fill(*here.table, all_rows(here.table->n_rows()), ops_, true);
    ++counters_.pair_sums;
    watchdog_.spend(here.table->n_columns() * (here.table->n_rows() / 2 + here.table->n_sums() / 8));
}

template <class Ops>
void BitSearcher<Ops>::solve_job(const ColumnExploration& state, ColumnJob& job) {
    ++counters_.columns_tried;
    BitFrame& own = frame(state.shape.depth);
    const Table& table = *state.frame.table;
    const Word* has = table.column(job.column);
    own.yes.assign(has, has + table.n_words());
    own.no = all_rows(table.n_rows());
    for (std::size_t w = 0; w < own.no.size(); ++w) own.no[w] &= ~has[w];
    const bool yes_smaller = 2 * state.frame.sums->n_rows(job.column) <= table.n_rows();
    const Key small = table.key_of(yes_smaller ? own.yes : own.no), large = table.key() - small;
    const Key yes_key = yes_smaller ? small : large, no_key = yes_smaller ? large : small;
    if (state.shape.depth == 3)
        solve_both_pairs(state, job, yes_key, no_key);
    else
        solve_both_deep(state, job, yes_key, no_key);
}

// Both sides have depth two left: the pair sums of the smaller side give both.
template <class Ops>
void BitSearcher<Ops>::solve_both_pairs(const ColumnExploration& state, ColumnJob& job, Key yes_key, Key no_key) {
    BitFrame& own = frame(state.shape.depth);
    const Table& table = *state.frame.table;
    struct PairSide {
        SubtreeBounds& known;
        const RowBits& set;
        Key key;
        Shape shape;
        bool cached;
    };
    PairSide parts[] = {{job.yes, own.yes, yes_key, Shape(2, state.yes_leaves), false},
                        {job.no, own.no, no_key, Shape(2, state.no_leaves()), false}};
    for (PairSide& part : parts)
        if (const std::optional<SubtreeBounds> cached = lookup(part.key, part.shape)) {
            part.known = *cached;
            part.cached = true;
            ++counters_.cache_hits;
        }
    if (parts[0].cached && parts[1].cached) return;
    const bool yes_smaller = 2 * state.frame.sums->n_rows(job.column) <= table.n_rows();
    PairSide &small = parts[yes_smaller ? 0 : 1], &large = parts[yes_smaller ? 1 : 0];
    if (!settings_.differences || !own.small.update_to(table, small.set, ops_))
        own.small.fill(table, small.set, ops_, true);
    ++counters_.pair_sums;
    watchdog_.spend(table.n_columns() * (own.small.n_rows() / 4 + table.n_sums() / 8));
    if (!small.cached) {
        small.known = solve_pairs(table, own.small, small.shape.leaves, prices_, ops_);
        store_bounds(small.key, small.shape, small.known);
    }
    if (large.cached) return;
    large.known = settings_.subtraction
                      ? solve_complement(table, *state.frame.sums, own.small, large.shape.leaves, prices_, ops_)
                      : solve_shallow(table, large.set, Shape(2, large.shape.leaves));
    store_bounds(large.key, large.shape, large.known);
}

// More than depth two left: the larger side first, as it is more likely to prune the column.
template <class Ops>
void BitSearcher<Ops>::solve_both_deep(const ColumnExploration& state, ColumnJob& job, Key yes_key, Key no_key) {
    BitFrame& own = frame(state.shape.depth);
    const Table& table = *state.frame.table;
    const int depth = state.shape.depth - 1;
    const bool no_first = 2 * state.frame.sums->n_rows(job.column) <= table.n_rows();
    const auto solve_side = [&](bool side_no, Cost below) {
        return side_no ? solve(table, own.no, no_key, depth, state.no_leaves(), below, nullptr)
                       : solve(table, own.yes, yes_key, depth, state.yes_leaves, below, nullptr);
    };
    const Cost second_bound = no_first ? job.yes_bound : job.no_bound;
    SubtreeBounds& first = no_first ? job.no : job.yes;
    SubtreeBounds& second = no_first ? job.yes : job.no;
    first = solve_side(no_first, job.target - second_bound);
    if (first.lower + second_bound >= job.target || watchdog_.stopped()) return;
    second = solve_side(!no_first, job.target - first.lower);
}

template <class Ops>
Tree BitSearcher<Ops>::reconstruct(const SubtreeBounds& root, int depth) {
    watchdog_.hold(true);
    Tree out;
    write(all_rows(all_->n_rows()), root, depth, out);
    watchdog_.hold(false);
    return out;
}

template <class Ops>
std::int32_t BitSearcher<Ops>::write(const RowBits& set, const SubtreeBounds& known, int depth, Tree& out) {
    const auto here = static_cast<std::int32_t>(out.size());
    out.push_back({-1, -1, -1, -1, all_->best_label(set)});
    if (known.question.column < 0) return here;
    out[here].column = known.question.column;
    out[here].rank = static_cast<std::int32_t>(known.question.rank);
    std::size_t column = 0;
    while (all_->question(column) != known.question) ++column;
    for (const bool with : {true, false}) {
        RowBits side(set.size());
        for (std::size_t w = 0; w < set.size(); ++w)
            side[w] = set[w] & (with ? all_->column(column)[w] : ~all_->column(column)[w]);
        const std::int64_t leaves = with ? known.yes_leaves : known.no_leaves;
        const SubtreeBounds best = solve(*all_, side, all_->key_of(side), depth - 1, leaves, known.upper + 1, nullptr);
        const std::int32_t at = write(side, best, depth - 1, out);
        (with ? out[here].yes : out[here].no) = at;
    }
    return here;
}

template <class Ops>
std::vector<std::pair<std::string, std::uint64_t>> BitSearcher<Ops>::counters() const {
    return {{"subproblems", counters_.subproblems},     {"cache_hits", counters_.cache_hits},
            {"cache_entries", cache_->size()},          {"pair_sums", counters_.pair_sums},
            {"columns_tried", counters_.columns_tried}, {"columns_bounded", counters_.columns_bounded}};
}

template class BitSearcher<SmallOps>;
template class BitSearcher<MediumOps>;
template class BitSearcher<WideOps>;

}  // namespace exactree::bits
