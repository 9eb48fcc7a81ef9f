#include "path_search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace exactree {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

using RowList = std::vector<RowId>;

// The choices of a branch of the last level that ask about one column, by rank, and the first of them that says yes.
struct Sweep {
    std::int32_t column;
    std::vector<std::int32_t> choices;
    std::vector<std::int32_t> first_yes;  // of each rank
};

// Walks down the complete tree, and knows the sums of both sides of every choice at its last level.
class Walker {
 public:
    Walker(const PathTable& table, std::span<const double> cost, std::span<const std::uint8_t> open)
        : table_(table), cost_(cost), open_(open), n_sums_(static_cast<std::size_t>(table.n_classes) + 2) {
        yes_.resize(static_cast<std::size_t>(table.depth));
        no_.resize(static_cast<std::size_t>(table.depth));
        const std::size_t first = table.n_branches() / 2;
        for (std::size_t node = first; node < table.n_branches(); ++node) sweeps_.push_back(sweeps_of(node));
        empty_.assign(n_sums_, 0.0);
    }

    bool asks_nothing(std::int32_t choice) const noexcept { return table_.column[at(choice)] < 0; }
    bool may_follow(std::int32_t choice, bool ended) const noexcept {
        return open_[at(choice)] && (!ended || asks_nothing(choice));
    }

    // Rows on the two sides of a choice; they stay until the next call for the same level.
    void part(const RowList& rows, std::int32_t choice, int level) {
        RowList &yes = yes_[at(level)], &no = no_[at(level)];
        if (asks_nothing(choice)) {
            yes = rows;
            no.clear();
            return;
        }
        const Rank* ranks = ranks_of(table_.column[at(choice)]);
        const auto cut = static_cast<Rank>(table_.rank[at(choice)]);
        yes.clear();
        no.clear();
        for (const RowId row : rows) (ranks[row] <= cut ? yes : no).push_back(row);
    }
    const RowList& yes(int level) const noexcept { return yes_[at(level)]; }
    const RowList& no(int level) const noexcept { return no_[at(level)]; }

