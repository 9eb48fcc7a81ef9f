// Exact search for the diagram of lowest cost within its skeleton.
//
// A diagram costs its errors and a price for each node but the root. So for k = 0, 1, 2, ... nodes after the root, and
// for each distribution of them over the layers (a profile), the search asks whether a diagram of this profile has
// fewer errors than the incumbent's cost minus the price of k nodes. It ends at the latest when the price of k nodes
// alone exceeds the incumbent.
#pragma once

#include "core/outcome.hpp"
#include "diagrams/exact/searcher.hpp"

namespace exactree::diagrams::exact {

struct DiagramShape {
    std::vector<int> widths;     // maximum number of branches in each layer, the root's first
    std::int64_t max_nodes = 1;  // the root among them
    Cost node_price = 0;         // of each but the root
    DiagramRules rules;
};

struct DiagramSettings {
    std::size_t beam = 3;           // beam width: options of each group of rows that the heuristic tries
    std::uint64_t effort = 100000;  // of beam search, see TreeBounds::limit_effort
    int reach = 4;                  // layers that tree bounds look ahead
};

// `start_cost` is the cost of the caller's warm start. The outcome has no tree if none cheaper was found; it may have
// nodes with two parents otherwise.
Outcome search_diagram(const Data& data, const DiagramShape& shape, const Budget& budget, Cost offset, Cost start_cost,
                       const DiagramSettings& settings = {});

// All profiles of `n_nodes` nodes after the root: the number of nodes in each layer, at most `widths` and at most twice
// that of the layer above. Layers without nodes are left out.
std::vector<std::vector<int>> profiles(const std::vector<int>& widths, std::int64_t n_nodes);

}  // namespace exactree::diagrams::exact
