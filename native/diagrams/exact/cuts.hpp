// The cuts of a node that are not pruned, found by bisection: solved cuts at both ends of a range bound those between.
//
// Let yes(t), no(t) be the errors of the two sides of cut t, as leaves or with a tree. They only grow with the rows,
// and a row of base m adds at most m. Hence for a < t < b: yes(t) >= yes(a), no(t) >= no(b), and cut t costs no less
// than cut a minus the base of the rows between.
#pragma once

#include <vector>

#include "diagrams/exact/tree_bounds.hpp"

namespace exactree::diagrams::exact {

// Cuts of a column strictly between two places, of which those from `first` to `last` are not pruned.
struct CutRange {
    std::size_t column;
    ranks::Place low, high, first, last;
    CutErrors at_low, at_high;

    // Lower bounds of the sides of all cuts inside.
    CutErrors floors() const noexcept { return {at_low.yes, at_high.no}; }
    // Whether the bounds of the cuts inside are exact.
    bool settled() const noexcept { return at_low.yes == at_high.yes && at_low.no == at_high.no; }
};

// A cut near the middle of a range; 0 if there is none.
inline ranks::Place middle_cut(const ranks::Node& node, const CutRange& range) {
    if (range.first > range.last) return 0;
    const ranks::Place middle = range.first + (range.last - range.first) / 2;
    const ranks::Place before = node.tie_begin(range.column, middle);
    if (before >= range.first) return before;
    const ranks::Place after = node.tie_end(range.column, middle);
    return after <= range.last ? after : 0;
}

// Calls visit(range, cut) for cuts until all others cost `target()` or more; it returns bounds of the cut's sides.
// `stop()` ends it early.
template <class Target, class Visit, class Stop>
void visit_cuts(const ranks::Node& node, Target target, Visit visit, Stop stop) {
    const auto n = static_cast<ranks::Place>(node.n_rows());
    std::vector<CutRange> open;
    const CutErrors nothing_yes{0, kInfiniteCost}, nothing_no{kInfiniteCost, 0};
    for (std::size_t column = node.n_columns(); column-- > 0;)
        open.push_back({column, 0, n, 1, n - 1, nothing_yes, nothing_no});
    while (!open.empty() && !stop()) {
        const CutRange range = open.back();
        open.pop_back();
        if (range.floors().lower() >= target()) continue;
        const ranks::Place cut = middle_cut(node, range);
        if (cut == 0) continue;
        const CutErrors ends = visit(range, cut);
        CutRange under = range, over = range;
        under.high = over.low = cut;
        under.at_high = over.at_low = ends;
        under.last = cut - 1;
        over.first = cut + 1;
        // The cuts next to a pruned one are pruned too.
        if (const Cost slack = ends.lower() - target(); slack >= 0) {
            const Cost here = node.base_before(range.column, cut);
            over.first = std::max(over.first, node.place_beyond(range.column, here + slack));
            const ranks::Place alive = node.place_beyond(range.column, here - slack - 1);
            under.last = alive == 0 ? 0 : std::min(under.last, alive - 1);
        }
        open.push_back(over);
        open.push_back(under);
    }
}

// The cuts of a column whose yes side, or no side, ends in a leaf with fewer errors than `below`: fewest errors first.
// Of the cuts with equal errors only the one that ends most rows, since fewer remaining rows never have more errors,
// unless `all` are requested.
inline void find_peels(const Data& data, const ranks::Node& node, std::size_t column, bool yes_ends, bool all,
                       Cost below, std::vector<Cost>& gains, std::vector<Peel>& out) {
    const auto n = static_cast<ranks::Place>(node.n_rows());
    out.clear();
    gains.assign(node.gains().size(), 0);
    Cost most = 0, base = 0;
    for (ranks::Place step = 0; step + 1 < n; ++step) {
        const ranks::Place at = yes_ends ? step : n - 1 - step, next = yes_ends ? step + 1 : n - 2 - step;
        const RowId row = node.row(node.order(column)[at]);
        Cost& gain = gains[static_cast<std::size_t>(data.label[row])];
        gain += data.gain[row];
        most = std::max(most, gain);
        base += data.base[row];
        if (node.rank_at(column, at) == node.rank_at(column, next)) continue;
        const Cost leaf = base - most;
        if (leaf >= below) return;
        if (!all && !out.empty() && out.back().leaf == leaf) out.pop_back();
        out.push_back({yes_ends ? next : at, leaf});
    }
}

// Some peels of a list.
struct PeelRange {
    std::size_t first, last;  // of the list, last excluded
    Cost rest;                // lower bound of the errors of the remaining rows
};

// Calls visit(peel, floor) for peels of a column until all others cost `target()` or more; it returns a lower bound of
// the errors of the remaining rows, of which `floor` is known. More errors in the leaf mean fewer remaining rows.
template <class Target, class Visit, class Stop>
void visit_peels(const std::vector<Peel>& peels, Target target, Visit visit, Stop stop) {
    std::vector<PeelRange> open{{0, peels.size(), 0}};
    while (!open.empty() && !stop()) {
        const PeelRange range = open.back();
        open.pop_back();
        if (range.first >= range.last || peels[range.first].leaf + range.rest >= target()) continue;
        const std::size_t middle = range.first + (range.last - range.first) / 2;
        const Cost rest = visit(peels[middle], range.rest);
        open.push_back({range.first, middle, rest});
        open.push_back({middle + 1, range.last, range.rest});
    }
}

}  // namespace exactree::diagrams::exact
