// The tree of lowest cost whose predictions keep sums over rows within limits: fairness, false negatives.
//
// The relaxed problem charges every row for its part of the sums, at given multipliers; the ordinary search solves it,
// and no allowed tree costs less (Lagrangian relaxation). An allowed tree of cost c has a relaxed cost of at most c. So
// rounds list all trees whose relaxed cost allows a cost below a level, and raise the level until one of them is
// allowed: then the cheapest allowed one is optimal.
#pragma once

#include "constrained/roots.hpp"
#include "constrained/rows.hpp"
#include "core/budget.hpp"
#include "core/outcome.hpp"

namespace exactree::constrained {

struct ConstrainedProblem {
    ListingRules rules;
    double ratio = 1, shift = 0;  // an allowed tree of cost c has a relaxed cost of at most ratio * c + shift
    double step = 0.5;            // costs that differ by less are equal
    double known_bound = 0;       // no allowed tree costs less
    double known_cost = 0;        // of an allowed tree; infinite if there is none
    bool all_at_once = false;     // a single round lists all trees that may be better than the known one
};

struct ConstrainedOutcome {
    Tree tree;         // cheaper than the known one; empty if none was found
    double cost = 0;   // of that tree or the known one; infinite if there is none
    double bound = 0;  // no allowed tree costs less; infinite if none is allowed
    Status status = Status::proved;
    Counters counters;
};

ConstrainedOutcome search_constrained(const ConstrainedProblem& problem, Roots& roots, const Budget& budget,
                                      Watchdog& watchdog);
// Over ranks; `relaxed` has the relaxed costs as gains.
ConstrainedOutcome search_constrained(const Data& relaxed, const ConstrainedProblem& problem, const Budget& budget,
                                      bool portable = false);

}  // namespace exactree::constrained
