#include "diagrams/exact/searcher.hpp"

#include <numeric>

namespace exactree::diagrams::exact {

// A state while its successors are enumerated.
struct DiagramSearcher::Expansion {
    const State& state;
    std::size_t layer;
    FoundDiagram best;
    Cost target;                                             // cutoff
    Cost floor;                                              // lower bound proved so far
    std::vector<Cost> bounds;                                // of each group
    std::vector<std::size_t> order{};                        // of groups: the most errors first, as they prune most
    std::vector<std::shared_ptr<const OptionList>> lists{};  // in that order
    std::vector<const NodeOption*> chosen{};                 // for each group
    Cost errors = 0;                                         // of the sides that end here, as chosen
    std::vector<Flow> flows{};
    std::vector<std::int32_t> group_of{};  // node of the next layer, for each flow
    std::int32_t n_groups = 0;

    bool done() const noexcept { return target <= floor; }
};

DiagramSearcher::DiagramSearcher(const Data& data, const DiagramRules& rules, Watchdog& watchdog, std::size_t bytes,
                                 int reach)
    : data_(data),
      rules_(rules),
      watchdog_(watchdog),
      bounds_(data, watchdog, bytes / 2, reach, rules.least_weight),
      options_(data, bounds_, watchdog, rules.sized(), rules.least_weight, bytes / 4),
      memo_(bytes / 4) {
    root_.fill(data);
}

void DiagramSearcher::set_profile(const std::vector<int>& profile) {
    profile_ = profile;
    suffixes_.clear();
    for (std::size_t layer = 0; layer <= profile.size(); ++layer) {
        const std::vector<int> suffix(profile.begin() + static_cast<std::ptrdiff_t>(layer), profile.end());
        suffixes_.push_back(names_.try_emplace(suffix, static_cast<int>(names_.size())).first->second);
    }
}

Cost DiagramSearcher::bound(const std::vector<int>& profile, Cost below) {
    return bounds_.errors(root_, LayerPattern::of(profile), below).lower;
}

FoundDiagram DiagramSearcher::solve(const std::vector<int>& profile, Cost below, const BoundCallback& on_bound) {
    set_profile(profile);
    on_bound_ = &on_bound;
    const FoundDiagram out = solve({{all_rows(data_.n_rows), root_.key()}}, 0, below);
    on_bound_ = nullptr;
    return out;
}

FoundDiagram DiagramSearcher::beam_search(const std::vector<int>& profile, Cost below, std::size_t beam,
                                          std::uint64_t effort) {
    set_profile(profile);
    beam_ = beam;
    bounds_.limit_effort(effort);
    const FoundDiagram out = solve({{all_rows(data_.n_rows), root_.key()}}, 0, below);
    beam_ = SIZE_MAX;
    bounds_.limit_effort(UINT64_MAX);
    return out;
}

const ranks::Node& DiagramSearcher::node_of(const RowGroup& group) {
    if (group.key == root_.key()) return root_;
    watchdog_.spend(4 * root_.n_rows() * root_.n_columns());
    ranks::Node::split_by_set(data_, root_, group.rows, part_, rest_);
    return part_;
}

FoundDiagram DiagramSearcher::last_layer(const State& state, Cost below) {
    auto plan = std::make_shared<DiagramPlan>();
    Cost errors = 0;
    for (const RowGroup& group : state) {
        std::optional<SubtreeBounds> known = bounds_.lookup_terminal_split(group.key);
        if (!known) known = bounds_.terminal_split(node_of(group));
        errors += known->upper;
        if (errors >= below) return {errors, kInfiniteCost, nullptr};
        plan->choices.push_back({known->question});
    }
    return {errors, errors, std::move(plan)};
}

// Sum of the lower bounds of the groups; computed only up to `below`.
Cost DiagramSearcher::bound_groups(const State& state, LayerPattern follow, Cost below, std::vector<Cost>& bounds) {
    Cost total = 0;
    bounds.clear();
    for (const RowGroup& group : state) {
        const std::optional<SubtreeBounds> known = bounds_.lookup(group.key, follow);
        bounds.push_back(known ? known->lower : 0);
        total += bounds.back();
    }
    for (std::size_t at = 0; at < state.size() && total < below && !watchdog_.stopped(); ++at) {
        total -= bounds[at];
        bounds[at] = std::max(bounds[at], bounds_.errors(node_of(state[at]), follow, below - total).lower);
        total += bounds[at];
    }
    return total;
}

FoundDiagram DiagramSearcher::solve(const State& state, std::size_t layer, Cost below) {
    if (layer == profile_.size()) return last_layer(state, below);
    ++n_states_;
    const Key name = key_of(state);
    const int depth = static_cast<int>(profile_.size() - layer);
    const std::optional<SubtreeBounds> known = memo_.find(name, depth, suffix_at(layer));
    if (known && known->lower >= below) {
        ++n_recalled_;
        return {known->lower, kInfiniteCost, nullptr};
    }
    Expansion at{state, layer, {}, below, known ? known->lower : 0, {}};
    at.floor = std::max(at.floor, bound_groups(state, LayerPattern::of(after(layer)), below, at.bounds));
    if (at.floor < below && !must_stop()) {
        list_options(at);
        const Cost sum = std::accumulate(at.bounds.begin(), at.bounds.end(), Cost{0});
        if (!must_stop()) choose(at, 0, sum);
        if (!must_stop() && proving()) at.floor = std::max(at.floor, at.target);
    }
    at.best.lower = at.floor;
    SubtreeBounds proved;
    proved.lower = at.floor;
    if (!watchdog_.stopped() && (!known || known->lower < at.floor)) memo_.store(name, depth, suffix_at(layer), proved);
    return at.best;
}

void DiagramSearcher::list_options(Expansion& at) {
    const LayerPattern follow = LayerPattern::of(after(at.layer));
    const Cost sum = std::accumulate(at.bounds.begin(), at.bounds.end(), Cost{0});
    at.order.resize(at.state.size());
    std::iota(at.order.begin(), at.order.end(), std::size_t{0});
    std::stable_sort(at.order.begin(), at.order.end(),
                     [&](std::size_t a, std::size_t b) { return at.bounds[a] > at.bounds[b]; });
    for (const std::size_t group : at.order) {
        const Cost below = at.target - (sum - at.bounds[group]);
        auto list = options_.lookup(at.state[group].key, list_key(at.layer), below);
        if (!list) list = options_.of(node_of(at.state[group]), follow, list_key(at.layer), below);
        at.lists.push_back(std::move(list));
        if (watchdog_.stopped()) return;
    }
    at.chosen.assign(at.state.size(), nullptr);
}

// Branches over the options of the group at position `which`, and then of the others; `lower` bounds the errors of all.
void DiagramSearcher::choose(Expansion& at, std::size_t which, Cost lower) {
    if (which == at.state.size()) return route(at);
    const std::size_t from = at.order[which], width = static_cast<std::size_t>(profile_[at.layer]);
    const std::vector<NodeOption>& options = at.lists[which]->options;
    for (std::size_t i = 0; i < std::min(options.size(), beam_); ++i) {
        const NodeOption& option = options[i];
        const Cost now = lower - at.bounds[from] + option.lower;
        if (now >= at.target || at.done() || must_stop()) return;
        if (on_bound_ && at.layer == 0) (*on_bound_)(now);
        const std::size_t before = at.flows.size();
        const bool yes = option.onward == Continuation::yes || option.onward == Continuation::both;
        const bool no = option.onward != Continuation::yes && option.onward != Continuation::none;
        if (rules_.tree && before + yes + no > width) continue;
        if (yes) at.flows.push_back({side_of(data_, at.state[from], option, true), option.yes_key, from, true});
        if (no) at.flows.push_back({side_of(data_, at.state[from], option, false), option.no_key, from, false});
        at.errors += option.errors;
        at.chosen[from] = &option;
        choose(at, which + 1, now);
        at.errors -= option.errors;
        at.flows.resize(before);
    }
}

// Assigns the sides that continue to the nodes of the next layer.
void DiagramSearcher::route(Expansion& at) {
    ++n_routed_;
    watchdog_.spend(at.state.size() * data_.n_rows);
    const bool apart = at.flows.size() <= static_cast<std::size_t>(profile_[at.layer]);
    at.group_of.assign(at.flows.size(), 0);
    at.n_groups = 0;
    if (rules_.tree || (apart && !rules_.sized())) {
        std::iota(at.group_of.begin(), at.group_of.end(), 0);
        at.n_groups = static_cast<std::int32_t>(at.flows.size());
        return descend(at);
    }
    const auto stop = [&] { return at.done() || must_stop(); };
    assign_flows(at.flows, 0, profile_[at.layer], rules_, at.group_of, at.n_groups, stop, [&] { descend(at); });
}

void DiagramSearcher::descend(Expansion& at) {
    const State next = joined(data_, at.flows, at.group_of, at.n_groups);
    if (!allowed(data_, rules_, next, at.layer + 1 == profile_.size())) return;
    const Cost errors = at.errors;
    FoundDiagram found;
    if (next.empty())
        found.errors = 0;
    else
        found = solve(next, at.layer + 1, at.target - errors);
    if (errors + found.errors < at.target) accept(at, found, errors + found.errors);
}

void DiagramSearcher::accept(Expansion& at, const FoundDiagram& found, Cost errors) {
    auto plan = std::make_shared<DiagramPlan>();
    for (const NodeOption* option : at.chosen) plan->choices.push_back({option->question});
    for (std::size_t flow = 0; flow < at.flows.size(); ++flow) {
        NodeChoice& choice = plan->choices[at.flows[flow].from];
        (at.flows[flow].yes ? choice.yes : choice.no) = at.group_of[flow];
    }
    plan->below = found.plan;
    at.best.errors = at.target = errors;
    at.best.plan = std::move(plan);
}

std::vector<std::pair<std::string, std::uint64_t>> DiagramSearcher::counters() const {
    return {{"states", n_states_},
            {"recalled", n_recalled_},
            {"routed", n_routed_},
            {"bounds", bounds_.n_solved()},
            {"cache_entries", bounds_.size() + memo_.size()}};
}

}  // namespace exactree::diagrams::exact
