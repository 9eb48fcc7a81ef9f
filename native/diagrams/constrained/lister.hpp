// All labelled diagrams of a profile below a relaxed cost, as points: relaxed cost, cost, and the sums that constraints
// limit.
//
// States are those of the exact search: which rows are together at the nodes of a layer. The points of a state combine
// the labels of the sides that end in its layer, free for each side, with the points of the states that can follow. Of
// points with equal sums a cheapest is kept. Tree bounds of the relaxed cost prune the options of each node.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "constrained/rows.hpp"
#include "diagrams/constrained/plans.hpp"
#include "diagrams/exact/state.hpp"

namespace exactree::diagrams::constrained {

using exactree::constrained::Channels;

class DiagramLister {
 public:
    // Receives a diagram without the price of its nodes.
    using Sink = std::function<void(const PlanPoint& point, const Cost* sums)>;

    DiagramLister(const Data& data, const exact::DiagramRules& rules, const Channels& channels, bool one_sided,
                  Watchdog& watchdog, std::size_t bytes, int reach);

    // Lists the diagrams with at most profile[i] nodes in layer i + 1 and a relaxed cost of at most `most()`, which may
    // fall meanwhile.
    void list(const std::vector<int>& profile, const std::function<Cost()>& most, const Sink& sink);
    // Lower bound of the relaxed cost of any such diagram.
    Cost bound(const std::vector<int>& profile, Cost below);
    void forget();

    PlanArena arena;
    std::uint64_t n_points = 0, n_states = 0;

 private:
    struct StateHash {
        std::size_t operator()(const Key& key) const noexcept { return static_cast<std::size_t>(key.low); }
    };
    struct ListedState {
        Cost most;
        PlanPoints points;
    };
    using Memo = std::unordered_map<Key, std::shared_ptr<const ListedState>, StateHash>;
    struct Ended;
    struct ListedLayer;

    std::size_t bytes_per_point() const { return sizeof(PlanPoint) + channels_.n_sums * sizeof(Cost); }
    PlanPoints no_points() const { return {channels_.n_sums, one_sided_, false}; }
    std::shared_ptr<const ListedState> of(const exact::State& state, std::size_t layer, Cost most);
    std::shared_ptr<const ListedState> ends_of(const exact::RowGroup& group, Cost most);
    void list_ends(const ranks::Node& node, Cost most, PlanPoints& out);
    void list_splits(const ranks::Node& node, std::size_t column, Cost most, PlanPoints& out);
    void expand(ListedLayer& at);
    bool begin(ListedLayer& at);
    void choose(ListedLayer& at, std::size_t which, Cost lower);
    void choose_option(ListedLayer& at, std::size_t which, const exact::NodeOption& option, Cost lower);
    void route(ListedLayer& at);
    void descend(ListedLayer& at);
    PlanPoints labelled(const ListedLayer& at, const std::vector<std::int32_t>& places, Cost most);
    PlanPoints extended(const PlanPoints& so_far, const PlanPoints& by, Cost most);
    PlanPoints points_of_option(const ListedLayer& at, std::size_t which, const std::vector<std::int32_t>& places,
                                Cost most);
    void combine(ListedLayer& at, const PlanPoints& here, const PlanPoints* below);
    Ended ended_side(const exact::RowGroup& group, const exact::NodeOption& option) const;

    const ranks::Node& node_of(const exact::RowGroup& group);
    exact::LayerPattern after(std::size_t layer) const {
        return exact::LayerPattern::of(std::span<const int>(profile_).subspan(layer));
    }
    void add(PlanPoints& to, const PlanPoint& point, const Cost* sums);
    Cost relaxed_of(const Cost* gains, Cost base, int label) const { return base - gains[label]; }

    const Data& data_;
    exact::DiagramRules rules_;
    const Channels& channels_;
    bool one_sided_;
    Watchdog& watchdog_;
    std::size_t most_bytes_, bytes_ = 0;
    exact::TreeBounds bounds_;
    exact::DiagramOptions options_;
    Memo known_, known_ends_;
    ranks::Node root_, part_, rest_;
    std::vector<int> profile_;
    std::vector<int> suffixes_;  // identify the layers that follow each layer
    std::map<std::vector<int>, int> names_;
};

}  // namespace exactree::diagrams::constrained
