#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bind/arrays.hpp"
#include "search/greedy.hpp"
#include "search/tree_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::search;
using namespace exactree::bind;

namespace {

using OutHistory = nb::ndarray<nb::numpy, double, nb::shape<-1, 3>>;

Engine engine_named(const std::string& name) {
    if (name == "auto") return Engine::fastest;
    if (name == "ranks") return Engine::ranks;
    if (name == "portable-ranks") return Engine::portable_ranks;
    if (name == "bits") return Engine::bits;
    if (name == "portable-bits") return Engine::portable_bits;
    throw std::invalid_argument("unknown engine " + name);
}

Settings make_settings(int threads, std::uint64_t seed, const std::vector<std::string>& without) {
    if (threads < 1) throw std::invalid_argument("threads must be 1 or more");
    Settings settings;
    settings.threads = threads;
    settings.seed = seed;
    const std::pair<const char*, bool*> parts[] = {{"similarity", &settings.similarity},
                                                   {"look-ahead", &settings.look_ahead},
                                                   {"cache", &settings.cache},
                                                   {"merging", &settings.merging},
                                                   {"subtraction", &settings.subtraction},
                                                   {"differences", &settings.differences},
                                                   {"scatter", &settings.scatter},
                                                   {"deepening", &settings.deepening},
                                                   {"local-search", &settings.local_search},
                                                   {"hints", &settings.hints},
                                                   {"slack", &settings.slack},
                                                   {"anytime", &settings.anytime},
                                                   {"partition", &settings.partition}};
    for (const std::string& name : without) {
        const auto* found =
            std::find_if(std::begin(parts), std::end(parts), [&](const auto& part) { return name == part.first; });
        if (found == std::end(parts)) throw std::invalid_argument("unknown technique of the search: " + name);
        *found->second = false;
    }
    return settings;
}

Outcome run_search(Ranks ranks, Labels labels, NumbersPerRow gains, NumbersPerRow bases, SizesPerRow sizes,
                   int n_classes, int max_depth, std::int64_t max_leaves, std::int64_t min_rows,
                   std::int64_t min_weight, Cost leaf_price, Cost offset, std::optional<double> seconds,
                   std::optional<std::uint64_t> memory, double gap, std::optional<Nodes> start, Ranks point_ranks,
                   Labels point_labels, NumbersPerRow point_weights, SizesPerRow point_sizes, nb::object callback,
                   const std::string& engine, int threads, std::uint64_t seed,
                   const std::vector<std::string>& without) {
    const Data data = make_data(ranks, labels, gains, bases, sizes, n_classes);
    const Data points = make_data(point_ranks, point_labels, point_weights, point_weights, point_sizes, n_classes);
    if (points.n_ranks != data.n_ranks) throw std::invalid_argument("point_ranks must have the columns of ranks");
    const Limits limits = make_limits(max_depth, max_leaves, min_rows, min_weight, leaf_price);
    const Tree tree = make_tree(start, data);
    const Engine chosen = engine_named(engine);
    const Settings settings = make_settings(threads, seed, without);
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, gap, caller);
    Outcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_tree(data, limits, budget, offset, tree, chosen, settings, &points);
    }
    caller.rethrow();
    return out;
}

Outcome run_grow(Ranks ranks, Labels labels, NumbersPerRow weights, SizesPerRow sizes, int n_classes, int max_depth,
                 std::int64_t max_leaves, std::int64_t min_rows, std::int64_t min_weight) {
    const Data data = make_data(ranks, labels, weights, weights, sizes, n_classes);
    const Limits limits = make_limits(max_depth, max_leaves, min_rows, min_weight, 0);
    nb::gil_scoped_release no_gil;
    Outcome out;
    out.tree = grow_greedy_tree(data, limits);
    return out;
}

OutHistory history_array(const Outcome& outcome) {
    const std::size_t n = outcome.history.size();
    auto* cells = new double[std::max<std::size_t>(1, 3 * n)];  // owned by the capsule from the next line on
    nb::capsule owner(cells, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    for (std::size_t i = 0; i < n; ++i) {
        cells[3 * i] = outcome.history[i].seconds;
        cells[3 * i + 1] = static_cast<double>(outcome.history[i].cost);
        cells[3 * i + 2] = static_cast<double>(outcome.history[i].bound);
    }
    return OutHistory(cells, {n, 3}, owner);
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<Outcome>(m, "Outcome",
                        "Best tree found, its cost, the lower bound, the status and the history of the search.")
        .def_ro("cost", &Outcome::cost)
        .def_ro("bound", &Outcome::bound)
        .def_prop_ro("status", [](const Outcome& self) { return status_name(self.status); })
        .def_prop_ro(
            "nodes", [](const Outcome& self) { return nodes_of(self.tree); }, nb::rv_policy::reference_internal,
            "Rows of (column, rank, yes, no, label), root first.")
        .def_prop_ro("history", &history_array, nb::rv_policy::automatic, "Rows of (seconds, cost, bound).")
        .def_prop_ro("counters", [](const Outcome& self) {
            nb::typed<nb::dict, nb::str, std::uint64_t> out;
            for (const auto& [name, value] : self.counters) out[name.c_str()] = value;
            return out;
        });
    m.def("search", &run_search, "ranks"_a.noconvert(), "labels"_a.noconvert(), "gains"_a.noconvert(),
          "bases"_a.noconvert(), "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "max_leaves"_a,
          "min_rows"_a, "min_weight"_a, "leaf_price"_a, "offset"_a, "seconds"_a.none(), "memory"_a.none(), "gap"_a,
          "start"_a.noconvert().none(), "point_ranks"_a.noconvert(), "point_labels"_a.noconvert(),
          "point_weights"_a.noconvert(), "point_sizes"_a.noconvert(), "callback"_a.none(), "engine"_a, "threads"_a,
          "seed"_a, "without"_a,
          "Find the tree of lowest cost. The points are the rows as CART sees them: the search never returns a worse "
          "tree "
          "than CART's rule grows from them.");
    m.def("grow", &run_grow, "ranks"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert(),
          "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "max_leaves"_a, "min_rows"_a,
          "min_weight"_a, "Grow a tree greedily by Gini impurity.");
}
