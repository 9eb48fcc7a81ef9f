// Small tables for the native tests, and the best tree by trying everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/data.hpp"

namespace exactree::testing {

// Owns what Data only looks at. Rows are added one by one.
struct Table {
    int n_classes;
    std::vector<std::vector<Rank>> rows;
    std::vector<std::int32_t> label;
    std::vector<Cost> gain, base;
    std::vector<Size> size;
    std::vector<Rank> ranks;  // column-major, written by data()

    explicit Table(int classes) : n_classes(classes) {}

    // A row of weight `weight`: every answer but its label costs that much.
    void add(std::vector<Rank> at, int its_label, Cost weight = 1) {
        rows.push_back(std::move(at));
        label.push_back(its_label);
        gain.push_back(weight);
        base.push_back(weight);
        size.push_back({1, weight});
    }

    // A group of `count` rows that no question parts, with a cost for every answer, the cheapest one taken out.
    void add_group(const std::vector<Rank>& at, std::vector<Cost> costs, std::int64_t count) {
        const Cost dearest = *std::max_element(costs.begin(), costs.end());
        const Cost cheapest = *std::min_element(costs.begin(), costs.end());
        bool first = true;
        for (int k = 0; k < n_classes; ++k) {
            const Cost saved = dearest - costs[static_cast<std::size_t>(k)];
            if (saved == 0 && !(dearest == cheapest && k == 0)) continue;
            add(at, k, saved);
            base.back() = first ? dearest - cheapest : 0;
            size.back() = first ? Size{count, 2 * count} : Size{};
            first = false;
        }
    }

    // Valid as long as the table is neither changed nor moved.
    Data data() {
        Data out;
        const std::size_t n_columns = rows.empty() ? 0 : rows[0].size();
        ranks.clear();
        for (std::size_t j = 0; j < n_columns; ++j) {
            Rank highest = 0;
            for (const auto& row : rows) {
                ranks.push_back(row[j]);
                highest = std::max(highest, row[j]);
            }
            out.n_ranks.push_back(highest + 1);
        }
        out.n_classes = n_classes;
        out.n_rows = rows.size();
        out.ranks = ranks;
        out.label = label;
        out.gain = gain;
        out.base = base;
        out.size = size;
        return out;
    }
};

inline Table random_table(std::mt19937& random, int n_classes, std::size_t n_rows, std::size_t n_columns,
                          Rank n_ranks) {
    Table table(n_classes);
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::vector<Rank> at(n_columns);
        for (Rank& rank : at) rank = static_cast<Rank>(random() % n_ranks);
        table.add(std::move(at), static_cast<int>(random() % static_cast<unsigned>(n_classes)),
                  static_cast<Cost>(1 + random() % 3));
    }
    return table;
}

// Groups with any cost for every answer.
inline Table groups(std::mt19937& random, int n_classes, std::size_t n_groups, std::size_t n_columns, Rank n_ranks) {
    Table table(n_classes);
    for (std::size_t group = 0; group < n_groups; ++group) {
        std::vector<Rank> at(n_columns);
        for (Rank& rank : at) rank = static_cast<Rank>(random() % n_ranks);
        std::vector<Cost> costs(static_cast<std::size_t>(n_classes));
        for (Cost& cost : costs) cost = static_cast<Cost>(random() % 5);
        table.add_group(at, costs, 1 + static_cast<std::int64_t>(random() % 3));
    }
    return table;
}

inline Limits limits_of(int depth, std::int64_t leaves, std::int64_t rows = 1, Cost price = 0) {
    Limits limits;
    limits.max_depth = depth;
    limits.max_leaves = leaves;
    limits.least = {rows, 0};
    limits.leaf_price = price;
    return limits;
}

using Rows = std::vector<RowId>;

inline Rows all_rows(const Data& data) {
    Rows out(data.n_rows);
    for (std::size_t row = 0; row < data.n_rows; ++row) out[row] = static_cast<RowId>(row);
    return out;
}

inline Rows side_of(const Data& data, const Rows& rows, std::size_t column, Rank rank, bool yes) {
    Rows out;
    for (const RowId row : rows)
        if ((data.rank(column, row) <= rank) == yes) out.push_back(row);
    return out;
}

inline Size size_of(const Data& data, const Rows& rows) {
    Size out;
    for (const RowId row : rows) out += data.size[row];
    return out;
}

inline Cost leaf_cost(const Data& data, const Limits& limits, const Rows& rows) {
    std::vector<Cost> gains(static_cast<std::size_t>(data.n_classes), 0);
    Cost base = 0;
    for (const RowId row : rows) {
        gains[static_cast<std::size_t>(data.label[row])] += data.gain[row];
        base += data.base[row];
    }
    return base - *std::max_element(gains.begin(), gains.end()) + limits.leaf_price;
}

// Lowest cost of a tree on these rows, by trying every question and every share of leaves.
inline Cost best_cost(const Data& data, const Limits& limits, const Rows& rows, int depth, std::int64_t leaves) {
    Cost best = leaf_cost(data, limits, rows);
    if (depth == 0 || leaves < 2) return best;
    for (std::size_t column = 0; column < data.n_columns(); ++column)
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const Rows yes = side_of(data, rows, column, rank, true), no = side_of(data, rows, column, rank, false);
            if (yes.empty() || no.empty() || !limits.allows(size_of(data, yes), size_of(data, no))) continue;
            for (std::int64_t share = 1; share < leaves; ++share)
                best = std::min(best, best_cost(data, limits, yes, depth - 1, share) +
                                          best_cost(data, limits, no, depth - 1, leaves - share));
        }
    return best;
}

// What a tree is like, found by sending the rows through it.
struct TreeFacts {
    Cost cost = 0;
    int depth = 0;
    std::int64_t leaves = 0;
    bool allowed = true;  // every leaf is large enough
};

inline TreeFacts shape_of(const Data& data, const Limits& limits, const Tree& tree, const Rows& rows,
                          std::int32_t node = 0) {
    const TreeNode& here = tree[static_cast<std::size_t>(node)];
    if (here.column < 0) {
        Cost cost = limits.leaf_price;
        for (const RowId row : rows) cost += data.base[row] - (data.label[row] == here.label ? data.gain[row] : 0);
        return {cost, 0, 1, node == 0 || size_of(data, rows).reaches(limits.least)};
    }
    const auto column = static_cast<std::size_t>(here.column);
    const auto rank = static_cast<Rank>(here.rank);
    const TreeFacts yes = shape_of(data, limits, tree, side_of(data, rows, column, rank, true), here.yes);
    const TreeFacts no = shape_of(data, limits, tree, side_of(data, rows, column, rank, false), here.no);
    return {yes.cost + no.cost, 1 + std::max(yes.depth, no.depth), yes.leaves + no.leaves, yes.allowed && no.allowed};
}

}  // namespace exactree::testing
