// The proof and the work beside it get their shares, counted in work.
#undef NDEBUG
#include <algorithm>
#include <cassert>
#include <new>

#include "search/time_sharing.hpp"

using namespace exactree;
using namespace exactree::search;

namespace {

// The part of all work that a task got beside a proof of so much work per depth.
double part_of_task(const std::vector<std::uint64_t>& depths, TimeSharing::Share share) {
    const Budget budget;
    Watchdog watchdog(budget);
    std::uint64_t done = 0;
    TimeSharing sharing(watchdog, 1 + static_cast<int>(depths.size()));
    sharing.add(share, [&done](std::uint64_t work) {
        done += work;
        return work;
    });
    sharing.start();
    for (std::size_t at = 0; at < depths.size(); ++at) {
        sharing.enter(2 + static_cast<int>(at));
        for (std::uint64_t left = depths[at]; left > 0; left -= std::min<std::uint64_t>(left, 100'000))
            watchdog.spend(100'000);
    }
    return static_cast<double>(done) / static_cast<double>(watchdog.work() + done);
}

void shares() {
    // Near: 30 million at depth three foretell less than a thousand million at depth four.
    const double near = part_of_task({1'000'000, 30'000'000, 2'000'000'000}, {0.05, 0.7});
    assert(near > 0 && near <= 0.05);
    // Far: depth three took so much that depth four takes minutes.
    const double far = part_of_task({10'000'000, 2'000'000'000, 3'000'000'000}, {0.05, 0.7});
    assert(far > 0.5 && far <= 0.71);
}

void a_task_that_fails_ends() {
    const Budget budget;
    Watchdog watchdog(budget);
    int calls = 0;
    TimeSharing sharing(watchdog, 5);
    sharing.add({0.5, 0.5}, [&calls](std::uint64_t) -> std::uint64_t {
        ++calls;
        throw std::bad_alloc();
    });
    sharing.start();
    sharing.enter(2);
    for (int i = 0; i < 1000; ++i) watchdog.spend(1'000'000);
    assert(calls == 1 && !watchdog.stopped());
}

// A watchdog with a limit stops its own work, not the search.
void limited_work() {
    const Budget budget;
    Watchdog leader(budget), aside(leader, Watchdog::Aside{});
    aside.limit_work(5'000'000);
    for (int i = 0; i < 4; ++i) assert(!aside.spend(1'000'000));
    assert(aside.spend(2'000'000) && aside.stopped() && !leader.stopped());
    aside.limit_work();
    assert(!aside.stopped() && aside.work() == 6'000'000 && leader.work() == 0);
    leader.stop(Status::interrupted);
    assert(aside.stopped());
}

}  // namespace

int main() {
    shares();
    a_task_that_fails_ends();
    limited_work();
}
