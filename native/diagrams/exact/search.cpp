#include "diagrams/exact/search.hpp"

#include <functional>
#include <numeric>

namespace exactree::diagrams::exact {
namespace {

constexpr std::size_t kMaxBeamProfiles = 4096;  // profiles of one size that beam search tries
constexpr std::size_t kMostTasks = 1 << 18;     // profiles queued at a time: skeletons of many layers have more
using Visit = std::function<bool(const std::vector<int>&)>;  // false: no more

// Visits every extension of a profile by so many nodes in further layers; false if the visit stopped it.
bool extend(const std::vector<int>& widths, std::int64_t left, std::vector<int>& profile, const Visit& visit) {
    if (left == 0) return visit(profile);
    const std::size_t layer = profile.size() + 1;
    const auto below = widths.begin() + static_cast<std::ptrdiff_t>(std::min(layer, widths.size()));
    if (std::accumulate(below, widths.end(), std::int64_t{0}) < left) return true;
    const int above = profile.empty() ? 1 : profile.back();
    bool more = true;
    for (int width = 1; more && width <= std::min<std::int64_t>({widths[layer], 2 * above, left}); ++width) {
        profile.push_back(width);
        more = extend(widths, left - width, profile, visit);
        profile.pop_back();
    }
    return more;
}

// A profile and a lower bound of the errors of its diagrams.
struct Task {
    std::vector<int> profile;
    Cost lower;
};

// The incumbent, the lower bound, and the order of profiles.
class DiagramSearch {
 public:
    DiagramSearch(const Data& data, const DiagramShape& shape, const Budget& budget, Cost offset, Cost start_cost,
                  const DiagramSettings& settings, Watchdog& watchdog, std::size_t bytes)
        : data_(data),
          shape_(shape),
          budget_(budget),
          offset_(offset),
          settings_(settings),
          watchdog_(watchdog),
          searcher_(data, shape.rules, watchdog, bytes, settings.reach) {
        const std::int64_t all = std::accumulate(shape.widths.begin(), shape.widths.end(), std::int64_t{0});
        most_ = std::min(all, shape.max_nodes) - 1;
        least_ = shape.node_price == 0 ? most_ : 0;  // without a price more nodes are never worse
        watchdog_.cost = start_cost;
        note();
    }

    void run() {
        if (least_ < most_) prove(least_);  // cheap, and gives a first bound
        for (std::int64_t n = most_; n >= least_ && settings_.beam > 0; --n) beam_search(n);
        for (std::int64_t n = least_; n <= most_ && open(price(n)); ++n) prove(n);
        if (!watchdog_.stopped()) raise_bound(watchdog_.cost);
    }

    Outcome outcome() {
        const bool proved = watchdog_.bound >= watchdog_.cost;
        const Status status = proved ? Status::proved : watchdog_.status().value_or(Status::out_of_memory);
        return {plan_ ? write_diagram(data_, *plan_) : Tree{},
                watchdog_.cost,
                watchdog_.bound,
                status,
                std::move(history_),
                searcher_.counters()};
    }

 private:
    Cost price(std::int64_t n_nodes) const noexcept { return shape_.node_price * n_nodes; }
    bool open(Cost lower) const noexcept { return !watchdog_.stopped() && lower < watchdog_.cost; }
    void note() { history_.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound}); }

    void raise_bound(Cost bound) {
        bound = std::min(bound, watchdog_.cost.load());
        if (bound <= watchdog_.bound) return;
        watchdog_.bound = bound;
        note();
        const auto gap = static_cast<double>(watchdog_.cost - bound);
        if (bound < watchdog_.cost && gap <= budget_.gap * static_cast<double>(watchdog_.cost + offset_))
            watchdog_.stop(Status::gap_reached);
    }

    void update_incumbent(const FoundDiagram& found) {
        if (!found.plan) return;
        const Cost cost = found.errors + price(count_nodes(*found.plan) - 1);
        if (cost >= watchdog_.cost) return;
        plan_ = found.plan;
        watchdog_.cost = cost;
        note();
    }

    void each_profile(std::int64_t n_nodes, const Visit& visit) {
        std::vector<int> profile;
        extend(shape_.widths, n_nodes, profile, [&](const std::vector<int>& found) {
            watchdog_.spend(16 * (found.size() + 1));
            return open(price(n_nodes)) && visit(found);
        });
    }

