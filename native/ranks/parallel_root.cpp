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

constexpr std::size_t kMaxPending = 8;  // jobs that are made before the first of them is accepted

}  // namespace

// Worker threads that run jobs in the order of creation. The leader creates and accepts jobs, workers only run them.
class RankSearcher::WorkerPool {
 public:
    WorkerPool(std::vector<CutJob>& jobs, Watchdog& watchdog) : jobs_(jobs), watchdog_(watchdog) {
        jobs_.reserve(kMaxUnmerged);  // so that they stay where they are
    }
    ~WorkerPool() { join_all(); }

    template <class Work>
    void start_worker(Work work) {
        helpers_.emplace_back([this, work] {
            try {
                while (CutJob* job = wait()) work(*job);
            } catch (...) {
                fail(std::current_exception());
            }
        });
    }
    void add(CutJob&& job) {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
        news_.notify_one();
    }
    // A job that has not been started, or null.
    CutJob* take() {
        const std::lock_guard lock(mutex_);
        return n_begun_ < jobs_.size() ? &jobs_[n_begun_++] : nullptr;
    }
    void finish(CutJob& job) {
        const std::lock_guard lock(mutex_);
        job.finished = true;
    }
    bool is_finished(const CutJob& job) {
        const std::lock_guard lock(mutex_);
        return job.finished;
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        jobs_.clear();
        n_begun_ = 0;
    }
    // Stops the workers and waits for them; rethrows an exception of theirs.
    void close() {
        join_all();
        if (failure_) std::rethrow_exception(failure_);
    }

 private:
    // The next job, as soon as there is one; null once there will be no more.
    CutJob* wait() {
        std::unique_lock lock(mutex_);
        news_.wait(lock, [this] { return closed_ || n_begun_ < jobs_.size(); });
        return closed_ ? nullptr : &jobs_[n_begun_++];
    }
    void fail(std::exception_ptr why) {
        watchdog_.stop(Status::out_of_memory);
        const std::lock_guard lock(mutex_);
        failure_ = std::move(why);
    }
    void join_all() {
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
    std::vector<CutJob>& jobs_;
    std::size_t n_begun_ = 0;
    bool closed_ = false;
    std::exception_ptr failure_;
    Watchdog& watchdog_;
    std::vector<std::thread> helpers_;
};

void RankSearcher::try_cuts_in_parallel(CutExploration& state) {
    WorkerPool pool(state.jobs, watchdog_);
    start_helpers(state, pool);
    try {
        while (!state.done() && !watchdog_.stopped()) {
            CutJob job{};
            const bool room = state.jobs.size() < kMaxUnmerged && state.jobs.size() - state.n_accepted < kMaxPending;
            if (room && next_job(state, job)) {
                job.learnt = std::make_unique<Cache>(own_bytes_);
                job.n_earlier = state.n_accepted;
                pool.add(std::move(job));
            } else if (state.n_accepted < state.jobs.size()) {
                accept_next(state, pool);
            } else if (!merge_caches(state, pool)) {
                break;
            }
        }
    } catch (...) {
        watchdog_.stop(Status::out_of_memory);  // or the helpers would finish their jobs first
        throw;
    }
    pool.close();
    requeue(state);
    merge_caches(state, pool);
}

// As many as requested, or as the system grants.
void RankSearcher::start_helpers(const CutExploration& state, WorkerPool& pool) {
    const std::size_t n_helpers = std::min(static_cast<std::size_t>(settings_.threads), kMaxPending) - 1;
    while (helpers_.size() < n_helpers) {
        watchdogs_.emplace_back(watchdog_, Watchdog::Helper{});
        helpers_.push_back(std::unique_ptr<RankSearcher>(new RankSearcher(*this, watchdogs_.back(), limits_, cache_)));
    }
    try {
        for (const auto& helper : helpers_)
            pool.start_worker([&state, &pool, worker = helper.get()](CutJob& job) { worker->work(state, pool, job); });
    } catch (const std::system_error&) {  // no more threads available
    }
}

// A job reads the bounds of the jobs accepted before it was created, and no others: results do not depend on timing.
void RankSearcher::work(const CutExploration& state, WorkerPool& pool, CutJob& job) {
    own_ = job.learnt.get();
    earlier_ = state.jobs.data();
    n_earlier_ = job.n_earlier;
    try_cut(state, job);
    own_ = nullptr;
    n_earlier_ = 0;
    pool.finish(job);
}

// Waits for the oldest job, and runs others meanwhile.
void RankSearcher::accept_next(CutExploration& state, WorkerPool& pool) {
    const CutJob& oldest = state.jobs[state.n_accepted];
    while (!pool.is_finished(oldest)) {
        if (watchdog_.stopped()) return;
        if (CutJob* job = pool.take()) {
            work(state, pool, *job);
        } else {  // the leader alone polls for Ctrl-C, so it never blocks
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            watchdog_.check_now();
        }
    }
    accept(state, oldest);
    ++state.n_accepted;
    state.listener->bounded(state.bound(), state.depth);
}

// Jobs that were created but not accepted. Their results count only if the search was stopped: a finished search must
// not depend on their progress.
void RankSearcher::requeue(CutExploration& state) const {
    for (; state.n_accepted < state.jobs.size(); ++state.n_accepted) {
        const CutJob& job = state.jobs[state.n_accepted];
        if (job.finished && watchdog_.stopped())
            accept(state, job);
        else
            push(state, job.open);
    }
}

// Merges the caches of the accepted jobs into the common one; false if there are none.
bool RankSearcher::merge_caches(CutExploration& state, WorkerPool& pool) {
    const bool any = state.n_accepted > 0;
    for (std::size_t at = 0; at < state.n_accepted; ++at)
        if (state.jobs[at].learnt) cache_->absorb(*state.jobs[at].learnt);
    pool.clear();
    state.n_accepted = 0;
    return any;
}

}  // namespace exactree::ranks
