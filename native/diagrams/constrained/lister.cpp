#include "diagrams/constrained/lister.hpp"

#include <numeric>

namespace exactree::diagrams::constrained {

using exact::Continuation;
using exact::Flow;
using exact::NodeOption;
using exact::RowGroup;
using exact::State;

constexpr std::size_t kBytesOfState = 256;    // beside its points
constexpr std::size_t kMostPoints = 1 << 20;  // of a state: more take too long to sort between two looks at the clock
constexpr std::uint64_t kWorkOfCall = 2000;   // allocations, mostly
constexpr std::uint64_t kWorkOfPoint = 100;   // to be sorted

// A side that ends: its relaxed cost with each label, and its channels.
struct DiagramLister::Ended {
    std::vector<Cost> relaxed, channels;
};

// A state while its successors are enumerated.
struct DiagramLister::ListedLayer {
    const State& state;
    std::size_t layer;
    std::function<Cost()> most;
    const Sink* sink = nullptr;  // of the root's points; others are added to `out`
    PlanPoints* out = nullptr;
    std::vector<Cost> bounds{};                              // of each group
    std::vector<std::shared_ptr<const ListedState>> ends{};  // of each group, if both sides end
    std::vector<std::shared_ptr<const exact::OptionList>> lists{};
    std::vector<const NodeOption*> chosen{};  // for each group; none if both sides end
    std::vector<Ended> ended{};               // the side that ends, if one does
    std::vector<Flow> flows{};
    std::vector<std::int32_t> group_of{};  // node of the next layer, for each flow
    std::int32_t n_groups = 0;
};

DiagramLister::DiagramLister(const Data& data, const exact::DiagramRules& rules, const Channels& channels,
                             bool one_sided, Watchdog& watchdog, std::size_t bytes, int reach)
    : data_(data),
      rules_(rules),
      channels_(channels),
      one_sided_(one_sided),
      watchdog_(watchdog),
      most_bytes_(bytes / 2),
      bounds_(data, watchdog, bytes / 4, reach, 0),
      // As where sizes are limited: with free labels no option dominates another.
      options_(data, bounds_, watchdog, true, rules.least_weight, bytes / 8) {
    root_.fill(data);
}

Cost DiagramLister::bound(const std::vector<int>& profile, Cost below) {
    return bounds_.errors(root_, exact::LayerPattern::of(profile), below).lower;
}

void DiagramLister::forget() {
    known_.clear();
    known_ends_.clear();
    arena.clear();
    bytes_ = 0;
}

void DiagramLister::list(const std::vector<int>& profile, const std::function<Cost()>& most, const Sink& sink) {
    profile_ = profile;
    suffixes_.clear();
    for (std::size_t layer = 0; layer <= profile.size(); ++layer) {
        const std::vector<int> suffix(profile.begin() + static_cast<std::ptrdiff_t>(layer), profile.end());
        suffixes_.push_back(names_.try_emplace(suffix, static_cast<int>(names_.size())).first->second);
    }
    const State root{{all_rows(data_.n_rows), root_.key()}};
    ListedLayer at{root, 0, most, &sink};
    expand(at);
}

const ranks::Node& DiagramLister::node_of(const RowGroup& group) {
    if (group.key == root_.key()) return root_;
    watchdog_.spend(4 * root_.n_rows() * root_.n_columns());
    ranks::Node::split_by_set(data_, root_, group.rows, part_, rest_);
    return part_;
}

void DiagramLister::add(PlanPoints& to, const PlanPoint& point, const Cost* sums) {
    ++n_points;
    to.add(point, sums);
    watchdog_.spend(kWorkOfPoint + 16 * channels_.n_sums);
    if (to.size() > kMostPoints ||
        to.size() * bytes_per_point() + arena.size() * sizeof(PlanOrigin) + bytes_ > most_bytes_)
        watchdog_.stop(Status::out_of_memory);
}

// The points of a state, sorted by relaxed cost; from the cache, if they were listed that far.
std::shared_ptr<const DiagramLister::ListedState> DiagramLister::of(const State& state, std::size_t layer, Cost most) {
    if (layer == profile_.size() && state.size() == 1) return ends_of(state[0], most);
    Key name = exact::key_of(state);
    name += {splitmix64(static_cast<std::uint64_t>(suffixes_[layer])), 0};
    const auto found = known_.find(name);
    if (found != known_.end() && found->second->most >= most) return found->second;
    ++n_states;
    auto out = std::make_shared<ListedState>(ListedState{most, no_points()});
    ListedLayer at{state, layer, [most] { return most; }, nullptr, &out->points};
    expand(at);
    out->points.settle(arena);
    bytes_ += out->points.size() * bytes_per_point() + kBytesOfState;
    if (!watchdog_.stopped()) known_[name] = out;
    return out;
}

// Points of a group whose sides both end.
std::shared_ptr<const DiagramLister::ListedState> DiagramLister::ends_of(const RowGroup& group, Cost most) {
    const auto found = known_ends_.find(group.key);
    if (found != known_ends_.end() && found->second->most >= most) return found->second;
    auto out = std::make_shared<ListedState>(ListedState{most, no_points()});
    list_ends(node_of(group), most, out->points);
    out->points.settle(arena);
    bytes_ += out->points.size() * bytes_per_point() + kBytesOfState;
    if (!watchdog_.stopped()) known_ends_[group.key] = out;
    return out;
}

void DiagramLister::list_ends(const ranks::Node& node, Cost most, PlanPoints& out) {
    if (node.size().weight < rules_.least_weight) return;  // both sides together, if they have one label
    std::vector<Cost> channels(channels_.width, 0);
    for (std::uint32_t local = 0; local < node.n_rows(); ++local) channels_.add(channels.data(), node.row(local));
    for (std::int32_t label = 0; label < data_.n_classes; ++label) {
        const Cost relaxed = relaxed_of(node.gains().data(), node.base(), label);
        if (relaxed > most) continue;
        const PlanOrigin origin{{}, -1 - label, -1 - label};
        add(out, {relaxed, channels_.cost(channels.data(), label), 1, origin}, channels_.sums(channels.data(), label));
    }
    for (std::size_t column = 0; column < node.n_columns() && !watchdog_.stopped(); ++column)
        list_splits(node, column, most, out);
}

// All cuts of a column with two different labels.
void DiagramLister::list_splits(const ranks::Node& node, std::size_t column, Cost most, PlanPoints& out) {
    const auto n_classes = static_cast<std::size_t>(data_.n_classes);
    std::vector<Cost> all(channels_.width, 0), yes(channels_.width, 0), gains(n_classes, 0), sums(channels_.n_sums);
    for (std::uint32_t local = 0; local < node.n_rows(); ++local) channels_.add(all.data(), node.row(local));
    Cost base = 0;
    Size size;
    const auto n = static_cast<ranks::Place>(node.n_rows());
    watchdog_.spend(n * (channels_.width + n_classes * n_classes));
    for (ranks::Place at = 0; at + 1 < n && !watchdog_.stopped(); ++at) {
        const RowId row = node.row(node.order(column)[at]);
        channels_.add(yes.data(), row);
        gains[static_cast<std::size_t>(data_.label[row])] += data_.gain[row];
        base += data_.base[row];
        size += data_.size[row];
        if (node.rank_at(column, at) == node.rank_at(column, at + 1)) continue;
        const bool light = size.weight < rules_.least_weight || node.size().weight - size.weight < rules_.least_weight;
        if (light) continue;
        for (std::size_t k = 0; k < n_classes; ++k)
            for (std::size_t other = 0; other < n_classes; ++other) {
                const Cost relaxed = base - gains[k] + (node.base() - base) - (node.gains()[other] - gains[other]);
                if (k == other || relaxed > most) continue;
                const int with_yes = static_cast<int>(k), with_no = static_cast<int>(other);
                const Cost cost = channels_.cost(yes.data(), with_yes) + channels_.cost(all.data(), with_no) -
                                  channels_.cost(yes.data(), with_no);
                for (std::size_t j = 0; j < sums.size(); ++j)
                    sums[j] = channels_.sums(yes.data(), with_yes)[j] + channels_.sums(all.data(), with_no)[j] -
                              channels_.sums(yes.data(), with_no)[j];
                const PlanOrigin origin{node.question({column, at + 1}), -1 - with_yes, -1 - with_no};
                add(out, {relaxed, cost, 1, origin}, sums.data());
            }
    }
}

void DiagramLister::expand(ListedLayer& at) {
    if (begin(at)) choose(at, 0, std::accumulate(at.bounds.begin(), at.bounds.end(), Cost{0}));
}

// Bounds and options of each group; false if no diagram is cheap enough.
bool DiagramLister::begin(ListedLayer& at) {
    const Cost below = at.most() + 1;
    const exact::LayerPattern follow = after(at.layer);
    Cost sum = 0;
    for (const RowGroup& group : at.state) {
        if (sum >= below || watchdog_.stopped()) return false;
        at.bounds.push_back(bounds_.errors(node_of(group), follow, below - sum).lower);
        sum += at.bounds.back();
    }
    for (std::size_t which = 0; which < at.state.size() && sum < below; ++which) {
        const Cost room = below - (sum - at.bounds[which]);
        at.ends.push_back(ends_of(at.state[which], room - 1));
        if (at.layer == profile_.size()) continue;
        const int suffix = suffixes_[at.layer];
        auto list = options_.lookup(at.state[which].key, suffix, room);
        if (!list) list = options_.of(node_of(at.state[which]), follow, suffix, room);
        at.lists.push_back(std::move(list));
    }
    at.chosen.assign(at.state.size(), nullptr);
    at.ended.resize(at.state.size());
    return sum < below && !watchdog_.stopped();
}

// Branches over what the group at position `which` does, and then the others; `lower` bounds the relaxed cost of all.
void DiagramLister::choose(ListedLayer& at, std::size_t which, Cost lower) {
    if (watchdog_.stopped()) return;
    if (which == at.state.size()) return route(at);
    const PlanPoints& ends = at.ends[which]->points;
    at.chosen[which] = nullptr;
    if (ends.size() > 0 && lower - at.bounds[which] + ends[0].relaxed <= at.most())
        choose(at, which + 1, lower - at.bounds[which] + ends[0].relaxed);
    if (at.layer == profile_.size()) return;
    for (const NodeOption& option : at.lists[which]->options) {
        const Cost now = lower - at.bounds[which] + option.lower;
        if (now > at.most() || watchdog_.stopped()) return;
        if (option.onward != Continuation::none) choose_option(at, which, option, now);
    }
}

void DiagramLister::choose_option(ListedLayer& at, std::size_t which, const NodeOption& option, Cost lower) {
    const std::size_t before = at.flows.size(), width = static_cast<std::size_t>(profile_[at.layer]);
    const bool yes = option.onward == Continuation::yes || option.onward == Continuation::both;
    const bool no = option.onward != Continuation::yes;
    if (rules_.tree && before + yes + no > width) return;
    const RowGroup& group = at.state[which];
    if (yes) at.flows.push_back({exact::side_of(data_, group, option, true), option.yes_key, which, true});
    if (no) at.flows.push_back({exact::side_of(data_, group, option, false), option.no_key, which, false});
    at.chosen[which] = &option;
    if (yes != no && option.onward != Continuation::all) at.ended[which] = ended_side(group, option);
    watchdog_.spend(data_.n_rows * (2 + channels_.width) + kWorkOfCall);
    choose(at, which + 1, lower);
    at.flows.resize(before);
}

DiagramLister::Ended DiagramLister::ended_side(const RowGroup& group, const NodeOption& option) const {
    const bool yes_ends = option.onward == Continuation::no;
    Ended out{std::vector<Cost>(static_cast<std::size_t>(data_.n_classes), 0), std::vector<Cost>(channels_.width, 0)};
    Cost base = 0;
    const RowBits rows = exact::side_of(data_, group, option, yes_ends);
    for_each_row(rows.data(), rows.size(), [&](std::uint32_t row) {
        out.relaxed[static_cast<std::size_t>(data_.label[row])] -= data_.gain[row];
        base += data_.base[row];
        channels_.add(out.channels.data(), row);
    });
    for (Cost& relaxed : out.relaxed) relaxed += base;
    return out;
}

void DiagramLister::route(ListedLayer& at) {
    watchdog_.spend(kWorkOfCall);
    if (at.flows.empty()) return combine(at, labelled(at, {}, at.most()), nullptr);
    const bool apart = at.flows.size() <= static_cast<std::size_t>(profile_[at.layer]);
    at.group_of.assign(at.flows.size(), 0);
    at.n_groups = 0;
    if (rules_.tree || (apart && !rules_.sized())) {
        std::iota(at.group_of.begin(), at.group_of.end(), 0);
        at.n_groups = static_cast<std::int32_t>(at.flows.size());
        return descend(at);
    }
    const auto stop = [&] { return watchdog_.stopped(); };
    exact::assign_flows(at.flows, 0, profile_[at.layer], rules_, at.group_of, at.n_groups, stop, [&] { descend(at); });
}

void DiagramLister::descend(ListedLayer& at) {
    watchdog_.spend(at.flows.size() * data_.n_rows / 4 + kWorkOfCall);
    const State joined = exact::joined(data_, at.flows, at.group_of, at.n_groups);
    if (!exact::allowed(data_, rules_, joined, at.layer + 1 == profile_.size())) return;
    // States are unordered sets of groups: their points are those of the groups in the order of their keys.
    std::vector<std::int32_t> order(joined.size()), place(joined.size()), places;
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        const Key &left = joined[static_cast<std::size_t>(a)].key, &right = joined[static_cast<std::size_t>(b)].key;
        return left.low != right.low ? left.low < right.low : left.high < right.high;
    });
    State next;
    for (const std::int32_t group : order) {
        place[static_cast<std::size_t>(group)] = static_cast<std::int32_t>(next.size());
        next.push_back(joined[static_cast<std::size_t>(group)]);
    }
    for (const std::int32_t group : at.group_of) places.push_back(place[static_cast<std::size_t>(group)]);
    const PlanPoints here = labelled(at, places, at.most());
    if (here.size() == 0 || watchdog_.stopped()) return;
    const auto below = of(next, at.layer + 1, at.most() - here[0].relaxed);
    combine(at, here, &below->points);
}

