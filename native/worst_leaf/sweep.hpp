// A cut that moves through a column, with sums over pairs of columns for the rows on one side of it.
#pragma once

#include <vector>

#include "core/budget.hpp"
#include "worst_leaf/pairs.hpp"

namespace exactree::worst_leaf {

// One cut during a sweep: sums of the side that grows with the sweep, and of the other.
struct SweptCut {
    Question question;
    const double* swept;
    const double* rest;
    bool yes_is_swept;
};

// Calls visit(cut) for each cut of a column that is_open(rank), from one end to the other, until it returns true. The
// sums of one side are updated from cut to cut, so that every row is added once; those of the last rank never are, so
// the end with more rows is the last one.
template <class IsOpen, class Visit>
bool sweep_cuts(const LeafData& data, const RowSet& set, const Tally& tally, std::size_t column, PairTables& sums,
                Watchdog& watchdog, IsOpen is_open, Visit visit) {
    const Rank n_ranks = data.data.n_ranks[column];
    std::vector<std::vector<RowId>> by_rank(n_ranks);
    for (const RowId row : set.rows) by_rank[data.data.rank(column, row)].push_back(row);
    std::vector<double> swept(data.n_channels()), rest(data.n_channels());
    std::vector<RowId> waiting;  // not yet in the sums
    const bool up = by_rank.front().size() <= by_rank.back().size();
    bool empty = true;
    for (Rank i = 0; i + 1 < n_ranks && !watchdog.stopped(); ++i) {
        const Rank rank = up ? i : n_ranks - 1 - i, cut = up ? rank : rank - 1;
        if (by_rank[rank].empty()) continue;
        for (const RowId row : by_rank[rank]) data.add(swept.data(), row);
        waiting.insert(waiting.end(), by_rank[rank].begin(), by_rank[rank].end());
        if (!is_open(cut)) continue;
        for (std::size_t c = 0; c < swept.size(); ++c) rest[c] = tally.all[c] - swept[c];
        if (empty) sums.clear();
        empty = false;
        sums.add(waiting);
        watchdog.spend(waiting.size() * sums.n_pairs() / 2);
        waiting.clear();
        const Question question{static_cast<std::int32_t>(column), cut};
        if (visit(SweptCut{question, swept.data(), rest.data(), up})) return true;
    }
    return false;
}

}  // namespace exactree::worst_leaf
