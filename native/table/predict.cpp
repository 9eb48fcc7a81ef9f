#include "table/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace exactree::table {

namespace {

// Rows split at a time: their indices and one column of values fit in the first-level cache.
constexpr std::size_t block_rows = 2048;

// Some rows of the block, all at one node.
struct Arrivals {
    std::int32_t node;
    std::size_t begin;
    std::size_t end;
};

class RowRouter {
 public:
    RowRouter(const GraphView& graph, std::span<const ColumnView> columns) : graph_(graph), columns_(columns) {}

    void block(std::ptrdiff_t first_row, std::span<std::int32_t> leaf) {
        first_row_ = first_row;
        for (std::size_t i = 0; i < leaf.size(); ++i) rows_[i] = static_cast<std::uint32_t>(i);
        waiting_.assign(1, {0, 0, leaf.size()});
        while (!waiting_.empty()) {
            const Arrivals here = waiting_.back();
            waiting_.pop_back();
            if (Test{graph_.test[here.node]} == Test::leaf) {
                for (std::size_t i = here.begin; i < here.end; ++i) leaf[rows_[i]] = here.node;
                continue;
            }
            const std::size_t middle = partition(here);
            if (middle < here.end) waiting_.push_back({graph_.no[here.node], middle, here.end});
            if (here.begin < middle) waiting_.push_back({graph_.yes[here.node], here.begin, middle});
        }
    }

 private:
    // Move the rows that answer yes before those that answer no; return where the latter begin.
    std::size_t partition(const Arrivals& here) {
        return std::visit([&](const auto& column) { return partition_typed(here, column); },
                          columns_[graph_.column[here.node]]);
    }

    std::size_t partition_typed(const Arrivals& here, const NumberColumn& column) {
        const double threshold = graph_.threshold[here.node];
        const bool missing_yes = graph_.missing_yes[here.node];
        switch (Test{graph_.test[here.node]}) {
            case Test::at_most:
                // A missing value fails both comparisons, so each side needs one of them only.
                return missing_yes ? partition_by(here, column, [=](double value) { return !(value > threshold); })
                                   : partition_by(here, column, [=](double value) { return value <= threshold; });
            case Test::is_missing:
                return partition_by(here, column, [](double value) { return std::isnan(value); });
            default:
                return here.begin;  // a number is no level of a category
        }
    }

    std::size_t partition_typed(const Arrivals& here, const IntegerColumn& column) {
        const std::int64_t threshold = graph_.code[here.node];
        if (Test{graph_.test[here.node]} != Test::at_most) return here.begin;
        return partition_by(here, column, [=](std::int64_t value) { return value <= threshold; });
    }

    std::size_t partition_typed(const Arrivals& here, const CodeColumn& column) {
        const double threshold = graph_.threshold[here.node];
        const bool missing_yes = graph_.missing_yes[here.node];
        const std::int64_t level = graph_.code[here.node];
        switch (Test{graph_.test[here.node]}) {
            case Test::at_most:
                return partition_by(here, column,
                                    [=](std::int32_t code) { return code < 0 ? missing_yes : code <= threshold; });
            case Test::is_level:
                return partition_by(here, column, [=](std::int32_t code) { return code == level; });
            default:
                return partition_by(here, column, [](std::int32_t code) { return code == missing_code; });
        }
    }

    template <class T, class Answer>
    std::size_t partition_by(const Arrivals& here, const Strided<T>& column, Answer answer) {
        // Yes rows are written over rows already read, no rows are put aside: every row is written to both places and
        // only one of the two ends moves on, which avoids a branch that could not be predicted.
        std::size_t n_yes = here.begin;
        std::size_t n_no = 0;
        for (std::size_t i = here.begin; i < here.end; ++i) {
            const std::uint32_t row = rows_[i];
            const bool yes = answer(column[first_row_ + static_cast<std::ptrdiff_t>(row)]);
            rows_[n_yes] = row;
            aside_[n_no] = row;
            n_yes += yes;
            n_no += !yes;
        }
        std::copy_n(aside_.begin(), n_no, rows_.begin() + static_cast<std::ptrdiff_t>(n_yes));
        return n_yes;
    }

    const GraphView& graph_;
    std::span<const ColumnView> columns_;
    std::ptrdiff_t first_row_ = 0;
    std::array<std::uint32_t, block_rows> rows_{};   // the rows of the block, grouped by node
    std::array<std::uint32_t, block_rows> aside_{};  // rows on their way to the no side
    std::vector<Arrivals> waiting_;
};

}  // namespace

void apply(const GraphView& graph, std::span<const ColumnView> columns, std::span<std::int32_t> leaf) {
    RowRouter walker(graph, columns);
    for (std::size_t first = 0; first < leaf.size(); first += block_rows) {
        const std::size_t size = std::min(block_rows, leaf.size() - first);
        walker.block(static_cast<std::ptrdiff_t>(first), leaf.subspan(first, size));
    }
}

}  // namespace exactree::table
