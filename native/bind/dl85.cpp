#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bind/arrays.hpp"
#include "dl85/itemset_search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::dl85;
using namespace exactree::bind;

namespace {

Order order_named(const std::string& name) {
    if (name == "data") return Order::data;
    if (name == "gain") return Order::gain;
    if (name == "gain-ascending") return Order::gain_ascending;
    throw std::invalid_argument("unknown order " + name);
}

Outcome run_dl85(Ranks ranks, Labels labels, NumbersPerRow gains, NumbersPerRow bases, SizesPerRow sizes, int n_classes,
                 int max_depth, std::int64_t min_rows, std::int64_t min_weight, Cost leaf_price, bool bounds,
                 bool cache_partial, const std::string& order, bool count_itemsets, std::optional<double> seconds,
                 std::optional<std::uint64_t> memory, std::optional<Nodes> start, nb::object callback) {
    const Data data = make_data(ranks, labels, gains, bases, sizes, n_classes);
    const Limits limits = make_limits(max_depth, 1, min_rows, min_weight, leaf_price);
    const Tree tree = make_tree(start, data);
    const Dl85Settings settings{bounds, cache_partial, order_named(order), count_itemsets};
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, 0.0, caller);
    Outcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_itemsets(data, limits, settings, budget, tree);
    }
    caller.rethrow();
    return out;
}

}  // namespace

void bind_dl85(nb::module_& m) {
    m.def("dl85", &run_dl85, "ranks"_a.noconvert(), "labels"_a.noconvert(), "gains"_a.noconvert(),
          "bases"_a.noconvert(), "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "max_depth"_a, "min_rows"_a,
          "min_weight"_a, "leaf_price"_a, "bounds"_a, "cache_partial"_a, "order"_a, "count_itemsets"_a,
          "seconds"_a.none(), "memory"_a.none(), "start"_a.noconvert().none(), "callback"_a.none(),
          "Find the tree of lowest cost as DL8 or DL8.5 do.");
}
