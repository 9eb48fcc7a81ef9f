// Local search on diagrams: changes one question or one side's target at a time, everything else fixed.
#pragma once

#include "diagrams/heuristic/questions.hpp"

namespace exactree::diagrams::heuristic {

// Works from the last layer up. The cost of each row at every node of the layer below is known, so the best question of
// a node takes one pass over each sorted column, and the best target of a side one sum for each target. The rows of a
// layer's nodes are disjoint: their questions are independent of each other.
class DiagramImprover {
 public:
    DiagramImprover(const DiagramData& data, const DiagramLimits& limits, const SortedColumns& sorted);

    // Drops nodes that cost more than they save, those of the last layer first; the root stays. Returns the cost.
    Cost prune(Diagram& diagram);
    // Changes questions and targets until no change makes the diagram cheaper (a local optimum). Returns the new cost.
    Cost improve(Diagram& diagram, Cost cost, Watchdog& watchdog);

 private:
    // Rows of a node in the list of its layer: yes from `begin`, no from `middle`.
    struct NodeRows {
        std::size_t begin = 0, middle = 0, end = 0;
    };
    // What a node was when its costs were filled in, and the versions of the costs at its targets.
    struct FilledState {
        DiagramNode node;
        std::uint64_t of_yes = 0, of_no = 0;

        friend bool operator==(const FilledState&, const FilledState&) noexcept = default;
    };

    bool pass(Diagram& diagram, Watchdog& watchdog);
    void route(const Diagram& diagram);
    std::size_t gather(const Diagram& diagram, std::size_t layer, std::size_t place, std::size_t begin);
    void partition(const DiagramNode& node, std::size_t layer, std::size_t place);
    const Cost* costs_at(Target target) const {
        return below_.data() + static_cast<std::size_t>(target) * data_.n_rows;
    }
    Cost total(const Diagram& diagram) const;
    void fill_below(const Diagram& diagram, std::size_t layer);

    bool improve_questions(Diagram& diagram, std::size_t layer, Watchdog& watchdog);
    bool split_equal_sides(Diagram& diagram, std::size_t layer, std::size_t node, Watchdog& watchdog);
    FoundQuestion best_question_for(Diagram& diagram, std::size_t layer, std::size_t node, Target label,
                                    Watchdog& watchdog);
    void collect_gains(const Diagram& diagram, std::size_t layer, std::size_t node);
    bool apply_question(Diagram& diagram, std::size_t layer, std::size_t node, const FoundQuestion& asked);

    bool improve_targets(Diagram& diagram, std::size_t layer);
    void sum_up_sides(const Diagram& diagram, std::size_t layer);
    void find_freed(const Diagram& diagram, std::size_t layer);
    Cost freed(const Diagram& diagram, Target target) const;
    bool drop_nodes(Diagram& diagram, std::size_t layer, bool only_leaves);
    bool drop(Diagram& diagram, std::size_t layer, std::size_t place, bool only_leaves);
    Target best_other(const Diagram& diagram, std::size_t side, Target lost, bool only_leaves) const;
    bool retarget_sides(Diagram& diagram, std::size_t layer);
    bool retarget(Diagram& diagram, std::size_t layer, std::size_t side);
    bool pass_on(Diagram& diagram, std::size_t layer, std::size_t node);
    bool change_root(Diagram& diagram);

    Cost& side_cost(std::size_t side, Target target) { return sides_[side * n_targets_ + column_of(target)]; }
    Cost side_cost(std::size_t side, Target target) const { return sides_[side * n_targets_ + column_of(target)]; }
    std::size_t column_of(Target target) const {
        const auto t = static_cast<std::size_t>(target);
        return t < data_.n_classes ? t : t - next_;
    }
    bool allowed(const Diagram& diagram) {
        const bool any_size = limits_.min_rows <= 1 && limits_.min_weight == 0;
        return any_size || is_large_enough(data_, limits_, diagram, sizes_);
    }

    const DiagramData& data_;
    const DiagramLimits& limits_;
    QuestionFinder finder_;
    std::vector<Cost> leaf_costs_;  // of each label, for all rows
    std::vector<RowId> rows_of_;    // layer x row: the rows that come there, node by node
    std::vector<NodeRows> shares_;  // place
    std::vector<RowId> scratch_;
    std::vector<Cost> below_;             // target x row: what the row would cost there
    std::vector<FilledState> filled_;     // place
    std::vector<std::uint64_t> version_;  // of the costs at each target: never reused
    std::uint64_t n_versions_ = 0;
    std::size_t n_here_ = 0;  // nodes of the current layer
    // of the current node: rows whose cost depends on their answer
    std::vector<RowId> torn_;
    std::vector<Cost> gain_;                // of answering yes
    Cost now_ = 0;                          // gain of the current question
    std::size_t n_targets_ = 0, next_ = 0;  // targets are the labels, then the nodes of the next layer
    std::vector<Cost> sides_;               // side x target: what the rows of the side would cost there
    std::vector<std::uint32_t> parents_;
    std::vector<std::size_t> freed_;  // place: nodes that nothing would lead to without it, itself among them
    std::vector<std::uint8_t> reached_;
    std::vector<Size> sizes_;
    std::vector<DiagramNode> before_;
    std::vector<std::uint8_t> used_before_;
};

}  // namespace exactree::diagrams::heuristic
