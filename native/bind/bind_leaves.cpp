#include <nanobind/stl/optional.h>

#include "../leaf_search.hpp"
#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::bind;

namespace {

Outcome run_leaves(Ranks ranks, Labels labels, Numbers weights, Sizes sizes, int n_classes, int max_depth,
                   std::int64_t max_leaves, std::int64_t min_rows, std::int64_t min_weight, double z, double unit,
                   std::optional<double> seconds, std::optional<std::uint64_t> memory, double gap, nb::object watch) {
    const Data data = make_data(ranks, labels, weights, weights, sizes, n_classes);
    const Limits limits = make_limits(max_depth, max_leaves, min_rows, min_weight, 0);
    if (!(z >= 0) || !(unit > 0)) throw std::invalid_argument("z must be 0 or more, unit more than 0");
    Caller caller(std::move(watch));
    const Budget budget = make_budget(seconds, memory, gap, caller);
    Outcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_leaves(data, limits, LeafRule{z}, unit, budget);
    }
    caller.raise_again();
    return out;
}

}  // namespace

void bind_leaves(nb::module_& m) {
    m.attr("LEAF_COST_UNIT") = kLeafCostUnit;
    m.def("search_leaves", &run_leaves, "ranks"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(),
          "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "max_leaves"_a, "min_rows"_a,
          "min_weight"_a, "z"_a, "unit"_a, "seconds"_a.none(), "memory"_a.none(), "gap"_a, "watch"_a.none(),
          "Find the tree whose worst leaf is worth most.");
}
