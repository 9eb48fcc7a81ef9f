#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "diagrams/exact/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::diagrams::exact;
using namespace exactree::bind;

namespace {

DiagramShape make_shape(const std::vector<int>& widths, std::int64_t max_nodes, std::int64_t min_rows,
                        std::int64_t min_weight, Cost node_price, bool tree) {
    if (widths.empty() || widths[0] != 1) throw std::invalid_argument("widths must begin with 1");
    if (widths.size() > static_cast<std::size_t>(kMaxDepth))
        throw std::invalid_argument("widths must have at most " + std::to_string(kMaxDepth) + " layers");
    for (std::size_t layer = 1; layer < widths.size(); ++layer)
        if (widths[layer] < 1 || widths[layer] > 2 * std::int64_t{widths[layer - 1]})
            throw std::invalid_argument("a layer must have 1 node or more, and at most twice those above");
    if (max_nodes < 1 || min_rows < 1 || min_weight < 0 || node_price < 0)
        throw std::invalid_argument("max_nodes and min_rows must be 1 or more, node_price and min_weight 0 or more");
    return {widths, max_nodes, node_price, {min_rows, tree, min_weight}};
}

Outcome run_search_diagram(Ranks ranks, Labels labels, Numbers gains, Numbers bases, Sizes sizes, int n_classes,
                           const std::vector<int>& widths, std::int64_t max_nodes, std::int64_t min_rows,
                           std::int64_t min_weight, Cost node_price, bool tree, Cost offset, Cost start_cost,
                           std::optional<double> seconds, std::optional<std::uint64_t> memory, double gap,
                           nb::object callback, std::uint64_t beam, std::uint64_t effort, int reach) {
    const Data data = make_data(ranks, labels, gains, bases, sizes, n_classes);
    const DiagramShape shape = make_shape(widths, max_nodes, min_rows, min_weight, node_price, tree);
    if (start_cost < 0 || reach < 0) throw std::invalid_argument("start_cost and reach must be 0 or more");
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, gap, caller);
    Outcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_diagram(data, shape, budget, offset, start_cost, {beam, effort, reach});
    }
    caller.rethrow();
    return out;
}

}  // namespace

void bind_diagram_search(nb::module_& m) {
    m.def("search_diagram", &run_search_diagram, "ranks"_a.noconvert(), "labels"_a.noconvert(), "gains"_a.noconvert(),
          "bases"_a.noconvert(), "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "widths"_a, "max_nodes"_a,
          "min_rows"_a, "min_weight"_a, "node_price"_a, "tree"_a, "offset"_a, "start_cost"_a, "seconds"_a.none(),
          "memory"_a.none(), "gap"_a, "callback"_a.none(), "beam"_a, "effort"_a, "reach"_a,
          "Find the diagram of lowest cost.");
}
