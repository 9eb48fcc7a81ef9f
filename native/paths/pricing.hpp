// Decision paths: the questions that lead to a leaf of a complete tree, and their reduced costs.
//
// Branches are numbered level by level, the children of j are 2j + 1 (yes) and 2j + 2 (no); leaves from left to right.
// A choice is a question that one branch may ask. A choice without a column asks nothing: all rows go to the yes side,
// and no branch below asks anything either. A row here stands for all rows of a table that no choice separates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/budget.hpp"
#include "core/data.hpp"

namespace exactree::paths {

struct PathTable {
    int depth = 1;
    int n_classes = 1;
    std::size_t n_rows = 0;
    std::span<const Rank> ranks;           // column-major, n_columns x n_rows
    std::span<const double> sizes;         // n_rows x 2: rows of the user's table, and their weight
    std::span<const std::int32_t> begin;   // first choice of each branch, and the number of all
    std::span<const std::int32_t> column;  // of each choice; negative: asks nothing
    std::span<const std::int32_t> rank;    // of each choice; yes if the row's rank is at most this
    double least_rows = 1;                 // of a leaf that holds any row
    double least_weight = 0;

    std::size_t n_branches() const noexcept { return (std::size_t{1} << depth) - 1; }
    std::size_t n_leaves() const noexcept { return std::size_t{1} << depth; }
    std::size_t n_choices() const noexcept { return column.size(); }
};

// Prices of the restricted master. The reduced cost of a path is the dual of its leaf, the link duals of its choices,
// and, if any row follows it, the price of a leaf and the costs of those rows for its label.
struct PathPrices {
    std::span<const double> cost;                  // n_rows x n_classes, of any sign
    std::span<const double> leaf_dual;             // n_leaves
    std::span<const double> link_dual;             // n_leaves x n_choices
    std::span<const std::uint8_t> open;            // n_choices: whether it may be chosen
    std::span<const std::uint8_t> allowed_labels;  // n_leaves x n_classes: whether the leaf may have the label
    std::span<const double> known;                 // n_leaves: cost of a path that is known already
    double price = 0;                              // of a leaf that holds any row; not negative
    double below = 0;                              // paths of lower reduced cost are returned
    std::size_t most = 1;                          // paths returned per leaf: the cheapest
};

struct PricedPaths {
    std::vector<double> best;        // n_leaves: the least cost of any path, or what was known
    std::vector<std::int32_t> leaf;  // of each returned path, by leaf and cost
    std::vector<std::int32_t> label;
    std::vector<double> cost;
    std::vector<std::int32_t> choices;  // depth numbers each
    bool all = true;                    // whether no path below the limit was left out
    std::uint64_t visits = 0;           // sets of rows visited
    std::optional<Status> ended;        // why it was stopped; then nothing above is final
};

// The cheapest paths of every leaf, by depth-first search over what the branches above it may ask.
PricedPaths price_paths(const PathTable& table, const PathPrices& prices, const Budget& budget);

struct ChosenTree {
    double cost = 0;                   // infinite if no tree is allowed
    std::vector<std::int32_t> choice;  // of each branch
    std::uint64_t visits = 0;
    std::optional<Status> ended;
};

// The cheapest tree out of the open choices, by plain recursion. Costs must not be negative.
ChosenTree best_chosen_tree(const PathTable& table, std::span<const double> cost, std::span<const std::uint8_t> open,
                            double price, const Budget& budget);

// Sums of some amounts, n_rows x n_amounts, over the rows that follow each path.
std::vector<double> path_sums(const PathTable& table, std::span<const double> amounts, std::size_t n_amounts,
                              std::span<const std::int32_t> leaf, std::span<const std::int32_t> choices);

}  // namespace exactree::paths
