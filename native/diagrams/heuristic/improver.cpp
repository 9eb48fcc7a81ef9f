#include "diagrams/heuristic/improver.hpp"

#include <algorithm>
#include <numeric>

namespace exactree::diagrams::heuristic {

DiagramImprover::DiagramImprover(const DiagramData& data, const DiagramLimits& limits, const SortedColumns& sorted)
    : data_(data),
      limits_(limits),
      finder_(data, sorted),
      leaf_costs_(data.n_classes, 0),
      scratch_(data.n_rows),
      torn_(data.n_rows),
      gain_(data.n_rows) {
    const std::size_t n_places = std::accumulate(limits.widths.begin(), limits.widths.end(), std::size_t{0});
    const std::size_t widest = *std::max_element(limits.widths.begin(), limits.widths.end());
    rows_of_.resize(limits.widths.size() * data.n_rows);
    shares_.resize(n_places);
    below_.resize((data.n_classes + n_places) * data.n_rows);
    filled_.resize(n_places);
    version_.resize(data.n_classes + n_places, 0);
    sides_.resize(2 * widest * (data.n_classes + widest));
    freed_.resize(n_places);
    reached_.resize(n_places);
    for (std::size_t row = 0; row < data.n_rows; ++row)
        for (std::size_t k = 0; k < data.n_classes; ++k) {
            below_[k * data.n_rows + row] = data.cost[row * data.n_classes + k];
            leaf_costs_[k] += data.cost[row * data.n_classes + k];
        }
}

Cost DiagramImprover::prune(Diagram& diagram) {
    route(diagram);
    for (std::size_t layer = diagram.n_layers(); layer-- > 0;) {
        sum_up_sides(diagram, layer);
        drop_nodes(diagram, layer, true);
        fill_below(diagram, layer);
    }
    return total(diagram);
}

Cost DiagramImprover::improve(Diagram& diagram, Cost cost, Watchdog& watchdog) {
    while (!diagram.is_label(diagram.top) && !watchdog.stopped()) {
        Diagram before = diagram;
        const bool changed = pass(diagram, watchdog);
        // If time ran out during the pass, not all layers above the changes were summed up.
        const Cost now = watchdog.stopped() ? cost_of(data_, limits_, diagram) : total(diagram);
        const bool better = now < cost || (now == cost && diagram.n_used() < before.n_used());
        // Hash keys of two sets of rows may collide, very rarely: then a question may be worse than computed.
        if (!better) diagram = std::move(before);
        if (better) cost = now;
        if (!better || !changed) break;
    }
    return cost;
}

bool DiagramImprover::pass(Diagram& diagram, Watchdog& watchdog) {
    route(diagram);
    bool changed = false;
    for (std::size_t layer = diagram.n_layers(); layer-- > 0;) {
        changed |= improve_questions(diagram, layer, watchdog);
        if (watchdog.stopped()) return false;
        changed |= improve_targets(diagram, layer);
        fill_below(diagram, layer);
        watchdog.spend(8 * data_.n_rows * (diagram.first[layer + 1] - diagram.first[layer]));
    }
    changed |= change_root(diagram);
    return changed;
}

// List the rows of every side.
void DiagramImprover::route(const Diagram& diagram) {
    std::iota(rows_of_.begin(), rows_of_.begin() + static_cast<std::ptrdiff_t>(data_.n_rows), RowId{0});
    for (std::size_t layer = 0; layer < diagram.n_layers(); ++layer) {
        std::size_t end = 0;
        for (std::size_t place = diagram.first[layer]; place < diagram.first[layer + 1]; ++place) {
            const std::size_t begin = end;
            if (diagram.used[place]) end = layer == 0 ? data_.n_rows : gather(diagram, layer, place, begin);
            shares_[place] = {begin, begin, end};
            if (diagram.used[place]) partition(diagram.nodes[place], layer, place);
        }
    }
}

// Copy the rows of all sides that lead to a node; returns where they end.
std::size_t DiagramImprover::gather(const Diagram& diagram, std::size_t layer, std::size_t place, std::size_t begin) {
    const RowId* from = rows_of_.data() + (layer - 1) * data_.n_rows;
    RowId* into = rows_of_.data() + layer * data_.n_rows + begin;
    for (std::size_t above = diagram.first[layer - 1]; above < diagram.first[layer]; ++above) {
        if (!diagram.used[above]) continue;
        const NodeRows& share = shares_[above];
        const Target* to = diagram.nodes[above].to;
        if (to[0] == diagram.target(place)) into = std::copy(from + share.begin, from + share.middle, into);
        if (to[1] == diagram.target(place)) into = std::copy(from + share.middle, from + share.end, into);
    }
    return static_cast<std::size_t>(into - rows_of_.data()) - layer * data_.n_rows;
}

// Partitions the rows of a node, yes first.
void DiagramImprover::partition(const DiagramNode& node, std::size_t layer, std::size_t place) {
    const Rank* ranks = data_.ranks.data() + static_cast<std::size_t>(node.column) * data_.n_rows;
    const auto limit = static_cast<Rank>(node.rank + 1);  // 0 for a node that asks nothing: none answers yes
    NodeRows& share = shares_[place];
    RowId* rows = rows_of_.data() + layer * data_.n_rows + share.begin;
    std::size_t n_yes = 0, n_no = 0;
    for (std::size_t i = 0, n = share.end - share.begin; i < n; ++i) {
        const RowId row = rows[i];
        const bool yes = ranks[row] < limit;
        rows[n_yes] = scratch_[n_no] = row;  // no branch; the wrong one is overwritten
        n_yes += yes;
        n_no += !yes;
    }
    std::copy_n(scratch_.begin(), n_no, rows + n_yes);
    share.middle = share.begin + n_yes;
}

// Cost of every row, wherever it is now, at the nodes of a layer. Most sub-diagrams are unchanged since the last pass.
void DiagramImprover::fill_below(const Diagram& diagram, std::size_t layer) {
    for (std::size_t place = diagram.first[layer]; place < diagram.first[layer + 1]; ++place) {
        if (!diagram.used[place]) continue;
        const DiagramNode& node = diagram.nodes[place];
        const FilledState now{node, version_[static_cast<std::size_t>(node.to[0])],
                              version_[static_cast<std::size_t>(node.to[1])]};
        if (version_[data_.n_classes + place] != 0 && now == filled_[place]) continue;
        filled_[place] = now;
        version_[data_.n_classes + place] = ++n_versions_;
        const Rank* ranks = data_.ranks.data() + static_cast<std::size_t>(node.column) * data_.n_rows;
        const auto limit = static_cast<Rank>(node.rank + 1);
        const Cost *yes = costs_at(node.to[0]), *no = costs_at(node.to[1]);
        Cost* below = below_.data() + (data_.n_classes + place) * data_.n_rows;
        for (std::size_t row = 0; row < data_.n_rows; ++row) below[row] = ranks[row] < limit ? yes[row] : no[row];
    }
}

// Cost of a diagram of which all layers are summed up.
Cost DiagramImprover::total(const Diagram& diagram) const {
    if (diagram.is_label(diagram.top)) return leaf_costs_[static_cast<std::size_t>(diagram.top)];
    const Cost* costs = costs_at(diagram.top);
    return std::accumulate(costs, costs + data_.n_rows, limits_.node_price * static_cast<Cost>(diagram.n_used() - 1));
}

// Sides.

bool DiagramImprover::improve_targets(Diagram& diagram, std::size_t layer) {
    sum_up_sides(diagram, layer);
    bool changed = false;
    // A node that is dropped, or a side that goes elsewhere, allows further changes.
    for (bool again = true; again;) {
        again = drop_nodes(diagram, layer, false);
        again |= retarget_sides(diagram, layer);
        changed |= again;
    }
    return changed;
}

// What the rows of each side would cost at each target.
void DiagramImprover::sum_up_sides(const Diagram& diagram, std::size_t layer) {
    n_here_ = diagram.first[layer + 1] - diagram.first[layer];
    const std::size_t begin = diagram.first[layer + 1];
    const std::size_t width = layer + 1 < diagram.n_layers() ? diagram.first[layer + 2] - begin : 0;
    next_ = begin;
    n_targets_ = data_.n_classes + width;
    const RowId* rows = rows_of_.data() + layer * data_.n_rows;
    for (std::size_t i = 0; i < n_targets_; ++i) {
        const Target to = i < data_.n_classes ? static_cast<Target>(i) : diagram.target(begin + i - data_.n_classes);
        const bool used = diagram.is_label(to) || diagram.used[diagram.place(to)];
        const Cost* costs = costs_at(to);
        for (std::size_t side = 0; side < 2 * n_here_; ++side) {
            const NodeRows& share = shares_[diagram.first[layer] + side / 2];
            Cost sum = 0;
            for (std::size_t at = side % 2 ? share.middle : share.begin, end = side % 2 ? share.end : share.middle;
                 used && at < end; ++at)
                sum += costs[rows[at]];
            sides_[side * n_targets_ + i] = sum;
        }
    }
    find_freed(diagram, layer);
}

// For each node of the next layer, how many nodes become unreachable without it.
void DiagramImprover::find_freed(const Diagram& diagram, std::size_t layer) {
    diagram.count_parents(parents_);
    if (layer + 1 >= diagram.n_layers()) return;
    for (std::size_t lost = diagram.first[layer + 1]; lost < diagram.first[layer + 2]; ++lost) {
        if (!diagram.used[lost]) continue;
        std::fill(reached_.begin(), reached_.end(), std::uint8_t{0});
        for (std::size_t at = diagram.first[layer + 1]; at < diagram.n_places(); ++at) {
            if (at == lost || !(at < diagram.first[layer + 2] ? diagram.used[at] : reached_[at])) continue;
            reached_[at] = 1;
            for (const Target to : diagram.nodes[at].to)
                if (!diagram.is_label(to)) reached_[diagram.place(to)] = 1;
        }
        freed_[lost] = 0;
        for (std::size_t at = diagram.first[layer + 1]; at < diagram.n_places(); ++at)
            freed_[lost] += diagram.used[at] && !reached_[at];
    }
}

// Price of the nodes that become unreachable if one side no longer leads to a target.
Cost DiagramImprover::freed(const Diagram& diagram, Target target) const {
    if (diagram.is_label(target) || parents_[diagram.place(target)] > 1) return 0;
    return limits_.node_price * static_cast<Cost>(freed_[diagram.place(target)]);
}

bool DiagramImprover::drop_nodes(Diagram& diagram, std::size_t layer, bool only_leaves) {
    if (layer + 1 >= diagram.n_layers()) return false;
    bool changed = false;
    for (std::size_t place = diagram.first[layer + 1]; place < diagram.first[layer + 2]; ++place)
        changed |= diagram.used[place] && drop(diagram, layer, place, only_leaves);
    return changed;
}

// Redirects every side that leads to a node, if that costs no more than the node and those below it.
bool DiagramImprover::drop(Diagram& diagram, std::size_t layer, std::size_t place, bool only_leaves) {
    const Target lost = diagram.target(place);
    const std::size_t begin = diagram.first[layer];
    Cost more = -limits_.node_price * static_cast<Cost>(freed_[place]);
    for (std::size_t side = 0; side < 2 * n_here_; ++side) {
        if (!diagram.used[begin + side / 2] || diagram.nodes[begin + side / 2].to[side % 2] != lost) continue;
        more += side_cost(side, best_other(diagram, side, lost, only_leaves)) - side_cost(side, lost);
    }
    if (more > 0) return false;
    before_ = diagram.nodes;
    used_before_ = diagram.used;
    for (std::size_t side = 0; side < 2 * n_here_; ++side) {
        Target& to = diagram.nodes[begin + side / 2].to[side % 2];
        if (diagram.used[begin + side / 2] && to == lost) to = best_other(diagram, side, lost, only_leaves);
    }
    diagram.mark_used();
    if (!allowed(diagram)) {
        diagram.nodes = before_;
        diagram.used = used_before_;
        return false;
    }
    find_freed(diagram, layer);
    return true;
}

// The cheapest target of a side but one, and but the node that the other side goes to.
Target DiagramImprover::best_other(const Diagram& diagram, std::size_t side, Target lost, bool only_leaves) const {
    Target best = 0;
    for (Target k = 1; diagram.is_label(k); ++k)
        if (side_cost(side, k) < side_cost(side, best)) best = k;
    if (only_leaves || limits_.tree) return best;
    const std::size_t here = next_ - n_here_ + side / 2;
    for (std::size_t i = 0; i < n_targets_ - data_.n_classes; ++i) {
        const Target to = diagram.target(next_ + i);
        if (to == lost || !diagram.used[next_ + i] || to == diagram.nodes[here].to[1 - side % 2]) continue;
        if (side_cost(side, to) < side_cost(side, best)) best = to;
    }
    return best;
}

bool DiagramImprover::retarget_sides(Diagram& diagram, std::size_t layer) {
    bool changed = false;
    for (std::size_t side = 0; side < 2 * n_here_; ++side) {
        if (!diagram.used[diagram.first[layer] + side / 2]) continue;
        changed |= retarget(diagram, layer, side);
        if (side % 2 == 1) changed |= pass_on(diagram, layer, side / 2);
    }
    return changed;
}

bool DiagramImprover::retarget(Diagram& diagram, std::size_t layer, std::size_t side) {
    DiagramNode& node = diagram.nodes[diagram.first[layer] + side / 2];
    const Target now = node.to[side % 2], other = best_other(diagram, side, now, false);
    if (side_cost(side, other) - side_cost(side, now) - freed(diagram, now) >= 0) return false;
    used_before_ = diagram.used;
    node.to[side % 2] = other;
    diagram.mark_used();
    if (!allowed(diagram)) {
        node.to[side % 2] = now;
        diagram.used = used_before_;
        return false;
    }
    find_freed(diagram, layer);
    return true;
}

// Removes the question and passes all rows to one node of the next layer, if that is cheaper.
bool DiagramImprover::pass_on(Diagram& diagram, std::size_t layer, std::size_t node) {
    DiagramNode& here = diagram.nodes[diagram.first[layer] + node];
    const DiagramNode before = here;
    if (here.rank == kPass) return false;
    const std::size_t yes = 2 * node, no = yes + 1;
    const Cost now = side_cost(yes, here.to[0]) + side_cost(no, here.to[1]);
    for (std::size_t i = 0; i < n_targets_ - data_.n_classes; ++i) {
        const Target to = diagram.target(next_ + i);
        const bool is_child = to == before.to[0] || to == before.to[1];
        if (!diagram.used[next_ + i] || (limits_.tree && !is_child)) continue;
        Cost more = side_cost(yes, to) + side_cost(no, to) - now;
        for (const Target lost : before.to)
            if (lost != to) more -= freed(diagram, lost);
        if (more >= 0) continue;
        used_before_ = diagram.used;
        here = {0, kPass, {0, to}};
        diagram.mark_used();
        if (allowed(diagram)) {
            for (std::size_t t = 0; t < n_targets_; ++t) {
                sides_[no * n_targets_ + t] += sides_[yes * n_targets_ + t];
                sides_[yes * n_targets_ + t] = 0;
            }
            find_freed(diagram, layer);
            return true;
        }
        here = before;
        diagram.used = used_before_;
    }
    return false;
}

// A single leaf, if it costs no more.
bool DiagramImprover::change_root(Diagram& diagram) {
    if (diagram.is_label(diagram.top)) return false;
    const auto best = std::min_element(leaf_costs_.begin(), leaf_costs_.end());
    if (*best > total(diagram)) return false;
    diagram.top = static_cast<Target>(best - leaf_costs_.begin());
    diagram.mark_used();
    return true;
}

}  // namespace exactree::diagrams::heuristic
