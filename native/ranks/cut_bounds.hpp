// Lower bounds of the cuts of one column between two solved cuts, derived from the solved ones.
//
// Let yes(t), no(t) be the best costs of the two sides of cut t. Rows move from no to yes as t grows, and a row of base
// m changes a side's best cost by at most m, and never lowers it when it joins. Hence for a < t < b
//   yes(t) >= yes(a),  yes(t) >= yes(b) - (base between t and b),
//   no(t)  >= no(b),   no(t)  >= no(a)  - (base between a and t).
// Added up in pairs:
//   cost(t) >= yes(a) + no(b)                        for all cuts between a and b,
//   cost(t) >= yes(b) + no(a) - (base between a and b)     likewise,
//   cost(t) >= cost(a) - (base between a and t)      so that the cuts next to a are out if cost(a) is high,
//   cost(t) >= cost(b) - (base between t and b)      and those next to b.
// A minimum leaf size breaks this (one more row can make a split legal), so both ends hold relaxed bounds.
#pragma once

#include "ranks/similarity_bounds.hpp"

namespace exactree::ranks {

class CutBounds {
 public:
    // Without `similarity`, a solved cut gives no bound for other cuts. `paying` leaves out the cuts with a side that
    // cannot pay for its leaf: the best tree needs none of them, a listing of trees needs all.
    CutBounds(const Data& data, const Limits& limits, const Node& node, bool similarity = true, bool paying = false);

    // All cuts of a column. `whole_yes` and `whole_no` bound the cost of all rows as one side.
    Interval all(std::uint32_t column, std::int64_t yes_leaves, Cost whole_yes, Cost whole_no) const;
    // Whether both sides of a cut have the minimum leaf size.
    bool allowed(std::size_t column, Place cut) const noexcept {
        return windows_.empty() || (windows_[column].first <= cut && cut <= windows_[column].last);
    }

    // The bounds that a solved cut gives for the other cuts of its column.
    SideBounds for_others(const SideBounds& solved) const noexcept {
        return similarity_ ? solved
                           : SideBounds{limits_.leaf_price, limits_.leaf_price, solved.yes_asks, solved.no_asks};
    }
    // Derives bounds for the cuts of other columns from a solved cut. Valid only if both sides of all cuts may have
    // equally many leaves.
    void learn(Cut cut, const SideBounds& solved) {
        if (similarity_) similarity_bounds_.learn(node_, cut, solved);
    }
    // Sets the lower bound of all cuts inside and returns it.
    Cost update(Interval& open) const noexcept {
        const Cost between = base(open, open.high) - base(open, open.low);
        open.bound = std::max(
            {2 * limits_.leaf_price, open.at_low.yes + open.at_high.no, open.at_high.yes + open.at_low.no - between});
        return open.bound;
    }
    // Lower bounds of both sides of one cut inside.
    SideBounds at(const Interval& open, Place cut) const noexcept {
        const Cost from_low = base(open, cut) - base(open, open.low), to_high = base(open, open.high) - base(open, cut);
        SideBounds out{std::max({limits_.leaf_price, open.at_low.yes, open.at_high.yes - to_high}),
                       std::max({limits_.leaf_price, open.at_high.no, open.at_low.no - from_low}),
                       {},
                       {}};
        similarity_bounds_.raise(open.column, cut, out);
        return out;
    }
    // The cuts that are allowed and not pruned by `target`: a range that begins and ends with a cut, or an empty one.
    OpenCuts open_cuts(const Interval& open, Cost target) const;
    // The last cut up to `place` in a range, or else the first one after it; 0 if there is none.
    Place nearest(const Interval& open, Place place, OpenCuts within) const;
    // The cut in the middle of a range, by base.
    Place middle(const Interval& open, OpenCuts within) const;
    // The base that lies between a cut and the farther end of a range.
    Cost reach(const Interval& open, Place cut, OpenCuts within) const noexcept {
        return std::max(base(open, cut) - base(open, within.first), base(open, within.last) - base(open, cut));
    }
    Cost base(const Interval& open, Place cut) const noexcept { return node_.base_before(open.column, cut); }

 private:
    OpenCuts supported(std::size_t column, OpenCuts within) const;

    const Limits& limits_;
    const Node& node_;
    bool similarity_, paying_;
    SimilarityBounds similarity_bounds_;
    std::vector<OpenCuts> windows_;  // by column, the allowed cuts that pay for a leaf; empty if there is neither a
                                     // least size nor a price
};

}  // namespace exactree::ranks