    // Beam search over the profiles with so many nodes.
    void beam_search(std::int64_t n_nodes) {
        std::vector<std::vector<int>> some;
        each_profile(n_nodes, [&](const std::vector<int>& profile) {
            some.push_back(profile);
            return some.size() < kMaxBeamProfiles;
        });
        const std::uint64_t share =
            settings_.effort / static_cast<std::uint64_t>(most_ - least_ + 1) / std::max<std::size_t>(1, some.size());
        for (const std::vector<int>& profile : some)
            if (open(price(n_nodes)))
                update_incumbent(
                    searcher_.beam_search(profile, watchdog_.cost - price(n_nodes), settings_.beam, share + 1));
    }

    // Exact search over the profiles with so many nodes.
    void prove(std::int64_t n_nodes) {
        std::vector<Task> tasks;
        each_profile(n_nodes, [&](const std::vector<int>& profile) {
            tasks.push_back({profile, searcher_.bound(profile, watchdog_.cost - price(n_nodes))});
            if (tasks.size() == kMostTasks) solve_tasks(tasks, n_nodes, price(n_nodes));
            return true;
        });
        if (watchdog_.stopped()) return;
        const Cost later = n_nodes == most_ ? kInfiniteCost : price(n_nodes + 1);
        solve_tasks(tasks, n_nodes, later);
        if (!watchdog_.stopped()) raise_bound(later);
    }

    // Lowest bound first; `later` is a lower bound of all tasks that follow these.
    void solve_tasks(std::vector<Task>& tasks, std::int64_t n_nodes, Cost later) {
        std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.lower < b.lower; });
        for (std::size_t at = 0; at < tasks.size() && open(price(n_nodes) + tasks[at].lower); ++at) {
            const Cost others = at + 1 < tasks.size() ? price(n_nodes) + tasks[at + 1].lower : kInfiniteCost;
            const auto on_bound = [&](Cost lower) {
                if (!watchdog_.stopped()) raise_bound(std::min({later, others, price(n_nodes) + lower}));
            };
            on_bound(tasks[at].lower);
            update_incumbent(searcher_.solve(tasks[at].profile, watchdog_.cost - price(n_nodes), on_bound));
        }
        tasks.clear();
    }

    const Data& data_;
    const DiagramShape& shape_;
    const Budget& budget_;
    Cost offset_;
    const DiagramSettings& settings_;
    Watchdog& watchdog_;
    DiagramSearcher searcher_;
    std::int64_t least_, most_;
    std::shared_ptr<const DiagramPlan> plan_;
    std::vector<Progress> history_;
};

// Bytes that are needed beside the caches: all rows, and two sides for every layer.
std::size_t working_bytes(const Data& data, std::size_t n_layers) {
    const std::size_t n = data.n_rows * data.n_columns(), node = 16 * n + 32 * data.n_rows;
    return (6 + 4 * n_layers) * node + 40 * n + 80 * data.n_rows;
}

}  // namespace

std::vector<std::vector<int>> profiles(const std::vector<int>& widths, std::int64_t n_nodes) {
    std::vector<std::vector<int>> out;
    std::vector<int> profile;
    extend(widths, n_nodes, profile, [&](const std::vector<int>& found) {
        out.push_back(found);
        return true;
    });
    return out;
}

Outcome search_diagram(const Data& data, const DiagramShape& shape, const Budget& budget, Cost offset, Cost start_cost,
                       const DiagramSettings& settings) {
    Watchdog watchdog(budget);
    if (budget.seconds && *budget.seconds <= 0) watchdog.stop(Status::out_of_time);
    const std::size_t working = working_bytes(data, shape.widths.size());
    if (budget.memory && working > *budget.memory) {
        Outcome out;
        out.cost = start_cost;
        out.status = Status::out_of_memory;
        out.history.push_back({watchdog.seconds(), start_cost, 0});
        return out;
    }
    DiagramSearch search(data, shape, budget, offset, start_cost, settings, watchdog,
                         budget.memory ? *budget.memory - working : SIZE_MAX / 2);
    search.run();
    return search.outcome();
}

}  // namespace exactree::diagrams::exact
