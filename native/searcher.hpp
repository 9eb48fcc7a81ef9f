// The recursion: the only part that knows all the others.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "budget.hpp"
#include "cache.hpp"
#include "cuts.hpp"
#include "depth_two.hpp"
#include "tree_searcher.hpp"

namespace exactree {

class Searcher : public TreeSearcher {
 public:
    Searcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes);

    Known solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) override;
    Tree write_down(const Known& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    // What one level of the recursion works with; kept so that its memory is used again.
    struct Frame {
        Node child;
        Prefixes prefixes;
        std::vector<Cost> guesses;
    };
    struct Exploration;

    Known solve(const Node& node, int depth, std::int64_t leaves, Cost below, Listener* listener);
    Known explore(const Node& node, int depth, std::int64_t leaves, Cost below, Listener* listener);
    void open_column(Exploration& state, std::uint32_t column, std::int64_t yes_leaves);
    void push(Exploration& state, Interval open);
    void try_cut(Exploration& state, const Interval& open, CutBounds::Choice choice);
    Known solve_side(Exploration& state, const Interval& open, std::int32_t cut, Side side, Cost below);
    std::int32_t write(const Node& node, const Known& known, int depth, Tree& out);

    const Data& data_;
    const Limits& limits_;
    Watchdog& watchdog_;
    Size twice_least_;  // what a node needs to be split
    Cache cache_;
    DepthTwo depth_two_;
    Tally scratch_;
    Node root_;
    std::deque<Frame> frames_;  // by depth; a deque so that frames stay where they are
    std::uint64_t n_subproblems_ = 0, n_cache_hits_ = 0, n_cuts_tried_ = 0;
};

}  // namespace exactree
