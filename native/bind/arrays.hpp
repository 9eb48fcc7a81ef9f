// Shared by the bindings of all searches: arrays checked once and read without a copy, and the caller's poll.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/budget.hpp"
#include "core/data.hpp"
#include "core/tree_searcher.hpp"

namespace exactree::bind {

namespace nb = nanobind;

using Ranks = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Sizes = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
// As the two above, or with strides of zero: one number for all rows, as NumPy broadcasts it.
using NumbersPerRow = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;
using SizesPerRow = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::device::cpu>;
using Nodes = nb::ndarray<const std::int32_t, nb::shape<-1, 5>, nb::c_contig, nb::device::cpu>;
using OutNodes = nb::ndarray<nb::numpy, const std::int32_t, nb::shape<-1, 5>>;

inline void check_length(const char* name, std::size_t length, std::size_t n_rows) {
    if (length != n_rows)
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(length) + " entries, but ranks has " +
                                    std::to_string(n_rows) + " rows");
}

// What an array of (n_rows, ...) values T holds, of which rows follow each other or are all one.
template <class T, class Array>
PerRow<T> per_row(const char* name, const Array& array, std::size_t n_rows) {
    constexpr auto width = static_cast<std::int64_t>(sizeof(T) / sizeof(std::int64_t));
    check_length(name, array.shape(0), n_rows);
    const bool in_one_piece = width == 1 || array.stride(array.ndim() - 1) == 1;
    const std::int64_t stride = n_rows == 1 ? width : array.stride(0);
    if (!in_one_piece || (stride != 0 && stride != width))
        throw std::invalid_argument(std::string(name) + " must be contiguous, or one value for all rows");
    return {reinterpret_cast<const T*>(array.data()), n_rows, stride == 0 ? std::size_t{0} : std::size_t{1}};
}

template <class NumberArray, class SizeArray>
Data make_data(const Ranks& ranks, const Labels& labels, const NumberArray& gains, const NumberArray& bases,
               const SizeArray& sizes, int n_classes) {
    const std::size_t n_rows = ranks.shape(1);
    check_length("labels", labels.size(), n_rows);
    if (n_rows == 0 || n_rows >= 0xffffffffu) throw std::invalid_argument("ranks must have 1 to 2**32 - 2 rows");
    if (n_classes < 1) throw std::invalid_argument("n_classes must be 1 or more");
    Data data;
    data.n_classes = n_classes;
    data.n_rows = n_rows;
    data.ranks = {ranks.data(), ranks.size()};
    data.label = {labels.data(), n_rows};
    data.gain = per_row<Cost>("gains", gains, n_rows);
    data.base = per_row<Cost>("bases", bases, n_rows);
    static_assert(sizeof(Size) == 2 * sizeof(std::int64_t));
    data.size = per_row<Size>("sizes", sizes, n_rows);
    for (std::size_t row = 0; row < n_rows; ++row)
        if (data.label[row] < 0 || data.label[row] >= n_classes)
            throw std::invalid_argument("label " + std::to_string(data.label[row]) + " at row " + std::to_string(row) +
                                        " is outside 0.." + std::to_string(n_classes - 1));
    for (std::size_t column = 0; column < ranks.shape(0); ++column) {
        const auto of_column = data.ranks.subspan(column * n_rows, n_rows);
        Rank highest = 0;  // a plain loop, which compilers vectorise
        for (const Rank rank : of_column) highest = std::max(highest, rank);
        if (highest >= n_rows) throw std::invalid_argument("ranks must be smaller than the number of rows");
        data.n_ranks.push_back(highest + 1);
    }
    return data;
}

inline Limits make_limits(int max_depth, std::int64_t max_leaves, std::int64_t min_rows, std::int64_t min_weight,
                          Cost leaf_price) {
    if (max_depth < 0 || max_leaves < 1 || min_rows < 1 || min_weight < 0 || leaf_price < 0)
        throw std::invalid_argument("max_leaves and min_rows must be 1 or more, the other limits 0 or more");
    if (max_depth > kNoDepthLimit)
        throw std::invalid_argument("max_depth must be at most " + std::to_string(kNoDepthLimit) + ", for no limit");
    return {max_depth, max_leaves, {min_rows, min_weight}, leaf_price};
}

inline Tree make_tree(const std::optional<Nodes>& nodes, const Data& data) {
    Tree tree;
    if (!nodes) return tree;
    const auto size = static_cast<std::int32_t>(nodes->shape(0));
    for (std::int32_t at = 0; at < size; ++at) {
        const std::int32_t* n = nodes->data() + 5 * at;
        const bool branch = n[0] >= 0;
        if (branch && (n[0] >= static_cast<std::int32_t>(data.n_columns()) || n[1] < 0 || n[2] <= at || n[2] >= size ||
                       n[3] <= at || n[3] >= size))
            throw std::invalid_argument("start: node " + std::to_string(at) + " is out of range");
        tree.push_back({n[0], n[1], n[2], n[3], n[4]});
    }
    return tree;
}

// A tree as an array, which must not outlive it.
inline OutNodes nodes_of(const Tree& tree) {
    static_assert(sizeof(TreeNode) == 5 * sizeof(std::int32_t));
    return OutNodes(&tree.data()->column, {tree.size(), 5});
}

inline const char* status_name(Status status) {
    switch (status) {
        case Status::proved:
            return "optimal";
        case Status::gap_reached:
            return "gap_reached";
        case Status::out_of_time:
            return "time_limit";
        case Status::out_of_memory:
            return "memory_limit";
        case Status::interrupted:
            return "interrupted";
    }
    throw std::logic_error("unknown status");
}

// As users read it; empty where a search has no stages.
inline std::string stage_name(const Progress& progress) {
    switch (progress.stage) {
        case Stage::unnamed:
            return "";
        case Stage::greedy:
            return "greedy";
        case Stage::deepening:
            return "search depth " + std::to_string(progress.depth);
        case Stage::improving:
            return "improve";
    }
    throw std::logic_error("unknown stage");
}

// Reports progress to the caller and checks for Ctrl-C. An exception raised by `callback` stops the search and is
// raised again once it has ended.
class ProgressCallback {
 public:
    explicit ProgressCallback(nb::object callback) : callback_(std::move(callback)) {}

    bool poll(const Progress& progress) {
        nb::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) {
            nb::python_error raised;
            if (!raised.matches(PyExc_KeyboardInterrupt)) failure_ = std::make_exception_ptr(raised);
            return false;
        }
        if (callback_.is_none()) return true;
        try {
            callback_(progress.seconds, progress.cost, progress.bound, stage_name(progress));
        } catch (nb::python_error& raised) {
            if (!raised.matches(PyExc_KeyboardInterrupt)) failure_ = std::current_exception();
            return false;
        }
        return true;
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

 private:
    nb::object callback_;
    std::exception_ptr failure_;
};

// The caller must outlive the budget.
inline Budget make_budget(std::optional<double> seconds, std::optional<std::uint64_t> memory, double gap,
                          ProgressCallback& caller) {
    Budget budget;
    budget.seconds = seconds;
    if (memory) budget.memory = static_cast<std::size_t>(*memory);
    budget.gap = gap;
    budget.poll = [&caller](const Progress& progress) { return caller.poll(progress); };
    return budget;
}

}  // namespace exactree::bind
