// How long the search may go on, and who may stop it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "data.hpp"

namespace exactree {

enum class Ending { proved, gap_reached, out_of_time, out_of_memory, interrupted };

using Clock = std::chrono::steady_clock;

// Where the search stands: bound <= best possible cost <= cost.
struct Progress {
    double seconds = 0;
    Cost cost = kNoCost;
    Cost bound = 0;
};

struct Budget {
    std::optional<double> seconds;
    std::optional<std::size_t> memory;  // bytes
    double gap = 0;
    // Called about every 20 ms with the state of the search; returns false to stop it.
    std::function<bool(const Progress&)> poll;
};

// Counts work and looks at the clock now and then. Work is counted in cell updates, about a nanosecond each, so that
// the time between two looks does not depend on the size of the table.
class Watchdog {
 public:
    explicit Watchdog(const Budget& budget) : budget_(budget), start_(Clock::now()), last_poll_(start_) {}

    // True once the search must end.
    bool spend(std::uint64_t work) {
        work_ += work;
        if (work_ >= kLookEvery && !ending_) look();
        return stopped();
    }
    bool stopped() const noexcept { return ending_.has_value() && !held_; }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    void stop(Ending ending) {
        if (!ending_) ending_ = ending;
    }
    std::optional<Ending> ending() const noexcept { return ending_; }

    Cost cost = kNoCost;  // of the best tree known; for reports
    Cost bound = 0;       // proved so far; for reports

    // While held the search goes on: used for the short work of writing down a tree whose cost is known.
    void hold(bool held) noexcept { held_ = held; }

 private:
    static constexpr std::uint64_t kLookEvery = 1'000'000;  // about 1 ms
    static constexpr std::chrono::milliseconds kPollEvery{20};

    void look() {
        work_ = 0;
        const auto now = Clock::now();
        if (budget_.seconds && now - start_ >= std::chrono::duration<double>(*budget_.seconds))
            stop(Ending::out_of_time);
        if (now - last_poll_ < kPollEvery) return;
        last_poll_ = now;
        if (budget_.poll && !budget_.poll({seconds(), cost, bound})) stop(Ending::interrupted);
    }

    const Budget& budget_;
    Clock::time_point start_, last_poll_;
    std::uint64_t work_ = 0;
    std::optional<Ending> ending_;
    bool held_ = false;
};

}  // namespace exactree
