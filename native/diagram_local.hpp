// Diagrams made better one question or one side at a time, everything else held.
#pragma once

#include <unordered_map>

#include "budget.hpp"
#include "diagram_columns.hpp"

namespace exactree {

// Works from the last layer up. For every node of the layer below it is known what each row would cost there, so the
// best question of a node takes one pass over each sorted column, and the best target of a side one sum for each
// target. The rows of a layer's nodes are disjoint: their questions are independent of each other.
class DiagramImprover {
 public:
    DiagramImprover(const DiagramData& data, const DiagramLimits& limits, const SortedColumns& sorted);

    // Drop nodes that are not worth their price, those of the last layer first.
    void prune(Diagram& diagram);
    // Change questions and sides until nothing makes it cheaper. The cost never rises.
    void improve(Diagram& diagram, Watchdog& watchdog);

 private:
    static constexpr std::uint16_t kNowhere = 0xffff;
    // A pass over one column, as one node sees it.
    struct Sweep {
        std::uint32_t rank;  // of the last row met, counted from 1
        RowId last;          // row met
        Cost yes;            // gain of the rows met
    };
    // The best question found for a node.
    struct Asked {
        Cost gain;  // of all rows that say yes, or no if swapped
        std::int32_t column;
        RowId last;  // of those that say yes
        bool swapped;
    };

    bool pass(Diagram& diagram, Watchdog& watchdog);
    void route(const Diagram& diagram);
    Cost cost_at(const Diagram& diagram, Target target, std::size_t row) const;
    void fill_below(const Diagram& diagram, std::size_t layer);

    bool ask_better(Diagram& diagram, std::size_t layer, Watchdog& watchdog);
    void weigh_rows(const Diagram& diagram, std::size_t layer);
    bool recall();
    bool ask(Diagram& diagram, std::size_t layer, std::size_t node);
    void sweep(std::size_t column);
    void take(std::size_t node, std::int32_t column, const Sweep& at);

    bool aim_better(Diagram& diagram, std::size_t layer);
    void sum_up_sides(const Diagram& diagram, std::size_t layer);
    void find_freed(const Diagram& diagram, std::size_t layer);
    Cost freed(const Diagram& diagram, Target target) const;
    bool drop_nodes(Diagram& diagram, std::size_t layer, bool only_leaves);
    bool drop(Diagram& diagram, std::size_t layer, std::size_t place, bool only_leaves);
    Target best_other(const Diagram& diagram, std::size_t side, Target lost, bool only_leaves) const;
    bool aim_sides(Diagram& diagram, std::size_t layer);
    bool aim(Diagram& diagram, std::size_t layer, std::size_t side);
    bool pass_on(Diagram& diagram, std::size_t layer, std::size_t node);
    bool change_root(Diagram& diagram);

    Cost& side_cost(std::size_t side, Target target) { return sides_[side * n_targets_ + column_of(target)]; }
    Cost side_cost(std::size_t side, Target target) const { return sides_[side * n_targets_ + column_of(target)]; }
    std::size_t column_of(Target target) const {
        const auto t = static_cast<std::size_t>(target);
        return t < data_.n_classes ? t : t - next_;
    }
    bool allowed(const Diagram& diagram) {
        return limits_.min_rows <= 1 || has_rows_enough(data_, limits_, diagram, rows_);
    }

    const DiagramData& data_;
    const DiagramLimits& limits_;
    const SortedColumns& sorted_;
    std::vector<std::uint16_t> at_;  // layer x row: node of the layer
    std::vector<Cost> below_;        // place x row: what the row would cost there
    // of the layer at hand
    std::size_t n_here_ = 0;
    std::vector<std::uint16_t> torn_;  // of each row: its node if it matters what it says, else nowhere
    std::vector<Cost> gain_;           // of each row: of saying yes
    std::vector<std::uint64_t> row_keys_;
    std::vector<Cost> total_;  // of each node
    std::vector<Cost> now_;    // of each node: gain of its question
    std::vector<Asked> asked_;
    std::vector<std::uint64_t> key_;  // of each node: names its torn rows with what they gain
    std::vector<std::uint8_t> is_known_;
    std::unordered_map<std::uint64_t, Asked> known_;  // best questions by key: most nodes stay as they are in a pass
    std::vector<Sweep> sweeps_;
    std::size_t n_targets_ = 0, next_ = 0;  // targets are the labels, then the nodes of the next layer
    std::vector<Cost> sides_;               // side x target: what the rows of the side would cost there
    std::vector<std::uint32_t> parents_;
    std::vector<std::size_t> freed_;  // place: nodes that nothing would lead to without it, itself among them
    std::vector<std::uint8_t> reached_;
    std::vector<std::int64_t> rows_;
    std::vector<DiagramNode> before_;
    std::vector<std::uint8_t> used_before_;
};

}  // namespace exactree
