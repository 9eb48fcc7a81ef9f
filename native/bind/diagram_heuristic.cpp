#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "diagrams/heuristic/multistart.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::diagrams::heuristic;
using namespace exactree::bind;

namespace {

using Costs = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Stakes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr std::size_t kMostPlaces = 0xffff;     // nodes have numbers of 16 bits
constexpr std::uint64_t kMostStake = 1u << 26;  // there is a table of so many entropies

DiagramData make_diagram_data(const Ranks& ranks, const Labels& labels, const Costs& costs, const Sizes& sizes,
                              const Stakes& impurity_weights, Cost lowest) {
    DiagramData data;
    data.n_columns = ranks.shape(0);
    data.n_rows = ranks.shape(1);
    data.n_classes = costs.shape(1);
    data.lowest = lowest;
    check_length("labels", labels.size(), data.n_rows);
    check_length("costs", costs.shape(0), data.n_rows);
    check_length("sizes", sizes.shape(0), data.n_rows);
    check_length("impurity_weights", impurity_weights.size(), data.n_rows);
    if (data.n_rows == 0 || data.n_rows >= 1u << 31) throw std::invalid_argument("ranks must have 1 to 2**31 - 1 rows");
    if (data.n_classes == 0) throw std::invalid_argument("costs must have a column for each class");
    data.ranks = {ranks.data(), ranks.size()};
    data.label = {labels.data(), data.n_rows};
    data.cost = {costs.data(), costs.size()};
    data.size = {reinterpret_cast<const Size*>(sizes.data()), data.n_rows};
    data.stake = {impurity_weights.data(), data.n_rows};
    std::uint64_t stake = 0;
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        if (data.label[row] < 0 || static_cast<std::size_t>(data.label[row]) >= data.n_classes)
            throw std::invalid_argument("label at row " + std::to_string(row) + " is out of range");
        stake += data.stake[row];
    }
    if (stake > kMostStake) throw std::invalid_argument("impurity_weights must sum up to 2**26 or less");
    for (const Rank rank : data.ranks)
        if (rank >= data.n_rows) throw std::invalid_argument("ranks must be smaller than the number of rows");
    return data;
}

DiagramLimits make_diagram_limits(const std::vector<std::size_t>& widths, Cost node_price, std::int64_t max_nodes,
                                  std::int64_t min_rows, std::int64_t min_weight, bool tree) {
    std::size_t n_places = 0;
    for (const std::size_t width : widths) {
        if (width < 1 || width >= kMostPlaces) throw std::invalid_argument("widths must be 1 to 65534");
        n_places += width;
    }
    if (widths.empty() || widths[0] != 1 || n_places >= kMostPlaces)
        throw std::invalid_argument("widths must begin with 1 and sum up to less than 65535");
    if (node_price < 0 || max_nodes < 1 || min_rows < 1 || min_weight < 0)
        throw std::invalid_argument("max_nodes and min_rows must be 1 or more, node_price and min_weight 0 or more");
    return {widths, node_price, static_cast<std::size_t>(max_nodes), min_rows, tree, min_weight};
}

Tree make_diagram(const std::optional<Nodes>& nodes, const DiagramData& data) {
    Tree out;
    if (!nodes) return out;
    const auto size = static_cast<std::int32_t>(nodes->shape(0));
    const auto inside = [](std::int32_t value, std::int32_t low, std::size_t high) {
        return value >= low && static_cast<std::size_t>(value) < high;
    };
    for (std::int32_t at = 0; at < size; ++at) {
        const std::int32_t* n = nodes->data() + 5 * at;
        const bool asks = n[0] >= 0, fits = asks ? inside(n[0], 0, data.n_columns) && n[1] >= kPass &&
                                                       inside(n[2], at + 1, nodes->shape(0)) &&
                                                       inside(n[3], at + 1, nodes->shape(0))
                                                 : inside(n[4], 0, data.n_classes);
        if (!fits) throw std::invalid_argument("given: node " + std::to_string(at) + " is out of range");
        out.push_back({n[0], n[1], n[2], n[3], n[4]});
    }
    return out;
}

ConstructedDiagrams run_start(Ranks ranks, Labels labels, Costs costs, Sizes sizes, Stakes impurity_weights,
                              const std::vector<std::size_t>& widths, Cost lowest, Cost node_price,
                              std::int64_t max_nodes, std::int64_t min_rows, std::int64_t min_weight, bool tree,
                              std::uint64_t seed, std::uint64_t starts, bool every, std::optional<double> seconds,
                              std::optional<Nodes> given) {
    const DiagramData data = make_diagram_data(ranks, labels, costs, sizes, impurity_weights, lowest);
    const DiagramLimits limits = make_diagram_limits(widths, node_price, max_nodes, min_rows, min_weight, tree);
    const Tree start = make_diagram(given, data);
    const MultistartSettings settings{seed, static_cast<std::size_t>(starts), every};
    ProgressCallback caller{nb::none()};
    const Budget budget = make_budget(seconds, std::nullopt, 0.0, caller);
    ConstructedDiagrams out;
    {
        nb::gil_scoped_release no_gil;
        out = run_multistart(data, limits, settings, budget, start);
    }
    caller.rethrow();
    return out;
}

}  // namespace

void bind_diagram(nb::module_& m) {
    nb::class_<ConstructedDiagrams>(
        m, "ConstructedDiagrams",
        "Diagrams of the heuristic, the best one or all distinct ones, and the cost of the best.")
        .def_ro("cost", &ConstructedDiagrams::cost)
        .def_ro("starts", &ConstructedDiagrams::starts)
        .def_ro("interrupted", &ConstructedDiagrams::interrupted)
        .def_prop_ro("n_diagrams", [](const ConstructedDiagrams& self) { return self.diagrams.size(); })
        .def(
            "nodes",
            [](const ConstructedDiagrams& self, std::size_t which) {
                if (which >= self.diagrams.size()) throw nb::index_error("index of a diagram is out of range");
                return nodes_of(self.diagrams[which]);
            },
            "which"_a, nb::rv_policy::reference_internal, "Rows of (column, rank, yes, no, label), root first.");
    m.def("construct_diagrams", &run_start, "ranks"_a.noconvert(), "labels"_a.noconvert(), "costs"_a.noconvert(),
          "sizes"_a.noconvert(), "impurity_weights"_a.noconvert(), nb::kw_only(), "widths"_a, "lowest"_a,
          "node_price"_a, "max_nodes"_a, "min_rows"_a, "min_weight"_a, "tree"_a, "seed"_a, "starts"_a, "every"_a,
          "seconds"_a.none(), "given"_a.noconvert().none(),
          "Build diagrams layer by layer, improve them by local search, and keep the best.");
}
