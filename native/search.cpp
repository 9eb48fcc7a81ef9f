#include "search.hpp"

#include <algorithm>

#include "searcher.hpp"
#include "start.hpp"

namespace exactree {
namespace {

// Keeps the best tree and the best bound, and notes every change.
class Incumbent : public Listener {
 public:
    Incumbent(const Limits& limits, const Budget& budget, Cost offset, Watchdog& watchdog)
        : limits_(limits), budget_(budget), offset_(offset), watchdog_(watchdog) {}

    void start(Scored found) {
        if (found.cost >= watchdog_.cost) return;
        tree_ = std::move(found.tree);
        watchdog_.cost = found.cost;
        note();
    }
    void use(Searcher& searcher) { searcher_ = &searcher; }

    void improved(const Known& root, int depth) override {
        if (root.upper < watchdog_.cost) start({searcher_->write_down(root, depth), root.upper});
    }
    void bounded(Cost bound, int depth) override {
        if (depth < deepest()) return;  // says nothing about deeper trees
        bound = std::min(bound, watchdog_.cost);
        if (bound <= watchdog_.bound) return;
        watchdog_.bound = bound;
        note();
        const auto open = static_cast<double>(watchdog_.cost - bound);
        if (bound < watchdog_.cost && open <= budget_.gap * static_cast<double>(watchdog_.cost + offset_))
            watchdog_.stop(Ending::gap_reached);
    }
    int deepest() const { return static_cast<int>(std::min<std::int64_t>(limits_.max_depth, limits_.max_leaves - 1)); }
    Cost cost() const noexcept { return watchdog_.cost; }

    Outcome outcome() {
        const bool proved = watchdog_.bound >= watchdog_.cost;
        const Ending ending = proved ? Ending::proved : watchdog_.ending().value_or(Ending::out_of_memory);
        return {std::move(tree_), watchdog_.cost, watchdog_.bound, ending, std::move(history_), {}};
    }

 private:
    void note() { history_.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound}); }

    const Limits& limits_;
    const Budget& budget_;
    Cost offset_;
    Watchdog& watchdog_;
    Searcher* searcher_ = nullptr;
    Tree tree_;
    std::vector<Progress> history_;
};

// Bytes of the nodes alive at one time: all rows, and at most one child per level, each laid out in two arrays.
std::size_t working_bytes(const Data& data, const Limits& limits) {
    const std::size_t levels = 1 + static_cast<std::size_t>(std::max(0, limits.max_depth - 1));
    std::size_t n_cells = 0;
    for (const Rank n : data.n_ranks) n_cells += n;
    const std::size_t per_cell = 64 + 16 * static_cast<std::size_t>(data.n_classes);
    return levels * (8 * data.n_rows * data.n_columns() + per_cell * n_cells);
}

void run(const Data& data, const Limits& limits, std::size_t cache_bytes, Watchdog& watchdog, Incumbent& incumbent,
         Outcome& out) {
    Searcher searcher(data, limits, watchdog, cache_bytes);
    incumbent.use(searcher);
    // Shallow trees first: cheap, and each answer is the limit for the next.
    const int deepest = incumbent.deepest();
    for (int depth = std::min(2, deepest); depth <= deepest && !watchdog.stopped(); ++depth) {
        const Known known = searcher.solve_root(depth, limits.max_leaves, incumbent.cost(), incumbent);
        incumbent.improved(known, depth);
        incumbent.bounded(known.lower, depth);
    }
    out = incumbent.outcome();
    out.counters = searcher.counters();
}

}  // namespace

Outcome search(const Data& data, const Limits& limits, const Budget& budget, Cost offset, const Tree& start) {
    Watchdog watchdog(budget);
    Incumbent incumbent(limits, budget, offset, watchdog);
    incumbent.start(lone_leaf(data, limits));
    if (!start.empty()) incumbent.start(adopt(data, limits, start));
    if (budget.seconds && watchdog.seconds() >= *budget.seconds) watchdog.stop(Ending::out_of_time);
    const std::size_t needed = working_bytes(data, limits);
    if (budget.memory && needed > *budget.memory) {
        watchdog.stop(Ending::out_of_memory);
        return incumbent.outcome();
    }
    Outcome out;
    run(data, limits, budget.memory ? *budget.memory - needed : SIZE_MAX, watchdog, incumbent, out);
    return out;
}

}  // namespace exactree
