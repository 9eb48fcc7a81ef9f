#include "sparse/searcher.hpp"

#include <algorithm>

#include "bits/searcher.hpp"
#include "sparse/exploration.hpp"

namespace exactree::sparse {

template <class Ops>
SparseSearcher<Ops>::SparseSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
                                    Ops ops, const Settings& settings)
    : data_(data),
      limits_(limits),
      watchdog_(watchdog),
      ops_(ops),
      settings_(settings),
      prices_{bits::gain_unit(data), limits.leaf_price, limits.least.rows},
      unsupported_(limits.leaf_price / prices_.unit),
      cache_(cache_bytes) {
    all_.fill(data, prices_.unit, ops, limits.limits_leaf_size());
}

template <class Ops>
typename SparseSearcher<Ops>::SetFrame& SparseSearcher<Ops>::frame(std::size_t level) {
    while (frames_.size() <= level) frames_.emplace_back();
    return frames_[level];
}

template <class Ops>
std::optional<SubtreeBounds> SparseSearcher<Ops>::lookup(Key key) const {
    return settings_.cache ? cache_.find(key, 1, 1) : std::nullopt;
}

template <class Ops>
void SparseSearcher<Ops>::store_bounds(Key key, const SubtreeBounds& known) {
    if (settings_.cache) cache_.store(key, 1, 1, known);
}

template <class Ops>
SubtreeBounds SparseSearcher<Ops>::solve_root(int, std::int64_t, Cost below, ProgressListener& listener) {
    return solve(all_, all_rows(all_.n_rows()), all_.key(), 0, below, &listener);
}

// That of the search of limited depth: it parts sets of rows in the same way.
template <class Ops>
std::unique_ptr<SubtreeEngine> SparseSearcher<Ops>::make_subtree_engine(Watchdog& watchdog, std::size_t cache_bytes) {
    bits::BitSearcher<Ops> searcher(data_, limits_, watchdog, cache_bytes, ops_, settings_);
    return searcher.make_subtree_engine(watchdog, cache_bytes);
}

template <class Ops>
SubtreeBounds SparseSearcher<Ops>::solve(const Table& table, const RowBits& set, Key key, std::size_t level, Cost below,
                                         ProgressListener* listener) {
    ++counters_.subproblems;
    std::optional<SubtreeBounds> cached = lookup(key);
    if (cached && (cached->solved() || cached->lower >= below)) {
        ++counters_.cache_hits;
        return *cached;
    }
    SetFrame& here = frame(level);
    here.part.fill(table, set, ops_, settings_.merging, unsupported_);
    if (settings_.scatter) here.part.index_rare_cells(ops_);
    SetExploration state{here, level, below, listener, {}};
    SubtreeBounds known = explore(state);
    cached = lookup(key);
    if (cached) improve(known, *cached);
    store_bounds(key, known);
    return known;
}

// What both of two searches of a set have found out.
template <class Ops>
void SparseSearcher<Ops>::improve(SubtreeBounds& known, const SubtreeBounds& other) {
    const Cost lower = std::max(known.lower, other.lower), relaxed = std::max(known.relaxed, other.relaxed);
    if (other.upper < known.upper) known = other;
    known.lower = lower;
    known.relaxed = relaxed;
}

template <class Ops>
SubtreeBounds SparseSearcher<Ops>::explore(SetExploration& state) {
    SetFrame& here = state.frame;
    here.sums.fill(here.part, all_rows(here.part.n_rows()), ops_, true);
    ++counters_.pair_sums;
    watchdog_.spend(here.part.n_columns() * (here.part.n_rows() / 2 + here.part.n_sums() / 8));
    state.best = cap(bits::solve_pairs(here.part, here.sums, 4, prices_, ops_, &here.roots));
    if (state.listener && state.best.upper < state.below) state.listener->improved(state.best, kAnyDepth);
    if (state.best.lower >= state.target()) return state.best;
    here.conflicts.pack(here.part, prices_.unit, prices_.leaf, state.target(), ops_);
    ++counters_.packings;
    watchdog_.spend(here.conflicts.work());
    const Cost packed = prices_.leaf + here.conflicts.total();
    state.best.relaxed = std::max(state.best.relaxed, std::min(packed, state.best.upper));
    state.best.lower = std::max(state.best.lower, state.best.relaxed);
    if (state.best.lower >= state.target()) return state.best;
    ++counters_.explored;
    bound_columns(state);
    look_ahead(state);
    branch(state);
    state.best.lower = std::max(state.best.lower, std::min(state.lowest, state.best.upper));
    state.best.relaxed = std::max(state.best.relaxed, std::min(state.lowest_relaxed, state.best.lower));
    return state.best;
}

