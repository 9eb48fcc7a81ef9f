#include "leaf_limits/pairs.hpp"

#include <algorithm>

#include "core/also_avx2.hpp"
#include "core/scratch.hpp"

namespace exactree::leaf_limits {

namespace {

// The four leaves of one cut of f and every cut of g, in one channel.
EXACTREE_ALSO_AVX2 void split_sums(const double* low, const double* all, double low_total, double total, std::size_t n,
                                   double* const* leaf) {
    for (std::size_t b = 0; b < n; ++b) {
        leaf[0][b] = low[b];
        leaf[1][b] = low_total - low[b];
        leaf[2][b] = all[b] - low[b];
        leaf[3][b] = total - low_total - leaf[2][b];
    }
}

// The lowest cost with which cuts of g split the two sides of the current cut of f; and that of f for each cut of g.
EXACTREE_ALSO_AVX2 void join_leaves(const double* const* cost, std::size_t n, double* of_g_yes, double* of_g_no,
                                    double* lowest) {
    double yes = lowest[0], no = lowest[1];
    for (std::size_t b = 0; b < n; ++b) {
        const double of_yes = cost[0][b] + cost[1][b], of_no = cost[2][b] + cost[3][b];
        const double g_yes = cost[0][b] + cost[2][b], g_no = cost[1][b] + cost[3][b];
        yes = of_yes < yes ? of_yes : yes;
        no = of_no < no ? of_no : no;
        of_g_yes[b] = g_yes < of_g_yes[b] ? g_yes : of_g_yes[b];
        of_g_no[b] = g_no < of_g_no[b] ? g_no : of_g_no[b];
    }
    lowest[0] = yes;
    lowest[1] = no;
}

void offer(PairTree& best, double cost, Question question, bool splits_yes, bool splits_no) {
    if (cost < best.cost) best = {cost, question, splits_yes, splits_no};
}

}  // namespace

PairTrees PairCosts::cheapest(const worst_leaf::PairRows& sums) {
    const std::size_t n_columns = data_.data.n_columns();
    cuts_.resize(n_columns);
    for (std::size_t f = 0; f < n_columns; ++f) price_column(sums, f);
    for (std::size_t f = 0; f < n_columns; ++f)
        for (std::size_t g = f; g < n_columns; ++g)
            if (!cuts_[f].open.empty() && !cuts_[g].open.empty()) price_pair(sums, f, g);
    PairTrees best;
    for (std::size_t f = 0; f < n_columns; ++f) {
        const ColumnCuts& cuts = cuts_[f];
        for (const Rank a : cuts.open) {
            const Question question{static_cast<std::int32_t>(f), a};
            offer(best[2], cuts.leaf_yes[a] + cuts.leaf_no[a], question, false, false);
            offer(best[3], cuts.split_yes[a] + cuts.leaf_no[a], question, true, false);
            offer(best[3], cuts.leaf_yes[a] + cuts.split_no[a], question, false, true);
            offer(best[4], cuts.split_yes[a] + cuts.split_no[a], question, true, true);
        }
    }
    for (std::size_t leaves = 3; leaves <= kMostPairLeaves; ++leaves)
        if (best[leaves - 1].cost <= best[leaves].cost) best[leaves] = best[leaves - 1];
    return best;
}

// Both sides of each cut as leaves, from the pair of the column with itself.
void PairCosts::price_column(const worst_leaf::PairRows& sums, std::size_t f) {
    const std::size_t n = data_.data.n_ranks[f];
    ColumnCuts& cuts = cuts_[f];
    cuts.open.clear();
    ManyLeaves &yes = leaves_[0], &no = leaves_[1];
    yes.resize(data_.n_classes(), n);
    no.resize(data_.n_classes(), n);
    std::vector<double> here(n, 0.0);
    for (std::size_t c = 0; c < data_.n_channels(); ++c) {
        double sum = 0;
        for (std::size_t a = 0; a < n; ++a) {
            const double without = sums.without == nullptr ? 0 : sums.without->table(c, f, f)[a * n + a];
            const double weight = sums.all.table(c, f, f)[a * n + a] - without;
            here[a] += c < data_.n_classes() && data_.counts_apart ? 0 : weight;
            cell(yes, c, a) = sum += weight;
        }
        for (std::size_t a = 0; a < n; ++a) cell(no, c, a) = sum - cell(yes, c, a);
    }
    for (std::size_t a = 0; a + 1 < n; ++a)
        if (here[a] > 0) cuts.open.push_back(static_cast<Rank>(a));
    set_rows(yes, n);
    set_rows(no, n);
    if (!cuts.open.empty() && no.rows[cuts.open.back()] <= 0) cuts.open.pop_back();
    costs_.price(yes, n);
    costs_.price(no, n);
    cuts.leaf_yes.assign(yes.cost.begin(), yes.cost.begin() + static_cast<std::ptrdiff_t>(n));
    cuts.leaf_no.assign(no.cost.begin(), no.cost.begin() + static_cast<std::ptrdiff_t>(n));
    cuts.split_yes.assign(n, kNever);
    cuts.split_no.assign(n, kNever);
}

void PairCosts::set_rows(ManyLeaves& leaves, std::size_t n) const {
    if (data_.counts_apart) return;
    std::fill_n(leaves.rows.begin(), n, 0.0);
    for (const auto& of_class : leaves.amounts)
        for (std::size_t i = 0; i < n; ++i) leaves.rows[i] += of_class[i];
}

void PairCosts::price_pair(const worst_leaf::PairRows& sums, std::size_t f, std::size_t g) {
    const std::size_t n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g], n = n_g - 1;
    if (n_f < 2 || n_g < 2) return;
    sum_up(sums, f, g);
    ColumnCuts &of_f = cuts_[f], &of_g = cuts_[g];
    const double* cost[4];
    for (const Rank a : of_f.open) {
        fill_leaves(a, n_f, n_g);
        for (int i = 0; i < 4; ++i) {
            costs_.price(leaves_[i], n);
            cost[i] = leaves_[i].cost.data();
        }
        double lowest[2] = {of_f.split_yes[a], of_f.split_no[a]};
        join_leaves(cost, n, of_g.split_yes.data(), of_g.split_no.data(), lowest);
        of_f.split_yes[a] = lowest[0];
        of_f.split_no[a] = lowest[1];
    }
}

