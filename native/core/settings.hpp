// What the search makes use of. All of it is on; each part can be left out to see what it is worth, and the optimum
// must be the same without it.
#pragma once

namespace exactree {

struct Settings {
    bool similarity = true;    // bounds from sets of rows that differ little: other columns, cuts nearby
    bool look_ahead = true;    // columns in the order of their best trees of depth two
    bool cache = true;         // results kept by set of rows
    bool merging = true;       // columns that part the rows of a subproblem alike are tried once
    bool subtraction = true;   // sums of the larger side from those of the smaller
    bool differences = true;   // sums over a set of rows from those over a similar one
    bool scatter = true;       // sums from the rare cells alone where these are few
    bool deepening = true;     // shallower trees first
    bool local_search = true;  // the first trees made better one question at a time
    bool hints = true;         // on ranks: questions that were good for the cuts nearby come first
    bool slack = true;         // on ranks: sides are solved beyond need, if that bounds the cuts nearby
    int threads = 1;
};

}  // namespace exactree
