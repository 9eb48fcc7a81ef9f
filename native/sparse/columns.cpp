// Branching over the columns of one set of rows: bounds of their sides, a look at the best trees of depth two of both
// sides, and the search of those that are left, the one with the lowest bound first.
#include <algorithm>

#include "sparse/exploration.hpp"

namespace exactree::sparse {

// From the pair sums and the conflicts of the set, without another pass over its rows.
template <class Ops>
void SparseSearcher<Ops>::bound_columns(SetExploration& state) {
    SetFrame& here = state.frame;
    const Cost whole = state.best.relaxed, all = prices_.unit * here.sums.base();
    here.sides.assign(here.part.n_columns(), {});
    here.open.clear();
    for (std::size_t j = 0; j < here.part.n_columns(); ++j) {
        SplitSides& sides = here.sides[j];
        sides.yes.base = prices_.unit * here.sums.base(j);
        sides.no.base = all - sides.yes.base;
        // More than two leaves cost three prices.
        sides.yes.raise(std::max({std::min(here.roots.yes[j], 3 * prices_.leaf), prices_.leaf + here.conflicts.yes(j),
                                  whole - sides.no.base}));
        sides.no.raise(std::max({std::min(here.roots.no[j], 3 * prices_.leaf), prices_.leaf + here.conflicts.no(j),
                                 whole - sides.yes.base}));
        if (!here.part.sized()) {
            sides.yes.known.upper = here.roots.yes[j];
            sides.no.known.upper = here.roots.no[j];
        }
        if (is_allowed(here.sums, j))
            here.open.push_back(j);
        else if (!sides.useless())
            state.lowest_relaxed = std::min(state.lowest_relaxed, sides.relaxed());
    }
}

// Whether both sides of a column have the minimum leaf size.
template <class Ops>
bool SparseSearcher<Ops>::is_allowed(const Sums& sums, std::size_t column) const {
    if (!all_.sized()) return true;
    const Cost with = sums.size_singles()[column];
    return with >= prices_.least && sums.size() - with >= prices_.least;
}

// Closes the columns that cannot have a better tree.
template <class Ops>
void SparseSearcher<Ops>::drop_closed(SetExploration& state) {
    std::erase_if(state.frame.open, [&](std::size_t column) {
        const SplitSides& sides = state.frame.sides[column];
        if (sides.useless()) return true;
        if (sides.lower() < state.target()) return false;
        state.close(sides);
        return true;
    });
}

// The best trees of depth two of both sides of all columns, in the order of their best trees of depth two.
template <class Ops>
void SparseSearcher<Ops>::look_ahead(SetExploration& state) {
    SetFrame& here = state.frame;
    drop_closed(state);
    std::vector<std::size_t> order = here.open;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return here.roots.total[a] < here.roots.total[b]; });
    for (const std::size_t column : order) {
        const SplitSides& sides = here.sides[column];
        if (watchdog_.stopped()) break;
        if (sides.useless() || sides.lower() >= state.target()) continue;
        load_sides(state, column);
        sum_sides(state, column);
        take(state, column);
        if (settings_.similarity) bound_others(state, column);
    }
    drop_closed(state);
    if (state.listener) report(state);
}

template <class Ops>
void SparseSearcher<Ops>::branch(SetExploration& state) {
    SetFrame& here = state.frame;
    while (!here.open.empty() && !watchdog_.stopped()) {
        const auto first = std::min_element(here.open.begin(), here.open.end(), [&](std::size_t a, std::size_t b) {
            return here.sides[a].lower() < here.sides[b].lower();
        });
        const std::size_t column = *first;
        ++counters_.branched;
        load_sides(state, column);
        solve_sides(state, column);
        take(state, column);
        if (settings_.similarity) bound_others(state, column);
        drop_closed(state);
        if (state.listener) report(state);
    }
    for (const std::size_t column : here.open) state.close(here.sides[column]);  // the search was stopped
}

template <class Ops>
void SparseSearcher<Ops>::load_sides(SetExploration& state, std::size_t column) {
    SetFrame& here = state.frame;
    const Word* has = here.part.column(column);
    here.yes.assign(has, has + here.part.n_words());
    here.no = all_rows(here.part.n_rows());
    for (std::size_t w = 0; w < here.no.size(); ++w) here.no[w] &= ~has[w];
    SplitSides& sides = here.sides[column];
    if (sides.has_keys) return;
    const bool yes_smaller = 2 * here.sums.n_rows(column) <= here.part.n_rows();
    (yes_smaller ? sides.yes_key : sides.no_key) = here.part.key_of(yes_smaller ? here.yes : here.no);
    (yes_smaller ? sides.no_key : sides.yes_key) = here.part.key() - (yes_smaller ? sides.yes_key : sides.no_key);
    sides.has_keys = true;
    if (const std::optional<SubtreeBounds> cached = lookup(sides.yes_key)) sides.yes.learn(*cached);
    if (const std::optional<SubtreeBounds> cached = lookup(sides.no_key)) sides.no.learn(*cached);
}

