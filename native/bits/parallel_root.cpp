// How threads share the search on bit sets: all take columns of the root, and when there are none left, columns of the
// subproblems that other threads are solving one level below.
#include <chrono>
#include <system_error>
#include <thread>

#include "bits/exploration.hpp"

namespace exactree::bits {
namespace {

void back_off() { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

}  // namespace

// Puts an exploration on the board during its lifetime; the destructor waits for the threads that joined.
template <class Ops>
class BitSearcher<Ops>::SharedExploration {
 public:
    SharedExploration(BitSearcher& owner, ColumnExploration& state) : owner_(owner), state_(state) {
        state_.open = true;
        const std::lock_guard lock(board().mutex);
        board().open.push_back(&state_);
    }
    SharedExploration(const SharedExploration&) = delete;
    SharedExploration& operator=(const SharedExploration&) = delete;
    ~SharedExploration() {
        {
            const std::lock_guard lock(board().mutex);
            std::erase(board().open, &state_);
        }
        while (has_helpers()) {
            back_off();
            owner_.watchdog_.check_now();  // the leader alone polls for Ctrl-C, so it never blocks
        }
        state_.open = false;
    }
    bool has_helpers() const {
        const std::lock_guard lock(board().mutex);
        return state_.n_helpers > 0;
    }

 private:
    WorkBoard& board() const { return *owner_.board_; }

    BitSearcher& owner_;
    ColumnExploration& state_;
};

// Joins an exploration of another thread during its lifetime; none if no columns are left.
template <class Ops>
class BitSearcher<Ops>::JoinedExploration {
 public:
    explicit JoinedExploration(WorkBoard& board) : board_(board) {
        const std::lock_guard lock(board_.mutex);
        for (ColumnExploration* state : board_.open)
            if (state->has_columns_left()) {
                state_ = state;
                ++state_->n_helpers;
                return;
            }
    }
    JoinedExploration(const JoinedExploration&) = delete;
    JoinedExploration& operator=(const JoinedExploration&) = delete;
    ~JoinedExploration() {
        if (!state_) return;
        const std::lock_guard lock(board_.mutex);
        --state_->n_helpers;  // from here on its owner may destroy it
    }
    ColumnExploration* state() const noexcept { return state_; }

 private:
    WorkBoard& board_;
    ColumnExploration* state_ = nullptr;
};

template <class Ops>
void BitSearcher<Ops>::explore_in_parallel(ColumnExploration& root) {
    WorkBoard board{root.shape.depth, {}, {}, false, nullptr};
    std::deque<Watchdog> watchdogs;
    std::deque<BitSearcher> helpers;
    for (int i = 1; i < settings_.threads; ++i) {
        watchdogs.emplace_back(watchdog_, Watchdog::Helper{});
        helpers.push_back(BitSearcher(*this, watchdogs.back()));
        helpers.back().board_ = &board;
    }
    board_ = &board;
    {
        const SharedExploration opened(*this, root);
        std::vector<std::thread> threads;
        threads.reserve(helpers.size());
        try {
            for (BitSearcher& helper : helpers) threads.emplace_back([&helper] { helper.help_until_done(); });
        } catch (const std::system_error&) {  // no more threads available
        }
        guard([&] {
            work(root);
            while (opened.has_helpers())
                if (!help()) {
                    back_off();
                    watchdog_.check_now();
                }
        });
        board.over = true;
        for (std::thread& thread : threads) thread.join();
    }
    board_ = nullptr;
    if (board.failure) std::rethrow_exception(board.failure);
    for (const BitSearcher& helper : helpers) counters_.add(helper.counters_);
}

template <class Ops>
void BitSearcher<Ops>::explore_shared(ColumnExploration& state) {
    const SharedExploration opened(*this, state);
    work(state);
}

template <class Ops>
void BitSearcher<Ops>::help_until_done() {
    guard([this] {
        while (!board_->over)
            if (!help()) back_off();
    });
}

// Runs a task; an exception stops all threads and is kept for the leader to rethrow.
template <class Ops>
template <class Task>
void BitSearcher<Ops>::guard(const Task& task) {
    try {
        task();
    } catch (...) {
        watchdog_.stop(Status::out_of_memory);
        const std::lock_guard lock(board_->mutex);
        board_->failure = std::current_exception();
    }
}

// Joins a thread that has columns left; false if there is none.
template <class Ops>
bool BitSearcher<Ops>::help() {
    const JoinedExploration joined(*board_);
    if (joined.state()) work(*joined.state());
    return joined.state() != nullptr;
}

template class BitSearcher<SmallOps>;
template class BitSearcher<MediumOps>;
template class BitSearcher<WideOps>;

}  // namespace exactree::bits
