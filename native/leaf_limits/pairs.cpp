#include "leaf_limits/pairs.hpp"

#include <algorithm>

#include "core/also_avx2.hpp"
#include "core/scratch.hpp"

namespace exactree::leaf_limits {

namespace {

// The four leaves of one cut and many others, in one channel, from the sums of the side that answers yes to both.
EXACTREE_ALSO_AVX2 void split_sums(const double* both, const double* other, double yes, double total, std::size_t n,
                                   double* const* leaf) {
    for (std::size_t v = 0; v < n; ++v) {
        leaf[0][v] = both[v];
        leaf[1][v] = yes - both[v];
        leaf[2][v] = other[v] - both[v];
        leaf[3][v] = total - yes - leaf[2][v];
    }
}

// The lowest cost with which many cuts split the two sides of one cut f; and with which it splits those of each other.
EXACTREE_ALSO_AVX2 void join_leaves(const double* const* cost, std::size_t n, double* others_yes, double* others_no,
                                    double* lowest) {
    double yes = lowest[0], no = lowest[1];
    for (std::size_t b = 0; b < n; ++b) {
        const double of_yes = cost[0][b] + cost[1][b], of_no = cost[2][b] + cost[3][b];
        const double by_f_yes = cost[0][b] + cost[2][b], by_f_no = cost[1][b] + cost[3][b];
        yes = of_yes < yes ? of_yes : yes;
        no = of_no < no ? of_no : no;
        others_yes[b] = by_f_yes < others_yes[b] ? by_f_yes : others_yes[b];
        others_no[b] = by_f_no < others_no[b] ? by_f_no : others_no[b];
    }
    lowest[0] = yes;
    lowest[1] = no;
}

void offer(PairTree& best, double cost, Question question, bool splits_yes, bool splits_no) {
    if (cost < best.cost) best = {cost, question, splits_yes, splits_no};
}

}  // namespace

PairTrees PairCosts::cheapest(const worst_leaf::PairRows& sums) {
    const std::size_t n_columns = data_.data.n_columns(), width = data_.n_channels();
    cuts_.clear();
    first_.assign(1, 0);
    total_.assign(width, 0.0);
    yes_.assign(width, {});
    for (std::size_t f = 0; f < n_columns; ++f) {
        open_cuts(sums, f);
        first_.push_back(cuts_.size());
    }
    const std::size_t n = cuts_.size();
    both_yes_.resize(width);
    for (auto& of_channel : both_yes_) ensure_size(n * n, of_channel);
    for (std::size_t f = 0; f < n_columns; ++f)
        for (std::size_t g = f; g < n_columns; ++g)
            if (first_[f] < first_[f + 1] && first_[g] < first_[g + 1]) sum_up(sums, f, g);
    split_yes_.assign(n, kNever);
    split_no_.assign(n, kNever);
    for (auto& leaves : leaves_) leaves.resize(data_.n_classes(), n);
    for (std::size_t u = 0; u + 1 < n; ++u) price_pairs(u);
    return best_trees();
}

PairTrees PairCosts::best_trees() const {
    PairTrees best;
    for (std::size_t u = 0; u < cuts_.size(); ++u) {
        const PairCut& cut = cuts_[u];
        offer(best[2], cut.leaf_yes + cut.leaf_no, cut.question, false, false);
        offer(best[3], split_yes_[u] + cut.leaf_no, cut.question, true, false);
        offer(best[3], cut.leaf_yes + split_no_[u], cut.question, false, true);
        offer(best[4], split_yes_[u] + split_no_[u], cut.question, true, true);
    }
    for (std::size_t leaves = 3; leaves <= kMostPairLeaves; ++leaves)
        if (best[leaves - 1].cost <= best[leaves].cost) best[leaves] = best[leaves - 1];
    return best;
}

// The cuts of a column that split the rows, with both sides as leaves, from the pair of the column with itself.
void PairCosts::open_cuts(const worst_leaf::PairRows& sums, std::size_t f) {
    const std::size_t n = data_.data.n_ranks[f], width = data_.n_channels();
    std::vector<double> yes(width, 0.0), no(width), here(width);
    const auto at = [&](std::size_t c, std::size_t a) {
        const double without = sums.without == nullptr ? 0 : sums.without->table(c, f, f)[a * n + a];
        return sums.all.table(c, f, f)[a * n + a] - without;
    };
    if (f == 0)
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t a = 0; a < n; ++a) total_[c] += at(c, a);
    for (std::size_t a = 0; a + 1 < n; ++a) {
        for (std::size_t c = 0; c < width; ++c) {
            here[c] = at(c, a);
            yes[c] += here[c];
            no[c] = total_[c] - yes[c];
        }
        if (data_.rows(here.data()) <= 0 || data_.rows(no.data()) <= 0) continue;
        PairCut cut{{static_cast<std::int32_t>(f), static_cast<Rank>(a)}};
        cut.leaf_yes = costs_.leaf(yes.data(), yes.data(), data_.rows(yes.data())).cost;
        cut.leaf_no = costs_.leaf(no.data(), no.data(), data_.rows(no.data())).cost;
        cuts_.push_back(cut);
        for (std::size_t c = 0; c < width; ++c) yes_[c].push_back(yes[c]);
    }
}

