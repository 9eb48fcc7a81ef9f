// States of a diagram under construction: which rows are together at the nodes of a layer.
#pragma once

#include "diagrams/exact/options.hpp"

namespace exactree::diagrams::exact {

struct DiagramRules {
    std::int64_t least_rows = 1;    // at every node but the root
    bool tree = false;              // no two sides go to one node
    std::int64_t least_weight = 0;  // of every side that ends; a node that asks nothing has one side

    // Whether sizes are limited, so that merging may be needed.
    bool sized() const noexcept { return least_rows > 1 || least_weight > 0; }
};

// The rows of a node.
struct RowGroup {
    RowBits rows;
    Key key;
};

using State = std::vector<RowGroup>;

// A side that continues to the next layer.
struct Flow {
    RowBits rows;
    Key key;
    std::size_t from;  // group that it comes from
    bool yes;          // which side of it; rows that pass without a question count as no
};

// Does not depend on the order of the groups; differs for different partitions of the same rows.
Key key_of(const State& state);
// Rows of a side of an option of a group.
RowBits side_of(const Data& data, const RowGroup& group, const NodeOption& option, bool yes);
// The rows at the nodes of the next layer, if flow i goes to node group_of[i].
State joined(const Data& data, const std::vector<Flow>& flows, const std::vector<std::int32_t>& group_of,
             std::int32_t n_groups);
// Whether all nodes have enough rows; and enough weight, where no others can join them before they end.
bool allowed(const Data& data, const DiagramRules& rules, const State& state, bool last);

// Assigns the sides that continue, from `flow` on, to at most `width` nodes of the next layer, and calls visit() for
// each assignment. Nodes of a layer are interchangeable, so a new one is always the next (symmetry breaking); sides of
// one group never share a node.
template <class Stop, class Visit>
void assign_flows(const std::vector<Flow>& flows, std::size_t flow, std::int32_t width, const DiagramRules& rules,
                  std::vector<std::int32_t>& group_of, std::int32_t& n_groups, Stop stop, Visit visit) {
    if (stop()) return;
    const auto left = static_cast<std::int32_t>(flows.size() - flow);
    if (!rules.sized() && n_groups + left < width) return;  // a node would stay unused
    if (flow == flows.size()) return visit();
    for (std::int32_t group = 0; group <= n_groups && group < width; ++group) {
        bool sibling = false;
        for (std::size_t other = 0; other < flow; ++other)
            sibling |= group_of[other] == group && flows[other].from == flows[flow].from;
        if (sibling) continue;
        const bool fresh = group == n_groups;
        group_of[flow] = group;
        n_groups += fresh;
        assign_flows(flows, flow + 1, width, rules, group_of, n_groups, stop, visit);
        n_groups -= fresh;
    }
}

}  // namespace exactree::diagrams::exact
