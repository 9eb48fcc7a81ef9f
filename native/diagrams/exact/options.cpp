#include "diagrams/exact/options.hpp"

#include <tuple>
#include <unordered_set>

#include "diagrams/exact/cuts.hpp"

namespace exactree::diagrams::exact {

struct DiagramOptions::OptionCollector {
    LayerPattern follow;
    Cost below;
    std::vector<NodeOption> options;
    std::unordered_set<Key, KeyHash> onward;  // sides that continue alone
    std::unordered_set<Key, KeyHash> parted;  // one side of each bipartition of the rows

    // Whether it is the first time.
    bool is_new(Key side) { return onward.insert(side).second; }
    bool is_new_split(Key side) { return parted.insert(side).second; }
    void add(const NodeOption& option) {
        if (option.lower < below) options.push_back(option);
    }
};

Key DiagramOptions::cache_key(Key key, int suffix) noexcept {
    key += {splitmix64(static_cast<std::uint64_t>(suffix)), 0};
    return key;
}

std::shared_ptr<const OptionList> DiagramOptions::lookup(Key key, int suffix, Cost below) const {
    const auto found = known_.find(cache_key(key, suffix));
    return found == known_.end() || found->second->below < below ? nullptr : found->second;
}

// Both sides end in leaves, by the best split; or all rows pass to the next layer.
void DiagramOptions::add_ends(OptionCollector& listing, const ranks::Node& node) const {
    const SubtreeBounds split = bounds_.terminal_split(node);
    listing.add({split.question, Continuation::none, split.upper, split.upper, {}, {}});
    const Cost passed = bounds_.errors(node, listing.follow.rest(), listing.below).lower;
    if (sized_ || passed < split.upper) listing.add({{}, Continuation::all, 0, passed, {}, node.key()});
}

// One side ends in a leaf, the other continues if that can have fewer errors, or if its rows may be needed to fill a
// node.
void DiagramOptions::add_peels(OptionCollector& listing, const ranks::Node& node) {
    const auto target = [&] { return listing.below; };
    const auto stop = [&] { return watchdog_.stopped(); };
    for (std::size_t column = 0; column < node.n_columns() && !stop(); ++column)
        for (const bool yes_ends : {true, false}) {
            find_peels(data_, node, column, yes_ends, sized_, listing.below, gains_, peels_);
            const auto visit = [&](const Peel& peel, Cost floor) {
                const ranks::Cut cut{column, peel.cut};
                const Cost left = listing.below - peel.leaf;
                const Cost rest =
                    bounds_.rest_errors(node, cut, yes_ends, listing.follow.rest(), floor, left, yes_, no_);
                const ranks::Node &ended = yes_ends ? yes_ : no_, &onward = yes_ends ? no_ : yes_;
                if (rest >= left || (!sized_ && rest >= onward.leaf_error())) return rest;
                if (ended.size().weight < least_weight_ || !listing.is_new(onward.key())) return rest;
                listing.add({node.question(cut), yes_ends ? Continuation::no : Continuation::yes, peel.leaf,
                             peel.leaf + rest, yes_.key(), no_.key()});
                return rest;
            };
            visit_peels(peels_, target, visit, stop);
        }
}

// Both sides continue.
void DiagramOptions::add_cuts(OptionCollector& listing, const ranks::Node& node) {
    const auto target = [&] { return listing.below; };
    const auto visit = [&](const CutRange& range, ranks::Place place) {
        const ranks::Cut cut{range.column, place};
        const Cost wanted = range.settled() ? 0 : listing.below;  // the bounds are exact then
        const CutErrors ends = bounds_.cut_errors(node, cut, listing.follow.rest(), range.floors(), wanted, yes_, no_);
        const bool gains = sized_ || (ends.yes < yes_.leaf_error() && ends.no < no_.leaf_error());
        const Key yes = yes_.key(), no = no_.key();
        const bool yes_names = std::tie(yes.low, yes.high) < std::tie(no.low, no.high);
        if (gains && ends.lower() < listing.below && listing.is_new_split(yes_names ? yes : no))
            listing.add({node.question(cut), Continuation::both, 0, ends.lower(), yes, no});
        return ends;
    };
    visit_cuts(node, target, visit, [&] { return watchdog_.stopped(); });
}

std::shared_ptr<const OptionList> DiagramOptions::of(const ranks::Node& node, LayerPattern follow, int suffix,
                                                     Cost below) {
    if (const auto known = lookup(node.key(), suffix, below)) return known;
    OptionCollector listing{follow, below, {}, {}, {}};
    add_ends(listing, node);
    add_peels(listing, node);
    if (follow.begins_wide()) add_cuts(listing, node);
    std::stable_sort(listing.options.begin(), listing.options.end(),
                     [](const NodeOption& a, const NodeOption& b) { return a.lower < b.lower; });
    listing.options.shrink_to_fit();
    auto out = std::make_shared<OptionList>(OptionList{below, std::move(listing.options)});
    if (watchdog_.stopped()) return out;
    if (bytes_ + out->bytes() > max_bytes_) {
        known_.clear();
        bytes_ = 0;
    }
    if (out->bytes() <= max_bytes_) {
        bytes_ += out->bytes();
        known_[cache_key(node.key(), suffix)] = out;
    }
    return out;
}

}  // namespace exactree::diagrams::exact
