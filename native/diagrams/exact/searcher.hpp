// The fewest errors of a diagram of a given profile (maximum number of nodes per layer), by branch and bound over
// layers.
//
// What is below a layer depends only on which rows are together at its nodes: a state is an unordered set of groups of
// rows. For each group all options are listed with a lower bound each; the search branches over combinations of
// options, then over assignments of the continuing sides to the nodes of the next layer.
//
// Dominance: two sides are merged into one node only where there are not enough nodes. Separate nodes can ask the same
// question and have the same targets as the merged one, so separating never adds errors. (With a minimum number of rows
// per node or a minimum weight per leaf, merging may be needed, and all assignments are tried.)
#pragma once

#include <map>

#include "diagrams/exact/state.hpp"

namespace exactree::diagrams::exact {

constexpr std::int32_t kToLeaf = -1;

// The decision of a node: it asks, or passes all rows to `no`; a side goes to a node of the next layer, or to a leaf.
struct NodeChoice {
    Question question;
    std::int32_t yes = kToLeaf, no = kToLeaf;
};

struct DiagramPlan {
    std::vector<NodeChoice> choices;  // one for each node of the layer
    std::shared_ptr<const DiagramPlan> below;
};

struct FoundDiagram {
    Cost lower = 0;                           // lower bound of the errors
    Cost errors = kInfiniteCost;              // of the plan
    std::shared_ptr<const DiagramPlan> plan;  // if it has fewer errors than the cutoff
};

class DiagramSearcher {
 public:
    DiagramSearcher(const Data& data, const DiagramRules& rules, Watchdog& watchdog, std::size_t bytes, int reach);

    // Receives the lower bound of all diagrams not yet enumerated.
    using BoundCallback = std::function<void(Cost lower)>;
    // Best diagram for all rows with at most profile[i] nodes in layer i + 1, if it has fewer errors than `below`.
    FoundDiagram solve(const std::vector<int>& profile, Cost below, const BoundCallback& on_bound);
    // The same by beam search, with a limit on effort: a heuristic, nothing is proved.
    FoundDiagram beam_search(const std::vector<int>& profile, Cost below, std::size_t beam, std::uint64_t effort);
    // Lower bound of the errors of any such diagram, from trees.
    Cost bound(const std::vector<int>& profile, Cost below);

    std::vector<std::pair<std::string, std::uint64_t>> counters() const;

 private:
    struct Expansion;

    FoundDiagram solve(const State& state, std::size_t layer, Cost below);
    FoundDiagram last_layer(const State& state, Cost below);
    Cost bound_groups(const State& state, LayerPattern follow, Cost below, std::vector<Cost>& bounds);
    void list_options(Expansion& at);
    void choose(Expansion& at, std::size_t which, Cost lower);
    void route(Expansion& at);
    void descend(Expansion& at);
    void accept(Expansion& at, const FoundDiagram& found, Cost errors);
    bool must_stop() const noexcept { return watchdog_.stopped() || bounds_.exhausted(); }
    bool proving() const noexcept { return beam_ == SIZE_MAX; }

    const ranks::Node& node_of(const RowGroup& group);
    int suffix_at(std::size_t layer) const { return suffixes_[layer]; }
    // Option lists of beam search may be incomplete, so proofs do not read them.
    int list_key(std::size_t layer) const { return proving() ? suffixes_[layer] : -1 - suffixes_[layer]; }
    std::span<const int> after(std::size_t layer) const { return std::span<const int>(profile_).subspan(layer); }
    void set_profile(const std::vector<int>& profile);

    const Data& data_;
    DiagramRules rules_;
    Watchdog& watchdog_;
    TreeBounds bounds_;
    DiagramOptions options_;
    Cache memo_;  // proved bounds of states
    ranks::Node root_, part_, rest_;
    std::vector<int> profile_;   // most nodes in each layer after the root's
    std::vector<int> suffixes_;  // identify the layers that follow each layer
    std::map<std::vector<int>, int> names_;
    std::size_t beam_ = SIZE_MAX;
    std::uint64_t n_states_ = 0, n_recalled_ = 0, n_routed_ = 0;
    const BoundCallback* on_bound_ = nullptr;
};

// A plan written out: layer by layer, then a leaf for each label. A node that asks nothing has rank -1.
Tree write_diagram(const Data& data, const DiagramPlan& plan);
// Nodes that a plan uses.
std::int64_t count_nodes(const DiagramPlan& plan);

}  // namespace exactree::diagrams::exact
