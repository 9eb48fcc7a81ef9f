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
enum class Stage { unnamed, greedy, deepening };

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

    // True once the search must stop.
    bool spend(std::uint64_t work) {
        work_ += work;
        if (work_ >= kCheckEvery) check();
        return stopped();
    }
    bool stopped() const noexcept { return !held_ && shared_->status.load(std::memory_order_relaxed) != kGoingOn; }
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
        work_ = 0;
        const auto now = Clock::now();
        if (budget_.seconds && now - shared_->start >= std::chrono::duration<double>(*budget_.seconds + granted_))
            stop(Status::out_of_time);
        if (!polls_ || now - last_poll_ < kPollEvery) return;
        last_poll_ = now;
        if (budget_.poll && !budget_.poll({seconds(), cost, bound, stage_, depth_})) stop(Status::interrupted);
    }

    const Budget& budget_;
    bool polls_;
    std::shared_ptr<Shared> shared_;
    Clock::time_point last_poll_ = Clock::now();
    std::uint64_t work_ = 0;
    bool held_ = false;
    double granted_ = 0;  // seconds
    Stage stage_ = Stage::unnamed;
    int depth_ = 0;
};

}  // namespace exactree
