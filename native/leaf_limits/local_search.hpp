// Local search: parts of a tree are replaced by the cheapest subtrees of depth two for their rows.
#pragma once

#include "leaf_limits/searcher.hpp"

namespace exactree::leaf_limits {

// Improves the parts at the bottom of a tree one by one, within so much depth and so many leaves, and tells the
// listener the result.
void improve(LimitSearcher& searcher, const LeafData& data, const Found& start, int depth, std::int64_t leaves,
             const Watchdog& watchdog, RootListener& listener);

}  // namespace exactree::leaf_limits
