#include "constrained/lister.hpp"

#include <algorithm>

namespace exactree::constrained {

using ranks::Cut;
using ranks::Interval;
using ranks::Node;
using ranks::Place;

Lister::Lister(const Data& relaxed, const ListingRules& rules, ranks::RankSearcher& searcher, Watchdog& watchdog)
    : data_(relaxed),
      rules_(rules),
      limits_(rules.limits),
      channels_(rules.channels),
      searcher_(searcher),
      watchdog_(watchdog),
      sums_(rules.channels.n_sums) {}

Lister::Frame& Lister::frame(int depth) {
    while (frames_.size() <= static_cast<std::size_t>(depth)) frames_.emplace_back();
    return frames_[static_cast<std::size_t>(depth)];
}

void Lister::sum_channels(const Node& node) {
    all_.assign(channels_.width, 0);
    for (std::uint32_t local = 0; local < node.n_rows(); ++local) channels_.add(all_.data(), node.row(local));
}

void Lister::list(const Node& node, int depth, Cost most, Points& out) {
    out.clear();
    sum_channels(node);
    watchdog_.spend(node.n_rows() * channels_.width);
    list_leaf(node, most, out);
    if (depth == 1) list_stumps(node, most, out);
    if (depth > 1) list_splits(node, depth, most, out);
    out.settle(arena);
    n_points += out.size();
}

void Lister::list_leaf(const Node& node, Cost most, Points& out) {
    for (int label = 0; label < data_.n_classes; ++label) {
        const Cost relaxed = node.base() - node.gains()[static_cast<std::size_t>(label)] + limits_.leaf_price;
        if (relaxed > most) continue;
        const std::optional<Cost> cost = rules_.leaf_cost(all_.data(), label);
        if (!cost) continue;
        out.add({relaxed, *cost, 1, {{}, 0, 0, label}}, channels_.sums(all_.data(), label));
    }
}

void Lister::list_stumps(const Node& node, Cost most, Points& out) {
    for (std::size_t column = 0; column < node.n_columns() && !watchdog_.stopped(); ++column) {
        watchdog_.spend(4 * node.n_rows());
        list_column(node, column, most, out);
    }
}

// Channels are added up to a cut only where a tree with this cut is within the limit.
void Lister::list_column(const Node& node, std::size_t column, Cost most, Points& out) {
    gain_low_.assign(node.gains().size(), 0);
    low_.assign(channels_.width, 0);
    Size size;
    Place summed = 0;
    const std::uint32_t* order = node.order(column);
    for (Place cut = 1; cut < node.n_rows(); ++cut) {
        const RowId row = node.row(order[cut - 1]);
        gain_low_[static_cast<std::size_t>(data_.label[row])] += data_.gain[row];
        size += data_.size[row];
        if (node.rank_at(column, cut) == node.rank_at(column, cut - 1)) continue;
        Cost best_low = 0, best_high = 0;
        for (std::size_t k = 0; k < gain_low_.size(); ++k) {
            best_low = std::max(best_low, gain_low_[k]);
            best_high = std::max(best_high, node.gains()[k] - gain_low_[k]);
        }
        if (node.base() - best_low - best_high + 2 * limits_.leaf_price > most) continue;
        if (!limits_.allows(size, node.size() - size)) continue;
        for (; summed < cut; ++summed) channels_.add(low_.data(), node.row(order[summed]));
        add_stumps(node, {column, cut}, most, out);
    }
}

void Lister::add_stumps(const Node& node, Cut cut, Cost most, Points& out) {
    high_.resize(channels_.width);
    for (std::size_t c = 0; c < high_.size(); ++c) high_[c] = all_[c] - low_[c];
    const Cost base_low = node.base_before(cut.column, cut.place), base_high = node.base() - base_low;
    for (int yes = 0; yes < data_.n_classes; ++yes) {
        const Cost relaxed_yes = base_low - gain_low_[static_cast<std::size_t>(yes)] + limits_.leaf_price;
        if (relaxed_yes > most) continue;
        const std::optional<Cost> cost_yes = rules_.leaf_cost(low_.data(), yes);
        if (!cost_yes) continue;
        for (int no = 0; no < data_.n_classes; ++no) {
            if (no == yes && rules_.leaf_limits.empty()) continue;  // a leaf predicts the same and costs no more
            const auto k = static_cast<std::size_t>(no);
            const Cost relaxed = relaxed_yes + base_high - (node.gains()[k] - gain_low_[k]) + limits_.leaf_price;
            if (relaxed > most) continue;
            const std::optional<Cost> cost_no = rules_.leaf_cost(high_.data(), no);
            if (!cost_no) continue;
            const Cost *of_yes = channels_.sums(low_.data(), yes), *of_no = channels_.sums(high_.data(), no);
            for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] = of_yes[j] + of_no[j];
            const auto leaf = [](int label) { return static_cast<std::uint32_t>(label); };  // first in the arena
            out.add({relaxed, *cost_yes + *cost_no, 2, {node.question(cut), leaf(yes), leaf(no), 0}}, sums_.data());
        }
    }
}