// The best trees of depth two of both sides: the pair sums of the smaller side give both.
template <class Ops>
void SparseSearcher<Ops>::sum_sides(SetExploration& state, std::size_t column) {
    SetFrame& here = state.frame;
    SplitSides& sides = here.sides[column];
    if (sides.useless() || sides.lower() >= state.target()) return;
    const bool yes_smaller = 2 * here.sums.n_rows(column) <= here.part.n_rows();
    SplitSide &small = yes_smaller ? sides.yes : sides.no, &large = yes_smaller ? sides.no : sides.yes;
    if (!settings_.differences || !here.small.update_to(here.part, yes_smaller ? here.yes : here.no, ops_))
        here.small.fill(here.part, yes_smaller ? here.yes : here.no, ops_, true);
    ++counters_.pair_sums;
    ++counters_.summed;
    watchdog_.spend(here.part.n_columns() * (here.small.n_rows() / 4 + here.part.n_sums() / 8));
    const auto keep = [&](SplitSide& side, Key key, SubtreeBounds found) {
        if (const std::optional<SubtreeBounds> cached = lookup(key)) improve(found, *cached);
        store_bounds(key, found);
        side.learn(found);
    };
    if (!small.known.solved())
        keep(small, yes_smaller ? sides.yes_key : sides.no_key,
             cap(bits::solve_pairs(here.part, here.small, 4, prices_, ops_)));
    if (!large.known.solved())
        keep(large, yes_smaller ? sides.no_key : sides.yes_key,
             cap(bits::solve_complement(here.part, here.sums, here.small, 4, prices_, ops_)));
}

// Both sides to the end, or until the column is pruned; the one with more base first, as it is more likely to do that.
template <class Ops>
void SparseSearcher<Ops>::solve_sides(SetExploration& state, std::size_t column) {
    SetFrame& here = state.frame;
    SplitSides& sides = here.sides[column];
    const bool yes_first = sides.yes.base >= sides.no.base;
    for (const bool yes : {yes_first, !yes_first}) {
        SplitSide &side = yes ? sides.yes : sides.no, &other = yes ? sides.no : sides.yes;
        if (side.known.solved()) continue;
        if (watchdog_.stopped() || sides.useless() || sides.lower() >= state.target()) return;
        side.learn(solve(here.part, yes ? here.yes : here.no, yes ? sides.yes_key : sides.no_key, state.level + 1,
                         state.target() - other.known.lower, nullptr));
    }
}

// Takes over the best trees of both sides if they are better than the best tree.
template <class Ops>
void SparseSearcher<Ops>::take(SetExploration& state, std::size_t column) {
    const SplitSides& sides = state.frame.sides[column];
    if (sides.upper() >= state.best.upper) return;
    state.best.upper = sides.upper();
    state.best.question = state.frame.part.question(column);
    if (state.listener && state.best.upper < state.below) state.listener->improved(state.best, kAnyDepth);
}

// Similarity bounds: the sides of a solved column bound the sides of the open ones.
template <class Ops>
void SparseSearcher<Ops>::bound_others(SetExploration& state, std::size_t column) {
    SetFrame& here = state.frame;
    RowBits& has = here.yes;  // from here on only rows that carry a base
    if (!here.part.all_carry_base())
        for (std::size_t w = 0; w < has.size(); ++w) has[w] &= here.part.base_carriers()[w];
    const Cost yes = here.sides[column].yes.known.relaxed, no = here.sides[column].no.known.relaxed;
    const Cost all = prices_.unit * here.sums.base(), mine = prices_.unit * here.sums.base(column);
    for (const std::size_t other : here.open) {
        SplitSides& sides = here.sides[other];
        const Cost only_mine = prices_.unit * base_without(here.part, has, here.part.column(other));
        const Cost both = mine - only_mine, only_theirs = prices_.unit * here.sums.base(other) - both;
        const Cost neither = all - mine - only_theirs;
        sides.yes.raise(std::max(yes - only_mine, no - neither));
        sides.no.raise(std::max(no - only_theirs, yes - both));
    }
    watchdog_.spend(here.part.n_words() * here.open.size() / 2);
}

// Base of the rows in a but not in b, in units; all rows of a carry one.
template <class Ops>
Cost SparseSearcher<Ops>::base_without(const Table& table, const RowBits& a, const Word* b) const {
    if (table.all_alike()) return static_cast<Cost>(ops_.count_difference(a.data(), b, a.size()));
    Cost total = 0;
    for (std::size_t w = 0; w < a.size(); ++w) {
        const Word rest = a[w] & ~b[w];
        for_each_row(&rest, 1,
                     [&](std::uint32_t bit) { total += table.base(static_cast<std::uint32_t>(64 * w) + bit); });
    }
    return total;
}

// Reports the proved bound.
template <class Ops>
void SparseSearcher<Ops>::report(const SetExploration& state) const {
    Cost bound = std::min(state.lowest, state.best.upper);
    for (const std::size_t column : state.frame.open)
        if (!state.frame.sides[column].useless()) bound = std::min(bound, state.frame.sides[column].lower());
    state.listener->bounded(std::max(bound, state.best.lower), kAnyDepth);
}

template class SparseSearcher<bits::SmallOps>;
template class SparseSearcher<bits::MediumOps>;
template class SparseSearcher<bits::WideOps>;

}  // namespace exactree::sparse
