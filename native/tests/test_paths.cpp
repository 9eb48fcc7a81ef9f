// Paths against trying every one of them, the cheapest tree against the sum of the cheapest paths, and how they end.
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <limits>
#include <random>

#include "paths/pricing.hpp"

using namespace exactree;
using namespace exactree::paths;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Sample {
    std::vector<Rank> ranks;
    std::vector<double> sizes, cost, leaf_dual, link_dual, known;
    std::vector<std::int32_t> begin{0}, column, rank;
    std::vector<std::uint8_t> open, allowed_labels;
    PathTable table;
    PathPrices prices;
};

// A few rows, up to three choices for each branch, one of which may ask nothing; costs of any sign unless for trees.
void fill(Sample& s, std::mt19937& random, bool for_trees) {
    const auto number = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int depth = 1 + number(3), n_classes = 1 + number(3);
    const auto n_rows = static_cast<std::size_t>(1 + number(9));
    s.table.depth = depth;
    s.table.n_classes = n_classes;
    for (std::size_t i = 0; i < 2 * n_rows; ++i) s.ranks.push_back(static_cast<Rank>(number(4)));
    for (std::size_t i = 0; i < n_rows; ++i) s.sizes.insert(s.sizes.end(), {1.0 + number(3), 0.5 * number(4)});
    const bool may_end = number(2) == 0;
    for (std::size_t node = 0; node < s.table.n_branches(); ++node) {
        for (int i = 1 + number(3); i > 0; --i) {
            s.column.push_back(number(2));
            s.rank.push_back(number(3));
        }
        if (may_end) {
            s.column.push_back(-1);
            s.rank.push_back(0);
        }
        s.begin.push_back(static_cast<std::int32_t>(s.column.size()));
    }
    const auto any = [&random] { return std::uniform_real_distribution<double>(-2, 2)(random); };
    for (std::size_t i = 0; i < n_rows * static_cast<std::size_t>(n_classes); ++i)
        s.cost.push_back(for_trees ? std::abs(any()) : any());
    const std::size_t n_leaves = s.table.n_leaves();
    for (std::size_t i = 0; i < n_leaves; ++i) s.leaf_dual.push_back(for_trees ? 0 : any());
    for (std::size_t i = 0; i < n_leaves * s.column.size(); ++i) s.link_dual.push_back(for_trees ? 0 : any());
    for (std::size_t i = 0; i < s.column.size(); ++i) s.open.push_back(for_trees || number(4) > 0);
    for (std::size_t i = 0; i < n_leaves * static_cast<std::size_t>(n_classes); ++i)
        s.allowed_labels.push_back(for_trees || number(4) > 0);
    s.known.assign(n_leaves, kInfinite);
    s.table = {depth, n_classes, n_rows, s.ranks, s.sizes, s.begin, s.column, s.rank, 1.0 + number(3), 0.5 * number(3)};
    s.prices = {s.cost,  s.leaf_dual,      s.link_dual, s.open,   s.allowed_labels,
                s.known, 0.25 * number(3), kInfinite,   1'000'000};
}

bool follows(const Sample& s, std::size_t row, std::size_t leaf, const std::vector<std::int32_t>& path) {
    for (std::size_t level = 0; level < path.size(); ++level) {
        const auto c = static_cast<std::size_t>(path[level]);
        const bool wants_no = (leaf >> (path.size() - 1 - level)) & 1;
        const bool yes = s.column[c] < 0 || s.ranks[static_cast<std::size_t>(s.column[c]) * s.table.n_rows + row] <=
                                                static_cast<Rank>(s.rank[c]);
        if (yes == wants_no) return false;
    }
    return true;
}

