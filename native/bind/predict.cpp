// Bindings of prediction: typed arrays without conversion, every size and index checked before the first row.
#include "table/predict.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using LeafIds = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;

using exactree::table::CodeColumn;
using exactree::table::ColumnView;
using exactree::table::GraphView;
using exactree::table::IntegerColumn;
using exactree::table::NumberColumn;
using exactree::table::Test;

template <class T>
std::span<const T> view(const Flat<T>& array) {
    return {array.data(), array.size()};
}

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

ColumnView column_view(const AnyColumn& column, std::size_t position) {
    const auto stride = static_cast<std::ptrdiff_t>(column.stride(0));
    if (column.dtype() == nb::dtype<double>()) return NumberColumn{static_cast<const double*>(column.data()), stride};
    if (column.dtype() == nb::dtype<std::int64_t>())
        return IntegerColumn{static_cast<const std::int64_t*>(column.data()), stride};
    if (column.dtype() == nb::dtype<std::int32_t>())
        return CodeColumn{static_cast<const std::int32_t*>(column.data()), stride};
    refuse("column " + std::to_string(position) + " must hold float64, int64 or int32");
}

// The arrays behind `views` are kept alive by `arrays`, so that the GIL can be released while they are read.
struct Columns {
    std::vector<AnyColumn> arrays;
    std::vector<ColumnView> views;
    std::size_t n_rows = 0;
};

Columns read_columns(const nb::list& list) {
    Columns columns;
    if (list.size() == 0) refuse("columns is empty: the number of rows is unknown");
    for (std::size_t i = 0; i < list.size(); ++i) {
        AnyColumn column;
        if (!nb::try_cast<AnyColumn>(list[i], column, false))
            refuse("column " + std::to_string(i) + " must be a 1-D array");
        if (i == 0) columns.n_rows = column.size();
        if (column.size() != columns.n_rows)
            refuse("column " + std::to_string(i) + " has " + std::to_string(column.size()) +
                   " rows, but column 0 has " + std::to_string(columns.n_rows));
        columns.views.push_back(column_view(column, i));
        columns.arrays.push_back(column);
    }
    return columns;
}

void check_sizes(const GraphView& graph) {
    const std::size_t n_nodes = graph.test.size();
    if (n_nodes == 0) refuse("test is empty: a graph has at least one node");
    const auto check = [n_nodes](const char* name, std::size_t size) {
        if (size != n_nodes)
            refuse(std::string(name) + " has " + std::to_string(size) + " nodes, but test has " +
                   std::to_string(n_nodes));
    };
    check("column", graph.column.size());
    check("threshold", graph.threshold.size());
    check("code", graph.code.size());
    check("missing_yes", graph.missing_yes.size());
    check("yes", graph.yes.size());
    check("no", graph.no.size());
}

void check_node(const GraphView& graph, const std::vector<ColumnView>& columns, std::size_t node) {
    const std::string name = "node " + std::to_string(node);
    if (graph.test[node] > static_cast<std::uint8_t>(Test::is_missing))
        refuse(name + " has the unknown test " + std::to_string(graph.test[node]));
    if (Test{graph.test[node]} == Test::leaf) return;
    const auto inside = [&](std::int32_t child) {
        return child > static_cast<std::int64_t>(node) && child < static_cast<std::int64_t>(graph.test.size());
    };
    if (!inside(graph.yes[node]) || !inside(graph.no[node]))
        refuse(name + " has children " + std::to_string(graph.yes[node]) + " and " + std::to_string(graph.no[node]) +
               "; children must come after their parent, among " + std::to_string(graph.test.size()) + " nodes");
    const std::int64_t column = graph.column[node];
    if (column < 0 || column >= static_cast<std::int64_t>(columns.size()))
        refuse(name + " asks column " + std::to_string(column) + " of " + std::to_string(columns.size()));
    if (Test{graph.test[node]} == Test::is_level && !std::holds_alternative<CodeColumn>(columns[column]))
        refuse(name + " asks for a level of column " + std::to_string(column) + ", which does not hold int32 codes");
}

LeafIds apply(const nb::typed<nb::list, nb::object>& columns, const Flat<std::uint8_t>& test,
              const Flat<std::int32_t>& column, const Flat<double>& threshold, const Flat<std::int64_t>& code,
              const Flat<bool>& missing_yes, const Flat<std::int32_t>& yes, const Flat<std::int32_t>& no) {
    const Columns table = read_columns(columns);
    const GraphView graph{view(test),        view(column), view(threshold), view(code),
                          view(missing_yes), view(yes),    view(no)};
    check_sizes(graph);
    for (std::size_t node = 0; node < graph.test.size(); ++node) check_node(graph, table.views, node);
    auto leaf = std::make_unique<std::vector<std::int32_t>>(table.n_rows);
    {
        nb::gil_scoped_release no_gil;
        exactree::table::apply(graph, table.views, *leaf);
    }
    std::int32_t* data = leaf->data();
    const nb::capsule owner(leaf.get(), [](void* p) noexcept { delete static_cast<std::vector<std::int32_t>*>(p); });
    leaf.release();
    return LeafIds(data, {table.n_rows}, owner);
}

}  // namespace

void bind_predict(nb::module_& m) {
    m.def("apply", &apply, "columns"_a, "test"_a.noconvert(), "column"_a.noconvert(), "threshold"_a.noconvert(),
          "code"_a.noconvert(), "missing_yes"_a.noconvert(), "yes"_a.noconvert(), "no"_a.noconvert(),
          "Leaf of each row. Columns are 1-D arrays of float64, int64 or int32 codes, of any stride; nothing is "
          "copied or converted.");
}
