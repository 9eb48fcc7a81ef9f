// Exact search for the tree of lowest cost within the limits: branch and bound over sets of rows.
//
// A subproblem is (rows, depth, leaves). Depth one and two are solved by scanning; above that, the cuts of all columns
// wait in a queue of intervals ordered by what they can still cost, so that the head of the queue is a valid lower
// bound at any moment. Results are kept in a cache by row set. No I/O, no globals.
#pragma once

#include "core/budget.hpp"
#include "core/data.hpp"
#include "core/outcome.hpp"
#include "core/settings.hpp"

namespace exactree::search {

// Which search to run; `fastest` chooses by the data.
enum class Engine { fastest, ranks, portable_ranks, bits, portable_bits };

// `offset` is the part of the cost that the caller has taken out of the data; the gap is relative to the whole cost.
// `start` may be empty; its splits are used, its labels are not.
// `points` are the rows as CART sees them: `gain` is the weight of a row by which impurity is measured, and rows that
// no question can split are not merged. If they are given, the result is never worse than the tree that CART's rule
// grows from them. That tree is the first one, unless `start` is cheaper; or where a proof is expected to be quick, the
// last one, and grown only if the search ends without a proof. Throws std::invalid_argument if the engine asked for
// cannot take the problem.
Outcome search_tree(const Data& data, const Limits& limits, const Budget& budget, Cost offset, const Tree& start,
                    Engine engine = Engine::fastest, const Settings& settings = {}, const Data* points = nullptr);

}  // namespace exactree::search
