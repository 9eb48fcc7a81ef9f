// Skeletons of diagrams from Python, checked.
#pragma once

#include <stdexcept>
#include <string>

#include "diagrams/exact/search.hpp"

namespace exactree::bind {

inline diagrams::exact::DiagramShape make_shape(const std::vector<int>& widths, std::int64_t max_nodes,
                                                std::int64_t min_rows, std::int64_t min_weight, Cost node_price,
                                                bool tree) {
    if (widths.empty() || widths[0] != 1) throw std::invalid_argument("widths must begin with 1");
    if (widths.size() > static_cast<std::size_t>(kMaxDepth))
        throw std::invalid_argument("widths must have at most " + std::to_string(kMaxDepth) + " layers");
    for (std::size_t layer = 1; layer < widths.size(); ++layer)
        if (widths[layer] < 1 || widths[layer] > 2 * std::int64_t{widths[layer - 1]})
            throw std::invalid_argument("a layer must have 1 node or more, and at most twice those above");
    if (max_nodes < 1 || min_rows < 1 || min_weight < 0 || node_price < 0)
        throw std::invalid_argument("max_nodes and min_rows must be 1 or more, node_price and min_weight 0 or more");
    return {widths, max_nodes, node_price, {min_rows, tree, min_weight}};
}

}  // namespace exactree::bind
