#include "paths/pricing.hpp"

#include <algorithm>
#include <limits>

#include "paths/walker.hpp"

namespace exactree::paths {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Range of the leaves below a node.
std::pair<std::size_t, std::size_t> leaves_below(const PathTable& table, std::size_t node, int level) {
    const std::size_t span = std::size_t{1} << (table.depth - level);
    const std::size_t first = (node + 1 - (std::size_t{1} << level)) * span;
    return {first, first + span};
}

// The cheapest few paths of one leaf; of equal ones the first found.
class Shortlist {
 public:
    struct PricedPath {
        double cost;
        std::uint64_t found;
        std::int32_t label;
        std::vector<std::int32_t> choices;
        bool operator<(const PricedPath& other) const noexcept {
            return std::pair(cost, found) < std::pair(other.cost, other.found);
        }
    };

    // Reduced cost below which a path is listed.
    double limit(const PathPrices& prices) const noexcept {
        return entries_.size() < prices.most ? prices.below : std::min(prices.below, entries_.front().cost);
    }
    void push(PricedPath entry, std::size_t most) {
        entries_.push_back(std::move(entry));
        std::push_heap(entries_.begin(), entries_.end());
        if (entries_.size() <= most) return;
        std::pop_heap(entries_.begin(), entries_.end());
        entries_.pop_back();
    }
    std::vector<PricedPath>& sorted() {
        std::sort(entries_.begin(), entries_.end());
        return entries_;
    }

 private:
    std::vector<PricedPath> entries_;
};

class PathPricer {
 public:
    PathPricer(const PathTable& table, const PathPrices& prices, const Budget& budget)
        : table_(table), prices_(prices), walker_(table, prices.cost, prices.open), watchdog_(budget) {
        const std::size_t n_leaves = table.n_leaves();
        out_.best.assign(prices.known.begin(), prices.known.end());
        lists_.resize(n_leaves);
        duals_paid_.assign(prices.leaf_dual.begin(), prices.leaf_dual.end());
        rest_.assign(n_leaves * static_cast<std::size_t>(table.depth + 1), 0.0);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) fill_rest(leaf);
    }

    PricedPaths run() {
        watchdog_.check_now();
        walk(0, walker_.all_rows(), 0, false);
        out_.ended = watchdog_.status();
        for (std::size_t leaf = 0; leaf < lists_.size(); ++leaf) {
            const std::vector<Shortlist::PricedPath>& entries = lists_[leaf].sorted();
            out_.all = out_.all && entries.size() < prices_.most;  // once full, others may have been dropped
            for (const Shortlist::PricedPath& entry : entries) {
                out_.leaf.push_back(static_cast<std::int32_t>(leaf));
                out_.label.push_back(entry.label);
                out_.cost.push_back(entry.cost);
                out_.choices.insert(out_.choices.end(), entry.choices.begin(), entry.choices.end());
            }
        }
        return std::move(out_);
    }

 private:
    double link_dual(std::size_t leaf, std::int32_t choice) const noexcept {
        return prices_.link_dual[leaf * table_.n_choices() + static_cast<std::size_t>(choice)];
    }
    double rest(std::size_t leaf, int level) const noexcept {
        return rest_[leaf * static_cast<std::size_t>(table_.depth + 1) + static_cast<std::size_t>(level)];
    }

