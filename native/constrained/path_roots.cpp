#include "constrained/path_roots.hpp"

#include <algorithm>
#include <cmath>

namespace exactree::constrained {
namespace {

// Rounded down, so that a tree within a limit stays within it.
Cost rounded_down(double relaxed) {
    return relaxed < static_cast<double>(kInfiniteCost / 2) ? static_cast<Cost>(std::floor(relaxed)) : kInfiniteCost;
}

}  // namespace

PathRoots::PathRoots(const PathBounds& bounds, const ListingRules& rules, double highest, Watchdog& watchdog)
    : bounds_(bounds),
      sums_(bounds.sums()),
      rules_(rules),
      highest_(highest),
      watchdog_(watchdog),
      all_(no_rows()),
      inside_(no_rows()),
      outside_(no_rows()),
      point_sums_(rules.channels.n_sums) {}

PathRoots::Rows PathRoots::no_rows() const {
    return {std::vector<double>(sums_.width()), std::vector<double>(bounds_.planes().size()),
            std::vector<Cost>(rules_.channels.width)};
}

Cost PathRoots::lowest() { return rounded_down(bounds_.lowest()); }

std::vector<RootQuestion> PathRoots::questions(Cost most) {
    std::vector<RootQuestion> found;
    for (std::uint32_t i = 0; i < sums_.n_questions(); ++i) {
        const ChainQuestion& asked = sums_.question(i);
        const Cost yes = rounded_down(bounds_.side(i, asked.yes_inside));
        const Cost no = rounded_down(bounds_.side(i, !asked.yes_inside));
        if (yes + no <= most) found.push_back({asked.question, i, yes, no});
    }
    return found;
}

void PathRoots::list_side(bool yes, Cost most, Points& out) {
    const bool inside = yes == sums_.question(opened_).yes_inside;
    list(Path{}.with(opened_, inside), rules_.depth() - 1, most, out);
}

void PathRoots::read(Rows& rows) const { bounds_.planes().read(rows.sums.data(), sums_.width(), rows.planes.data()); }

void PathRoots::expand(Rows& rows) const {
    for (std::size_t c = 0; c < sums_.width(); ++c)
        if (const std::size_t channel = sums_.kept()[c]; channel < rows.channels.size())  // sizes come after all others
            rows.channels[channel] = static_cast<Cost>(rows.sums[c]);
}

Cost PathRoots::relaxed_leaf(const Rows& rows, int label) const {
    return rounded_down(rows.planes[static_cast<std::size_t>(label)] + bounds_.planes().leaf_price);
}

void PathRoots::list(const Path& path, int depth, Cost most, Points& out) {
    out.clear();
    sums_.whole(path, all_.sums.data());
    read(all_);
    expand(all_);
    list_leaf(most, out);
    if (depth == 1) list_stumps(path, most, out);
    if (depth > 1) list_splits(path, depth, most, out);
    out.settle(arena_);
    n_points_ += out.size();
}

void PathRoots::list_leaf(Cost most, Points& out) {
    for (int label = 0; label < rules_.channels.n_classes; ++label) {
        const Cost relaxed = relaxed_leaf(all_, label);
        if (relaxed > most) continue;
        const std::optional<Cost> cost = rules_.leaf_cost(all_.channels.data(), label);
        if (cost) out.add({relaxed, *cost, 1, {{}, 0, 0, label}}, rules_.channels.sums(all_.channels.data(), label));
    }
}

void PathRoots::list_stumps(const Path& path, Cost most, Points& out) {
    const Planes& planes = bounds_.planes();
    for (std::uint32_t i = 0; i < sums_.n_questions(); ++i) {
        if (path.asks(i)) continue;
        sums_.part(path, i, inside_.sums.data());
        read(inside_);
        for (std::size_t p = 0; p < planes.size(); ++p) outside_.planes[p] = all_.planes[p] - inside_.planes[p];
        const double lowest = planes.leaf(inside_.planes.data()) + planes.leaf(outside_.planes.data());
        if (rounded_down(lowest) > most) continue;
        for (std::size_t c = 0; c < sums_.width(); ++c) outside_.sums[c] = all_.sums[c] - inside_.sums[c];
        expand(inside_);
        expand(outside_);
        add_stumps(sums_.question(i), most, out);
    }
    watchdog_.spend(20 * sums_.n_questions());
}

void PathRoots::add_stumps(const ChainQuestion& question, Cost most, Points& out) {
    const Rows &of_yes = question.yes_inside ? inside_ : outside_, &of_no = question.yes_inside ? outside_ : inside_;
    const Channels& channels = rules_.channels;
    for (int yes = 0; yes < channels.n_classes; ++yes) {
        const std::optional<Cost> cost_yes = rules_.leaf_cost(of_yes.channels.data(), yes);
        const Cost relaxed_yes = relaxed_leaf(of_yes, yes);  // what the other leaf adds may be negative
        if (!cost_yes) continue;
        for (int no = 0; no < channels.n_classes; ++no) {
            if (no == yes && rules_.leaf_limits.empty()) continue;  // a leaf predicts the same and costs no more
            const Cost relaxed = relaxed_yes + relaxed_leaf(of_no, no);
            if (relaxed > most) continue;
            const std::optional<Cost> cost_no = rules_.leaf_cost(of_no.channels.data(), no);
            if (!cost_no) continue;
            const Cost* sums_yes = channels.sums(of_yes.channels.data(), yes);
            const Cost* sums_no = channels.sums(of_no.channels.data(), no);
            for (std::size_t j = 0; j < point_sums_.size(); ++j) point_sums_[j] = sums_yes[j] + sums_no[j];
            const auto leaf = [](int label) { return static_cast<std::uint32_t>(label); };  // first in the arena
            out.add({relaxed, *cost_yes + *cost_no, 2, {question.question, leaf(yes), leaf(no), 0}},
                    point_sums_.data());
        }
    }
}

void PathRoots::list_splits(const Path& path, int depth, Cost most, Points& out) {
    Points of_yes = no_points(), of_no = no_points();
    for (std::uint32_t i = 0; i < sums_.n_questions() && !watchdog_.stopped(); ++i) {
        if (path.asks(i)) continue;
        const ChainQuestion& asked = sums_.question(i);
        const Path yes = path.with(i, asked.yes_inside), no = path.with(i, !asked.yes_inside);
        const Cost least_yes = rounded_down(bounds_.below(yes)), least_no = rounded_down(bounds_.below(no));
        if (least_yes + least_no > most) continue;
        list(yes, depth - 1, most - least_no, of_yes);
        if (of_yes.size() == 0) continue;
        list(no, depth - 1, most - of_yes[0].relaxed, of_no);
        join(of_yes, of_no, asked.question, most, rules_.limits.max_leaves, watchdog_, out);
    }
}

}  // namespace exactree::constrained
