// The recursion over ranked columns: the only part that knows all the others.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "budget.hpp"
#include "cache.hpp"
#include "cuts.hpp"
#include "depth_two.hpp"
#include "settings.hpp"
#include "tree_searcher.hpp"

namespace exactree {

class Searcher : public TreeSearcher {
 public:
    // `portable` does without the vector instructions of the processor at hand.
    Searcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
             const Settings& settings, bool portable);

    Known solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) override;
    Tree write_down(const Known& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    // What one level of the recursion works with; kept so that its memory is used again.
    struct Frame {
        Node yes, no;
        std::vector<Guess> guesses;
    };
    struct Exploration;

    Known solve(const Node& node, int depth, const Wanted& asked, Listener* listener);
    Known explore(const Node& node, int depth, const Wanted& wanted, Listener* listener);
    Cost bound_of_whole(const Exploration& state, std::int64_t leaves) const;
    void open_columns(Exploration& state);
    void push(Exploration& state, Interval open);
    void try_interval(Exploration& state, const Interval& open, Place guess);
    void try_cut(Exploration& state, const Interval& open, Place cut, Cost slack);
    Known solve_side(Exploration& state, const Interval& open, Side side, Cost below, Cost at_least);
    void offer(Exploration& state, const Interval& open, Place cut, Cost cost);
    std::int32_t write(const Node& node, const Known& known, int depth, Tree& out);

    const Data& data_;
    const Limits& limits_;
    Watchdog& watchdog_;
    Settings settings_;
    Size twice_least_;  // what a node needs to be split
    Cache cache_;
    std::unique_ptr<DepthTwo> depth_two_;
    Node root_;
    std::deque<Frame> frames_;  // by depth; a deque so that frames stay where they are
    std::uint64_t n_subproblems_ = 0, n_cache_hits_ = 0, n_cuts_tried_ = 0;
};

}  // namespace exactree
