#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bind/arrays.hpp"
#include "leaf_limits/search.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace exactree;
using namespace exactree::leaf_limits;
using namespace exactree::bind;

namespace {

using Reals = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rules = nb::ndarray<const double, nb::shape<-1, 6>, nb::c_contig, nb::device::cpu>;

std::vector<double> copied(const Reals& numbers, const char* name, std::size_t length) {
    if (numbers.size() != length)
        throw std::invalid_argument(std::string(name) + " must have " + std::to_string(length) + " entries");
    return {numbers.data(), numbers.data() + numbers.size()};
}

std::vector<LeafLimit> limits_of(const Rules& rules) {
    std::vector<LeafLimit> limits;
    for (std::size_t at = 0; at < rules.shape(0); ++at) {
        const double* row = rules.data() + 6 * at;
        limits.push_back({row[0], row[1], row[2], row[3], row[4], row[5]});
    }
    return limits;
}

// What the search without limits reads, as kernel.search does.
struct FreeRows {
    Ranks ranks;
    Labels labels;
    NumbersPerRow gains, bases;
    SizesPerRow sizes;
    Cost offset, leaf_price;
    std::int64_t min_weight;
    double scale;
};

Outcome run_limited(Ranks ranks, Labels labels, NumbersPerRow amounts, SizesPerRow sizes, int n_classes, Reals matrix,
                    Reals class_weight, Rules limits, Reals unavoidable, const FreeRows& free, int max_depth,
                    std::int64_t max_leaves, std::int64_t min_rows, double min_weight, double leaf_price, double unit,
                    double noise, double bound, const std::vector<Nodes>& starts, std::optional<double> seconds,
                    std::optional<std::uint64_t> memory, double gap, nb::object callback) {
    const Data data = make_data(ranks, labels, amounts, amounts, sizes, n_classes);
    const Data groups = make_data(free.ranks, free.labels, free.gains, free.bases, free.sizes, n_classes);
    const Limits shape = make_limits(max_depth, max_leaves, min_rows, free.min_weight, free.leaf_price);
    const FreeProblem without{groups, shape, free.offset, free.scale};
    if (!(unit > 0) || !(leaf_price >= 0) || !(noise >= 0) || !(free.scale > 0))
        throw std::invalid_argument("unit and scale must be more than 0, leaf_price and noise 0 or more");
    const auto k = static_cast<std::size_t>(n_classes);
    const std::vector<double> floor = copied(unavoidable, "unavoidable", data.n_rows);
    CostRules rules{copied(matrix, "matrix", k * k),
                    copied(class_weight, "class_weight", k),
                    leaf_price,
                    static_cast<double>(min_rows),
                    min_weight,
                    noise,
                    limits_of(limits)};
    std::vector<Tree> trees;
    for (const Nodes& start : starts) {
        trees.push_back(make_tree(start, data));
        if (trees.back().empty()) throw std::invalid_argument("start: a tree has one node or more");
    }
    ProgressCallback caller(std::move(callback));
    const Budget budget = make_budget(seconds, memory, gap, caller);
    Outcome out;
    {
        nb::gil_scoped_release no_gil;
        out = search_limited(
            {data, unit, std::move(rules), floor, shape.max_depth, shape.max_leaves, bound, trees, &without}, budget);
    }
    caller.rethrow();
    return out;
}

}  // namespace

void bind_leaf_limits(nb::module_& m) {
    nb::class_<FreeRows>(m, "FreeRows", "Rows, costs and scale of the search without limits on leaves.")
        .def(nb::init<Ranks, Labels, NumbersPerRow, NumbersPerRow, SizesPerRow, Cost, Cost, std::int64_t, double>(),
             "ranks"_a.noconvert(), "labels"_a.noconvert(), "gains"_a.noconvert(), "bases"_a.noconvert(),
             "sizes"_a.noconvert(), nb::kw_only(), "offset"_a, "leaf_price"_a, "min_weight"_a, "scale"_a);
    m.attr("INFINITE_COST") = kInfiniteCost;
    m.def("search_limited", &run_limited, "ranks"_a.noconvert(), "labels"_a.noconvert(), "amounts"_a.noconvert(),
          "sizes"_a.noconvert(), nb::kw_only(), "n_classes"_a, "matrix"_a.noconvert(), "class_weight"_a.noconvert(),
          "limits"_a.noconvert(), "unavoidable"_a.noconvert(), "free"_a, "max_depth"_a, "max_leaves"_a, "min_rows"_a,
          "min_weight"_a, "leaf_price"_a, "unit"_a, "noise"_a, "bound"_a, "starts"_a, "seconds"_a.none(),
          "memory"_a.none(), "gap"_a, "callback"_a.none(),
          "Find the cheapest tree whose leaves obey limits, each by itself, or pay for breaking them.");
}
