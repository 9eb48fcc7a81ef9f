// Trees of depth three at most over few questions: sums over all paths once, then relaxed problems at any multipliers,
// and the listing, without looking at a row again.
#pragma once

#include "constrained/path_bounds.hpp"
#include "constrained/search.hpp"

namespace exactree::constrained {

// The relaxed problem: a unit of each sum costs its multiplier, and `constant` is subtracted.
struct Multipliers {
    std::vector<double> by_sum;
    double constant = 0;
};

struct RelaxedTree {
    Tree tree;
    double bound = 0;  // no allowed tree costs less
    bool solved = false;
};

class PathSearch {
 public:
    // Channels have one row per group, as Channels says, then rows and, where leaves have a least weight, weight.
    PathSearch(Chains chains, std::span<const Cost> channels, const Channels& layout, const Limits& limits);

    static std::size_t n_channels(const Channels& layout, const Limits& limits);
    // Whether the sums take no more than so many bytes and steps.
    static bool fits(const Chains& chains, std::size_t n_channels, int depth, std::size_t memory, double steps);

    PathSearch(const PathSearch&) = delete;  // sums refer to chains
    PathSearch& operator=(const PathSearch&) = delete;

    bool fill(Watchdog& watchdog) { return sums_.fill(watchdog); }
    RelaxedTree relax(const Multipliers& multipliers, int depth, Watchdog& watchdog) const;
    // `problem` has ratio 1 and shift 0: they follow from the multipliers.
    ConstrainedOutcome search(const ConstrainedProblem& problem, const Multipliers& multipliers, const Budget& budget,
                              Watchdog& watchdog) const;

 private:
    // Planes in units of which all costs together are many, but few enough for doubles to tell apart.
    struct Scaled {
        Planes planes;
        double ratio = 1, highest = 0;
    };
    Scaled scaled(const Multipliers& multipliers) const;

    Chains chains_;
    Channels layout_;
    Limits limits_;
    PathSums sums_;
};

}  // namespace exactree::constrained
