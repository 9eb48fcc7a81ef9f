// Lists the predictions of all trees for a set of rows whose relaxed cost is at most a limit.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "constrained/points.hpp"
#include "constrained/rows.hpp"
#include "core/budget.hpp"
#include "ranks/searcher.hpp"

namespace exactree::constrained {

// A cut of a node that trees within the limit may have, and lower bounds of the relaxed cost of its sides.
struct OpenCut {
    ranks::Cut cut;
    Cost yes = 0, no = 0;
    Cost cost() const noexcept { return yes + no; }
};

class Lister {
 public:
    // `relaxed` has the relaxed costs as gains. The searcher solves relaxed problems of the same data and limits.
    Lister(const Data& relaxed, const ListingRules& rules, ranks::RankSearcher& searcher, Watchdog& watchdog);

    // Predictions of all trees of at most this depth, unless the watchdog stops the search.
    void list(const ranks::Node& node, int depth, Cost most, Points& out);
    // Calls visit for each cut of a node whose sides, trees of one level less, may cost at most `most` together. The
    // sides stand in `frame(depth)`.
    void visit_cuts(const ranks::Node& node, int depth, const Cost& most,
                    const std::function<void(const OpenCut&)>& visit);
    Points no_points() const { return Points::of(rules_); }

    struct Frame {
        ranks::Node yes, no;
    };
    Frame& frame(int depth);
    Arena arena;
    std::uint64_t n_points = 0, n_cuts = 0;  // counters

 private:
    void list_leaf(const ranks::Node& node, Cost most, Points& out);
    void list_stumps(const ranks::Node& node, Cost most, Points& out);
    void list_column(const ranks::Node& node, std::size_t column, Cost most, Points& out);
    void add_stumps(const ranks::Node& node, ranks::Cut cut, Cost most, Points& out);
    void list_splits(const ranks::Node& node, int depth, Cost most, Points& out);
    void sum_channels(const ranks::Node& node);

    const Data& data_;
    const ListingRules& rules_;
    const Limits& limits_;
    const Channels& channels_;
    ranks::RankSearcher& searcher_;
    Watchdog& watchdog_;
    std::deque<Frame> frames_;            // by depth
    std::vector<Cost> all_, low_, high_;  // channels of a node, and of the two sides of a cut
    std::vector<Cost> gain_low_;          // gains of the rows before a cut
    std::vector<Cost> sums_;              // of a point
};

}  // namespace exactree::constrained
