// The recursion over ranked columns: the only part that knows all the others.
//
// The cuts of the root are tried in batches of a fixed size, which threads share. All jobs of a batch start from what
// was known before it, and their results are taken over in order: the tree does not depend on the number of threads.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
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
    Tree good_tree(int depth) override;
    Tree write_down(const Known& root, int depth) override;
    std::vector<std::pair<std::string, std::uint64_t>> counters() const override;

 private:
    // What one level of the recursion works with; kept so that its memory is used again.
    struct Frame {
        Node yes, no;
        std::vector<Guess> guesses;
    };
    struct Exploration;
    struct Job;

    // A helper: shares data and cache with its leader, works with frames and a watchdog of its own.
    Searcher(const Searcher& leader, Watchdog& watchdog);

    Frame& frame(int depth);
    Known solve(const Node& node, int depth, const Wanted& asked, Listener* listener);
    Known explore(const Node& node, int depth, const Wanted& wanted, Listener* listener);
    Cost bound_of_whole(const Exploration& state, std::int64_t leaves) const;
    static void take_hints(const Node& node, const Wanted& wanted, std::vector<Guess>& guesses);
    void open_columns(Exploration& state) const;
    void push(Exploration& state, Interval open) const;
    bool choose(Exploration& state, const Interval& open, Place guess, Job& job) const;
    std::vector<Job> next_jobs(Exploration& state) const;
    void work(const Exploration& state, std::vector<Job>& jobs, std::atomic<std::size_t>& next);
    void work_together(const Exploration& state, std::vector<Job>& jobs);
    void try_cut(const Exploration& state, Job& job);
    Known solve_side(const Exploration& state, const Interval& open, Side side, Cost below, Cost at_least);
    void accept(Exploration& state, const Job& job) const;
    std::optional<Known> recall(Key key, Shape shape) const;
    void remember(Key key, Shape shape, const Known& known);
    std::int32_t write(const Node& node, const Known& known, int depth, Tree& out);

    struct Counters {
        std::uint64_t subproblems = 0, cache_hits = 0, cuts_tried = 0;
    };

    const Data& data_;
    const Limits& limits_;
    Watchdog& watchdog_;
    Settings settings_;
    bool portable_;
    Size twice_least_;  // what a node needs to be split
    std::shared_ptr<Cache> cache_;
    std::size_t own_bytes_;  // for what one job of a batch learns before the others know it
    Cache* own_ = nullptr;   // of the job at hand: others must not depend on when it was done
    std::unique_ptr<DepthTwo> depth_two_;
    Node root_;
    std::deque<Frame> frames_;  // by depth; a deque so that frames stay where they are
    Counters counters_;
    // helpers and their watchdogs, made when they are needed
    std::deque<Watchdog> watchdogs_;
    std::deque<Searcher> helpers_;
};

}  // namespace exactree