// Points of the sides that end in this layer, with the places where the others go.
PlanPoints DiagramLister::labelled(const ListedLayer& at, const std::vector<std::int32_t>& places, Cost most) {
    PlanPoints so_far = no_points();
    for (std::size_t which = 0; which < at.state.size(); ++which) {
        const PlanPoints own =
            at.chosen[which] ? points_of_option(at, which, places, most) : PlanPoints(at.ends[which]->points);
        so_far = which == 0 ? own : extended(so_far, own, most);
    }
    return so_far;
}

// Points of a group that continues with one side or both.
PlanPoints DiagramLister::points_of_option(const ListedLayer& at, std::size_t which,
                                           const std::vector<std::int32_t>& places, Cost most) {
    const NodeOption& option = *at.chosen[which];
    PlanOrigin origin{option.question};
    for (std::size_t flow = 0; flow < at.flows.size(); ++flow)
        if (at.flows[flow].from == which) (at.flows[flow].yes ? origin.yes : origin.no) = places[flow];
    PlanPoints out = no_points();
    const std::vector<Cost> nothing(channels_.n_sums, 0);
    const bool ends = option.onward == Continuation::yes || option.onward == Continuation::no;
    if (!ends) out.add({0, 0, 1, origin}, nothing.data());
    for (std::int32_t label = 0; ends && label < data_.n_classes; ++label) {
        const Ended& side = at.ended[which];
        const Cost relaxed = side.relaxed[static_cast<std::size_t>(label)];
        if (relaxed > most) continue;
        (option.onward == Continuation::yes ? origin.no : origin.yes) = -1 - label;
        const Cost* channels = side.channels.data();
        out.add({relaxed, channels_.cost(channels, label), 1, origin}, channels_.sums(channels, label));
    }
    out.settle(arena);
    return out;
}

