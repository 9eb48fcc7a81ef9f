#include "constrained/path_search.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "bind/constrained.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::bind;
using namespace exactree::constrained;

namespace {

// A path search with all that its problem is made of.
struct PathProblem {
    Limits limits;
    SumLimits sums;
    std::vector<LeafLimit> on_leaves;
    Channels layout;
    std::unique_ptr<PathSearch> search;
};

std::unique_ptr<PathProblem> make(Ranks ranks, ChannelArray channels, Numbers least, Numbers most, int n_classes,
                                  int max_depth, std::int64_t max_leaves, std::int64_t min_rows,
                                  std::int64_t min_weight, Cost channel_price, const std::vector<Soft>& soft,
                                  const std::vector<Leaf>& leaf_limits, std::uint64_t memory, double steps) {
    auto problem = std::make_unique<PathProblem>();
    problem->limits = make_limits(max_depth, max_leaves, min_rows, min_weight, channel_price);
    problem->sums = make_sum_limits(least, most, soft);
    problem->on_leaves = make_leaf_limits(leaf_limits);
    const std::size_t n_groups = ranks.shape(1);
    if (n_groups == 0 || n_classes < 1) throw std::invalid_argument("ranks must have rows, and n_classes be 1 or more");
    check_length("channels", channels.shape(0), n_groups);
    problem->layout = make_layout(n_classes, problem->sums.least.size(), leaf_limits.size(), channel_price);
    const std::size_t n_channels = PathSearch::n_channels(problem->layout, problem->limits);
    if (channels.shape(1) != n_channels)
        throw std::invalid_argument("channels must have " + std::to_string(n_channels) + " columns");
    const int depth = static_cast<int>(std::min<std::int64_t>(max_depth, max_leaves - 1));
    nb::gil_scoped_release no_gil;
    Chains chains({ranks.data(), ranks.size()}, ranks.shape(0), n_groups);
    if (!PathSearch::fits(chains, n_channels, depth, memory, steps)) return nullptr;
    problem->search = std::make_unique<PathSearch>(
        std::move(chains), std::span<const Cost>{channels.data(), channels.size()}, problem->layout, problem->limits);
    return problem;
}

template <class Run>
auto guarded(std::optional<double> seconds, std::optional<std::uint64_t> memory, nb::object callback, const Run& run) {
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, 0, caller);
    Watchdog watchdog(budget);
    const auto out = [&] {
        nb::gil_scoped_release no_gil;
        return run(budget, watchdog);
    }();
    caller.rethrow();
    return out;
}

const char* status_of(const Watchdog& watchdog) { return status_name(watchdog.status().value_or(Status::proved)); }

const char* fill(PathProblem& self, std::optional<double> seconds, nb::object callback) {
    return guarded(seconds, std::nullopt, std::move(callback), [&](const Budget&, Watchdog& watchdog) {
        self.search->fill(watchdog);
        return status_of(watchdog);
    });
}

struct Solved {
    RelaxedTree relaxed;
    std::string status;
};

Solved relax(const PathProblem& self, const std::vector<double>& by_sum, double constant, int depth,
             std::optional<double> seconds, nb::object callback) {
    if (by_sum.size() != self.layout.n_sums) throw std::invalid_argument("by_sum must have one entry per sum");
    return guarded(seconds, std::nullopt, std::move(callback), [&](const Budget&, Watchdog& watchdog) {
        return Solved{self.search->relax({by_sum, constant}, depth, watchdog), status_of(watchdog)};
    });
}

ConstrainedOutcome search(const PathProblem& self, const std::vector<double>& by_sum, double constant, double step,
                          double known_bound, double known_cost, std::optional<double> seconds,
                          std::optional<std::uint64_t> memory, nb::object callback) {
    if (by_sum.size() != self.layout.n_sums) throw std::invalid_argument("by_sum must have one entry per sum");
    if (!(step > 0)) throw std::invalid_argument("step must be above 0");
    const ConstrainedProblem problem{
        {self.limits, self.layout, self.sums, self.on_leaves}, 1, 0, step, known_bound, known_cost};
    return guarded(seconds, memory, std::move(callback), [&](const Budget& budget, Watchdog& watchdog) {
        return self.search->search(problem, {by_sum, constant}, budget, watchdog);
    });
}

}  // namespace

void bind_path_search(nb::module_& m) {
    nb::class_<Solved>(m, "RelaxedTree", "The best tree of a relaxed problem, and the bound that it proves.")
        .def_prop_ro("bound", [](const Solved& self) { return self.relaxed.bound; })
        .def_prop_ro("status", [](const Solved& self) { return self.status; })
        .def_prop_ro(
            "nodes", [](const Solved& self) { return nodes_of(self.relaxed.tree); }, nb::rv_policy::reference_internal,
            "Rows of (column, rank, yes, no, label), root first; none if it was stopped.");
    nb::class_<PathProblem>(m, "PathSearch",
                            "Sums over the paths of all trees of depth three at most: relaxed problems and listing.")
        .def_static("of", &make, "ranks"_a.noconvert(), "channels"_a.noconvert(), "least"_a.noconvert(),
                    "most"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "max_leaves"_a, "min_rows"_a,
                    "min_weight"_a, "channel_price"_a, "soft"_a, "leaf_limits"_a, "memory"_a, "steps"_a,
                    "Prepare a search over groups; None if its sums take more bytes or more steps than given.")
        .def("fill", &fill, nb::kw_only(), "seconds"_a.none(), "callback"_a.none(), "Add up the groups.")
        .def("relax", &relax, "by_sum"_a, "constant"_a, nb::kw_only(), "depth"_a, "seconds"_a.none(),
             "callback"_a.none(), "Solve the relaxed problem in which a unit of each sum has a price.")
        .def("search", &search, "by_sum"_a, "constant"_a, nb::kw_only(), "step"_a, "known_bound"_a, "known_cost"_a,
             "seconds"_a.none(), "memory"_a.none(), "callback"_a.none(),
             "Find the cheapest tree whose predictions keep sums over rows within limits.");
}
