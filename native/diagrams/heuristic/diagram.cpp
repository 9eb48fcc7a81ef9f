#include "diagrams/heuristic/diagram.hpp"

#include <algorithm>
#include <numeric>

#include "core/random.hpp"

namespace exactree::diagrams::heuristic {

std::vector<std::uint64_t> row_keys(std::size_t n_rows) {
    Random random(n_rows);
    std::vector<std::uint64_t> keys(n_rows);
    for (std::uint64_t& key : keys) key = random.next() | 1;
    return keys;
}

Diagram::Diagram(const std::vector<std::size_t>& widths, std::size_t classes)
    : first(widths.size() + 1, 0), n_classes(classes), top(0) {
    std::partial_sum(widths.begin(), widths.end(), first.begin() + 1);
    nodes.resize(first.back());
    used.assign(first.back(), 0);
}

void Diagram::mark_used() {
    std::fill(used.begin(), used.end(), std::uint8_t{0});
    if (is_label(top)) return;
    used[place(top)] = 1;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        if (!used[at]) continue;
        DiagramNode& node = nodes[at];
        if (node.to[0] == node.to[1] && !is_label(node.to[0])) node = {0, kPass, {0, node.to[1]}};
        for (const Target to : node.to)
            if (!is_label(to)) used[place(to)] = 1;
    }
}

std::size_t Diagram::n_used() const noexcept {
    return static_cast<std::size_t>(std::count(used.begin(), used.end(), std::uint8_t{1}));
}

void Diagram::count_parents(std::vector<std::uint32_t>& parents) const {
    parents.assign(nodes.size(), 0);
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        if (!used[at]) continue;
        for (const Target to : nodes[at].to)
            if (!is_label(to)) ++parents[place(to)];
    }
}

std::int32_t answer_of(const DiagramData& data, const Diagram& diagram, RowId row) {
    Target at = diagram.top;
    while (!diagram.is_label(at)) {
        const DiagramNode& node = diagram.nodes[diagram.place(at)];
        at = node.to[side_of(data, node, row)];
    }
    return at;
}

Cost cost_of(const DiagramData& data, const DiagramLimits& limits, const Diagram& diagram) {
    const std::size_t n_used = diagram.n_used();
    Cost cost = n_used == 0 ? 0 : limits.node_price * static_cast<Cost>(n_used - 1);
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const auto id = static_cast<RowId>(row);
        cost += data.cost_of(id, answer_of(data, diagram, id));
    }
    return cost;
}

bool is_large_enough(const DiagramData& data, const DiagramLimits& limits, const Diagram& diagram,
                     std::vector<Size>& scratch) {
    const std::size_t n_places = diagram.n_places();
    scratch.assign(3 * n_places, Size{});  // of each place, then of each side that ends
    for (std::size_t row = 0; row < data.n_rows; ++row)
        for (Target at = diagram.top; !diagram.is_label(at);) {
            const std::size_t place = diagram.place(at);
            scratch[place] += data.size[row];
            const DiagramNode& node = diagram.nodes[place];
            at = node.to[side_of(data, node, static_cast<RowId>(row))];
            // Two sides that go to one leaf are one: the node asks nothing.
            if (diagram.is_label(at)) scratch[n_places + 2 * place + (at != node.to[0])] += data.size[row];
        }
    for (std::size_t at = 1; at < n_places; ++at)
        if (diagram.used[at] && scratch[at].rows < limits.min_rows) return false;
    return std::all_of(scratch.begin() + static_cast<std::ptrdiff_t>(n_places), scratch.end(),
                       [&](const Size& end) { return end.rows == 0 || end.weight >= limits.min_weight; });
}

Tree to_nodes(const Diagram& diagram) {
    const auto n_nodes = static_cast<std::int32_t>(diagram.n_used());
    std::vector<std::int32_t> place(diagram.n_places(), -1), leaf(diagram.n_classes, -1);
    std::int32_t next = 0;
    for (std::size_t at = 0; at < diagram.n_places(); ++at)
        if (diagram.used[at]) place[at] = next++;
    Tree tree(static_cast<std::size_t>(n_nodes));
    const auto number = [&](Target to) {
        if (!diagram.is_label(to)) return place[diagram.place(to)];
        std::int32_t& at = leaf[static_cast<std::size_t>(to)];
        if (at < 0) {
            at = static_cast<std::int32_t>(tree.size());
            tree.push_back({-1, 0, -1, -1, to});
        }
        return at;
    };
    if (diagram.is_label(diagram.top)) number(diagram.top);
    for (std::size_t at = 0; at < diagram.n_places(); ++at) {
        if (!diagram.used[at]) continue;
        const DiagramNode& node = diagram.nodes[at];
        const std::int32_t yes = number(node.to[0]), no = number(node.to[1]);
        tree[static_cast<std::size_t>(place[at])] = {node.column, node.rank, yes, no, 0};
    }
    return tree;
}

std::optional<Diagram> from_nodes(const Tree& nodes, const std::vector<std::size_t>& widths, std::size_t n_classes) {
    Diagram diagram(widths, n_classes);
    std::vector<std::size_t> layer(nodes.size(), 0), taken(widths.size(), 0);
    std::vector<Target> target(nodes.size(), -1);
    const auto side = [](const TreeNode& node, int no) { return static_cast<std::size_t>(no ? node.no : node.yes); };
    for (std::size_t at = 0; at < nodes.size(); ++at)
        for (int no = 0; nodes[at].column >= 0 && no < 2; ++no)
            layer[side(nodes[at], no)] = std::max(layer[side(nodes[at], no)], layer[at] + 1);
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        target[at] = nodes[at].label;
        if (nodes[at].column < 0) continue;
        if (layer[at] >= widths.size() || taken[layer[at]] >= widths[layer[at]]) return std::nullopt;
        target[at] = diagram.target(diagram.first[layer[at]] + taken[layer[at]]++);
    }
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        if (nodes[at].column < 0) continue;
        DiagramNode& node = diagram.nodes[diagram.place(target[at])];
        node = {nodes[at].column, nodes[at].rank, {}};
        for (int no = 0; no < 2; ++no) {
            const std::size_t to = side(nodes[at], no);
            if (nodes[to].column >= 0 && layer[to] != layer[at] + 1) return std::nullopt;  // skips a layer
            node.to[no] = target[to];
        }
    }
    diagram.top = target[0];
    diagram.mark_used();
    return diagram;
}

}  // namespace exactree::diagrams::heuristic
