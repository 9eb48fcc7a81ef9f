// The fewest errors of a diagram whose layers have at most so many nodes each, by branch and bound over layers.
//
// What is below a layer depends only on which rows are together at its nodes: a state is an unordered set of groups of
// rows. For each group all ways to split it are listed with a bound each; ways for all groups are chosen together, then
// the sides that go on are dealt to the nodes of the next layer.
//
// Two sides are sent to one node only where there are not enough nodes: apart, both may be asked what they would be
// asked together, and sent where they would be sent together, so being apart never errs more. (If nodes need a least
// number of rows, or sides that end a least weight, company may be needed, and all ways are tried.)
#pragma once

#include <map>

#include "diagrams/exact/options.hpp"

namespace exactree::diagrams::exact {

struct DiagramRules {
    std::int64_t least_rows = 1;    // at every node but the root
    bool tree = false;              // no two sides go to one node
    std::int64_t least_weight = 0;  // of every side that ends; a node that asks nothing has one side

    // Whether rows may want the company of others.
    bool sized() const noexcept { return least_rows > 1 || least_weight > 0; }
};

// Rows that are together at a node.
struct RowGroup {
    RowBits rows;
    Key key;
};

constexpr std::int32_t kToLeaf = -1;

// What a node does: it asks, or passes all rows on to `no`; a side goes to a node of the next layer, or to a leaf.
struct NodeChoice {
    Question question;
    std::int32_t yes = kToLeaf, no = kToLeaf;
};

struct DiagramPlan {
    std::vector<NodeChoice> choices;  // one for each node of the layer
    std::shared_ptr<const DiagramPlan> below;
};

struct FoundDiagram {
    Cost lower = 0;                           // no diagram errs less
    Cost errors = kInfiniteCost;              // of the plan
    std::shared_ptr<const DiagramPlan> plan;  // if it errs less than asked for
};

class DiagramSearcher {
 public:
    DiagramSearcher(const Data& data, const DiagramRules& rules, Watchdog& watchdog, std::size_t bytes, int reach);

    // Told of what all diagrams not yet looked at err at least.
    using BoundCallback = std::function<void(Cost lower)>;
    // Best diagram for all rows with at most profile[i] nodes in layer i + 1, if it errs less than `below`.
    FoundDiagram solve(const std::vector<int>& profile, Cost below, const BoundCallback& on_bound);
    // The same by looking at a few ways to split each group only, and with so much effort: nothing is proved.
    FoundDiagram beam_search(const std::vector<int>& profile, Cost below, std::size_t beam, std::uint64_t effort);
    // Errors of any such diagram, from trees.
    Cost bound(const std::vector<int>& profile, Cost below);

    std::vector<std::pair<std::string, std::uint64_t>> counters() const;

 private:
    using State = std::vector<RowGroup>;
    struct Flow;
    struct Expansion;

    FoundDiagram solve(const State& state, std::size_t layer, Cost below);
    FoundDiagram last_layer(const State& state, Cost below);
    Cost bound_groups(const State& state, LayerPattern follow, Cost below, std::vector<Cost>& bounds);
    void list_options(Expansion& at);
    void choose(Expansion& at, std::size_t which, Cost lower);
    void route(Expansion& at);
    void assign_flows(Expansion& at, std::size_t flow);
    void descend(Expansion& at);
    void keep(Expansion& at, const FoundDiagram& found, Cost errors);
    bool allowed(const State& state, bool last) const;
    bool over() const noexcept { return watchdog_.stopped() || bounds_.exhausted(); }
    bool proving() const noexcept { return beam_ == SIZE_MAX; }

    const ranks::Node& node_of(const RowGroup& group);
    RowBits side_of(const RowGroup& group, const NodeOption& option, bool yes) const;
    Key name_of(const State& state) const;
    int suffix_at(std::size_t layer) const { return suffixes_[layer]; }
    // Ways to split a group that were listed in a hurry are not for proofs.
    int list_name(std::size_t layer) const { return proving() ? suffixes_[layer] : -1 - suffixes_[layer]; }
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
    std::vector<int> suffixes_;  // names of what follows each layer
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
