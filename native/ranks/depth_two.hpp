// The best tree of depth two, by probing cuts: rounds of a pass over all columns that scores as many cuts as a vector
// has lanes, always in the intervals with the lowest bounds.
#pragma once

#include <memory>
#include <span>

#include "core/budget.hpp"
#include "core/cache.hpp"
#include "ranks/cut_bounds.hpp"

namespace exactree::ranks {

// The goal of a subproblem: its limits, and what is known of it.
struct SubproblemGoal {
    std::int64_t leaves;                // at most so many
    Cost below = kInfiniteCost;         // cutoff: trees of this cost or more are pruned
    Cost at_least = 0;                  // lower bound, leaves of any size: a tree of this cost ends the search
    std::span<const Question> hints{};  // first questions that are likely to be good
};

// The best cut of a column among those that were scored.
struct ScoredCut {
    Cost cost = kInfiniteCost;
    Place cut = 0;
};

class DepthTwoSolver {
 public:
    virtual ~DepthTwoSolver() = default;
    // Best tree with at most 3 or 4 leaves if it costs less than the cutoff; otherwise a lower bound. `guesses`, if
    // given, receives one per column.
    virtual SubtreeBounds solve(const Node& node, const SubproblemGoal& wanted, Watchdog& watchdog,
                                std::vector<ScoredCut>* guesses) = 0;

    std::uint64_t n_passes() const noexcept { return n_passes_; }
    std::uint64_t n_probes() const noexcept { return n_probes_; }

 protected:
    std::uint64_t n_passes_ = 0, n_probes_ = 0;
};

// Uses the narrowest integers that the data allow. `portable` uses no instructions beyond the baseline.
std::unique_ptr<DepthTwoSolver> make_depth_two_solver(const Data& data, const Limits& limits, bool portable,
                                                      bool similarity = true);

}  // namespace exactree::ranks
