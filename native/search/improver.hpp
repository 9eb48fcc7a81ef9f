// Runs the anytime search for the incumbent.
#pragma once

#include <memory>

#include "anytime/annealing.hpp"
#include "core/settings.hpp"
#include "search/incumbent.hpp"

namespace exactree::search {

class Improver {
 public:
    // `leader` is the watchdog of the proof, and polls for both.
    Improver(TreeSearcher& searcher, const Data& data, const Limits& limits, Watchdog& leader, Incumbent& incumbent,
             const Settings& settings, std::size_t cache_bytes, bool keep_rows);

    // Its first trees are part of the incumbent that the proof begins with.
    void start(const Tree& first);
    // About so much more work; returns how much it was.
    std::uint64_t improve(std::uint64_t work);
    std::uint64_t work() const noexcept { return watchdog_.work(); }

 private:
    void offer(const Tree& tree);

    const Data& data_;
    const Limits& limits_;
    Watchdog& leader_;
    Incumbent& incumbent_;
    const Settings& settings_;
    Watchdog watchdog_;
    std::unique_ptr<SubtreeEngine> engine_;
    anytime::AnytimeSearch search_;
    bool started_ = false, settled_ = false;
};

}  // namespace exactree::search
