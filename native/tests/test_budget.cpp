// The watchdog: looks now and then, stops once, and can be held for a moment.
#undef NDEBUG
#include <cassert>
#include <thread>

#include "core/budget.hpp"

using namespace exactree;

namespace {

constexpr std::uint64_t kMuch = 1'000'000'000;

void no_limit_never_stops() {
    Budget budget;
    Watchdog watchdog(budget);
    for (int i = 0; i < 100; ++i) assert(!watchdog.spend(kMuch));
    assert(!watchdog.status());
}

void out_of_time() {
    Budget budget;
    budget.seconds = 0.0;
    Watchdog watchdog(budget);
    assert(!watchdog.spend(1));  // too little work to look at the clock
    assert(watchdog.spend(kMuch) && watchdog.stopped() && watchdog.status() == Status::out_of_time);
    watchdog.stop(Status::gap_reached);
    assert(watchdog.status() == Status::out_of_time);  // the first reason stays
}

void more_time_is_granted() {
    Budget budget;
    budget.seconds = 0.0;
    Watchdog watchdog(budget);
    watchdog.grant(3600);
    assert(!watchdog.spend(kMuch));
    watchdog.grant(0);
    assert(watchdog.spend(kMuch) && watchdog.status() == Status::out_of_time);
}

void held_for_a_moment() {
    Budget budget;
    Watchdog watchdog(budget);
    watchdog.stop(Status::interrupted);
    watchdog.hold(true);
    assert(!watchdog.stopped() && !watchdog.spend(kMuch));
    watchdog.hold(false);
    assert(watchdog.stopped());
}

void poll_can_stop() {
    Budget budget;
    int calls = 0;
    budget.poll = [&calls](const Progress& progress) {
        assert(progress.cost == 7 && progress.bound == 3);
        assert(progress.stage == Stage::deepening && progress.depth == 4);
        return ++calls < 3;
    };
    Watchdog watchdog(budget);
    watchdog.cost = 7;
    watchdog.bound = 3;
    watchdog.enter(Stage::deepening, 4);
    while (!watchdog.spend(kMuch)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    assert(calls == 3 && watchdog.status() == Status::interrupted);
}

}  // namespace

int main() {
    no_limit_never_stops();
    out_of_time();
    more_time_is_granted();
    held_for_a_moment();
    poll_can_stop();
}
