#include "bind/constrained.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bind/diagram_shape.hpp"
#include "diagrams/constrained/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::bind;
using namespace exactree::constrained;

namespace {

Channels make_channels(const ChannelArray& channels, const Data& data, std::size_t n_sums, std::size_t n_leaf_limits,
                       Cost leaf_price) {
    Channels of_rows = make_layout(data.n_classes, n_sums, n_leaf_limits, leaf_price);
    check_length("channels", channels.shape(0), data.n_rows);
    if (channels.shape(1) != of_rows.width)
        throw std::invalid_argument("channels must have " + std::to_string(of_rows.width) + " columns");
    of_rows.of_rows = {channels.data(), channels.size()};
    return of_rows;
}

ConstrainedOutcome run(Ranks ranks, Labels labels, NumbersPerRow gains, NumbersPerRow bases, SizesPerRow sizes,
                       ChannelArray channels, Numbers least, Numbers most, int n_classes, int max_depth,
                       std::int64_t max_leaves, std::int64_t min_rows, std::int64_t min_weight, Cost leaf_price,
                       Cost channel_price, const std::vector<Soft>& soft, const std::vector<Leaf>& leaf_limits,
                       double ratio, double shift, double step, double known_bound, double known_cost,
                       std::optional<double> seconds, std::optional<std::uint64_t> memory, nb::object callback) {
    const Data data = make_data(ranks, labels, gains, bases, sizes, n_classes);
    const Limits limits = make_limits(max_depth, max_leaves, min_rows, min_weight, leaf_price);
    const SumLimits sums = make_sum_limits(least, most, soft);
    const std::vector<LeafLimit> on_leaves = make_leaf_limits(leaf_limits);
    const Channels of_rows = make_channels(channels, data, sums.least.size(), on_leaves.size(), channel_price);
    if (!(ratio > 0) || !(step > 0)) throw std::invalid_argument("ratio and step must be above 0");
    const ConstrainedProblem problem{{limits, of_rows, sums, on_leaves}, ratio, shift, step, known_bound, known_cost};
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, 0, caller);
    ConstrainedOutcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_constrained(data, problem, budget);
    }
    caller.rethrow();
    return out;
}

ConstrainedOutcome run_diagrams(Ranks ranks, Labels labels, NumbersPerRow gains, NumbersPerRow bases, SizesPerRow sizes,
                                ChannelArray channels, Numbers least, Numbers most, int n_classes,
                                const std::vector<int>& widths, std::int64_t max_nodes, std::int64_t min_rows,
                                std::int64_t min_weight, Cost node_price, Cost channel_price, bool tree,
                                const std::vector<Soft>& soft, double ratio, double shift, double step,
                                double known_bound, double known_cost, int reach, std::optional<double> seconds,
                                std::optional<std::uint64_t> memory, nb::object callback) {
    const Data data = make_data(ranks, labels, gains, bases, sizes, n_classes);
    const auto shape = make_shape(widths, max_nodes, min_rows, min_weight, node_price, tree);
    const SumLimits sums = make_sum_limits(least, most, soft);
    const Channels of_rows = make_channels(channels, data, sums.least.size(), 0, channel_price);
    if (!(ratio > 0) || !(step > 0) || reach < 0) throw std::invalid_argument("ratio, step or reach is too small");
    const diagrams::constrained::ConstrainedDiagrams problem{data,  shape, of_rows,     sums,       ratio,
                                                             shift, step,  known_bound, known_cost, reach};
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, 0, caller);
    ConstrainedOutcome out;
    {
        nb::gil_scoped_release no_gil;
        out = diagrams::constrained::search_constrained_diagrams(problem, budget);
    }
    caller.rethrow();
    return out;
}

}  // namespace

void bind_constrained(nb::module_& m) {
    nb::class_<ConstrainedOutcome>(
        m, "ConstrainedOutcome", "The cheapest allowed tree, if it is cheaper than the one known, and what is proved.")
        .def_ro("cost", &ConstrainedOutcome::cost)
        .def_ro("bound", &ConstrainedOutcome::bound)
        .def_prop_ro("status", [](const ConstrainedOutcome& self) { return status_name(self.status); })
        .def_prop_ro(
            "nodes",
            [](const ConstrainedOutcome& self) {
                return self.tree.empty() ? std::nullopt : std::optional(nodes_of(self.tree));
            },
            nb::rv_policy::reference_internal,
            "Rows of (column, rank, yes, no, label), root first; none if no cheaper tree was found.")
        .def_prop_ro("counters", [](const ConstrainedOutcome& self) {
            nb::typed<nb::dict, nb::str, std::uint64_t> out;
            for (const auto& [name, value] : self.counters) out[name.c_str()] = value;
            return out;
        });
    m.def("search_constrained", &run, "ranks"_a.noconvert(), "labels"_a.noconvert(), "gains"_a.noconvert(),
          "bases"_a.noconvert(), "sizes"_a.noconvert(), "channels"_a.noconvert(), "least"_a.noconvert(),
          "most"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "max_leaves"_a, "min_rows"_a,
          "min_weight"_a, "leaf_price"_a, "channel_price"_a, "soft"_a, "leaf_limits"_a, "ratio"_a, "shift"_a, "step"_a,
          "known_bound"_a, "known_cost"_a, "seconds"_a.none(), "memory"_a.none(), "callback"_a.none(),
          "Find the cheapest tree whose predictions keep sums over rows within limits.");
    m.def("search_constrained_diagrams", &run_diagrams, "ranks"_a.noconvert(), "labels"_a.noconvert(),
          "gains"_a.noconvert(), "bases"_a.noconvert(), "sizes"_a.noconvert(), "channels"_a.noconvert(),
          "least"_a.noconvert(), "most"_a.noconvert(), nb::kw_only(), "n_classes"_a, "widths"_a, "max_nodes"_a,
          "min_rows"_a, "min_weight"_a, "node_price"_a, "channel_price"_a, "tree"_a, "soft"_a, "ratio"_a, "shift"_a,
          "step"_a, "known_bound"_a, "known_cost"_a, "reach"_a, "seconds"_a.none(), "memory"_a.none(),
          "callback"_a.none(), "Find the cheapest diagram whose predictions keep sums over rows within limits.");
}
