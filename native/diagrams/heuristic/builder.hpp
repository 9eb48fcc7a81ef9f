// Builds a diagram top-down, layer by layer, by information gain.
#pragma once

#include "core/random.hpp"
#include "diagrams/heuristic/entropy_splits.hpp"

namespace exactree::diagrams::heuristic {

// Options of one construction.
struct BuildSettings {
    double ratio = 1;      // share of the columns that each node considers
    bool random = false;   // whether ties and columns are drawn at random
    bool as_tree = false;  // whether sides without a free node end in a leaf, as in a tree, instead of being merged
};

// Reuses its arrays from one diagram to the next.
class DiagramBuilder {
 public:
    DiagramBuilder(const DiagramData& data, const DiagramLimits& limits, const SortedColumns& sorted);

    // A diagram within the limits. If time runs out, unbuilt nodes become leaves.
    Diagram build(Random& random, const BuildSettings& settings, Watchdog& watchdog);

 private:
    // Rows that came by one side, in the list of the layer's rows.
    struct Inflow {
        std::size_t side, begin, end;
    };

    void begin();
    void draw_columns(Random& random, const BuildSettings& settings);
    void find_splits(Diagram& diagram, std::size_t layer, Watchdog& watchdog);
    std::span<const RowId> rows_of(std::size_t node) const {
        return {rows_.data() + begin_[node], begin_[node + 1] - begin_[node]};
    }
    void end_unsplit_nodes(Diagram& diagram, std::size_t layer);
    void partition_rows(const Diagram& diagram, std::size_t layer);
    void sum_up(std::size_t flow, std::span<const RowId> rows);
    std::size_t choose_flows(const Diagram& diagram, std::size_t layer, bool ended, Random& random,
                             const BuildSettings& settings);
    void keep_largest_losses(std::size_t room);
    void merge_flows(std::size_t room, Random& random, bool is_random);
    bool merge_best_pair(bool valid, Random* chance);
    bool share_parent(std::size_t a, std::size_t b) const;
    std::int64_t merge_entropy(std::size_t a, std::size_t b);
    void end_cheapest();
    void merge(std::size_t into, std::size_t from);
    std::int64_t entropy(const std::uint64_t* weights) const;
    Cost loss(std::size_t flow) const;
    void set_targets(Diagram& diagram, std::size_t layer, std::size_t n_before);
    void gather_rows(const Diagram& diagram, std::size_t layer, std::size_t n_before);
    std::int32_t cheapest(const Cost* costs) const;

    const DiagramData& data_;
    const DiagramLimits& limits_;
    SplitFinder finder_;
    const EntropyTable& table_;
    std::vector<Cost> least_;  // cheapest answer of each row

    // of the current layer
    std::size_t n_here_ = 0, n_built_ = 0;
    std::vector<std::uint8_t> looks_;      // node x column
    std::vector<RowId> rows_, next_rows_;  // node by node; yes before no once they are split
    std::vector<std::size_t> begin_;       // of each node: in rows_
    std::vector<std::size_t> middle_;      // of each node: where no begins
    std::vector<std::size_t> next_begin_;
    std::vector<Inflow> inflows_;       // of all nodes, in the order of their rows before they are split
    std::vector<std::uint8_t> splits_;  // of each node: whether its rows can be split
    // flows: the rows of one side, or of several that are merged; 2 * node + side, of the current layer
    std::vector<std::uint64_t> flow_weights_;  // flow x class
    std::vector<Cost> flow_costs_;             // flow x class: of each answer
    std::vector<Cost> flow_least_;
    std::vector<std::int64_t> flow_rows_;
    std::vector<std::uint8_t> flow_parents_;  // flow x node
    std::vector<std::size_t> flow_into_;      // the flow that it was merged into, or itself
    std::vector<std::size_t> live_;           // flows that continue, in order
    std::vector<Target> flow_target_;
    std::vector<std::uint64_t> mixed_;  // class
    std::vector<std::size_t> shuffled_;
    std::vector<Cost> side_costs_;
};

}  // namespace exactree::diagrams::heuristic
