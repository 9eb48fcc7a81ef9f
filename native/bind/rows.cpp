// Bindings of the passes over cells that encoding needs.
#include "table/rows.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "table/ranking.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class Value>
using Column = nb::ndarray<const Value, nb::ndim<1>, nb::device::cpu>;
using Key = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ranks = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Pairs = nb::ndarray<double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RanksOfColumn = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Value>
using Owned = nb::ndarray<nb::numpy, Value, nb::ndim<1>>;

// An array that owns what was in the vector.
template <class Value>
Owned<Value> owned(std::vector<Value> values) {
    auto kept = std::make_unique<std::vector<Value>>(std::move(values));
    Value* data = kept->data();
    const std::size_t n = kept->size();
    const nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    kept.release();
    return Owned<Value>(data, {n}, owner);
}

void check_rows(const char* name, std::size_t at, std::size_t has, std::size_t wanted) {
    if (has != wanted)
        throw std::invalid_argument(std::string(name) + " " + std::to_string(at) + " has " + std::to_string(has) +
                                    " rows, not " + std::to_string(wanted));
}

template <class Value>
std::vector<bool> rank_two_values(const std::vector<Column<Value>>& columns, Ranks ranks, Pairs values) {
    if (ranks.shape(0) != columns.size() || values.shape(0) != columns.size())
        throw std::invalid_argument("ranks and values must have one row per column");
    const std::size_t n_rows = ranks.shape(1);
    std::vector<exactree::table::Strided<Value>> views;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        check_rows("column", j, columns[j].size(), n_rows);
        views.push_back({columns[j].data(), static_cast<std::ptrdiff_t>(columns[j].stride(0))});
    }
    std::vector<bool> two(columns.size());
    nb::gil_scoped_release no_gil;
    const auto found = exactree::table::rank_two_values<Value>(views, n_rows, ranks.data());
    for (std::size_t j = 0; j < columns.size(); ++j) {
        two[j] = found[j].has_value();
        if (!found[j]) continue;
        values.data()[2 * j] = found[j]->low;
        values.data()[2 * j + 1] = found[j]->high;
    }
    return two;
}

template <class Value>
void bind_rank_two_values(nb::module_& m) {
    m.def("rank_two_values", &rank_two_values<Value>, "columns"_a.noconvert(), "ranks"_a.noconvert(),
          "values"_a.noconvert(),
          "Rank the columns that hold exactly two values and no NaN, into rows of `ranks` (0 for the lower) and of "
          "`values` (lower, higher); tell which those are.");
}

std::optional<std::pair<Owned<double>, std::optional<Owned<double>>>> rank_numbers(Column<double> column,
                                                                                   RanksOfColumn ranks) {
    check_rows("ranks of column", 0, ranks.size(), column.size());
    if (column.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("a column must have fewer than 2**32 rows");
    const exactree::table::Strided<double> view{column.data(), static_cast<std::ptrdiff_t>(column.stride(0))};
    std::optional<exactree::table::RankedNumbers> found;
    {
        nb::gil_scoped_release no_gil;
        found = exactree::table::rank_numbers(view, column.size(), ranks.data());
    }
    if (!found) return std::nullopt;
    std::optional<Owned<double>> distinct;
    if (!found->distinct.empty()) distinct = owned(std::move(found->distinct));
    return std::pair(owned(std::move(found->ordered)), std::move(distinct));
}

Owned<std::int64_t> number_rows(const std::vector<Key>& keys, std::size_t n_rows) {
    if (n_rows >= 0xffffffffu) throw std::invalid_argument("n_rows must be below 2**32 - 1");
    std::vector<std::span<const std::uint32_t>> views;
    for (std::size_t j = 0; j < keys.size(); ++j) {
        check_rows("key", j, keys[j].size(), n_rows);
        views.emplace_back(keys[j].data(), n_rows);
    }
    std::vector<std::int64_t> groups;
    {
        nb::gil_scoped_release no_gil;
        groups = exactree::table::number_rows(views, n_rows);
    }
    return owned(std::move(groups));
}

void take_rows(const std::vector<Key>& columns, Rows rows, Ranks out) {
    if (out.shape(0) != columns.size() || out.shape(1) != rows.size())
        throw std::invalid_argument("out must have one row per column and one cell per row taken");
    const std::span<const std::int64_t> wanted(rows.data(), rows.size());
    std::int64_t most = -1;
    for (const std::int64_t row : wanted) {
        if (row < 0) throw std::invalid_argument("rows must not be negative");
        most = std::max(most, row);
    }
    for (const Key& column : columns)
        if (most >= static_cast<std::int64_t>(column.size()))
            throw std::invalid_argument("row " + std::to_string(most) + " is beyond the last of a column");
    nb::gil_scoped_release no_gil;
    for (std::size_t j = 0; j < columns.size(); ++j)
        exactree::table::take_rows({columns[j].data(), columns[j].size()}, wanted, out.data() + j * wanted.size());
}

}  // namespace

void bind_rows(nb::module_& m) {
    bind_rank_two_values<double>(m);
    bind_rank_two_values<std::int32_t>(m);
    bind_rank_two_values<std::int64_t>(m);
    m.def(
        "rank_numbers", &rank_numbers, "column"_a.noconvert(), "ranks"_a.noconvert(),
        "Write the rank of each value among the distinct ones into `ranks`; return the values in ascending order, and "
        "the distinct ones if some are equal. None if one is NaN.");
    m.def("number_rows", &number_rows, "keys"_a, "n_rows"_a,
          "Number rows by first appearance: two share a number if and only if all their keys are equal.");
    m.def("take_rows", &take_rows, "columns"_a, "rows"_a, "out"_a.noconvert(),
          "Write some rows of columns into the rows of `out`.");
}