    // Calls visit(choice, sums of the yes side, sums of the no side) for the choices of a branch of the last level.
    // Sums are the cost of each answer, rows and weight.
    template <class Visit>
    void last_level(std::size_t node, const RowList& rows, bool ended, Visit visit) {
        for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c)
            if (asks_nothing(c) && open_[at(c)]) {
                lower_.assign(n_sums_, 0.0);
                for (const RowId row : rows) add(row, lower_.data());
                visit(c, lower_.data(), empty_.data());
            }
        if (ended) return;
        for (const Sweep& sweep : sweeps_[node - table_.n_branches() / 2]) {
            add_up(sweep, rows);
            for (std::size_t i = 0; i < sweep.choices.size(); ++i)
                if (open_[at(sweep.choices[i])])
                    visit(sweep.choices[i], lower_.data() + i * n_sums_, upper_.data() + (i + 1) * n_sums_);
        }
    }

    // The cheapest allowed answer of a leaf with these sums; its cost is infinite if there is none.
    std::pair<double, std::int32_t> answer(const double* sums, const std::uint8_t* says, double price) const noexcept {
        const double rows = sums[n_sums_ - 2], weight = sums[n_sums_ - 1];
        std::pair<double, std::int32_t> best{kInfinite, -1};
        if (rows > 0 && (rows < table_.least_rows || weight < table_.least_weight)) return best;
        for (std::int32_t k = 0; k < table_.n_classes; ++k)
            if ((says == nullptr || says[k]) && sums[k] < best.first) best = {sums[k], k};
        if (rows > 0) best.first += price;
        return best;
    }

    // Of a visit to a branch, for the watchdog: at the last level every column is swept and every choice scored.
    std::uint64_t work(std::size_t node, std::size_t n_rows, int level) const noexcept {
        if (level < table_.depth - 1) return 16 + n_rows;
        const std::size_t n_sweeps = sweeps_[node - table_.n_branches() / 2].size() + 1;
        const auto n_choices = static_cast<std::size_t>(table_.begin[node + 1] - table_.begin[node]);
        return (n_sweeps * (n_rows + 16) + 8 * n_choices) * n_sums_;
    }

    RowList everything() const {
        RowList rows(table_.n_rows);
        std::iota(rows.begin(), rows.end(), RowId{0});
        return rows;
    }

 private:
    template <class Integer>
    static std::size_t at(Integer i) noexcept {
        return static_cast<std::size_t>(i);
    }
    const Rank* ranks_of(std::int32_t column) const noexcept {
        return table_.ranks.data() + at(column) * table_.n_rows;
    }

    void add(RowId row, double* sums) const noexcept {
        const std::size_t k = n_sums_ - 2;
        for (std::size_t i = 0; i < k; ++i) sums[i] += cost_[row * k + i];
        sums[k] += table_.sizes[2 * row];
        sums[k + 1] += table_.sizes[2 * row + 1];
    }

    // Sums up to each choice of a column, and from it on. Neither is made by subtraction, which would lose digits.
    void add_up(const Sweep& sweep, const RowList& rows) {
        const std::size_t n_parts = sweep.choices.size() + 1;
        lower_.assign(n_parts * n_sums_, 0.0);
        const Rank* ranks = ranks_of(sweep.column);
        for (const RowId row : rows) add(row, lower_.data() + at(sweep.first_yes[ranks[row]]) * n_sums_);
        upper_ = lower_;
        for (std::size_t i = n_sums_; i < n_parts * n_sums_; ++i) lower_[i] += lower_[i - n_sums_];
        for (std::size_t i = (n_parts - 1) * n_sums_; i-- > 0;) upper_[i] += upper_[i + n_sums_];
    }

    std::vector<Sweep> sweeps_of(std::size_t node) const {
        std::vector<std::int32_t> asked;
        for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c)
            if (!asks_nothing(c)) asked.push_back(c);
        std::stable_sort(asked.begin(), asked.end(), [this](std::int32_t a, std::int32_t b) {
            return std::pair(table_.column[at(a)], table_.rank[at(a)]) <
                   std::pair(table_.column[at(b)], table_.rank[at(b)]);
        });
        std::vector<Sweep> out;
        for (const std::int32_t c : asked) {
            if (out.empty() || out.back().column != table_.column[at(c)]) out.push_back({table_.column[at(c)], {}, {}});
            out.back().choices.push_back(c);
        }
        for (Sweep& sweep : out) fill_first_yes(sweep);
        return out;
    }

    void fill_first_yes(Sweep& sweep) const {
        const Rank* ranks = ranks_of(sweep.column);
        const Rank highest = *std::max_element(ranks, ranks + table_.n_rows);
        std::size_t i = 0;
        for (Rank rank = 0; rank <= highest; ++rank) {
            while (i < sweep.choices.size() && static_cast<Rank>(table_.rank[at(sweep.choices[i])]) < rank) ++i;
            sweep.first_yes.push_back(static_cast<std::int32_t>(i));
        }
    }

    const PathTable& table_;
    std::span<const double> cost_;
    std::span<const std::uint8_t> open_;
    std::size_t n_sums_;
    std::vector<RowList> yes_, no_;           // by level
    std::vector<std::vector<Sweep>> sweeps_;  // of each branch of the last level
    std::vector<double> lower_, upper_, empty_;
};

// The leaves below a node, branches and leaves counted on.
std::pair<std::size_t, std::size_t> leaves_below(const PathTable& table, std::size_t node, int level) {
    const std::size_t span = std::size_t{1} << (table.depth - level);
    const std::size_t first = (node + 1 - (std::size_t{1} << level)) * span;
    return {first, first + span};
}

