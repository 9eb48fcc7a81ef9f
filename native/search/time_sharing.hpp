// How a proof shares its thread with work beside it: a primal heuristic, or another bound.
//
// A proof that is near is not delayed by more than a twentieth; one that is far gets the rest of what the others take.
// Time is counted as work, so the same problem gives the same tree however fast the machine is.
#pragma once

#include <functional>
#include <vector>

#include "core/budget.hpp"

namespace exactree::search {

class TimeSharing {
 public:
    // `watchdog` counts the work of the proof.
    TimeSharing(Watchdog& watchdog, int max_depth) : watchdog_(watchdog), max_depth_(max_depth) {}

    // Part of all work that a task gets while the proof is near, and while it is far.
    struct Share {
        double near, far;
    };
    // `task(work)` does about so much more work and returns how much it did; 0 ends it.
    using Task = std::function<std::uint64_t(std::uint64_t work)>;
    void add(Share share, Task task);
    // Work that a task did before.
    void count(std::size_t task, std::uint64_t work) { tasks_[task].done += work; }

    // Tasks get their shares until this object is gone.
    void start();
    ~TimeSharing() { watchdog_.share_time(0, nullptr); }
    TimeSharing(const TimeSharing&) = delete;
    TimeSharing& operator=(const TimeSharing&) = delete;

    // The proof begins with trees of this depth.
    void enter(int depth);
    // Whether the proof for trees of the full depth is expected soon, from the work that shallower ones took.
    bool is_near() const;

 private:
    struct SharingTask {
        Share share;
        Task run;
        std::uint64_t done = 0;
    };

    std::uint64_t run_tasks() noexcept;
    bool run_task(SharingTask& task, double part) const;

    Watchdog& watchdog_;
    int max_depth_;
    std::vector<SharingTask> tasks_;
    int depth_ = 0;
    std::uint64_t entered_ = 0;     // work of the proof before this depth
    double last_ = 0, growth_ = 0;  // work of the depth before, and how many times as much as the one before it
};

}  // namespace exactree::search