// Running sums of a table over both axes.
void PairCosts::sum_up(const worst_leaf::PairRows& sums, std::size_t f, std::size_t g) {
    const std::size_t width = data_.n_channels(), n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g];
    prefix_sums_.resize(width);
    for (std::size_t c = 0; c < width; ++c) {
        ensure_size(n_f * n_g, prefix_sums_[c]);
        const double* without = sums.without == nullptr ? nullptr : sums.without->table(c, f, g);
        worst_leaf::sum_prefixes(sums.all.table(c, f, g), without, n_f, n_g, prefix_sums_[c].data());
    }
    for (auto& leaves : leaves_) leaves.resize(data_.n_classes(), n_g);
}

// The four leaves of cut a of f and every cut of g.
void PairCosts::fill_leaves(std::size_t a, std::size_t n_f, std::size_t n_g) {
    const std::size_t n = n_g - 1;
    for (std::size_t c = 0; c < data_.n_channels(); ++c) {
        const double* low = prefix_sums_[c].data() + a * n_g;
        const double* all = prefix_sums_[c].data() + (n_f - 1) * n_g;
        double* leaf[4];
        for (int i = 0; i < 4; ++i) leaf[i] = &cell(leaves_[i], c, 0);
        split_sums(low, all, low[n], all[n], n, leaf);
    }
    for (auto& leaves : leaves_) set_rows(leaves, n);
}

}  // namespace exactree::leaf_limits
