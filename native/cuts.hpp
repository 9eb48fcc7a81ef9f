// The cuts of one column between two solved ones, and lower bounds for them that follow from the solved ones.
//
// Let yes(t), no(t) be the best costs of the two sides of cut t. Rows move from no to yes as t grows, and a row of
// base m changes a side's best cost by at most m, never downwards when it joins. Hence for a < t < b
//   yes(t) >= yes(a),  yes(t) >= yes(b) - (base between t and b),
//   no(t)  >= no(b),   no(t)  >= no(a)  - (base between a and t).
// A limit on rows per leaf breaks this (a twin can make a split legal), so both ends hold relaxed values.
#pragma once

#include "node.hpp"

namespace exactree {

// Relaxed lower bounds of the two sides of a cut.
struct Ends {
    Cost yes = 0, no = 0;
};

// Sums over the rows up to each cut, by cell.
struct Prefixes {
    std::vector<Cost> base;
    std::vector<Size> size;
    std::vector<Key> key;

    void fill(const Data& data, const Node& node);
};

struct Interval {
    std::uint32_t column;  // of the node
    std::int32_t low;      // the cuts strictly between low and high are open
    std::int32_t high;
    Ends at_low, at_high;
    std::int64_t yes_leaves;
    Cost bound = 0;     // of all allowed cuts inside
    bool fresh = true;  // no cut of this column was solved yet
    Cost guess = 0;     // of the first cut to try, if fresh
};

class CutBounds {
 public:
    CutBounds(const Limits& limits, const Node& node, const Prefixes& prefixes)
        : limits_(limits), node_(node), prefixes_(prefixes) {}

    Ends at(const Interval& open, std::int32_t cut) const noexcept {
        const Cost from_low = base(open, cut) - base(open, open.low), to_high = base(open, open.high) - base(open, cut);
        return {std::max({limits_.leaf_price, open.at_low.yes, open.at_high.yes - to_high}),
                std::max({limits_.leaf_price, open.at_high.no, open.at_low.no - from_low})};
    }

    bool allowed(const Interval& open, std::int32_t cut) const noexcept {
        const Size yes = prefixes_.size[cell(open, cut)];
        return limits_.allows(yes, node_.size() - yes);
    }

    struct Lowest {
        Cost allowed = kNoCost;  // over the allowed cuts
        Cost relaxed = kNoCost;  // over all cuts
    };
    Lowest lowest(const Interval& open) const;

    // The cut to try next and the base that may be decided by it: the middle of the cuts that may still cost less
    // than `target`, or nothing if there is none.
    struct Choice {
        std::int32_t cut = -1;
        Cost width = 0;
    };
    Choice middle(const Interval& open, Cost target) const;
    Choice best_guess(const Interval& open, const std::vector<Cost>& guesses) const;

    std::size_t cell(const Interval& open, std::int32_t cut) const noexcept {
        return node_.columns()[open.column].first_cell + static_cast<std::size_t>(cut);
    }

 private:
    Cost base(const Interval& open, std::int32_t cut) const noexcept {
        return cut < 0 ? 0 : prefixes_.base[cell(open, cut)];
    }

    const Limits& limits_;
    const Node& node_;
    const Prefixes& prefixes_;
};

}  // namespace exactree
