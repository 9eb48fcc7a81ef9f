// Which engine searches for trees, ranks or bit sets, and the memory that it takes.
#pragma once

#include <functional>
#include <memory>

#include "core/budget.hpp"
#include "core/data.hpp"
#include "core/settings.hpp"
#include "core/tree_searcher.hpp"

namespace exactree::search {

// Which engine to run; `fastest` chooses by the data.
enum class Engine { fastest, ranks, portable_ranks, bits, portable_bits };

// An engine, created once it is known that its memory (without the cache) is within the limit.
struct EnginePlan {
    std::size_t bytes;
    std::size_t improver_bytes;  // of the primal heuristic on this engine, beside the cache
    std::function<std::unique_ptr<TreeSearcher>(Watchdog&, std::size_t cache_bytes)> make;
};

// Data and limits must outlive the plan. Throws std::invalid_argument if the engine cannot solve the problem.
EnginePlan choose_engine(const Data& data, const Limits& limits, Engine engine, const Settings& settings);

// Most leaves of a tree that costs less than a single leaf: no more than the price of a leaf allows, and no more than
// there are groups of rows to which not every answer costs the same.
std::int64_t useful_leaves(const Data& data, const Limits& limits);

// Whether the search for sparse trees takes the problem if it may choose: it finds good trees without a greedy one.
bool prefers_sparse(const Data& data, const Limits& limits);

// Whether a proof is expected to take less time than a greedy tree saves.
bool is_quick(const Data& points, const Limits& limits, int max_depth);

}  // namespace exactree::search
