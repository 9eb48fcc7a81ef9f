#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "bit_exploration.hpp"

namespace exactree {

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
      prices_{gain_unit(data), limits.leaf_price},
      cache_(std::make_shared<Cache>(cache_bytes)) {
    auto all = std::make_shared<Table>();
    all->fill(data, prices_.unit, ops);
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
    Known known = shape.depth <= 2 ? solve_shallow(table, set, shape) : explore(table, set, shape, below, listener);
    cached = recall(name, shape);
    if (cached) known.lower = known.relaxed = std::max(known.lower, cached->lower);
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
Known BitSearcher<Ops>::explore(const Table& table, const RowBits& set, Shape shape, Cost below, Listener* listener) {
    Frame& here = frame(shape.depth);
    prepare(here, table, set, listener != nullptr);
    Exploration state(here, shape, below, listener);
    state.best =
        solve_pairs(*here.table, *here.sums, std::min<std::int64_t>(shape.leaves, 4), prices_, ops_, &here.guesses);
    state.best.lower = state.best.relaxed = 0;
    if (listener && state.best.upper < below) listener->improved(state.best, shape.depth);
    if (std::min(below, state.best.upper) > 2 * prices_.leaf) {
        const std::int64_t half = most_leaves(shape.depth - 1);
        const std::int64_t first = std::max<std::int64_t>(1, shape.leaves - half);
        for (std::int64_t yes = first; yes <= std::min(half, shape.leaves - 1); ++yes) explore_share(state, yes);
    } else {
        state.lowest = 2 * prices_.leaf;  // no split costs less
    }
    state.best.lower = state.best.relaxed = std::min(state.lowest, state.best.upper);
    return state.best;
}

// Table and sums of a subproblem. Those of all rows are made once and used at every depth.
template <class Ops>
void BitSearcher<Ops>::prepare(Frame& here, const Table& table, const RowBits& set, bool everything) {
    here.table = everything ? all_.get() : &here.part;
    here.sums = everything ? &all_sums_ : &here.part_sums;
    if (everything && all_sums_.n_rows() > 0) return;
    if (!everything) here.part.fill(table, set, ops_, settings_.merging);
    Sums& sums = everything ? all_sums_ : here.part_sums;
    sums.fill(*here.table, all_rows(here.table->n_rows()), ops_, true);
    ++counters_.pair_sums;
    watchdog_.spend(here.table->n_columns() * (here.table->n_rows() / 2 + here.table->n_sums() / 8));
}

template <class Ops>
void BitSearcher<Ops>::explore_share(Exploration& state, std::int64_t yes_leaves) {
    Frame& here = state.frame;
    state.yes_leaves = yes_leaves;
    state.next = state.best_at = 0;
    here.order.resize(here.table->n_columns());
    for (std::size_t j = 0; j < here.order.size(); ++j) here.order[j] = j;
    if (settings_.look_ahead)
        std::stable_sort(here.order.begin(), here.order.end(),
                         [&](std::size_t a, std::size_t b) { return here.guesses[a] < here.guesses[b]; });
    here.yes_bound.assign(here.order.size(), prices_.leaf);
    here.no_bound.assign(here.order.size(), prices_.leaf);
    if (state.listener && settings_.threads > 1)
        work_together(state);
    else
        work(state);
}

template <class Ops>
void BitSearcher<Ops>::work_together(Exploration& state) {
    std::mutex mutex;
    state.mutex = &mutex;
    const auto n_helpers = static_cast<std::size_t>(settings_.threads - 1);
    std::deque<Watchdog> watchdogs;
    std::deque<BitSearcher> helpers;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < n_helpers; ++i) {
        watchdogs.emplace_back(watchdog_, Watchdog::Helper{});
        helpers.push_back(BitSearcher(*this, watchdogs.back()));
    }
    std::atomic<std::size_t> n_running{n_helpers};
    std::exception_ptr failure;  // written under the lock
    for (BitSearcher& helper : helpers)
        threads.emplace_back([&helper, &state, &n_running, &failure] {
            try {
                helper.work(state);
            } catch (...) {
                helper.watchdog_.stop(Ending::out_of_memory);
                const auto lock = state.lock();
                failure = std::current_exception();
            }
            --n_running;
        });
    work(state);
    while (n_running > 0) {  // the leader alone answers Ctrl-C, so it stays awake
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        watchdog_.look_up();
    }
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
    for (const BitSearcher& helper : helpers) counters_.add(helper.counters_);
    state.mutex = nullptr;
}

template <class Ops>
void BitSearcher<Ops>::work(Exploration& state) {
    for (Job job; next_job(state, job);) {
        solve_job(state, job);
        finish_job(state, job);
    }
}

// The next column that may still help; false if there is none.
template <class Ops>
bool BitSearcher<Ops>::next_job(Exploration& state, Job& job) {
    const auto lock = state.lock();
    Frame& here = state.frame;
    for (; state.next < here.order.size(); ++state.next) {
        const std::size_t column = here.order[state.next];
        if (!watchdog_.stopped() && state.bound(column) < state.target(state.next)) {
            const std::size_t at = state.next++;
            job = {at, column, state.target(at), here.yes_bound[column], here.no_bound[column], {}, {}};
            state.running.push_back(column);
            return true;
        }
        ++counters_.columns_bounded;
        state.lowest = std::min(state.lowest, state.bound(column));
    }
    return false;
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

template <class Ops>
void BitSearcher<Ops>::finish_job(Exploration& state, const Job& job) {
    const auto lock = state.lock();
    Cost& yes_bound = state.frame.yes_bound[job.column];
    Cost& no_bound = state.frame.no_bound[job.column];
    yes_bound = std::max(yes_bound, job.yes.lower);
    no_bound = std::max(no_bound, job.no.lower);
    state.lowest = std::min(state.lowest, yes_bound + no_bound);
    std::erase(state.running, job.column);
    const Cost cost = job.yes.solved() && job.no.solved() ? job.yes.upper + job.no.upper : kNoCost;
    if (cost < state.best.upper || (cost == state.best.upper && job.at + 1 < state.best_at)) {
        state.best.upper = cost;
        state.best.question = state.frame.table->question(job.column);
        state.best.yes_leaves = state.yes_leaves;
        state.best.no_leaves = state.no_leaves();
        state.best_at = job.at + 1;
        if (state.listener && cost < state.below) state.listener->improved(state.best, state.shape.depth);
    }
    if (settings_.similarity) bound_others(state, job);
    if (state.listener) report(state);
}

// Tells the listener what is proved, once the last way to share the leaves is being tried.
template <class Ops>
void BitSearcher<Ops>::report(const Exploration& state) const {
    if (state.yes_leaves < std::min(most_leaves(state.shape.depth - 1), state.shape.leaves - 1)) return;
    Cost bound = std::min(state.lowest, state.best.upper);
    for (const std::size_t column : state.running) bound = std::min(bound, state.bound(column));
    for (std::size_t at = state.next; at < state.frame.order.size(); ++at)
        bound = std::min(bound, state.bound(state.frame.order[at]));
    state.listener->bounded(bound, state.shape.depth);
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

// What the sides of a solved column say about the sides of the columns that are still to come.
template <class Ops>
void BitSearcher<Ops>::bound_others(Exploration& state, const Job& job) {
    Frame& here = state.frame;
    RowBits& has = frame(state.shape.depth).yes;  // from here on only rows that bear a base
    if (!here.table->all_bear())
        for (std::size_t w = 0; w < has.size(); ++w) has[w] &= here.table->bearers()[w];
    const Cost yes = here.yes_bound[job.column], no = here.no_bound[job.column];
    const Cost all = here.sums->base(), mine = here.sums->base(job.column);
    const bool yes_takes_no = state.yes_leaves <= state.no_leaves(),
               no_takes_yes = state.no_leaves() <= state.yes_leaves;
    for (std::size_t at = state.next; at < here.order.size(); ++at) {
        const std::size_t other = here.order[at];
        const Cost only_mine = base_without(*here.table, has, here.table->column(other));
        const Cost both = mine - only_mine, only_theirs = here.sums->base(other) - both;
        const Cost neither = all - mine - only_theirs;
        Cost& yes_bound = here.yes_bound[other];
        Cost& no_bound = here.no_bound[other];
        yes_bound = std::max(yes_bound, yes - prices_.unit * only_mine);
        no_bound = std::max(no_bound, no - prices_.unit * only_theirs);
        // A bound holds for as many leaves or fewer, never for more.
        if (yes_takes_no) yes_bound = std::max(yes_bound, no - prices_.unit * neither);
        if (no_takes_yes) no_bound = std::max(no_bound, yes - prices_.unit * both);
    }
    watchdog_.spend(here.table->n_words() * (here.order.size() - state.next) / 2);
}

// Base of the rows in a but not in b, in units; all rows of a bear one.
template <class Ops>
Cost BitSearcher<Ops>::base_without(const Table& table, const RowBits& a, const Word* b) const {
    if (table.all_alike()) return static_cast<Cost>(ops_.count_difference(a.data(), b, a.size()));
    Cost total = 0;
    for (std::size_t w = 0; w < a.size(); ++w)
        for (Word word = a[w] & ~b[w]; word; word &= word - 1)
            total +=
                table.base(static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(word)));
    return total;
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

}  // namespace exactree
