// A lower bound of the cost of a part of the rows, by the search itself with a limit.
#pragma once

#include <cstddef>

#include "core/budget.hpp"
#include "core/data.hpp"
#include "search/engine_choice.hpp"

namespace exactree::search {

// No tree for these rows within the limits costs less. It need not be higher than this share of what a good tree costs;
// with a share of 1 it is the optimum, unless the watchdog stops the search.
Cost bound_part(const Data& data, const Limits& limits, double share, Watchdog& watchdog, Engine engine,
                const Settings& settings, std::size_t cache_bytes);

}  // namespace exactree::search