// The paths of interest of one leaf: the cheapest few, of equal ones the first found.
class Shortlist {
 public:
    struct Entry {
        double cost;
        std::uint64_t found;
        std::int32_t label;
        std::vector<std::int32_t> choices;
        bool operator<(const Entry& other) const noexcept {
            return std::pair(cost, found) < std::pair(other.cost, other.found);
        }
    };

    // What a path must cost less than to get in.
    double limit(const PathPrices& prices) const noexcept {
        return entries_.size() < prices.most ? prices.below : std::min(prices.below, entries_.front().cost);
    }
    void push(Entry entry, std::size_t most) {
        entries_.push_back(std::move(entry));
        std::push_heap(entries_.begin(), entries_.end());
        if (entries_.size() <= most) return;
        std::pop_heap(entries_.begin(), entries_.end());
        entries_.pop_back();
    }
    std::vector<Entry>& sorted() {
        std::sort(entries_.begin(), entries_.end());
        return entries_;
    }

 private:
    std::vector<Entry> entries_;
};

class Pricer {
 public:
    Pricer(const PathTable& table, const PathPrices& prices, const Budget& budget)
        : table_(table), prices_(prices), walker_(table, prices.cost, prices.open), dog_(budget) {
        const std::size_t n_leaves = table.n_leaves();
        out_.best.assign(prices.known.begin(), prices.known.end());
        lists_.resize(n_leaves);
        paid_.assign(prices.fee.begin(), prices.fee.end());
        rest_.assign(n_leaves * static_cast<std::size_t>(table.depth + 1), 0.0);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) fill_rest(leaf);
    }

    PricedPaths run() {
        dog_.look_up();
        walk(0, walker_.everything(), 0, false);
        out_.ended = dog_.ending();
        for (std::size_t leaf = 0; leaf < lists_.size(); ++leaf) {
            const std::vector<Shortlist::Entry>& entries = lists_[leaf].sorted();
            out_.all = out_.all && entries.size() < prices_.most;  // once full, others may have been passed over
            for (const Shortlist::Entry& entry : entries) {
                out_.leaf.push_back(static_cast<std::int32_t>(leaf));
                out_.label.push_back(entry.label);
                out_.cost.push_back(entry.cost);
                out_.choices.insert(out_.choices.end(), entry.choices.begin(), entry.choices.end());
            }
        }
        return std::move(out_);
    }

 private:
    double toll(std::size_t leaf, std::int32_t choice) const noexcept {
        return prices_.toll[leaf * table_.n_choices() + static_cast<std::size_t>(choice)];
    }
    double rest(std::size_t leaf, int level) const noexcept {
        return rest_[leaf * static_cast<std::size_t>(table_.depth + 1) + static_cast<std::size_t>(level)];
    }

    // The least tolls that are still to be paid from each level on.
    void fill_rest(std::size_t leaf) {
        std::size_t node = table_.n_branches() + leaf;
        double sum = 0;
        for (int level = table_.depth; level-- > 0;) {
            node = (node - 1) / 2;
            double least = kInfinite;
            for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c)
                if (prices_.open[static_cast<std::size_t>(c)]) least = std::min(least, toll(leaf, c));
            sum += least;
            rest_[leaf * static_cast<std::size_t>(table_.depth + 1) + static_cast<std::size_t>(level)] = sum;
        }
    }

    // What the rows of a leaf may cost at least, whatever is asked on the way: those with a cost above 0 stay away.
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
            if (paid_[leaf] + rest(leaf, level) + least < std::max(out_.best[leaf], lists_[leaf].limit(prices_)))
                return true;
        return false;
    }

    void pay(std::size_t node, int level, std::int32_t choice) noexcept {
        const auto [first, last] = leaves_below(table_, node, level);
        for (std::size_t leaf = first; leaf < last; ++leaf) paid_[leaf] += toll(leaf, choice);
    }

    void walk(std::size_t node, const RowList& rows, int level, bool ended) {
        ++out_.visits;
        if (dog_.spend(walker_.work(node, rows.size(), level))) return;
        if (level == table_.depth - 1) return finish(node, rows, ended);
        const auto [first, last] = leaves_below(table_, node, level);
        const std::vector<double> before(paid_.begin() + static_cast<std::ptrdiff_t>(first),
                                         paid_.begin() + static_cast<std::ptrdiff_t>(last));
        for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c) {
            if (!walker_.may_follow(c, ended)) continue;
            walker_.part(rows, c, level);
            dog_.spend((rows.size() + 16) * static_cast<std::size_t>(table_.n_classes + 2));
            pay(node, level, c);
            path_.push_back(c);
            const bool ends = walker_.asks_nothing(c);
            if (promising(2 * node + 1, walker_.yes(level), level + 1))
                walk(2 * node + 1, walker_.yes(level), level + 1, ends);
            if (promising(2 * node + 2, walker_.no(level), level + 1))
                walk(2 * node + 2, walker_.no(level), level + 1, ends);
            path_.pop_back();
            std::copy(before.begin(), before.end(), paid_.begin() + static_cast<std::ptrdiff_t>(first));
            if (dog_.stopped()) return;
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
        const std::uint8_t* says = prices_.says.data() + leaf * static_cast<std::size_t>(table_.n_classes);
        const auto [cost, label] = walker_.answer(sums, says, prices_.price);
        const double total = paid_[leaf] + toll(leaf, choice) + cost;
        out_.best[leaf] = std::min(out_.best[leaf], total);
        if (total >= lists_[leaf].limit(prices_)) return;
        path_.push_back(choice);
        lists_[leaf].push({total, ++found_, label, path_}, prices_.most);
        path_.pop_back();
    }

    const PathTable& table_;
    const PathPrices& prices_;
    Walker walker_;
    Watchdog dog_;
    PricedPaths out_;
    std::vector<Shortlist> lists_;  // by leaf
    std::vector<double> paid_;      // by leaf: fee and tolls of the choices made
    std::vector<double> rest_;      // by leaf and level
    std::vector<std::int32_t> path_;
    std::uint64_t found_ = 0;
};

