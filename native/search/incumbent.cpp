#include "search/incumbent.hpp"

#include <algorithm>

namespace exactree::search {

void Incumbent::update(ScoredTree found, bool settled) {
    const std::lock_guard lock(mutex_);
    if (settled) cutoff_ = std::min(cutoff_, found.cost);
    if (found.cost >= watchdog_.cost) return;
    tree_ = std::move(found.tree);
    described_.reset();
    watchdog_.cost = found.cost;
    record();
}

void Incumbent::improved(const SubtreeBounds& root, int depth) {
    const std::lock_guard lock(mutex_);
    cutoff_ = std::min(cutoff_, root.upper);
    if (root.upper > watchdog_.cost) return;
    described_ = Described{root, depth};
    watchdog_.cost = root.upper;
    record();
}

void Incumbent::bounded(Cost bound, int depth) {
    if (depth < max_depth()) return;  // no bound for deeper trees
    // Without a limit of depth, deeper trees than were searched have at least so many leaves.
    if (depth != kAnyDepth && max_depth() >= kNoDepthLimit)
        bound = std::min(bound, (kNoDepthLimit + 2) * limits_.leaf_price);
    const std::lock_guard lock(mutex_);
    bound = std::min(bound, watchdog_.cost.load());
    if (bound <= watchdog_.bound) return;
    watchdog_.bound = bound;
    record();
    const auto open = static_cast<double>(watchdog_.cost - bound);
    if (bound < watchdog_.cost && open <= budget_.gap * static_cast<double>(watchdog_.cost + offset_))
        watchdog_.stop(Status::gap_reached);
}

int Incumbent::max_depth() const {
    return static_cast<int>(std::min<std::int64_t>(limits_.max_depth, limits_.max_leaves - 1));
}

Outcome Incumbent::outcome(TreeSearcher* searcher) {
    if (described_) tree_ = searcher->reconstruct(described_->root, described_->depth);
    const Status status = proved() ? Status::proved : watchdog_.status().value_or(Status::out_of_memory);
    return {std::move(tree_), watchdog_.cost, watchdog_.bound, status, std::move(history_), {}};
}

void Incumbent::record() { history_.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound}); }

}  // namespace exactree::search
