#include "diagrams/heuristic/builder.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace exactree::diagrams::heuristic {
DiagramBuilder::DiagramBuilder(const DiagramData& data, const DiagramLimits& limits, const SortedColumns& sorted)
    : data_(data),
      limits_(limits),
      finder_(data, sorted),
      table_(finder_.table()),
      least_(data.n_rows),
      rows_(data.n_rows),
      next_rows_(data.n_rows) {
    for (std::size_t row = 0; row < data.n_rows; ++row) {
        const auto costs = data.cost.subspan(row * data.n_classes, data.n_classes);
        least_[row] = *std::min_element(costs.begin(), costs.end());
    }
    const std::size_t widest = *std::max_element(limits.widths.begin(), limits.widths.end());
    const std::size_t n_flows = 2 * widest;
    looks_.resize(widest * data.n_columns);
    begin_.resize(widest + 1);
    middle_.resize(widest);
    splits_.resize(widest);
    flow_weights_.resize(n_flows * data.n_classes);
    flow_costs_.resize(n_flows * data.n_classes);
    flow_least_.resize(n_flows);
    flow_rows_.resize(n_flows);
    flow_parents_.resize(n_flows * widest);
    flow_into_.resize(n_flows);
    flow_target_.resize(n_flows);
    mixed_.resize(data.n_classes);
    shuffled_.resize(data.n_columns);
}

Diagram DiagramBuilder::build(Random& random, const BuildSettings& settings, Watchdog& watchdog) {
    Diagram diagram(limits_.widths, data_.n_classes);
    begin();
    diagram.top = diagram.target(0);
    for (std::size_t layer = 0; layer < diagram.n_layers() && n_here_ > 0; ++layer) {
        draw_columns(random, settings);
        find_splits(diagram, layer, watchdog);
        end_unsplit_nodes(diagram, layer);
        partition_rows(diagram, layer);
        const bool ended = layer + 1 == diagram.n_layers() || watchdog.stopped();
        const std::size_t n_before = n_here_;
        n_here_ = choose_flows(diagram, layer, ended, random, settings);
        set_targets(diagram, layer, n_before);
        n_built_ += n_here_;
    }
    diagram.mark_used();
    return diagram;
}

void DiagramBuilder::begin() {
    std::iota(rows_.begin(), rows_.end(), RowId{0});
    begin_[0] = 0;
    begin_[1] = data_.n_rows;
    inflows_.assign(1, {0, 0, data_.n_rows});  // the root has no side before it, but its place is taken as one
    n_here_ = n_built_ = 1;
}

void DiagramBuilder::draw_columns(Random& random, const BuildSettings& settings) {
    const std::size_t n = data_.n_columns;
    const auto share = static_cast<std::size_t>(settings.ratio * static_cast<double>(n));
    const std::size_t wanted = std::min(n, std::max<std::size_t>(share, 1));
    for (std::size_t node = 0; node < n_here_; ++node) {
        std::uint8_t* looks = looks_.data() + node * n;
        std::fill_n(looks, n, wanted == n);
        if (wanted == n) continue;
        std::iota(shuffled_.begin(), shuffled_.end(), std::size_t{0});
        for (std::size_t i = 0; i < wanted; ++i) {
            std::swap(shuffled_[i], shuffled_[i + random.below(n - i)]);
            looks[shuffled_[i]] = 1;
        }
    }
}

// Sets the best question of each node. If time runs out, some columns were not scanned. With a minimum weight both
// sides of every question have it, so that either may end in a leaf.
void DiagramBuilder::find_splits(Diagram& diagram, std::size_t layer, Watchdog& watchdog) {
    for (std::size_t node = 0; node < n_here_; ++node) {
        const std::uint8_t* looks = looks_.data() + node * data_.n_columns;
        EntropySplit split = finder_.best(rows_of(node), looks, watchdog);
        if (limits_.min_weight > 0) split = finder_.best_heavy(split, looks, limits_.min_weight, watchdog);
        splits_[node] = split.column >= 0;
        if (!splits_[node]) continue;
        const auto rank = static_cast<std::int32_t>(finder_.rank_of(split));
        diagram.nodes[diagram.first[layer] + node] = {split.column, rank, {0, 0}};
    }
}

// Nodes whose rows cannot be split are removed; each side that led there goes to the leaf that is cheapest for its
// rows.
void DiagramBuilder::end_unsplit_nodes(Diagram& diagram, std::size_t layer) {
    bool any = false;
    for (std::size_t node = 0; node < n_here_; ++node) any |= !splits_[node];
    if (!any) return;
    side_costs_.assign(2 * diagram.n_places() * data_.n_classes, 0);
    for (std::size_t node = 0, at = 0; node < n_here_; ++node)
        for (; at < inflows_.size() && inflows_[at].begin < begin_[node + 1]; ++at) {
            Cost* costs = side_costs_.data() + inflows_[at].side * data_.n_classes;
            for (std::size_t i = inflows_[at].begin; !splits_[node] && i < inflows_[at].end; ++i)
                for (std::size_t k = 0; k < data_.n_classes; ++k)
                    costs[k] += data_.cost[rows_[i] * data_.n_classes + k];
        }
    for (std::size_t node = 0; node < n_here_; ++node) {
        if (splits_[node]) continue;
        --n_built_;
        const Target lost = diagram.target(diagram.first[layer] + node);
        if (diagram.top == lost) diagram.top = cheapest(side_costs_.data());
        for (std::size_t side = 0; side < 2 * diagram.first[layer]; ++side) {
            Target& to = diagram.nodes[side / 2].to[side % 2];
            if (to == lost) to = cheapest(side_costs_.data() + side * data_.n_classes);
        }
    }
}

