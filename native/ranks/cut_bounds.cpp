#include "ranks/cut_bounds.hpp"

namespace exactree::ranks {
namespace {

// Rows from one end of a column's order that are needed to reach the minimum leaf size; `at` gives the rows from that
// end.
template <class RowAt>
Place rows_needed(const Data& data, const Node& node, const Size& least, RowAt at) {
    Size sum;
    Place taken = 0;
    while (taken < node.n_rows() && !sum.reaches(least)) sum += data.size[node.row(at(taken++))];
    return taken;
}

}  // namespace

CutBounds::CutBounds(const Data& data, const Limits& limits, const Node& node, bool similarity, bool paying)
    : limits_(limits), node_(node), similarity_(similarity), paying_(paying && limits.leaf_price > 0) {
    if (!limits.limits_leaf_size() && !paying_) return;
    const auto n = static_cast<Place>(node.n_rows());
    for (std::size_t column = 0; column < node.n_columns(); ++column) {
        const std::uint32_t* order = node.order(column);
        const Place below = rows_needed(data, node, limits.least, [&](Place at) { return order[at]; });
        const Place above = rows_needed(data, node, limits.least, [&](Place at) { return order[n - 1 - at]; });
        windows_.push_back(supported(column, {below, n - above}));
    }
}

// The cuts of a range that can pay for a leaf. A split is of no use if all rows of one side, answered wrongly, cost no
// more than a leaf: the tree of the other side, grown for all rows, is no more expensive.
OpenCuts CutBounds::supported(std::size_t column, OpenCuts within) const {
    if (!paying_) return within;
    const Cost most = node_.base() - limits_.leaf_price - 1;  // before the cut
    if (most < limits_.leaf_price + 1) return {};
    within.first = std::max(within.first, node_.place_beyond(column, limits_.leaf_price));
    const Place beyond = node_.place_beyond(column, most);
    within.last = std::min(within.last, beyond == 0 ? 0 : beyond - 1);
    return within;
}

Interval CutBounds::all(std::uint32_t column, std::int64_t yes_leaves, Cost whole_yes, Cost whole_no) const {
    const Cost price = limits_.leaf_price;
    Interval open{column, 0, static_cast<Place>(node_.n_rows()), {}, {}, yes_leaves};
    open.at_low = for_others({price, std::max(price, whole_no), {}, {}});
    open.at_high = for_others({std::max(price, whole_yes), price, {}, {}});
    update(open);
    return open;
}

OpenCuts CutBounds::open_cuts(const Interval& open, Cost target) const {
    OpenCuts out{open.low + 1, open.high - 1};
    const Cost over_low = open.at_low.cost() - target, over_high = open.at_high.cost() - target;
    if (over_low >= 0)
        out.first = std::max(out.first, node_.place_beyond(open.column, base(open, open.low) + over_low));
    if (over_high >= 0) {
        // base before the cut < base before `high` - over_high
        const Cost most = base(open, open.high) - over_high - 1;
        if (most < 0) return {};
        const Place beyond = node_.place_beyond(open.column, most);
        if (beyond == 0) return {};
        out.last = std::min(out.last, beyond < node_.n_rows() || base(open, beyond) > most ? beyond - 1 : beyond);
    }
    if (!windows_.empty()) {
        out.first = std::max(out.first, windows_[open.column].first);
        out.last = std::min(out.last, windows_[open.column].last);
    }
    out = similarity_bounds_.trimmed(open.column, out, target);
    if (out.empty()) return {};
    if (!node_.tied(open.column)) return out;
    const Place first = node_.tie_begin(open.column, out.first);
    if (first < out.first) out.first = node_.tie_end(open.column, out.first);
    out.last = node_.tie_begin(open.column, out.last);
    return out.empty() ? OpenCuts{} : out;
}

Place CutBounds::nearest(const Interval& open, Place place, OpenCuts within) const {
    place = std::clamp(place, within.first, within.last);
    if (!node_.tied(open.column)) return place;
    const Place before = node_.tie_begin(open.column, place);
    if (before >= within.first) return before;
    const Place after = node_.tie_end(open.column, place);
    return after <= within.last ? after : 0;
}

Place CutBounds::middle(const Interval& open, OpenCuts within) const {
    const Cost centre = (base(open, within.first) + base(open, within.last)) / 2;
    return nearest(open, node_.place_beyond(open.column, centre), within);
}

}  // namespace exactree::ranks
