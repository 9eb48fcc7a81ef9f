#include "diagram_options.hpp"

#include <tuple>
#include <unordered_set>

#include "diagram_cuts.hpp"

namespace exactree {

struct DiagramOptions::Listing {
    Pattern follow;
    Cost below;
    std::vector<Option> options;
    std::unordered_set<Key, KeyHash> met;  // one side of each way to part the rows

    bool wide() const noexcept { return follow.begins_wide(); }
    void add(const Option& option) {
        if (option.lower < below) options.push_back(option);
    }
};

Key DiagramOptions::named(Key key, int suffix) noexcept {
    key += {scramble(static_cast<std::uint64_t>(suffix)), 0};
    return key;
}

std::shared_ptr<const OptionList> DiagramOptions::recall(Key key, int suffix, Cost below) const {
    const auto found = known_.find(named(key, suffix));
    return found == known_.end() || found->second->below < below ? nullptr : found->second;
}

// Both sides end here, in one way at best; or all rows pass.
void DiagramOptions::add_ends(Listing& listing, const Node& node) const {
    const Known split = bounds_.errors(node, {}, kNoCost);
    listing.add({split.question, Onward::none, split.upper, split.upper, {}, {}});
    const Cost passed = bounds_.errors(node, listing.follow.rest(), listing.below).lower;
    if (sized_ || passed < split.upper) listing.add({{}, Onward::all, 0, passed, {}, node.key()});
}

// A side that cannot err less by going on ends here, unless its rows may be wanted as company.
void DiagramOptions::add_cut(Listing& listing, Question question, const CutEnds& ends, Key yes, Key no) const {
    const bool yes_gains = sized_ || ends.yes.best < ends.yes.leaf, no_gains = sized_ || ends.no.best < ends.no.leaf;
    if (yes_gains) listing.add({question, Onward::yes, ends.no.leaf, ends.no.leaf + ends.yes.best, yes, no});
    if (no_gains) listing.add({question, Onward::no, ends.yes.leaf, ends.yes.leaf + ends.no.best, yes, no});
    if (yes_gains && no_gains && listing.wide())
        listing.add({question, Onward::both, 0, ends.yes.best + ends.no.best, yes, no});
}

std::shared_ptr<const OptionList> DiagramOptions::of(const Node& node, Pattern follow, int suffix, Cost below) {
    if (const auto known = recall(node.key(), suffix, below)) return known;
    Listing listing{follow, below, {}, {}};
    add_ends(listing, node);
    const auto target = [&] { return below; };
    const auto visit = [&](const CutRange& range, Place cut) {
        const Cost wanted = range.settled() ? 0 : below;  // nothing more is to be learnt then
        const CutEnds ends = bounds_.cut_ends(node, {range.column, cut}, follow.rest(), listing.wide(), range.floors(),
                                              wanted, yes_, no_);
        const Key yes = yes_.key(), no = no_.key();
        const bool yes_names = std::tie(yes.low, yes.high) < std::tie(no.low, no.high);
        if (ends.lower(listing.wide()) < below && listing.met.insert(yes_names ? yes : no).second)
            add_cut(listing, node.question({range.column, cut}), ends, yes, no);
        return ends;
    };
    visit_cuts(node, listing.wide(), target, visit, [&] { return watchdog_.stopped(); });
    std::stable_sort(listing.options.begin(), listing.options.end(),
                     [](const Option& a, const Option& b) { return a.lower < b.lower; });
    listing.options.shrink_to_fit();
    auto out = std::make_shared<OptionList>(OptionList{below, std::move(listing.options)});
    if (watchdog_.stopped()) return out;
    if (bytes_ + out->bytes() > max_bytes_) {
        known_.clear();
        bytes_ = 0;
    }
    if (out->bytes() <= max_bytes_) {
        bytes_ += out->bytes();
        known_[named(node.key(), suffix)] = out;
    }
    return out;
}

}  // namespace exactree