std::int32_t DiagramBuilder::cheapest(const Cost* costs) const {
    return static_cast<std::int32_t>(std::min_element(costs, costs + data_.n_classes) - costs);
}

// Partitions the rows of every node, without a branch on the side, and sums up both sides.
void DiagramBuilder::partition_rows(const Diagram& diagram, std::size_t layer) {
    for (std::size_t node = 0; node < n_here_; ++node) {
        if (!splits_[node]) continue;
        const DiagramNode& asks = diagram.nodes[diagram.first[layer] + node];
        const Rank* ranks = data_.ranks.data() + static_cast<std::size_t>(asks.column) * data_.n_rows;
        RowId* rows = rows_.data() + begin_[node];
        std::size_t n_yes = 0, n_no = 0;
        for (std::size_t i = 0, n = rows_of(node).size(); i < n; ++i) {
            const RowId row = rows[i];
            const bool yes = ranks[row] <= static_cast<Rank>(asks.rank);
            rows[n_yes] = next_rows_[n_no] = row;
            n_yes += yes;
            n_no += !yes;
        }
        std::copy_n(next_rows_.begin(), n_no, rows + n_yes);
        middle_[node] = begin_[node] + n_yes;
        sum_up(2 * node, {rows, n_yes});
        sum_up(2 * node + 1, {rows + n_yes, n_no});
    }
}

void DiagramBuilder::sum_up(std::size_t flow, std::span<const RowId> rows) {
    const std::size_t n_classes = data_.n_classes;
    std::uint64_t* weights = flow_weights_.data() + flow * n_classes;
    std::fill_n(weights, n_classes, 0u);
    Cost least = 0;
    std::int64_t n_rows = 0;
    for (const RowId row : rows) {
        weights[static_cast<std::size_t>(data_.label[row])] += data_.stake[row];
        least += least_[row];
        n_rows += data_.size[row].rows;
    }
    flow_least_[flow] = least;
    flow_rows_[flow] = n_rows;
    for (std::size_t k = 0; k < n_classes; ++k) {
        Cost cost = 0;
        for (const RowId row : rows) cost += data_.cost[row * n_classes + k];
        flow_costs_[flow * n_classes + k] = cost;
    }
}

// Cost of a leaf for these rows, above the unavoidable.
Cost DiagramBuilder::loss(std::size_t flow) const {
    const Cost* costs = flow_costs_.data() + flow * data_.n_classes;
    return *std::min_element(costs, costs + data_.n_classes) - flow_least_[flow];
}

// Decides which flows continue, and to which node of the next layer. Pure flows end before others are merged, so that
// they take no node.
std::size_t DiagramBuilder::choose_flows(const Diagram& diagram, std::size_t layer, bool ended, Random& random,
                                         const BuildSettings& settings) {
    live_.clear();
    for (std::size_t flow = 0; flow < 2 * n_here_; ++flow) {
        flow_into_[flow] = flow;
        if (!splits_[flow / 2]) continue;
        std::fill_n(flow_parents_.begin() + static_cast<std::ptrdiff_t>(flow * n_here_), n_here_, std::uint8_t{0});
        flow_parents_[flow * n_here_ + flow / 2] = 1;
        flow_target_[flow] = cheapest(flow_costs_.data() + flow * data_.n_classes);
        if (!ended && loss(flow) > 0 && flow_rows_[flow] >= limits_.min_rows) live_.push_back(flow);
    }
    if (ended || live_.empty()) return 0;
    std::size_t room = std::min(limits_.widths[layer + 1], limits_.max_nodes - std::min(limits_.max_nodes, n_built_));
    // With few nodes for many layers, the first layers must not take them all.
    if (settings.random && limits_.max_nodes < diagram.n_places() && room > 1) room = 1 + random.below(room);
    if (limits_.tree || settings.as_tree || room == 0)
        keep_largest_losses(room);
    else
        merge_flows(room, random, settings.random);
    for (std::size_t i = 0; i < live_.size(); ++i)
        flow_target_[live_[i]] = diagram.target(diagram.first[layer + 1] + i);
    return live_.size();
}

void DiagramBuilder::keep_largest_losses(std::size_t room) {
    if (live_.size() <= room) return;
    std::stable_sort(live_.begin(), live_.end(), [&](std::size_t a, std::size_t b) { return loss(a) > loss(b); });
    live_.resize(room);
}

void DiagramBuilder::merge_flows(std::size_t room, Random& random, bool is_random) {
    while (live_.size() > room) {
        Random* chance = is_random ? &random : nullptr;
        if (merge_best_pair(true, chance)) continue;
        // A node whose sides both go to one node is useless; it is kept useful by ending one of them in a leaf.
        if (is_random && random.below(2) == 0)
            end_cheapest();
        else
            merge_best_pair(false, chance);
    }
}

