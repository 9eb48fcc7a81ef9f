#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "pareto/search.hpp"
#include "worst_leaf/pairs.hpp"
#include "worst_leaf/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::pareto;
using namespace exactree::worst_leaf;
using namespace exactree::bind;

namespace {

Outcome run_leaves(Ranks ranks, Labels labels, NumbersPerRow weights, SizesPerRow sizes, int n_classes, int max_depth,
                   std::int64_t max_leaves, std::int64_t min_rows, std::int64_t min_weight, double z, double unit,
                   std::optional<double> seconds, std::optional<std::uint64_t> memory, double gap,
                   nb::object callback) {
    const Data data = make_data(ranks, labels, weights, weights, sizes, n_classes);
    const Limits limits = make_limits(max_depth, max_leaves, min_rows, min_weight, 0);
    if (!(z >= 0) || !(unit > 0)) throw std::invalid_argument("z must be 0 or more, unit more than 0");
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, gap, caller);
    Outcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_leaves(data, limits, LeafRule{z}, unit, budget);
    }
    caller.rethrow();
    return out;
}

FrontOutcome run_front(Ranks ranks, Labels labels, NumbersPerRow weights, SizesPerRow sizes, int n_classes,
                       int max_depth, std::int64_t max_leaves, std::int64_t min_rows, std::int64_t min_weight, double z,
                       double unit, const std::vector<Nodes>& starts, std::optional<double> seconds,
                       std::optional<std::uint64_t> memory) {
    const Data data = make_data(ranks, labels, weights, weights, sizes, n_classes);
    const Limits limits = make_limits(max_depth, max_leaves, min_rows, min_weight, 0);
    if (!(z >= 0) || !(unit > 0)) throw std::invalid_argument("z must be 0 or more, unit more than 0");
    std::vector<Tree> trees;
    for (const Nodes& start : starts) {
        trees.push_back(make_tree(start, data));
        if (trees.back().empty()) throw std::invalid_argument("start: a tree has one node or more");
    }
    ProgressCallback caller{nb::none()};
    const Budget budget = make_budget(seconds, memory, 0, caller);
    FrontOutcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_front(data, limits, LeafRule{z}, unit, trees, budget);
    }
    caller.rethrow();
    return out;
}

}  // namespace

void bind_leaves(nb::module_& m) {
    m.attr("LEAF_COST_UNIT") = kLeafCostUnit;
    m.attr("FEW_RANKS") = kFewRanks;  // of a column, for sums over pairs
    m.def("search_leaves", &run_leaves, "ranks"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(),
          "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "max_leaves"_a, "min_rows"_a,
          "min_weight"_a, "z"_a, "unit"_a, "seconds"_a.none(), "memory"_a.none(), "gap"_a, "callback"_a.none(),
          "Find the tree whose worst leaf has the highest score.");
    nb::class_<FrontPoint>(m, "FrontPoint", "A tree that no tree found dominates in worst leaf and errors.")
        .def_ro("score", &FrontPoint::score)
        .def_ro("wrong", &FrontPoint::wrong)
        .def_ro("proved", &FrontPoint::proved)
        .def_prop_ro(
            "nodes", [](const FrontPoint& self) { return nodes_of(self.tree); }, nb::rv_policy::reference_internal,
            "Rows of (column, rank, yes, no, label), root first.");
    nb::class_<FrontOutcome>(m, "FrontOutcome",
                             "The Pareto front of worst leaf against errors, and the status of the search.")
        .def_ro("points", &FrontOutcome::points, nb::rv_policy::reference_internal)
        .def_prop_ro("status", [](const FrontOutcome& self) { return status_name(self.status); })
        .def_ro("seconds", &FrontOutcome::seconds)
        .def_ro("sets", &FrontOutcome::sets);
    m.def("search_front", &run_front, "ranks"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(),
          "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "max_leaves"_a, "min_rows"_a,
          "min_weight"_a, "z"_a, "unit"_a, "starts"_a, "seconds"_a.none(), "memory"_a.none(),
          "Find the Pareto front of worst leaf against errors.");
}
