// Decision diagrams as layers of slots for nodes, with scoring and routing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/data.hpp"

namespace exactree::diagrams::heuristic {

// Rows with the cost of every label. Views only.
struct DiagramData {
    std::size_t n_classes = 0;
    std::size_t n_rows = 0;
    std::size_t n_columns = 0;
    std::span<const Rank> ranks;           // column-major, n_columns x n_rows
    std::span<const std::int32_t> label;   // true class
    std::span<const Cost> cost;            // row-major, n_rows x n_classes: of each answer
    std::span<const Size> size;            // rows of the user's table, and their weight
    std::span<const std::uint32_t> stake;  // weight in entropies: what the row may cost
    Cost lowest = 0;                       // no diagram costs less

    Rank rank(std::size_t column, RowId row) const noexcept { return ranks[column * n_rows + row]; }
    Cost cost_of(RowId row, std::int32_t answer) const noexcept {
        return cost[row * n_classes + static_cast<std::size_t>(answer)];
    }
};

// A random number for each row: their sums are hash keys of sets of rows.
std::vector<std::uint64_t> row_keys(std::size_t n_rows);

struct DiagramLimits {
    std::vector<std::size_t> widths;  // most nodes of each layer
    Cost node_price = 0;              // of every node but the root
    std::size_t max_nodes = 0;
    std::int64_t min_rows = 1;    // at every node but the root
    bool tree = false;            // no node has two parents
    std::int64_t min_weight = 0;  // of every side that ends and that rows take, unless nothing is asked
};

// Where a side goes: a label, or n_classes + the place of a node.
using Target = std::int32_t;

constexpr std::int32_t kPass = -1;  // rank of a node that asks nothing: all its rows answer no

struct DiagramNode {
    std::int32_t column = 0;
    std::int32_t rank = kPass;
    Target to[2] = {0, 0};  // yes, no

    friend bool operator==(const DiagramNode&, const DiagramNode&) noexcept = default;
};

// A node at each place, used or not; `first` tells at which place each layer begins, and where the last one ends.
class Diagram {
 public:
    Diagram(const std::vector<std::size_t>& widths, std::size_t n_classes);

    std::size_t n_layers() const noexcept { return first.size() - 1; }
    std::size_t n_places() const noexcept { return nodes.size(); }
    bool is_label(Target target) const noexcept { return target < static_cast<Target>(n_classes); }
    std::size_t place(Target target) const noexcept { return static_cast<std::size_t>(target) - n_classes; }
    Target target(std::size_t place) const noexcept { return static_cast<Target>(n_classes + place); }

    // Marks the reachable nodes. A node whose sides both go to one node loses its question.
    void mark_used();
    std::size_t n_used() const noexcept;
    // Sides that go to each place.
    void count_parents(std::vector<std::uint32_t>& parents) const;

    std::vector<std::size_t> first;
    std::size_t n_classes;
    std::vector<DiagramNode> nodes;
    std::vector<std::uint8_t> used;
    Target top;  // where rows begin: a label, or the root
};

inline std::size_t side_of(const DiagramData& data, const DiagramNode& node, RowId row) noexcept {
    // The rank of a node that passes all rows on becomes the largest number, so it is tested first.
    if (node.rank < 0) return 1;
    return data.rank(static_cast<std::size_t>(node.column), row) <= static_cast<Rank>(node.rank) ? 0 : 1;
}

std::int32_t answer_of(const DiagramData& data, const Diagram& diagram, RowId row);
// Of predictions and nodes.
Cost cost_of(const DiagramData& data, const DiagramLimits& limits, const Diagram& diagram);
// Whether every node that is used, but the root, has enough rows, and every side that ends in a leaf enough weight.
bool is_large_enough(const DiagramData& data, const DiagramLimits& limits, const Diagram& diagram,
                     std::vector<Size>& scratch);

// Nodes root first, layer by layer, then leaves.
Tree to_nodes(const Diagram& diagram);
// The nodes at their places, or nothing if they do not fit into the layers.
std::optional<Diagram> from_nodes(const Tree& nodes, const std::vector<std::size_t>& widths, std::size_t n_classes);

}  // namespace exactree::diagrams::heuristic
