// Branching over the columns of one subproblem: their order, and the bounds that each gives for the others.
#include <algorithm>

#include "bits/exploration.hpp"

namespace exactree::bits {

template <class Ops>
void BitSearcher<Ops>::explore_allocation(ColumnExploration& state, std::int64_t yes_leaves) {
    state.yes_leaves = yes_leaves;
    state.next = state.best_at = 0;
    bound_columns(state);
    order_columns(state);
    if (state.listener && settings_.threads > 1)
        explore_in_parallel(state);
    else if (board_ && state.shape.depth + 1 == board_->depth)
        explore_shared(state);
    else
        work(state);
}

// Lower bounds of the sides of each column, from the cost of all rows.
template <class Ops>
void BitSearcher<Ops>::bound_columns(ColumnExploration& state) const {
    BitFrame& here = state.frame;
    const std::size_t n_columns = here.table->n_columns();
    here.yes_bound.assign(n_columns, prices_.leaf);
    here.no_bound.assign(n_columns, prices_.leaf);
    for (std::size_t j = 0; settings_.similarity && j < n_columns; ++j) {
        const Cost base = here.sums->base(j);
        here.yes_bound[j] = std::max(prices_.leaf, state.whole - prices_.unit * (here.sums->base() - base));
        here.no_bound[j] = std::max(prices_.leaf, state.whole - prices_.unit * base);
    }
}

// The allowed columns, those with the best trees of depth two first.
template <class Ops>
void BitSearcher<Ops>::order_columns(ColumnExploration& state) const {
    BitFrame& here = state.frame;
    here.order.clear();
    for (std::size_t j = 0; j < here.table->n_columns(); ++j)
        if (allowed(*here.sums, j))
            here.order.push_back(j);
        else
            state.lowest_relaxed = std::min(state.lowest_relaxed, state.bound(j));
    if (settings_.look_ahead)
        std::stable_sort(here.order.begin(), here.order.end(), [&](std::size_t a, std::size_t b) {
            return here.estimates.total[a] < here.estimates.total[b];
        });
}

// Whether both sides of a column have the minimum leaf size.
template <class Ops>
bool BitSearcher<Ops>::allowed(const Sums& sums, std::size_t column) const {
    if (!all_->sized()) return true;
    const Cost with = sums.size_singles()[column];
    return with >= prices_.least && sums.size() - with >= prices_.least;
}

template <class Ops>
void BitSearcher<Ops>::work(ColumnExploration& state) {
    for (ColumnJob job; next_job(state, job);) {
        solve_job(state, job);
        finish_job(state, job);
    }
}

// The next column that is not pruned; false if there is none.
template <class Ops>
bool BitSearcher<Ops>::next_job(ColumnExploration& state, ColumnJob& job) {
    const auto lock = state.lock();
    BitFrame& here = state.frame;
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
        state.lowest_relaxed = std::min(state.lowest_relaxed, state.bound(column));
    }
    return false;
}

template <class Ops>
void BitSearcher<Ops>::finish_job(ColumnExploration& state, const ColumnJob& job) {
    const auto lock = state.lock();
    Cost& yes_bound = state.frame.yes_bound[job.column];
    Cost& no_bound = state.frame.no_bound[job.column];
    yes_bound = std::max(yes_bound, job.yes.relaxed);
    no_bound = std::max(no_bound, job.no.relaxed);
    state.lowest = std::min(state.lowest, std::max(yes_bound, job.yes.lower) + std::max(no_bound, job.no.lower));
    state.lowest_relaxed = std::min(state.lowest_relaxed, yes_bound + no_bound);
    std::erase(state.running, job.column);
    const Cost cost = job.yes.solved() && job.no.solved() ? job.yes.upper + job.no.upper : kInfiniteCost;
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

// Reports the proved bound to the listener, once the last allocation of leaves is being tried.
template <class Ops>
void BitSearcher<Ops>::report(const ColumnExploration& state) const {
    if (state.yes_leaves < std::min(full_tree_leaves(state.shape.depth - 1), state.shape.leaves - 1)) return;
    Cost bound = std::min(state.lowest, state.best.upper);
    for (const std::size_t column : state.running) bound = std::min(bound, state.bound(column));
    for (std::size_t at = state.next; at < state.frame.order.size(); ++at)
        bound = std::min(bound, state.bound(state.frame.order[at]));
    state.listener->bounded(bound, state.shape.depth);
}

// Similarity bounds: the sides of a solved column bound the sides of the columns that follow.
template <class Ops>
void BitSearcher<Ops>::bound_others(ColumnExploration& state, const ColumnJob& job) {
    BitFrame& here = state.frame;
    RowBits& has = frame(state.shape.depth).yes;  // from here on only rows that carry a base
    if (!here.table->all_carry_base())
        for (std::size_t w = 0; w < has.size(); ++w) has[w] &= here.table->base_carriers()[w];
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

// Base of the rows in a but not in b, in units; all rows of a carry one.
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

template class BitSearcher<SmallOps>;
template class BitSearcher<MediumOps>;
template class BitSearcher<WideOps>;

}  // namespace exactree::bits
