// Lower bounds of trees without limits on leaves, from the search over ranked columns.
#pragma once

#include "ranks/searcher.hpp"

namespace exactree::leaf_limits {

// The same rows as groups with gains, as that search reads them.
struct FreeProblem {
    const Data& groups;
    const Limits& limits;
    Cost offset;   // unavoidable cost, which is taken out of the groups
    double scale;  // of a cost there to one here
};

class FreeBounds {
 public:
    FreeBounds(const FreeProblem& problem, std::size_t cache_bytes, Watchdog& watchdog)
        : problem_(problem), searcher_(problem.groups, problem.limits, watchdog, cache_bytes, Settings{}, false) {
        root_.fill(problem.groups);
    }

    // No tree costs less that begins with one of the cuts first..last of a column: its yes side has all rows up to the
    // first cut, its no side all beyond the last, and without limits more rows never cost less. Beyond `below` it is
    // not exact.
    double of_cuts(std::size_t column, Rank first, Rank last, int depth, std::int64_t leaves, double below);

 private:
    Cost of_side(const ranks::Node& side, bool single, int depth, std::int64_t leaves, Cost below);

    const FreeProblem problem_;
    ranks::RankSearcher searcher_;
    ranks::Node root_, yes_, no_, rest_;
};

}  // namespace exactree::leaf_limits