void DiagramBuilder::end_cheapest() {
    live_.erase(
        std::min_element(live_.begin(), live_.end(), [&](std::size_t a, std::size_t b) { return loss(a) < loss(b); }));
}

std::int64_t DiagramBuilder::entropy(const std::uint64_t* weights) const {
    std::uint64_t total = 0;
    std::int64_t of_classes = 0;
    for (std::size_t k = 0; k < data_.n_classes; ++k) {
        total += weights[k];
        of_classes += table_[weights[k]];
    }
    return table_[total] - of_classes;
}

bool DiagramBuilder::share_parent(std::size_t a, std::size_t b) const {
    for (std::size_t node = 0; node < n_here_; ++node)
        if (flow_parents_[a * n_here_ + node] && flow_parents_[b * n_here_ + node]) return true;
    return false;
}

// Increase of entropy if two flows are merged.
std::int64_t DiagramBuilder::merge_entropy(std::size_t a, std::size_t b) {
    const std::size_t n_classes = data_.n_classes;
    const std::uint64_t* of_a = flow_weights_.data() + a * n_classes;
    const std::uint64_t* of_b = flow_weights_.data() + b * n_classes;
    for (std::size_t k = 0; k < n_classes; ++k) mixed_[k] = of_a[k] + of_b[k];
    return entropy(mixed_.data()) - entropy(of_a) - entropy(of_b);
}

// Merge the two flows that mix least, of several such pairs the first or any; if `valid`, only flows that share no
// parent, so that its sides keep different targets.
bool DiagramBuilder::merge_best_pair(bool valid, Random* chance) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::size_t n_ties = 0;
    std::pair<std::size_t, std::size_t> best{0, 0};
    for (std::size_t i = 0; i < live_.size(); ++i)
        for (std::size_t j = i + 1; j < live_.size(); ++j) {
            if (valid && share_parent(live_[i], live_[j])) continue;
            const std::int64_t more = merge_entropy(live_[i], live_[j]);
            n_ties = more < least ? 1 : n_ties + (more == least);
            if (more < least || (more == least && chance && chance->below(n_ties) == 0)) best = {i, j};
            least = std::min(least, more);
        }
    if (best.second == 0) return false;
    merge(live_[best.first], live_[best.second]);
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(best.second));
    return true;
}

void DiagramBuilder::merge(std::size_t into, std::size_t from) {
    const std::size_t n_classes = data_.n_classes;
    for (std::size_t k = 0; k < n_classes; ++k) {
        flow_weights_[into * n_classes + k] += flow_weights_[from * n_classes + k];
        flow_costs_[into * n_classes + k] += flow_costs_[from * n_classes + k];
    }
    flow_least_[into] += flow_least_[from];
    flow_rows_[into] += flow_rows_[from];
    flow_target_[into] = cheapest(flow_costs_.data() + into * n_classes);
    for (std::size_t node = 0; node < n_here_; ++node)
        flow_parents_[into * n_here_ + node] |= flow_parents_[from * n_here_ + node];
    for (std::size_t& flow : flow_into_)
        if (flow == from) flow = into;
}

// Sets the target of every side, and every node of the next layer its rows.
void DiagramBuilder::set_targets(Diagram& diagram, std::size_t layer, std::size_t n_before) {
    const std::size_t begin = diagram.first[layer];
    for (std::size_t place = begin; place < diagram.first[layer + 1]; ++place) {
        const std::size_t node = place - begin;
        if (node >= splits_.size() || diagram.nodes[place].rank == kPass) continue;
        for (std::size_t side = 0; side < 2; ++side)
            diagram.nodes[place].to[side] = flow_target_[flow_into_[2 * node + side]];
    }
    gather_rows(diagram, layer, n_before);
}

// List the rows of the next layer's nodes.
void DiagramBuilder::gather_rows(const Diagram& diagram, std::size_t layer, std::size_t n_before) {
    inflows_.clear();
    next_begin_.assign(1, 0);
    for (std::size_t node = 0; node < n_here_; ++node) {
        std::size_t end = next_begin_.back();
        const Target to = diagram.target(diagram.first[layer + 1] + node);
        for (std::size_t flow = 0; flow < 2 * n_before; ++flow) {
            if (!splits_[flow / 2] || flow_target_[flow_into_[flow]] != to) continue;
            const std::size_t from = flow % 2 ? middle_[flow / 2] : begin_[flow / 2];
            const std::size_t until = flow % 2 ? begin_[flow / 2 + 1] : middle_[flow / 2];
            std::copy(rows_.data() + from, rows_.data() + until, next_rows_.data() + end);
            inflows_.push_back({2 * diagram.first[layer] + flow, end, end + until - from});
            end += until - from;
        }
        next_begin_.push_back(end);
    }
    std::copy(next_begin_.begin(), next_begin_.end(), begin_.begin());
    std::swap(rows_, next_rows_);
}

}  // namespace exactree::diagrams::heuristic
