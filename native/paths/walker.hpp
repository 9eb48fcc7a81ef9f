// Walks down a complete tree of choices; see pricing.hpp.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "paths/pricing.hpp"

namespace exactree::paths {

using RowList = std::vector<RowId>;

// The choices of a branch of the last level that ask about one column, by rank, and the first of them that answers yes.
struct Sweep {
    std::int32_t column;
    std::vector<std::int32_t> choices;
    std::vector<std::int32_t> first_yes;  // of each rank
};

// Walks down the complete tree, and knows the sums of both sides of every choice at its last level.
class PathWalker {
 public:
    PathWalker(const PathTable& table, std::span<const double> cost, std::span<const std::uint8_t> open)
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

    // Rows on the two sides of a choice; valid until the next call for the same level.
    void split(const RowList& rows, std::int32_t choice, int level) {
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
    std::pair<double, std::int32_t> answer(const double* sums, const std::uint8_t* allowed_labels,
                                           double price) const noexcept {
        const double rows = sums[n_sums_ - 2], weight = sums[n_sums_ - 1];
        std::pair<double, std::int32_t> best{std::numeric_limits<double>::infinity(), -1};
        if (rows > 0 && (rows < table_.least_rows || weight < table_.least_weight)) return best;
        for (std::int32_t k = 0; k < table_.n_classes; ++k)
            if ((allowed_labels == nullptr || allowed_labels[k]) && sums[k] < best.first) best = {sums[k], k};
        if (rows > 0) best.first += price;
        return best;
    }

    // Work of a visit to a branch, for the watchdog: at the last level every column is swept and every choice scored.
    std::uint64_t work(std::size_t node, std::size_t n_rows, int level) const noexcept {
        if (level < table_.depth - 1) return 16 + n_rows;
        const std::size_t n_sweeps = sweeps_[node - table_.n_branches() / 2].size() + 1;
        const auto n_choices = static_cast<std::size_t>(table_.begin[node + 1] - table_.begin[node]);
        return (n_sweeps * (n_rows + 16) + 8 * n_choices) * n_sums_;
    }

    RowList all_rows() const {
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

}  // namespace exactree::paths