void Lister::list_splits(const Node& node, int depth, Cost most, Points& out) {
    Points of_yes = no_points(), of_no = no_points();
    visit_cuts(node, depth, most, [&](const OpenCut& open) {
        Frame& sides = frame(depth);
        list(sides.yes, depth - 1, most - open.no, of_yes);
        if (of_yes.size() == 0) return;
        list(sides.no, depth - 1, most - of_yes[0].relaxed, of_no);
        join(of_yes, of_no, node.question(open.cut), most, limits_.max_leaves, watchdog_, out);
    });
}

void Lister::visit_cuts(const Node& node, int depth, const Cost& most,
                        const std::function<void(const OpenCut&)>& visit) {
    const std::int64_t leaves = full_tree_leaves(depth - 1);
    const ranks::CutBounds bounds(data_, limits_, node);
    const Cost whole = searcher_.solve_node(node, depth - 1, leaves, kInfiniteCost).relaxed;
    std::vector<Interval> waiting;
    for (std::uint32_t column = 0; column < node.n_columns(); ++column)
        waiting.push_back(bounds.all(column, leaves, whole, whole));
    while (!waiting.empty() && !watchdog_.stopped()) {
        Interval open = waiting.back();
        waiting.pop_back();
        if (open.high - open.low <= 1 || bounds.update(open) > most) continue;
        const ranks::OpenCuts alive = bounds.open_cuts(open, most + 1);
        if (alive.empty()) continue;
        const Place cut = bounds.middle(open, alive);
        const Cost slack = bounds.reach(open, cut, alive);
        ranks::SideBounds ends = bounds.at(open, cut);
        Frame& sides = frame(depth);
        Node::split(data_, node, {open.column, cut}, sides.yes, sides.no);
        watchdog_.spend(4 * node.n_rows() * node.n_columns());
        ++n_cuts;
        const SubtreeBounds yes = searcher_.solve_node(sides.yes, depth - 1, leaves, most + 1 - ends.no + slack);
        ends.yes = std::max(ends.yes, yes.relaxed);
        OpenCut found{{open.column, cut}, std::max(yes.lower, ends.yes), ends.no};
        const Cost left = most + 1 - found.yes + slack;
        if (left > ends.no) {
            const SubtreeBounds no = searcher_.solve_node(sides.no, depth - 1, leaves, left);
            ends.no = std::max(ends.no, no.relaxed);
            found.no = std::max(no.lower, ends.no);
        }
        if (watchdog_.stopped()) return;
        if (found.cost() <= most) visit(found);
        Interval under = open, over = open;
        under.high = over.low = cut;
        under.at_high = over.at_low = bounds.for_others(ends);
        waiting.push_back(over);
        waiting.push_back(under);
    }
}

}  // namespace exactree::constrained