    // The least sum of link duals from each level on.
    void fill_rest(std::size_t leaf) {
        std::size_t node = table_.n_branches() + leaf;
        double sum = 0;
        for (int level = table_.depth; level-- > 0;) {
            node = (node - 1) / 2;
            double least = kInfinite;
            for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c)
                if (prices_.open[static_cast<std::size_t>(c)]) least = std::min(least, link_dual(leaf, c));
            sum += least;
            rest_[leaf * static_cast<std::size_t>(table_.depth + 1) + static_cast<std::size_t>(level)] = sum;
        }
    }

    // Lower bound of the cost of a leaf's rows, whatever is asked below: rows of positive cost may be sent elsewhere.
    double least_cost(const RowList& rows) const noexcept {
        const auto n_classes = static_cast<std::size_t>(table_.n_classes);
        double least = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            double sum = 0;
            for (const RowId row : rows) sum += std::min(0.0, prices_.cost[row * n_classes + k]);
            least = std::min(least, sum);
        }
        return least;
    }

    bool promising(std::size_t node, const RowList& rows, int level) const noexcept {
        const auto [first, last] = leaves_below(table_, node, level);
        const double least = least_cost(rows);
        for (std::size_t leaf = first; leaf < last; ++leaf)
            if (duals_paid_[leaf] + rest(leaf, level) + least < std::max(out_.best[leaf], lists_[leaf].limit(prices_)))
                return true;
        return false;
    }

    void add_duals(std::size_t node, int level, std::int32_t choice) noexcept {
        const auto [first, last] = leaves_below(table_, node, level);
        for (std::size_t leaf = first; leaf < last; ++leaf) duals_paid_[leaf] += link_dual(leaf, choice);
    }

    void walk(std::size_t node, const RowList& rows, int level, bool ended) {
        ++out_.visits;
        if (watchdog_.spend(walker_.work(node, rows.size(), level))) return;
        if (level == table_.depth - 1) return finish(node, rows, ended);
        const auto [first, last] = leaves_below(table_, node, level);
        const std::vector<double> before(duals_paid_.begin() + static_cast<std::ptrdiff_t>(first),
                                         duals_paid_.begin() + static_cast<std::ptrdiff_t>(last));
        for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c) {
            if (!walker_.may_follow(c, ended)) continue;
            walker_.split(rows, c, level);
            watchdog_.spend((rows.size() + 16) * static_cast<std::size_t>(table_.n_classes + 2));
            add_duals(node, level, c);
            path_.push_back(c);
            const bool ends = walker_.asks_nothing(c);
            if (promising(2 * node + 1, walker_.yes(level), level + 1))
                walk(2 * node + 1, walker_.yes(level), level + 1, ends);
            if (promising(2 * node + 2, walker_.no(level), level + 1))
                walk(2 * node + 2, walker_.no(level), level + 1, ends);
            path_.pop_back();
            std::copy(before.begin(), before.end(), duals_paid_.begin() + static_cast<std::ptrdiff_t>(first));
            if (watchdog_.stopped()) return;
        }
    }

    void finish(std::size_t node, const RowList& rows, bool ended) {
        const std::size_t leaf = 2 * node + 1 - table_.n_branches();
        walker_.last_level(node, rows, ended, [&](std::int32_t choice, const double* yes, const double* no) {
            offer(leaf, choice, yes);
            offer(leaf + 1, choice, no);
        });
    }

    void offer(std::size_t leaf, std::int32_t choice, const double* sums) {
        const std::uint8_t* allowed_labels =
            prices_.allowed_labels.data() + leaf * static_cast<std::size_t>(table_.n_classes);
        const auto [cost, label] = walker_.answer(sums, allowed_labels, prices_.price);
        const double total = duals_paid_[leaf] + link_dual(leaf, choice) + cost;
        out_.best[leaf] = std::min(out_.best[leaf], total);
        if (total >= lists_[leaf].limit(prices_)) return;
        path_.push_back(choice);
        lists_[leaf].push({total, ++found_, label, path_}, prices_.most);
        path_.pop_back();
    }

    const PathTable& table_;
    const PathPrices& prices_;
    PathWalker walker_;
    Watchdog watchdog_;
    PricedPaths out_;
    std::vector<Shortlist> lists_;    // by leaf
    std::vector<double> duals_paid_;  // by leaf: its dual and the link duals of the choices made
    std::vector<double> rest_;        // by leaf and level
    std::vector<std::int32_t> path_;
    std::uint64_t found_ = 0;
};

