#include <algorithm>

#include "bits/exploration.hpp"

namespace exactree::bits {

template <class Ops>
void BitSearcher<Ops>::Counters::add(const Counters& other) {
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
    all->fill(data, prices_.unit, ops, limits.limits_size());
    if (settings.scatter) all->list_rare(ops);
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
typename BitSearcher<Ops>::Frame& BitSearcher<Ops>::frame(int depth) {
    while (frames_.size() <= static_cast<std::size_t>(depth)) frames_.emplace_back();
    return frames_[static_cast<std::size_t>(depth)];
}

template <class Ops>
std::optional<Known> BitSearcher<Ops>::recall(Key name, Shape shape) {
    return settings_.cache ? cache_->find(name, shape.depth + 1, shape.leaves) : std::nullopt;
}

template <class Ops>
void BitSearcher<Ops>::remember(Key name, Shape shape, const Known& known) {
    if (settings_.cache) cache_->store(name, shape.depth + 1, shape.leaves, known);
}

template <class Ops>
Known BitSearcher<Ops>::solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) {
    return solve(*all_, all_rows(all_->n_rows()), all_->name(), depth, leaves, below, &listener);
}

template <class Ops>
Known BitSearcher<Ops>::solve(const Table& table, const RowBits& set, Key name, int depth, std::int64_t leaves,
                              Cost below, Listener* listener) {
    ++counters_.subproblems;
    const Shape shape(depth, leaves);
    std::optional<Known> cached = recall(name, shape);
    if (cached && (cached->solved() || cached->lower >= below)) {
        ++counters_.cache_hits;
        return *cached;
    }
    Known known =
        shape.depth <= 2 ? solve_shallow(table, set, shape) : explore(table, set, name, shape, below, listener);
    cached = recall(name, shape);
    if (cached) {
        known.lower = std::max(known.lower, cached->lower);
        known.relaxed = std::max(known.relaxed, cached->relaxed);
    }
    remember(name, shape, known);
    return known;
}

template <class Ops>
Known BitSearcher<Ops>::solve_shallow(const Table& table, const RowBits& set, Shape shape) {
    const bool with_pairs = shape.depth == 2 && shape.leaves >= 3;
    shallow_.fill(table, set, ops_, with_pairs);
    counters_.pair_sums += with_pairs;
    watchdog_.spend(table.n_columns() * (with_pairs ? shallow_.n_rows() / 4 + table.n_sums() / 8 : table.n_words()));
    return solve_pairs(table, shallow_, shape.leaves, prices_, ops_);
}

template <class Ops>
Known BitSearcher<Ops>::explore(const Table& table, const RowBits& set, Key name, Shape shape, Cost below,
                                Listener* listener) {
    Frame& here = frame(shape.depth);
    prepare(here, table, set, listener != nullptr);
    Exploration state(here, shape, below, listener);
    state.best =
        solve_pairs(*here.table, *here.sums, std::min<std::int64_t>(shape.leaves, 4), prices_, ops_, &here.guesses);
    state.whole = bound_of_whole(name, shape, state.best);
    if (listener && state.best.upper < below) listener->improved(state.best, shape.depth);
    if (std::min(below, state.best.upper) > 2 * prices_.leaf) {
        const std::int64_t half = most_leaves(shape.depth - 1);
        const std::int64_t first = std::max<std::int64_t>(1, shape.leaves - half);
        for (std::int64_t yes = first; yes <= std::min(half, shape.leaves - 1); ++yes) explore_share(state, yes);
    } else {
        state.lowest = state.lowest_relaxed = 2 * prices_.leaf;  // no split costs less
    }
    state.best.lower = std::min(state.lowest, state.best.upper);
    state.best.relaxed = std::min(state.lowest_relaxed, state.best.lower);
    return state.best;
}

// A bound of the cost of all rows as one side of a split: what is known of them at one depth less.
template <class Ops>
Cost BitSearcher<Ops>::bound_of_whole(Key name, Shape shape, const Known& of_depth_two) {
    if (shape.depth == 3) return of_depth_two.relaxed;
    const std::optional<Known> known = recall(name, Shape(shape.depth - 1, shape.leaves));
    return known ? known->relaxed : 0;
}

// Table and sums of a subproblem. Those of all rows are made once and used at every depth.
template <class Ops>
void BitSearcher<Ops>::prepare(Frame& here, const Table& table, const RowBits& set, bool everything) {
    here.table = everything ? all_.get() : &here.part;
    here.sums = everything ? &all_sums_ : &here.part_sums;
    if (everything && all_sums_.n_rows() > 0) return;
    if (!everything) here.part.fill(table, set, ops_, settings_.merging);
    if (!everything && settings_.scatter) here.part.list_rare(ops_);
    Sums& sums = everything ? all_sums_ : here.part_sums;
    sums.fill(*here.table, all_rows(here.table->n_rows()), ops_, true);
    ++counters_.pair_sums;
    watchdog_.spend(here.table->n_columns() * (here.table->n_rows() / 2 + here.table->n_sums() / 8));
}

template <class Ops>
void BitSearcher<Ops>::solve_job(const Exploration& state, Job& job) {
    ++counters_.columns_tried;
    Frame& own = frame(state.shape.depth);
    const Table& table = *state.frame.table;
    const Word* has = table.column(job.column);
    own.yes.assign(has, has + table.n_words());
    own.no = all_rows(table.n_rows());
    for (std::size_t w = 0; w < own.no.size(); ++w) own.no[w] &= ~has[w];
    const bool yes_smaller = 2 * state.frame.sums->n_rows(job.column) <= table.n_rows();
    const Key small = table.name_of(yes_smaller ? own.yes : own.no), large = table.name() - small;
    const Key yes_name = yes_smaller ? small : large, no_name = yes_smaller ? large : small;
    if (state.shape.depth == 3)
        solve_both_pairs(state, job, yes_name, no_name);
    else
        solve_both_deep(state, job, yes_name, no_name);
}

// Both sides have depth two left: the pair sums of the smaller side give both.
template <class Ops>
void BitSearcher<Ops>::solve_both_pairs(const Exploration& state, Job& job, Key yes_name, Key no_name) {
    Frame& own = frame(state.shape.depth);
    const Table& table = *state.frame.table;
    struct Part {
        Known& known;
        const RowBits& set;
        Key name;
        Shape shape;
        bool cached;
    };
    Part parts[] = {{job.yes, own.yes, yes_name, Shape(2, state.yes_leaves), false},
                    {job.no, own.no, no_name, Shape(2, state.no_leaves()), false}};
    for (Part& part : parts)
        if (const std::optional<Known> cached = recall(part.name, part.shape)) {
            part.known = *cached;
            part.cached = true;
            ++counters_.cache_hits;
        }
    if (parts[0].cached && parts[1].cached) return;
    const bool yes_smaller = 2 * state.frame.sums->n_rows(job.column) <= table.n_rows();
    Part &small = parts[yes_smaller ? 0 : 1], &large = parts[yes_smaller ? 1 : 0];
    if (!settings_.differences || !own.small.turn_to(table, small.set, ops_))
        own.small.fill(table, small.set, ops_, true);
    ++counters_.pair_sums;
    watchdog_.spend(table.n_columns() * (own.small.n_rows() / 4 + table.n_sums() / 8));
    if (!small.cached) {
        small.known = solve_pairs(table, own.small, small.shape.leaves, prices_, ops_);
        remember(small.name, small.shape, small.known);
    }
    if (large.cached) return;
    large.known = settings_.subtraction
                      ? solve_rest(table, *state.frame.sums, own.small, large.shape.leaves, prices_, ops_)
                      : solve_shallow(table, large.set, Shape(2, large.shape.leaves));
    remember(large.name, large.shape, large.known);
}

// More than depth two left: the larger side first, as it is the more likely to show that the column cannot help.
template <class Ops>
void BitSearcher<Ops>::solve_both_deep(const Exploration& state, Job& job, Key yes_name, Key no_name) {
    Frame& own = frame(state.shape.depth);
    const Table& table = *state.frame.table;
    const int depth = state.shape.depth - 1;
    const bool no_first = 2 * state.frame.sums->n_rows(job.column) <= table.n_rows();
    const auto solve_side = [&](bool side_no, Cost below) {
        return side_no ? solve(table, own.no, no_name, depth, state.no_leaves(), below, nullptr)
                       : solve(table, own.yes, yes_name, depth, state.yes_leaves, below, nullptr);
    };
    const Cost second_bound = no_first ? job.yes_bound : job.no_bound;
    Known& first = no_first ? job.no : job.yes;
    Known& second = no_first ? job.yes : job.no;
    first = solve_side(no_first, job.target - second_bound);
    if (first.lower + second_bound >= job.target || watchdog_.stopped()) return;
    second = solve_side(!no_first, job.target - first.lower);
}

template <class Ops>
Tree BitSearcher<Ops>::write_down(const Known& root, int depth) {
    watchdog_.hold(true);
    Tree out;
    write(all_rows(all_->n_rows()), root, depth, out);
    watchdog_.hold(false);
    return out;
}

template <class Ops>
std::int32_t BitSearcher<Ops>::write(const RowBits& set, const Known& known, int depth, Tree& out) {
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
        const Known best = solve(*all_, side, all_->name_of(side), depth - 1, leaves, known.upper + 1, nullptr);
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
