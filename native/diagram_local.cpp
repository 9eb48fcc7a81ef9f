#include "diagram_local.hpp"

#include <algorithm>
#include <numeric>

namespace exactree {

DiagramImprover::DiagramImprover(const DiagramData& data, const DiagramLimits& limits, const SortedColumns& sorted)
    : data_(data), limits_(limits), sorted_(sorted), torn_(data.n_rows), gain_(data.n_rows) {
    const std::size_t n_places = std::accumulate(limits.widths.begin(), limits.widths.end(), std::size_t{0});
    const std::size_t widest = *std::max_element(limits.widths.begin(), limits.widths.end());
    at_.resize(limits.widths.size() * data.n_rows);
    below_.resize(n_places * data.n_rows);
    total_.resize(widest);
    asked_.resize(widest);
    sweeps_.resize(widest);
    sides_.resize(2 * widest * (data.n_classes + widest));
    freed_.resize(n_places);
    reached_.resize(n_places);
}

void DiagramImprover::prune(Diagram& diagram) {
    route(diagram);
    for (std::size_t layer = diagram.n_layers(); layer-- > 0;) {
        sum_up_sides(diagram, layer);
        drop_nodes(diagram, layer, true);
        fill_below(diagram, layer);
    }
    change_root(diagram);
}

void DiagramImprover::improve(Diagram& diagram, Watchdog& watchdog) {
    while (!diagram.is_label(diagram.top) && !watchdog.stopped() && pass(diagram, watchdog)) {
    }
}

bool DiagramImprover::pass(Diagram& diagram, Watchdog& watchdog) {
    route(diagram);
    bool changed = false;
    for (std::size_t layer = diagram.n_layers(); layer-- > 0;) {
        changed |= ask_better(diagram, layer, watchdog);
        if (watchdog.stopped()) return false;
        changed |= aim_better(diagram, layer);
        fill_below(diagram, layer);
        watchdog.spend(8 * data_.n_rows * (diagram.first[layer + 1] - diagram.first[layer]));
    }
    changed |= change_root(diagram);
    return changed;
}

// Find the node of every row in every layer.
void DiagramImprover::route(const Diagram& diagram) {
    std::fill(at_.begin(), at_.end(), kNowhere);
    for (std::size_t row = 0; row < data_.n_rows; ++row) {
        Target at = diagram.top;
        for (std::size_t layer = 0; !diagram.is_label(at); ++layer) {
            const std::size_t place = diagram.place(at);
            at_[layer * data_.n_rows + row] = static_cast<std::uint16_t>(place - diagram.first[layer]);
            const DiagramNode& node = diagram.nodes[place];
            at = node.to[side_of(data_, node, static_cast<RowId>(row))];
        }
    }
}

Cost DiagramImprover::cost_at(const Diagram& diagram, Target target, std::size_t row) const {
    if (diagram.is_label(target)) return data_.cost_of(static_cast<RowId>(row), target);
    return below_[diagram.place(target) * data_.n_rows + row];
}

// What every row, wherever it is now, would cost at the nodes of a layer.
void DiagramImprover::fill_below(const Diagram& diagram, std::size_t layer) {
    for (std::size_t place = diagram.first[layer]; place < diagram.first[layer + 1]; ++place) {
        if (!diagram.used[place]) continue;
        const DiagramNode& node = diagram.nodes[place];
        Cost* below = below_.data() + place * data_.n_rows;
        for (std::size_t row = 0; row < data_.n_rows; ++row)
            below[row] = cost_at(diagram, node.to[side_of(data_, node, static_cast<RowId>(row))], row);
    }
}

// Questions.

bool DiagramImprover::ask_better(Diagram& diagram, std::size_t layer, Watchdog& watchdog) {
    n_here_ = diagram.first[layer + 1] - diagram.first[layer];
    weigh_rows(diagram, layer);
    for (std::size_t column = 0; column < data_.n_columns; ++column) {
        sweep(column);
        if (watchdog.spend(2 * data_.n_rows)) return false;
    }
    bool changed = false;
    for (std::size_t node = 0; node < n_here_; ++node) {
        const Asked& asked = asked_[node];
        if (asked.column < 0) continue;
        DiagramNode& here = diagram.nodes[diagram.first[layer] + node];
        const DiagramNode before = here;
        here.column = asked.column;
        here.rank = static_cast<std::int32_t>(data_.rank(static_cast<std::size_t>(asked.column), asked.last));
        if (asked.swapped) std::swap(here.to[0], here.to[1]);
        if (allowed(diagram))
            changed = true;
        else
            here = before;
    }
    return changed;
}

// How much each row gains by saying yes at its node, and what the questions at hand gain.
void DiagramImprover::weigh_rows(const Diagram& diagram, std::size_t layer) {
    std::fill_n(total_.begin(), n_here_, Cost{0});
    std::fill_n(asked_.begin(), n_here_, Asked{0, -1, 0, false});
    const std::uint16_t* at = at_.data() + layer * data_.n_rows;
    for (std::size_t row = 0; row < data_.n_rows; ++row) {
        torn_[row] = kNowhere;
        if (at[row] == kNowhere) continue;
        const DiagramNode& node = diagram.nodes[diagram.first[layer] + at[row]];
        const Cost gain = cost_at(diagram, node.to[1], row) - cost_at(diagram, node.to[0], row);
        if (gain == 0) continue;
        torn_[row] = at[row];
        gain_[row] = gain;
        total_[at[row]] += gain;
        if (side_of(data_, node, static_cast<RowId>(row)) == 0) asked_[at[row]].gain += gain;
    }
}

void DiagramImprover::sweep(std::size_t column) {
    std::fill_n(sweeps_.begin(), n_here_, Sweep{0, 0, 0});
    std::uint32_t rank = 0;
    for (const std::uint32_t entry : sorted_.of(column)) {
        rank += entry >> 31;
        const RowId row = entry & ~SortedColumns::kFirst;
        const std::size_t node = torn_[row];
        if (node == kNowhere) continue;
        Sweep& at = sweeps_[node];
        if (at.rank != rank) {
            if (at.rank != 0) take(node, static_cast<std::int32_t>(column), at);
            at.rank = rank;
        }
        at.last = row;
        at.yes += gain_[row];
    }
}

void DiagramImprover::take(std::size_t node, std::int32_t column, const Sweep& at) {
    Asked& best = asked_[node];
    if (at.yes > best.gain) best = {at.yes, column, at.last, false};
    if (total_[node] - at.yes > best.gain) best = {total_[node] - at.yes, column, at.last, true};
}

// Sides.

bool DiagramImprover::aim_better(Diagram& diagram, std::size_t layer) {
    sum_up_sides(diagram, layer);
    bool changed = false;
    // A node that is dropped, or a side that goes elsewhere, makes room for further changes.
    for (bool again = true; again;) {
        again = drop_nodes(diagram, layer, false);
        again |= aim_sides(diagram, layer);
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
    std::fill_n(sides_.begin(), 2 * n_here_ * n_targets_, Cost{0});
    const std::uint16_t* at = at_.data() + layer * data_.n_rows;
    for (std::size_t row = 0; row < data_.n_rows; ++row) {
        if (at[row] == kNowhere) continue;
        const DiagramNode& node = diagram.nodes[diagram.first[layer] + at[row]];
        Cost* of_side = sides_.data() + (2 * at[row] + side_of(data_, node, static_cast<RowId>(row))) * n_targets_;
        const Cost* costs = data_.cost.data() + row * data_.n_classes;
        for (std::size_t k = 0; k < data_.n_classes; ++k) of_side[k] += costs[k];
        for (std::size_t i = 0; i < width; ++i)
            if (diagram.used[begin + i]) of_side[data_.n_classes + i] += below_[(begin + i) * data_.n_rows + row];
    }
    find_freed(diagram, layer);
}

// For each node of the next layer, how many nodes go with it.
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

// Price of the nodes that go if one side less leads to a target.
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

// Send every side that leads to a node elsewhere, if that costs no more than the node and those below it.
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

bool DiagramImprover::aim_sides(Diagram& diagram, std::size_t layer) {
    bool changed = false;
    for (std::size_t side = 0; side < 2 * n_here_; ++side) {
        if (!diagram.used[diagram.first[layer] + side / 2]) continue;
        changed |= aim(diagram, layer, side);
        if (side % 2 == 1) changed |= pass_on(diagram, layer, side / 2);
    }
    return changed;
}

bool DiagramImprover::aim(Diagram& diagram, std::size_t layer, std::size_t side) {
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

// Ask nothing and send all rows to one node of the next layer, if that is cheaper.
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

// A lone leaf, if it costs no more.
bool DiagramImprover::change_root(Diagram& diagram) {
    if (diagram.is_label(diagram.top)) return false;
    sum_up_sides(diagram, 0);
    Target best = 0;
    const auto cost = [&](Target k) { return side_cost(0, k) + side_cost(1, k); };
    for (Target k = 1; diagram.is_label(k); ++k)
        if (cost(k) < cost(best)) best = k;
    if (cost(best) > cost_of(data_, limits_, diagram)) return false;
    diagram.top = best;
    diagram.mark_used();
    return true;
}

}  // namespace exactree
