// The diagram of lowest cost whose predictions keep sums over rows within limits.
//
// An allowed diagram of cost c has a relaxed cost of at most ratio * c + shift. So rounds list all diagrams whose
// relaxed cost allows a cost below a level, profile by profile, and raise the level until one of them is allowed: then
// the cheapest allowed one is optimal.
#pragma once

#include "constrained/search.hpp"
#include "diagrams/exact/search.hpp"

namespace exactree::diagrams::constrained {

struct ConstrainedDiagrams {
    const Data& relaxed;  // relaxed costs, as gains
    const exact::DiagramShape& shape;
    const exactree::constrained::Channels& channels;  // of costs in units of their own; its leaf price is of nodes
    const exactree::constrained::SumLimits& sums;
    double ratio = 1, shift = 0;
    double step = 0.5;       // costs that differ by less are equal
    double known_bound = 0;  // no allowed diagram costs less
    double known_cost = 0;   // of an allowed diagram; infinite if there is none
    int reach = 4;           // layers that tree bounds look ahead
};

exactree::constrained::ConstrainedOutcome search_constrained_diagrams(const ConstrainedDiagrams& problem,
                                                                      const Budget& budget);

}  // namespace exactree::diagrams::constrained