// The bounds of a set whose best tree of depth two is given: other trees have four leaves or more.
template <class Ops>
SubtreeBounds SparseSearcher<Ops>::cap(SubtreeBounds of_depth_two) const {
    of_depth_two.relaxed = std::min(of_depth_two.relaxed, 4 * prices_.leaf);
    of_depth_two.lower = std::max(of_depth_two.relaxed, std::min(of_depth_two.upper, 4 * prices_.leaf));
    return of_depth_two;
}

template <class Ops>
Tree SparseSearcher<Ops>::reconstruct(const SubtreeBounds& root, int) {
    watchdog_.hold(true);
    Tree out;
    write(all_rows(all_.n_rows()), root, out);
    watchdog_.hold(false);
    return out;
}

// A tree for a set, from the cache or of depth two.
template <class Ops>
SubtreeBounds SparseSearcher<Ops>::recall(const RowBits& set) {
    SetFrame& here = frame(0);
    here.part.fill(all_, set, ops_, settings_.merging, unsupported_);
    here.sums.fill(here.part, all_rows(here.part.n_rows()), ops_, true);
    SubtreeBounds found = cap(bits::solve_pairs(here.part, here.sums, 4, prices_, ops_));
    if (const std::optional<SubtreeBounds> cached = lookup(all_.key_of(set))) improve(found, *cached);
    return found;
}

template <class Ops>
std::int32_t SparseSearcher<Ops>::write(const RowBits& set, const SubtreeBounds& known, Tree& out) {
    const auto here = static_cast<std::int32_t>(out.size());
    out.push_back({-1, -1, -1, -1, all_.best_label(set)});
    if (known.question.column < 0) return here;
    out[here].column = known.question.column;
    out[here].rank = static_cast<std::int32_t>(known.question.rank);
    std::size_t column = 0;
    while (all_.question(column) != known.question) ++column;
    RowBits sides[2] = {set, set};
    for (std::size_t w = 0; w < set.size(); ++w) {
        sides[0][w] &= all_.column(column)[w];
        sides[1][w] &= ~all_.column(column)[w];
    }
    SubtreeBounds best[2] = {recall(sides[0]), recall(sides[1])};
    // What the cache has lost is solved again.
    for (std::size_t side = 0; side < 2 && best[0].upper + best[1].upper > known.upper; ++side)
        best[side] = solve(all_, sides[side], all_.key_of(sides[side]), 0, known.upper + 1, nullptr);
    for (std::size_t side = 0; side < 2; ++side) {
        const std::int32_t at = write(sides[side], best[side], out);
        (side == 0 ? out[here].yes : out[here].no) = at;
    }
    return here;
}

template <class Ops>
std::vector<std::pair<std::string, std::uint64_t>> SparseSearcher<Ops>::counters() const {
    return {{"subproblems", counters_.subproblems}, {"cache_hits", counters_.cache_hits},
            {"cache_entries", cache_.size()},       {"pair_sums", counters_.pair_sums},
            {"packings", counters_.packings},       {"explored", counters_.explored},
            {"columns_summed", counters_.summed},   {"columns_branched", counters_.branched}};
}

template class SparseSearcher<bits::SmallOps>;
template class SparseSearcher<bits::MediumOps>;
template class SparseSearcher<bits::WideOps>;

}  // namespace exactree::sparse
