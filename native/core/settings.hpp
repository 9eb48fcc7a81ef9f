// Techniques of the search. All are on by default; each can be switched off to measure its effect, and the optimum must
// be the same without it.
#pragma once

#include <cstdint>

namespace exactree {

struct Settings {
    bool similarity = true;    // similarity bounds: from sets of rows that differ little (other columns, nearby cuts)
    bool look_ahead = true;    // columns in the order of their best trees of depth two
    bool cache = true;         // bounds cached by set of rows
    bool merging = true;       // columns that split the rows of a subproblem identically are tried once
    bool subtraction = true;   // sums of the larger side from those of the smaller
    bool differences = true;   // sums over a set of rows from those over a similar one
    bool scatter = true;       // sums from the rare cells alone where these are few
    bool deepening = true;     // iterative deepening
    bool local_search = true;  // local search on warm starts
    bool hints = true;         // on ranks: questions that were best for nearby cuts come first
    bool slack = true;         // on ranks: sides are solved beyond the cutoff where that bounds nearby cuts
    bool anytime = true;       // primal heuristic before and beside the proof, see anytime/
    bool partition = true;     // lower bound from disjoint sets of rows beside the proof, see partition/
    int threads = 1;
    std::uint64_t seed = 0;  // of the primal heuristic
};

}  // namespace exactree