// Points of one more group of the layer added to those of the groups before it.
PlanPoints DiagramLister::extended(const PlanPoints& so_far, const PlanPoints& by, Cost most) {
    PlanPoints out = no_points();
    std::vector<Cost> sums(channels_.n_sums);
    for (std::size_t a = 0; a < so_far.size() && !watchdog_.stopped(); ++a)
        for (std::size_t b = 0; b < by.size() && so_far[a].relaxed + by[b].relaxed <= most; ++b) {
            PlanOrigin origin = by[b].origin;
            origin.previous = so_far[a].at;
            for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = so_far.sums(a)[j] + by.sums(b)[j];
            add(out, {so_far[a].relaxed + by[b].relaxed, so_far[a].cost + by[b].cost, 1, origin}, sums.data());
            if (watchdog_.stopped()) break;
        }
    out.settle(arena);
    return out;
}

// The points of this layer with those of the layers below it.
void DiagramLister::combine(ListedLayer& at, const PlanPoints& here, const PlanPoints* below) {
    std::vector<Cost> sums(channels_.n_sums);
    const auto take = [&](const PlanPoint& point, const Cost* all) {
        if (!at.sink) return add(*at.out, point, all);
        ++n_points;
        watchdog_.spend(8 * (1 + channels_.n_sums));
        (*at.sink)(point, all);
    };
    for (std::size_t a = 0; a < here.size() && !watchdog_.stopped(); ++a) {
        PlanOrigin origin{{}, -1, -1, here[a].at, kNowhere, true};
        if (!below) {
            if (here[a].relaxed > at.most()) return;
            take({here[a].relaxed, here[a].cost, 1, origin}, here.sums(a));
        }
        for (std::size_t b = 0; below && b < below->size(); ++b) {
            if (here[a].relaxed + (*below)[b].relaxed > at.most() || watchdog_.stopped()) break;
            origin.below = (*below)[b].at;
            for (std::size_t j = 0; j < sums.size(); ++j) sums[j] = here.sums(a)[j] + below->sums(b)[j];
            take({here[a].relaxed + (*below)[b].relaxed, here[a].cost + (*below)[b].cost, 1, origin}, sums.data());
        }
    }
}

}  // namespace exactree::diagrams::constrained