// Sums of the rows that answer yes to a cut of f and to one of g, for all such pairs.
void PairCosts::sum_up(const worst_leaf::PairRows& sums, std::size_t f, std::size_t g) {
    const std::size_t n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g], n = cuts_.size();
    ensure_size(n_f * n_g, prefix_sums_);
    for (std::size_t c = 0; c < data_.n_channels(); ++c) {
        const double* without = sums.without == nullptr ? nullptr : sums.without->table(c, f, g);
        worst_leaf::sum_prefixes(sums.all.table(c, f, g), without, n_f, n_g, prefix_sums_.data());
        for (std::size_t u = first_[f]; u < first_[f + 1]; ++u)
            for (std::size_t v = std::max(u + 1, first_[g]); v < first_[g + 1]; ++v)
                both_yes_[c][u * n + v] = prefix_sums_[cuts_[u].question.rank * n_g + cuts_[v].question.rank];
    }
}

void PairCosts::set_rows(ManyLeaves& leaves, std::size_t n) const {
    if (data_.counts_apart) return;
    std::fill_n(leaves.rows.begin(), n, 0.0);
    for (const auto& of_class : leaves.amounts)
        for (std::size_t i = 0; i < n; ++i) leaves.rows[i] += of_class[i];
}

// A cut and all that follow it.
void PairCosts::price_pairs(std::size_t u) {
    const std::size_t n = cuts_.size() - u - 1;
    for (std::size_t c = 0; c < data_.n_channels(); ++c) fill_leaves(c, u, n);
    const double* cost[4];
    for (int i = 0; i < 4; ++i) {
        set_rows(leaves_[i], n);
        costs_.price(leaves_[i], n);
        cost[i] = leaves_[i].cost.data();
    }
    double lowest[2] = {split_yes_[u], split_no_[u]};
    join_leaves(cost, n, split_yes_.data() + u + 1, split_no_.data() + u + 1, lowest);
    split_yes_[u] = lowest[0];
    split_no_[u] = lowest[1];
}

void PairCosts::fill_leaves(std::size_t channel, std::size_t u, std::size_t n) {
    const double* both = both_yes_[channel].data() + u * cuts_.size() + u + 1;
    double* leaf[4];
    for (int i = 0; i < 4; ++i) leaf[i] = channel_of(leaves_[i], channel);
    split_sums(both, yes_[channel].data() + u + 1, yes_[channel][u], total_[channel], n, leaf);
}

}  // namespace exactree::leaf_limits
