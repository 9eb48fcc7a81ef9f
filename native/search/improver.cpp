#include "search/improver.hpp"

#include <algorithm>

#include "search/local_search.hpp"

namespace exactree::search {
namespace {

// What one misclassified row of the user's table costs on average, but for the unavoidable cost.
Cost cost_of_row(const Data& data) {
    Cost gains = 0;
    std::int64_t rows = 0;
    for (const Cost gain : data.gain) gains += gain;
    for (const Size& size : data.size) rows += size.rows;
    return std::max<Cost>(1, gains / std::max<std::int64_t>(1, rows));
}

}  // namespace

Improver::Improver(TreeSearcher& searcher, const Data& data, const Limits& limits, Watchdog& leader,
                   Incumbent& incumbent, const Settings& settings, std::size_t cache_bytes, bool keep_rows)
    : data_(data),
      limits_(limits),
      leader_(leader),
      incumbent_(incumbent),
      settings_(settings),
      watchdog_(leader, Watchdog::Aside{}),
      engine_(searcher.make_subtree_engine(watchdog_, cache_bytes)),
      search_(
          *engine_, watchdog_,
          {incumbent.max_depth(), limits.max_leaves, limits.leaf_price, cost_of_row(data), settings.seed, keep_rows},
          [this](const Tree& tree) { offer(tree); }) {}

void Improver::start(const Tree& first) {
    leader_.enter(Stage::improving, incumbent_.max_depth());
    started_ = settled_ = true;
    search_.start();
    if (!first.empty() && !watchdog_.stopped()) search_.adopt(first);
    search_.report();
    settled_ = false;
}

std::uint64_t Improver::improve(std::uint64_t work) {
    const Stage stage = leader_.stage();
    const int depth = leader_.depth();
    leader_.enter(Stage::improving, incumbent_.max_depth());
    const std::uint64_t before = watchdog_.work();
    if (!started_) search_.start();
    started_ = true;
    const std::uint64_t spent = watchdog_.work() - before;
    if (spent < work) search_.run(work - spent);
    leader_.enter(stage, depth);
    // Whatever the proof has reached: where it is about to end, its own tree is the one that is returned.
    if (incumbent_.cost() <= 2 * limits_.leaf_price) leader_.stop(Status::proved);
    return watchdog_.work() - before;
}

void Improver::offer(const Tree& tree) {
    ScoredTree pruned = prune_to_limits(data_, limits_, tree);
    if (settings_.local_search && !leader_.stopped())
        pruned = improve_tree(data_, limits_, pruned.tree, watchdog_);  // never worse
    incumbent_.update(std::move(pruned), settled_);
}

}  // namespace exactree::search