class ChosenTreeSearch {
 public:
    ChosenTreeSearch(const PathTable& table, std::span<const double> cost, std::span<const std::uint8_t> open,
                     double price, const Budget& budget)
        : table_(table), walker_(table, cost, open), price_(price), watchdog_(budget) {
        out_.choice.assign(table.n_branches(), -1);
    }

    ChosenTree run() {
        watchdog_.check_now();
        out_.cost = best(0, walker_.all_rows(), 0, false, kInfinite, out_.choice);
        out_.ended = watchdog_.status();
        return std::move(out_);
    }

 private:
    // The least cost below a node, if less than the limit; then its choices are written out.
    double best(std::size_t node, const RowList& rows, int level, bool ended, double limit,
                std::vector<std::int32_t>& choice) {
        ++out_.visits;
        if (watchdog_.spend(walker_.work(node, rows.size(), level))) return kInfinite;
        double least = limit;
        if (level == table_.depth - 1) {
            walker_.last_level(node, rows, ended, [&](std::int32_t c, const double* yes, const double* no) {
                const double cost =
                    walker_.answer(yes, nullptr, price_).first + walker_.answer(no, nullptr, price_).first;
                if (cost >= least) return;
                least = cost;
                choice[node] = c;
            });
            return least < limit ? least : kInfinite;
        }
        std::vector<std::int32_t> below(choice);  // choices of other branches are kept
        for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c) {
            if (!walker_.may_follow(c, ended)) continue;
            walker_.split(rows, c, level);
            if (watchdog_.spend((rows.size() + 16) * static_cast<std::size_t>(table_.n_classes + 2))) break;
            const bool ends = walker_.asks_nothing(c);
            const double yes = best(2 * node + 1, walker_.yes(level), level + 1, ends, least, below);
            if (yes >= least) continue;
            const double cost = yes + best(2 * node + 2, walker_.no(level), level + 1, ends, least - yes, below);
            if (cost >= least) continue;
            least = cost;
            choice = below;
            choice[node] = c;
        }
        return least < limit ? least : kInfinite;
    }

    const PathTable& table_;
    PathWalker walker_;
    double price_;
    Watchdog watchdog_;
    ChosenTree out_;
};

}  // namespace

PricedPaths price_paths(const PathTable& table, const PathPrices& prices, const Budget& budget) {
    return PathPricer(table, prices, budget).run();
}

ChosenTree best_chosen_tree(const PathTable& table, std::span<const double> cost, std::span<const std::uint8_t> open,
                            double price, const Budget& budget) {
    return ChosenTreeSearch(table, cost, open, price, budget).run();
}

std::vector<double> path_sums(const PathTable& table, std::span<const double> amounts, std::size_t n_amounts,
                              std::span<const std::int32_t> leaf, std::span<const std::int32_t> choices) {
    const auto depth = static_cast<std::size_t>(table.depth);
    std::vector<double> sums(leaf.size() * n_amounts, 0.0);
    RowList rows;
    for (std::size_t p = 0; p < leaf.size(); ++p) {
        rows.resize(table.n_rows);
        std::iota(rows.begin(), rows.end(), RowId{0});
        for (std::size_t level = 0; level < depth; ++level) {
            const auto choice = static_cast<std::size_t>(choices[p * depth + level]);
            const bool wants_no = (static_cast<std::size_t>(leaf[p]) >> (depth - 1 - level)) & 1;
            const std::int32_t column = table.column[choice];
            if (column < 0) {
                if (wants_no) rows.clear();
                continue;
            }
            const Rank* ranks = table.ranks.data() + static_cast<std::size_t>(column) * table.n_rows;
            const auto cut = static_cast<Rank>(table.rank[choice]);
            std::erase_if(rows, [&](RowId row) { return (ranks[row] > cut) != wants_no; });
        }
        for (const RowId row : rows)
            for (std::size_t i = 0; i < n_amounts; ++i) sums[p * n_amounts + i] += amounts[row * n_amounts + i];
    }
    return sums;
}

}  // namespace exactree::paths
