#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/diagram_shape.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::diagrams::exact;
using namespace exactree::bind;

namespace {

Outcome run_search_diagram(Ranks ranks, Labels labels, NumbersPerRow gains, NumbersPerRow bases, SizesPerRow sizes,
                           int n_classes, const std::vector<int>& widths, std::int64_t max_nodes, std::int64_t min_rows,
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
