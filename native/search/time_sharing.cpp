#include "search/time_sharing.hpp"

#include <algorithm>
#include <cmath>

namespace exactree::search {
namespace {

// Work of a proof that is near, about as many nanoseconds. Up to depth three most proofs end, and the other tasks give
// less than they take: adult (48,842 rows) is proved in 7 s, but not in 10 s with a fifth of the work.
constexpr double kNear = 8e9, kNearShallow = 4e10;
constexpr double kLeastGrowth = 20;               // of the work from one depth to the next
constexpr double kLeastSlice = 2e7;               // of a task
constexpr std::uint64_t kLeastPause = 2'000'000;  // between looks at what is owed
constexpr double kSliceGrowth = 0.25;             // of what the task did before: slices grow with the search

}  // namespace

void TimeSharing::add(Share share, Task task) { tasks_.push_back({share, std::move(task)}); }

void TimeSharing::start() {
    watchdog_.share_time(0, [this] { return run_tasks(); });
}

void TimeSharing::enter(int depth) {
    const auto spent = static_cast<double>(watchdog_.work() - entered_);
    growth_ = last_ > 0 ? std::max(kLeastGrowth, spent / last_) : kLeastGrowth;
    last_ = depth_ > 0 ? spent : 0;
    depth_ = depth;
    entered_ = watchdog_.work();
}

bool TimeSharing::is_near() const {
    const double here = std::max(last_ * growth_, static_cast<double>(watchdog_.work() - entered_));
    const double expected = here * std::pow(std::max(growth_, kLeastGrowth), max_depth_ - depth_);
    return expected <= (max_depth_ <= 3 ? kNearShallow : kNear);
}

std::uint64_t TimeSharing::run_tasks() noexcept {
    const bool near = is_near();
    double proof_part = 1;
    for (const SharingTask& task : tasks_)
        if (task.run) proof_part -= near ? task.share.near : task.share.far;
    for (SharingTask& task : tasks_) {
        const double part = (near ? task.share.near : task.share.far) / proof_part;
        if (task.run && !watchdog_.stopped() && !run_task(task, part)) task.run = nullptr;
    }
    const std::uint64_t spent = watchdog_.work();
    return spent + std::max(kLeastPause, spent / 64);
}

// Lets a task do what it is owed if that is worth a slice; false if it has ended. `part` is relative to the proof.
bool TimeSharing::run_task(SharingTask& task, double part) const {
    const auto done = static_cast<double>(task.done), spent = static_cast<double>(watchdog_.work());
    const double owed = part * spent - done, slice = std::max(kLeastSlice, kSliceGrowth * done);
    if (owed < slice) return true;
    try {
        const std::uint64_t work = task.run(static_cast<std::uint64_t>(std::min(owed, 2 * slice)));
        task.done += work;
        return work > 0;
    } catch (...) {  // out of memory: the proof goes on without it
        return false;
    }
}

}  // namespace exactree::search
