#include "constrained/path_search.hpp"

#include <algorithm>
#include <cmath>

#include "constrained/path_roots.hpp"

namespace exactree::constrained {
namespace {

constexpr double kUnits = 0x1p44;  // of relaxed cost, in all
// By how much the rounding of doubles, and of points to integers, can change the relaxed cost of a tree.
constexpr double kRounding = 16;

}  // namespace

PathSearch::PathSearch(Chains chains, std::span<const Cost> channels, const Channels& layout, const Limits& limits)
    : chains_(std::move(chains)),
      layout_(layout),
      limits_(limits),
      sums_(chains_, channels, n_channels(layout, limits),
            static_cast<int>(std::min<std::int64_t>(limits.max_depth, limits.max_leaves - 1))) {}

std::size_t PathSearch::n_channels(const Channels& layout, const Limits& limits) {
    return layout.width + (limits.least.weight > 0 ? 2 : 1);
}

bool PathSearch::fits(const Chains& chains, std::size_t n_channels, int depth, std::size_t memory, double steps) {
    if (PathSums::memory(chains.size(), n_channels, std::min(depth, 3)) > memory) return false;
    return static_cast<double>(chains.n_sets(depth)) * static_cast<double>(n_channels) <= steps;
}

PathSearch::Scaled PathSearch::scaled(const Multipliers& multipliers) const {
    const auto n_labels = static_cast<std::size_t>(layout_.n_classes);
    Scaled out;
    Planes& planes = out.planes;
    planes.n_labels = n_labels;
    planes.n_sizes = limits_.least.weight > 0 ? 2 : 1;
    planes.least[0] = static_cast<double>(limits_.least.rows);
    planes.least[1] = static_cast<double>(limits_.least.weight);
    planes.weights.assign(planes.size() * sums_.width(), 0);
    double total = static_cast<double>(layout_.leaf_price) * static_cast<double>(limits_.max_leaves);
    for (std::size_t c = 0; c < sums_.width(); ++c) {
        const std::size_t channel = sums_.kept()[c], part = 1 + layout_.n_sums;
        if (channel >= layout_.width) {
            planes.weights[(n_labels + channel - layout_.width) * sums_.width() + c] = 1;
        } else if (channel < n_labels * part) {
            const std::size_t label = channel / part, within = channel % part;
            const double weight = within == 0 ? 1 : multipliers.by_sum[within - 1];
            planes.weights[label * sums_.width() + c] = weight;
            total += std::abs(weight) * sums_.largest(c);
        }
    }
    // Channels are integers: where their total is below one, nothing costs anything, or multipliers are next to none.
    out.ratio = std::exp2(std::floor(std::log2(kUnits / std::max(total, 1.0))));
    for (std::size_t at = 0; at < n_labels * sums_.width(); ++at) planes.weights[at] *= out.ratio;
    planes.leaf_price = static_cast<double>(layout_.leaf_price) * out.ratio;
    out.highest = total * out.ratio + kRounding;
    return out;
}

RelaxedTree PathSearch::relax(const Multipliers& multipliers, int depth, Watchdog& watchdog) const {
    Scaled relaxed = scaled(multipliers);
    PathBounds bounds(sums_, std::move(relaxed.planes));
    if (!bounds.fill(std::min(depth, sums_.depth()), watchdog)) return {};
    return {bounds.tree(), (bounds.lowest() - kRounding) / relaxed.ratio - multipliers.constant, true};
}

ConstrainedOutcome PathSearch::search(const ConstrainedProblem& problem, const Multipliers& multipliers,
                                      const Budget& budget, Watchdog& watchdog) const {
    Scaled relaxed = scaled(multipliers);
    PathBounds bounds(sums_, std::move(relaxed.planes));
    if (!bounds.fill(problem.rules.depth(), watchdog)) {
        ConstrainedOutcome out;
        out.cost = problem.known_cost;
        out.bound = problem.known_bound;
        out.status = watchdog.status().value_or(Status::out_of_time);
        return out;
    }
    ConstrainedProblem within = problem;
    within.ratio = relaxed.ratio;
    within.all_at_once = sums_.depth() <= 2;
    within.shift = relaxed.ratio * multipliers.constant + kRounding;
    PathRoots roots(bounds, problem.rules, relaxed.highest, watchdog);
    return search_constrained(within, roots, budget, watchdog);
}

}  // namespace exactree::constrained
