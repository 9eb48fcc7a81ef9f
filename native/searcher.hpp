// The recursion: the only part that knows all the others.
#pragma once

#include <deque>
#include <string>
#include <utility>

#include "budget.hpp"
#include "cache.hpp"
#include "cuts.hpp"
#include "depth_two.hpp"

namespace exactree {

// Told of every better tree for all rows, and of every better bound.
class Listener {
 public:
    virtual ~Listener() = default;
    virtual void improved(const Known& root, int depth) = 0;
    virtual void bounded(Cost bound, int depth) = 0;
};

class Searcher {
 public:
    Searcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes);

    // Best tree for all rows. Costs of `below` and more are of no interest.
    Known solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener);

    // The best tree for all rows as `root` describes it, written out. Cheap: what it needs is mostly in the cache.
    Tree write_down(const Known& root, int depth);

    std::vector<std::pair<std::string, std::uint64_t>> counters() const;

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
