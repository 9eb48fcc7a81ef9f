// The recursion over ranked columns: the only part that knows all the others.
//
// The cuts of the root are jobs that threads share. A job is made when a fixed number of those before it are accepted,
// knows what these have found, and is accepted in turn: the tree does not depend on the number of threads.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "core/budget.hpp"
#include "core/cache.hpp"
#include "core/settings.hpp"
#include "core/tree_searcher.hpp"
#include "ranks/cut_bounds.hpp"
#include "ranks/depth_two.hpp"

namespace exactree::ranks {

class RankSearcher : public TreeSearcher {
 public:
    // `portable` does without the vector instructions of the processor at hand.
    RankSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
                 const Settings& settings, bool portable);

    Known solve_root(int depth, std::int64_t leaves, Cost below, Listener& listener) override;
    // Best tree for the rows of a node.
    Known solve_node(const Node& node, int depth, std::int64_t leaves, Cost below) {
        return solve(node, depth, {leaves, below}, nullptr);
    }
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
    class Team;
    static constexpr std::size_t kApart = 32;  // jobs whose findings are kept apart until all are accepted

    // A helper: shares data and cache with its leader, works with frames and a watchdog of its own.
    RankSearcher(const RankSearcher& leader, Watchdog& watchdog);

    Frame& frame(int depth);
    Known solve(const Node& node, int depth, const Wanted& asked, Listener* listener);
    Known explore(const Node& node, int depth, const Wanted& wanted, Listener* listener);
    Cost bound_of_whole(const Exploration& state, std::int64_t leaves) const;
    static void take_hints(const Node& node, const Wanted& wanted, std::vector<Guess>& guesses);
    void open_columns(Exploration& state) const;
    void push(Exploration& state, Interval open) const;
    bool choose(Exploration& state, const Interval& open, Place guess, Job& job) const;
    bool next_job(Exploration& state, Job& job) const;
    void try_cuts(Exploration& state);
    void try_cut(const Exploration& state, Job& job);
    Known solve_side(const Exploration& state, const Interval& open, Side side, Cost below, Cost at_least);
    void accept(Exploration& state, const Job& job) const;
    // With helpers, see teamwork.cpp
    void try_cuts_together(Exploration& state);
    void hire_helpers(const Exploration& state, Team& team);
    void work(const Exploration& state, Team& team, Job& job);
    void accept_next(Exploration& state, Team& team);
    void put_back(Exploration& state) const;
    bool share_learnt(Exploration& state, Team& team);

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
    std::size_t own_bytes_;         // for what one job learns before the others know it
    Cache* own_ = nullptr;          // of the job at hand: others must not depend on when it was done
    const Job* earlier_ = nullptr;  // jobs that the one at hand knows of, beside what is in the cache
    std::size_t n_earlier_ = 0;
    std::unique_ptr<DepthTwo> depth_two_;
    Node root_;
    std::deque<Frame> frames_;  // by depth; a deque so that frames stay where they are
    Counters counters_;
    // helpers and their watchdogs, made when they are needed
    std::deque<Watchdog> watchdogs_;
    std::vector<std::unique_ptr<RankSearcher>> helpers_;
};

}  // namespace exactree::ranks