class Chooser {
 public:
    Chooser(const PathTable& table, std::span<const double> cost, std::span<const std::uint8_t> open, double price,
            const Budget& budget)
        : table_(table), walker_(table, cost, open), price_(price), dog_(budget) {
        out_.choice.assign(table.n_branches(), -1);
    }

    ChosenTree run() {
        dog_.look_up();
        out_.cost = best(0, walker_.everything(), 0, false, kInfinite, out_.choice);
        out_.ended = dog_.ending();
        return std::move(out_);
    }

 private:
    // The least cost below a node, if less than the limit; then its choices are written down.
    double best(std::size_t node, const RowList& rows, int level, bool ended, double limit,
                std::vector<std::int32_t>& choice) {
        ++out_.visits;
        if (dog_.spend(walker_.work(node, rows.size(), level))) return kInfinite;
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
        std::vector<std::int32_t> below(choice);  // what other branches have chosen stays
        for (std::int32_t c = table_.begin[node]; c < table_.begin[node + 1]; ++c) {
            if (!walker_.may_follow(c, ended)) continue;
            walker_.part(rows, c, level);
            dog_.spend((rows.size() + 16) * static_cast<std::size_t>(table_.n_classes + 2));
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
    Walker walker_;
    double price_;
    Watchdog dog_;
    ChosenTree out_;
};

}  // namespace

PricedPaths price_paths(const PathTable& table, const PathPrices& prices, const Budget& budget) {
    return Pricer(table, prices, budget).run();
}

ChosenTree best_chosen_tree(const PathTable& table, std::span<const double> cost, std::span<const std::uint8_t> open,
                            double price, const Budget& budget) {
    return Chooser(table, cost, open, price, budget).run();
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

}  // namespace exactree
