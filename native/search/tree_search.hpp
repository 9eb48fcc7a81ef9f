// Exact search for the tree of lowest cost within the limits: branch and bound over sets of rows.
//
// A subproblem is (rows, depth, leaves). Depth one and two are solved by scanning; above that, the cuts of all columns
// are searched best-first, as a queue of intervals ordered by lower bound, so that the head of the queue is a valid
// lower bound at any moment. Bounds are cached by row set. No I/O, no globals.
#pragma once

#include "core/budget.hpp"
#include "core/data.hpp"
#include "core/outcome.hpp"
#include "core/settings.hpp"
#include "search/engine_choice.hpp"

namespace exactree::search {

// `offset` is the unavoidable cost that the caller has subtracted from the data; the gap is relative to the total cost.
// `start` is a warm start and may be empty; its splits are used, its labels are not.
// `points` are the rows as CART sees them: `gain` is the weight of a row by which impurity is measured, and rows that
// no question can split are not merged. If they are given, the result is never worse than the tree that CART's rule
// grows from them. That tree is the first incumbent, unless `start` is cheaper; where a proof is expected to be quick,
// it is grown last, and only if the search ends without a proof. Throws std::invalid_argument if the engine cannot
// solve the problem.
Outcome search_tree(const Data& data, const Limits& limits, const Budget& budget, Cost offset, const Tree& start,
                    Engine engine = Engine::fastest, const Settings& settings = {}, const Data* points = nullptr);

}  // namespace exactree::search
