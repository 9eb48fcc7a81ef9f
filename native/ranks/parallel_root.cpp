// The cuts of the root, tried by several threads.
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "ranks/exploration.hpp"

namespace exactree::ranks {
namespace {

constexpr std::size_t kAhead = 8;  // jobs that are made before the first of them is accepted

}  // namespace

// Hands out the jobs in the order they were made. The leader makes and accepts them, helpers only do them.
class RankSearcher::Team {
 public:
    Team(std::vector<Job>& jobs, Watchdog& watchdog) : jobs_(jobs), watchdog_(watchdog) {
        jobs_.reserve(kApart);  // so that they stay where they are
    }
    ~Team() { send_home(); }

    template <class Work>
    void hire(Work work) {
        helpers_.emplace_back([this, work] {
            try {
                while (Job* job = wait()) work(*job);
            } catch (...) {
                fail(std::current_exception());
            }
        });
    }
    void add(Job&& job) {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        news_.notify_one();
    }
    // A job that nobody has begun, or null.
    Job* take() {
        const std::lock_guard lock(mutex_);
        return n_begun_ < jobs_.size() ? &jobs_[n_begun_++] : nullptr;
    }
    void finish(Job& job) {
        const std::lock_guard lock(mutex_);
        job.finished = true;
    }
    bool is_finished(const Job& job) {
        const std::lock_guard lock(mutex_);
        return job.finished;
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        jobs_.clear();
        n_begun_ = 0;
    }
    // No job is begun any more, and none is at work. Reports what went wrong with the helpers.
    void close() {
        send_home();
        if (failure_) std::rethrow_exception(failure_);
    }

 private:
    // The next job, as soon as there is one; null once there will be no more.
    Job* wait() {
        std::unique_lock lock(mutex_);
        news_.wait(lock, [this] { return closed_ || n_begun_ < jobs_.size(); });
        return closed_ ? nullptr : &jobs_[n_begun_++];
    }
    void fail(std::exception_ptr why) {
        watchdog_.stop(Ending::out_of_memory);
        const std::lock_guard lock(mutex_);
        failure_ = std::move(why);
    }
    void send_home() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
            news_.notify_all();
        }
        for (std::thread& helper : helpers_) helper.join();
        helpers_.clear();
    }

    std::mutex mutex_;  // of all below, and of `finished`
    std::condition_variable news_;
    std::vector<Job>& jobs_;
    std::size_t n_begun_ = 0;
    bool closed_ = false;
    std::exception_ptr failure_;
    Watchdog& watchdog_;
    std::vector<std::thread> helpers_;
};

void RankSearcher::try_cuts_together(Exploration& state) {
    Team team(state.jobs, watchdog_);
    hire_helpers(state, team);
    try {
        while (!state.done() && !watchdog_.stopped()) {
            Job job{};
            const bool room = state.jobs.size() < kApart && state.jobs.size() - state.n_accepted < kAhead;
            if (room && next_job(state, job)) {
                job.learnt = std::make_unique<Cache>(own_bytes_);
                job.n_earlier = state.n_accepted;
                team.add(std::move(job));
            } else if (state.n_accepted < state.jobs.size()) {
                accept_next(state, team);
            } else if (!share_learnt(state, team)) {
                break;
            }
        }
    } catch (...) {
        watchdog_.stop(Ending::out_of_memory);  // or the helpers would finish what they are at
        throw;
    }
    team.close();
    put_back(state);
    share_learnt(state, team);
}

// As many as are wanted, or as the system gives.
void RankSearcher::hire_helpers(const Exploration& state, Team& team) {
    const std::size_t n_helpers = std::min(static_cast<std::size_t>(settings_.threads), kAhead) - 1;
    while (helpers_.size() < n_helpers) {
        watchdogs_.emplace_back(watchdog_, Watchdog::Helper{});
        helpers_.push_back(
            std::unique_ptr<RankSearcher>(new RankSearcher(*this, watchdogs_.back())));  // private constructor
    }
    try {
        for (const auto& helper : helpers_) team.hire([&](Job& job) { helper->work(state, team, job); });
    } catch (const std::system_error&) {  // no more threads to be had
    }
}

// What a job may know does not depend on who else is at work: it sees what the jobs accepted before it have learnt.
void RankSearcher::work(const Exploration& state, Team& team, Job& job) {
    own_ = job.learnt.get();
    earlier_ = state.jobs.data();
    n_earlier_ = job.n_earlier;
    try_cut(state, job);
    own_ = nullptr;
    n_earlier_ = 0;
    team.finish(job);
}

// Waits for the oldest job, and does others meanwhile.
void RankSearcher::accept_next(Exploration& state, Team& team) {
    const Job& oldest = state.jobs[state.n_accepted];
    while (!team.is_finished(oldest)) {
        if (watchdog_.stopped()) return;
        if (Job* job = team.take()) {
            work(state, team, *job);
        } else {  // the leader alone answers Ctrl-C, so it stays awake
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            watchdog_.look_up();
        }
    }
    accept(state, oldest);
    ++state.n_accepted;
    state.listener->bounded(state.bound(), state.depth);
}

// Jobs that were made for nothing. What they found counts only if the search was stopped: when it is done, it must not
// matter how far they came.
void RankSearcher::put_back(Exploration& state) const {
    for (; state.n_accepted < state.jobs.size(); ++state.n_accepted) {
        const Job& job = state.jobs[state.n_accepted];
        if (job.finished && watchdog_.stopped())
            accept(state, job);
        else
            push(state, job.open);
    }
}

// Makes what the accepted jobs have learnt known to all; false if there are none.
bool RankSearcher::share_learnt(Exploration& state, Team& team) {
    const bool any = state.n_accepted > 0;
    for (std::size_t at = 0; at < state.n_accepted; ++at)
        if (state.jobs[at].learnt) cache_->absorb(*state.jobs[at].learnt);
    team.clear();
    state.n_accepted = 0;
    return any;
}

}  // namespace exactree::ranks