// What a path costs with its cheapest allowed label; infinite if it is not allowed.
double cost_of(const Sample& s, std::size_t leaf, const std::vector<std::int32_t>& path) {
    const auto n_classes = static_cast<std::size_t>(s.table.n_classes);
    double total = s.leaf_dual[leaf], rows = 0, weight = 0, best = kInfinite;
    bool ended = false;
    for (const std::int32_t c : path) {
        const auto at = static_cast<std::size_t>(c);
        if (!s.open[at] || (ended && s.column[at] >= 0)) return kInfinite;
        ended = s.column[at] < 0;
        total += s.link_dual[leaf * s.column.size() + at];
    }
    for (std::size_t k = 0; k < n_classes; ++k) {
        if (!s.allowed_labels[leaf * n_classes + k]) continue;
        double sum = 0;
        for (std::size_t row = 0; row < s.table.n_rows; ++row)
            if (follows(s, row, leaf, path)) sum += s.cost[row * n_classes + k];
        best = std::min(best, sum);
    }
    for (std::size_t row = 0; row < s.table.n_rows; ++row)
        if (follows(s, row, leaf, path)) rows += s.sizes[2 * row], weight += s.sizes[2 * row + 1];
    if (rows > 0 && (rows < s.table.least_rows || weight < s.table.least_weight)) return kInfinite;
    return total + best + (rows > 0 ? s.prices.price : 0);
}

// Calls visit for every path to a leaf, open or not.
template <class Visit>
void each_path(const Sample& s, std::size_t node, std::vector<std::int32_t> below, Visit visit) {
    const std::size_t branch = (node - 1) / 2;
    for (std::int32_t c = s.begin[branch]; c < s.begin[branch + 1]; ++c) {
        std::vector<std::int32_t> path{c};
        path.insert(path.end(), below.begin(), below.end());
        if (branch == 0)
            visit(path);
        else
            each_path(s, branch, path, visit);
    }
}

void prices_equal_trying_all_paths() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 400; ++trial) {
        Sample s;
        fill(s, random, false);
        const PricedPaths out = price_paths(s.table, s.prices, {});
        assert(!out.ended && out.all);
        std::size_t n_paths = 0;
        for (std::size_t leaf = 0; leaf < s.table.n_leaves(); ++leaf) {
            double best = kInfinite;
            each_path(s, s.table.n_branches() + leaf, {}, [&](const std::vector<std::int32_t>& path) {
                const double cost = cost_of(s, leaf, path);
                best = std::min(best, cost);
                n_paths += std::isfinite(cost);
            });
            assert(best == out.best[leaf] || std::abs(best - out.best[leaf]) < 1e-9);
        }
        assert(n_paths == out.leaf.size());
        PathPrices few = s.prices;
        few.most = 1;
        few.below = 0;
        const PricedPaths short_list = price_paths(s.table, few, {});
        assert(short_list.best == out.best);
        for (std::size_t i = 0; i < short_list.leaf.size(); ++i) {
            assert(short_list.cost[i] < 0);
            assert(short_list.cost[i] == short_list.best[static_cast<std::size_t>(short_list.leaf[i])]);
        }
    }
}

// All trees: choices of all branches, as numbers of as many digits.
double best_tree(const Sample& s) {
    std::vector<std::int32_t> choice(s.begin.begin(), s.begin.end() - 1);
    double best = kInfinite;
    for (;;) {
        double total = 0;
        for (std::size_t leaf = 0; leaf < s.table.n_leaves(); ++leaf) {
            std::vector<std::int32_t> path;
            for (std::size_t node = s.table.n_branches() + leaf; node > 0;) {
                node = (node - 1) / 2;
                path.insert(path.begin(), choice[node]);
            }
            total += cost_of(s, leaf, path);
        }
        best = std::min(best, total);
        std::size_t node = 0;
        while (node < choice.size() && ++choice[node] == s.begin[node + 1]) choice[node] = s.begin[node], ++node;
        if (node == choice.size()) return best;
    }
}

void trees_equal_trying_all_trees() {
    std::mt19937 random(6);
    for (int trial = 0; trial < 150; ++trial) {
        Sample s;
        fill(s, random, true);
        const ChosenTree out = best_chosen_tree(s.table, s.cost, s.open, s.prices.price, {});
        const double best = best_tree(s);
        assert(!out.ended);
        assert(best == out.cost || std::abs(best - out.cost) < 1e-9);
    }
}

void ends_when_told() {
    std::mt19937 random(7);
    Sample s;
    fill(s, random, true);
    Budget none;
    none.seconds = 0;
    assert(price_paths(s.table, s.prices, none).ended == Status::out_of_time);
    assert(best_chosen_tree(s.table, s.cost, s.open, 0, none).ended == Status::out_of_time);
}

}  // namespace

int main() {
    prices_equal_trying_all_paths();
    trees_equal_trying_all_trees();
    ends_when_told();
}
