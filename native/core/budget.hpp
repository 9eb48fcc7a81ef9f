// Limits on time, memory and gap of a search, and the watchdog that enforces them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/data.hpp"

namespace exactree {

enum class Status { proved, gap_reached, out_of_time, out_of_memory, interrupted };

using Clock = std::chrono::steady_clock;

// What a search is doing, for reports; a search that does not deepen has no stages.
enum class Stage { unnamed, greedy, deepening, improving };

// Progress of the search: bound <= optimal cost <= cost.
struct Progress {
    double seconds = 0;
    Cost cost = kInfiniteCost;
    Cost bound = 0;
    Stage stage = Stage::unnamed;
    int depth = 0;  // of the trees that are searched while deepening
};

struct Budget {
    std::optional<double> seconds;
    std::optional<std::size_t> memory;  // bytes
    double gap = 0;
    int threads = 1;
    // Called about every 20 ms with the state of the search; returns false to stop it.
    std::function<bool(const Progress&)> poll;
};

// Stops the search when a limit is reached. It counts work and checks the clock now and then; work is counted in cell
// updates, about a nanosecond each, so that the time between two checks does not depend on the size of the table. Each
// thread has its own watchdog; those of helpers share the leader's clock and stop flag, and only the leader polls.
class Watchdog {
 public:
    explicit Watchdog(const Budget& budget) : budget_(budget), polls_(true), shared_(std::make_shared<Shared>()) {}
    // For a helper thread.
    struct Helper {};
    Watchdog(const Watchdog& leader, Helper) : budget_(leader.budget_), polls_(false), shared_(leader.shared_) {}
    // For other work in the thread of the leader, which polls for it. Its work is counted apart, and may be limited.
    struct Aside {};
    Watchdog(Watchdog& leader, Aside)
        : budget_(leader.budget_), polls_(false), shared_(leader.shared_), leader_(&leader) {}

    // True once the search must stop.
    bool spend(std::uint64_t work) {
        work_ += work;
        if (work_ >= kCheckEvery) check();
        return stopped();
    }
    bool stopped() const noexcept {
        return !held_ && (out_of_work_ || shared_->status.load(std::memory_order_relaxed) != kGoingOn);
    }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - shared_->start).count(); }
    // The first reason is kept.
    void stop(Status status) noexcept {
        int going_on = kGoingOn;
        shared_->status.compare_exchange_strong(going_on, static_cast<int>(status));
    }
    std::optional<Status> status() const noexcept {
        const int status = shared_->status.load();
        return status == kGoingOn ? std::nullopt : std::optional(static_cast<Status>(status));
    }

    std::atomic<Cost> cost = kInfiniteCost;  // of the best tree known; for reports
    std::atomic<Cost> bound = 0;             // proved so far; for reports

    // Checks the clock now, however little work was done.
    void check_now() { check(); }

    // So many seconds more than the budget has, for work without which there is no good tree.
    void grant(double seconds) noexcept { granted_ = seconds; }

    // For reports.
    void enter(Stage stage, int depth = 0) noexcept {
        stage_ = stage;
        depth_ = depth;
    }
    Stage stage() const noexcept { return stage_; }
    int depth() const noexcept { return depth_; }

    // Spent on this watchdog so far.
    std::uint64_t work() const noexcept { return checked_ + work_; }
    // It stops once so much more work is spent, the search does not; infinite with nothing.
    void limit_work(std::optional<std::uint64_t> more = std::nullopt) noexcept {
        most_work_ = more ? work() + *more : UINT64_MAX;
        out_of_work_ = false;
    }

    // Calls `task` once so much work is spent, and again when the work it returns is spent. It must not throw, and
    // works with a watchdog of its own: its time is counted in work, so that a result does not depend on the clock.
    void share_time(std::uint64_t first, std::function<std::uint64_t()> task) {
        next_share_ = first;
        share_ = std::move(task);
    }

    // While held, the search is not stopped: for the short work of reconstructing a tree whose cost is known.
    void hold(bool held) noexcept { held_ = held; }

 private:
    static constexpr std::uint64_t kCheckEvery = 1'000'000;  // about 1 ms
    static constexpr std::chrono::milliseconds kPollEvery{20};
    static constexpr int kGoingOn = -1;
    struct Shared {
        Clock::time_point start = Clock::now();
        std::atomic<int> status{kGoingOn};
    };

    void check() {
        checked_ += work_;
        work_ = 0;
        out_of_work_ = checked_ >= most_work_;
        const auto now = Clock::now();
        if (budget_.seconds && now - shared_->start >= std::chrono::duration<double>(*budget_.seconds + granted_))
            stop(Status::out_of_time);
        (leader_ ? leader_ : this)->poll(now);
        if (!share_ || sharing_ || checked_ < next_share_ || held_ || stopped()) return;
        sharing_ = true;
        next_share_ = share_();
        sharing_ = false;
    }
    void poll(Clock::time_point now) {
        if (!polls_ || now - last_poll_ < kPollEvery) return;
        last_poll_ = now;
        if (budget_.poll && !budget_.poll({seconds(), cost, bound, stage_, depth_})) stop(Status::interrupted);
    }

    const Budget& budget_;
    bool polls_;
    std::shared_ptr<Shared> shared_;
    Clock::time_point last_poll_ = Clock::now();
    Watchdog* leader_ = nullptr;            // who polls instead
    std::uint64_t work_ = 0, checked_ = 0;  // since the last check, and until then
    std::uint64_t most_work_ = UINT64_MAX;
    bool out_of_work_ = false;
    std::function<std::uint64_t()> share_;
    std::uint64_t next_share_ = 0;
    bool sharing_ = false;
    bool held_ = false;
    double granted_ = 0;  // seconds
    Stage stage_ = Stage::unnamed;
    int depth_ = 0;
};

}  // namespace exactree
