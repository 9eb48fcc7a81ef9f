#include "constrained/rank_roots.hpp"

#include <algorithm>

namespace exactree::constrained {

using ranks::Node;

RankRoots::RankRoots(const Data& relaxed, const ListingRules& rules, const Budget& budget, Watchdog& watchdog,
                     bool portable)
    : relaxed_(relaxed),
      rules_(rules),
      searcher_(relaxed, rules.limits, watchdog, budget.memory.value_or(SIZE_MAX) / 2, Settings{}, portable),
      lister_(relaxed, rules, searcher_, watchdog) {
    root_.fill(relaxed, portable);
}

Cost RankRoots::lowest() {
    const std::int64_t leaves = std::min(rules_.limits.max_leaves, full_tree_leaves(rules_.depth()));
    return searcher_.solve_node(root_, rules_.depth(), leaves, kInfiniteCost).lower;
}

double RankRoots::highest() const {
    Cost total = 0;
    for (const Cost base : relaxed_.base) total += base;
    total += rules_.limits.leaf_price * std::min<Cost>(rules_.limits.max_leaves, relaxed_.n_rows);
    return static_cast<double>(total);
}

std::vector<RootQuestion> RankRoots::questions(Cost most) {
    cuts_.clear();
    lister_.visit_cuts(root_, rules_.depth(), most, [&](const OpenCut& open) { cuts_.push_back(open); });
    std::vector<RootQuestion> found;
    for (std::size_t at = 0; at < cuts_.size(); ++at)
        found.push_back({root_.question(cuts_[at].cut), at, cuts_[at].yes, cuts_[at].no});
    return found;
}

void RankRoots::open(const RootQuestion& root) {
    Lister::Frame& sides = lister_.frame(rules_.depth());
    Node::split(relaxed_, root_, cuts_[root.at].cut, sides.yes, sides.no);
}

void RankRoots::list_side(bool yes, Cost most, Points& out) {
    const Lister::Frame& sides = lister_.frame(rules_.depth());
    lister_.list(yes ? sides.yes : sides.no, rules_.depth() - 1, most, out);
}

Counters RankRoots::counters() const {
    Counters all{{"listed", lister_.n_points}, {"cuts_tried", lister_.n_cuts}};
    for (const auto& counter : searcher_.counters()) all.push_back({"relaxed_" + counter.first, counter.second});
    return all;
}

}  // namespace exactree::constrained
