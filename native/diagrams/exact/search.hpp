// Exact search for the diagram of lowest cost within its skeleton.
//
// A diagram costs its errors and a price for each node but the root. So for k = 0, 1, 2, ... nodes after the root, and
// for each way to share them out among the layers (a profile), the question is whether a diagram of this profile errs
// less than the best cost known, less the price of k nodes. The price alone ends it at the latest: what has more nodes
// than it can pay for is skipped.
#pragma once

#include "core/outcome.hpp"
#include "diagrams/exact/searcher.hpp"

namespace exactree::diagrams::exact {

struct DiagramShape {
    std::vector<int> widths;     // most nodes that ask in each layer, the root's first
    std::int64_t max_nodes = 1;  // the root among them
    Cost node_price = 0;         // of each but the root
    DiagramRules rules;
};

struct DiagramSettings {
    std::size_t beam = 3;           // ways to split each group of rows that are tried for a first diagram
    std::uint64_t effort = 100000;  // for it, see TreeBounds::limit_effort
    int reach = 4;                  // layers that are looked ahead for bounds
};

// `start_cost` is that of a diagram that the caller knows. The outcome has no tree if none cheaper was found; it may
// have nodes with two parents otherwise.
Outcome search_diagram(const Data& data, const DiagramShape& shape, const Budget& budget, Cost offset, Cost start_cost,
                       const DiagramSettings& settings = {});

// All ways to have `n_nodes` nodes after the root: how many there are in each layer, at most `widths` and at most twice
// as many as in the layer above. Layers without nodes are left out.
std::vector<std::vector<int>> profiles(const std::vector<int>& widths, std::int64_t n_nodes);

}  // namespace exactree::diagrams::exact
