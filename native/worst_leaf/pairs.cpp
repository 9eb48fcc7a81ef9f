#include "worst_leaf/pairs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/also_avx2.hpp"

namespace exactree::worst_leaf {

namespace {

// Which of many leaves are feasible: score above q, and large enough.
EXACTREE_ALSO_AVX2 void find_feasible(const double* most, const double* weight, const double* rows, double q,
                                      double spread, double least_rows, double least_weight, std::size_t n,
                                      double* feasible) {
    for (std::size_t i = 0; i < n; ++i) {
        const double surplus = most[i] - q * weight[i];
        const bool passes = (surplus > 0) & (surplus * surplus > spread * weight[i]) & (rows[i] >= least_rows) &
                            (weight[i] >= least_weight);
        feasible[i] = passes ? 1.0 : 0.0;
    }
}

// The four leaves of one cut of f and every cut of g, one class.
EXACTREE_ALSO_AVX2 void add_leaves(const double* low, const double* all, double low_total, double total, std::size_t n,
                                   double* const* most, double* const* weight) {
    for (std::size_t b = 0; b < n; ++b) {
        const double low_low = low[b], low_high = low_total - low[b], high_low = all[b] - low[b];
        const double high_high = total - low_total - high_low;
        most[0][b] = most[0][b] > low_low ? most[0][b] : low_low;
        most[1][b] = most[1][b] > low_high ? most[1][b] : low_high;
        most[2][b] = most[2][b] > high_low ? most[2][b] : high_low;
        most[3][b] = most[3][b] > high_high ? most[3][b] : high_high;
        weight[0][b] += low_low;
        weight[1][b] += low_high;
        weight[2][b] += high_low;
        weight[3][b] += high_high;
    }
}

// Marks cuts of g whose sides the current cut of f can split; returns whether g can split the sides of that cut, as
// bits 1 and 2.
EXACTREE_ALSO_AVX2 int mark(double* const* feasible, std::size_t n, double* pair_yes, double* pair_no) {
    double yes = 0, no = 0;
    for (std::size_t b = 0; b < n; ++b) {
        const double of_yes = feasible[0][b] * feasible[1][b], of_no = feasible[2][b] * feasible[3][b];
        const double yes_g = feasible[0][b] * feasible[2][b], no_g = feasible[1][b] * feasible[3][b];
        yes += of_yes;
        no += of_no;
        pair_yes[b] += yes_g;
        pair_no[b] += no_g;
    }
    return (yes > 0 ? 1 : 0) + (no > 0 ? 2 : 0);
}

}  // namespace

EXACTREE_ALSO_AVX2 void sum_prefixes(const double* table, const double* without, std::size_t n_f, std::size_t n_g,
                                     double* prefix_sums) {
    const std::size_t size = n_f * n_g;
    if (without == nullptr)
        std::copy_n(table, size, prefix_sums);
    else
        for (std::size_t i = 0; i < size; ++i) prefix_sums[i] = table[i] - without[i];
    for (std::size_t i = n_g; i < size; ++i) prefix_sums[i] += prefix_sums[i - n_g];
    for (std::size_t a = 0; a < n_f; ++a) {
        double* row = prefix_sums + a * n_g;
        for (std::size_t b = 1; b < n_g; ++b) row[b] += row[b - 1];
    }
}

std::size_t PairTables::bytes(const LeafData& data, Rank most_ranks) {
    std::size_t cells = 0, squares = 0;
    for (const std::size_t n : data.data.n_ranks) {
        if (n > most_ranks) return std::numeric_limits<std::size_t>::max();
        cells += n;
        squares += n * n;
    }
    return (cells * cells + squares) / 2 * data.n_channels() * sizeof(double);
}

PairTables::PairTables(const LeafData& data) : data_(data), n_columns_(data.data.n_columns()) {
    first_.assign(n_columns_ * n_columns_, 0);
    for (std::size_t f = 0; f < n_columns_; ++f) {
        for (std::size_t g = f; g < n_columns_; ++g) {
            first_[f * n_columns_ + g] = n_cells_;
            n_cells_ += std::size_t{data.data.n_ranks[f]} * data.data.n_ranks[g];
        }
    }
    cells_.assign(n_cells_ * data.n_channels(), 0.0);
}

// Pair by pair, not row by row: the table of a pair fits into the first-level cache, those of all pairs into none. Of a
// column of two ranks, such as a level, only the rows of rank 0 are added, which are often few; the others follow.
void PairTables::add(std::span<const RowId> rows) {
    const Data& data = data_.data;
    const std::size_t n = rows.size();
    ranks_.resize(n * n_columns_);
    of_level_.resize(n_columns_);
    for (std::size_t f = 0; f < n_columns_; ++f) {
        for (std::size_t i = 0; i < n; ++i) ranks_[f * n + i] = data.rank(f, rows[i]);
        of_level_[f].clear();
        for (std::size_t i = 0; i < n && data.n_ranks[f] == 2; ++i)
            if (ranks_[f * n + i] == 0) of_level_[f].push_back(static_cast<std::uint32_t>(i));
    }
    every_row_.resize(n);
    std::iota(every_row_.begin(), every_row_.end(), 0u);
    for (std::size_t f = 0; f < n_columns_; ++f) add_pair(rows, f, f, every_row_);
    for (std::size_t f = 0; f < n_columns_; ++f) {
        for (std::size_t g = f + 1; g < n_columns_; ++g) {
            const bool two_f = data.n_ranks[f] == 2, two_g = data.n_ranks[g] == 2;
            const bool by_f = two_f && (!two_g || of_level_[f].size() <= of_level_[g].size());
            add_pair(rows, f, g, by_f ? of_level_[f] : two_g ? of_level_[g] : every_row_);
            if (by_f || two_g) complete(f, g, by_f);
        }
    }
}

void PairTables::add_pair(std::span<const RowId> rows, std::size_t f, std::size_t g,
                          std::span<const std::uint32_t> members) {
    const Data& data = data_.data;
    const std::size_t n = rows.size(), n_g = data.n_ranks[g], size = data.n_ranks[f] * n_g;
    const std::uint32_t *of_f = ranks_.data() + f * n, *of_g = ranks_.data() + g * n;
    double* table = cells_.data() + first_[f * n_columns_ + g] * data_.n_channels();
    for (const std::uint32_t i : members) {
        const std::size_t cell = of_f[i] * n_g + of_g[i];
        table[static_cast<std::size_t>(data.label[rows[i]]) * size + cell] += data_.weight[rows[i]];
        if (data_.counts_apart) table[data_.n_classes() * size + cell] += data_.count[rows[i]];
    }
}

// Cells of rank 1 of f, or of g, from those of rank 0 and from all rows by rank of the other column.
void PairTables::complete(std::size_t f, std::size_t g, bool by_f) {
    const std::size_t n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g];
    double* cells = cells_.data() + first_[f * n_columns_ + g] * data_.n_channels();
    for (std::size_t c = 0; c < data_.n_channels(); ++c, cells += n_f * n_g) {
        const double* all = table(c, by_f ? g : f, by_f ? g : f);  // on the diagonal
        if (by_f)
            for (std::size_t b = 0; b < n_g; ++b) cells[n_g + b] = all[b * n_g + b] - cells[b];
        else
            for (std::size_t a = 0; a < n_f; ++a) cells[2 * a + 1] = all[a * n_f + a] - cells[2 * a];
    }
}

void LeafPairs::LeafSums::clear(std::size_t n) {
    std::fill_n(most.begin(), n, 0.0);
    std::fill_n(weight.begin(), n, 0.0);
}

int LeafPairs::fewest_of(const Cuts& cuts, std::size_t rank) const {
    const int yes = cuts.leaf_yes[rank] ? 1 : cuts.pair_yes[rank] ? 2 : kNoLeaves;
    const int no = cuts.leaf_no[rank] ? 1 : cuts.pair_no[rank] ? 2 : kNoLeaves;
    return yes + no;
}

int LeafPairs::fewest(const PairRows& sums, const LeafRequirements& needs, int enough) {
    const std::size_t n_columns = data_.data.n_columns();
    score_columns(sums, needs);
    int best = kNoLeaves;
    const auto look = [&](std::size_t f) {
        for (std::size_t rank = 0; rank + 1 < data_.data.n_ranks[f]; ++rank)
            best = std::min(best, fewest_of(cuts_[f], rank));
    };
    for (std::size_t f = 0; f < n_columns; ++f) look(f);
    if (best <= enough) return best;
    for (std::size_t f = 0; f < n_columns; ++f) {
        for (std::size_t g = f; g < n_columns; ++g) {
            if (!score_pair(sums, needs, f, g)) continue;
            look(f);
            look(g);
            if (best <= enough) return best;
        }
    }
    return best <= 4 ? best : kNoLeaves;
}

std::vector<Question> LeafPairs::feasible_cuts(const PairRows& sums, const LeafRequirements& needs,
                                               std::int64_t leaves) {
    std::vector<Question> found;
    fewest(sums, needs, 0);
    for (std::size_t f = 0; f < cuts_.size(); ++f)
        for (Rank rank = 0; rank + 1 < data_.data.n_ranks[f]; ++rank)
            if (fewest_of(cuts_[f], rank) <= leaves) found.push_back({static_cast<std::int32_t>(f), rank});
    return found;
}

// Marks sides that are feasible leaves, and cuts that no further question can make feasible: a side is too small, or
// has one label only.
void LeafPairs::score_columns(const PairRows& sums, const LeafRequirements& needs) {
    const std::size_t width = data_.n_channels();
    cuts_.resize(data_.data.n_columns());
    std::vector<double> yes(width), total(width), no(width);
    for (std::size_t f = 0; f < cuts_.size(); ++f) {
        const std::size_t n = data_.data.n_ranks[f];
        Cuts& cuts = cuts_[f];
        for (auto* flags : {&cuts.leaf_yes, &cuts.leaf_no, &cuts.pair_yes, &cuts.pair_no, &cuts.alive})
            flags->assign(n, 0);
        std::fill(total.begin(), total.end(), 0.0);
        std::fill(yes.begin(), yes.end(), 0.0);
        const auto here = [&](std::size_t c, std::size_t a) {  // on the diagonal of the pair of a column with itself
            const double without = sums.without == nullptr ? 0 : sums.without->table(c, f, f)[a * n + a];
            return sums.all.table(c, f, f)[a * n + a] - without;
        };
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t a = 0; a < n; ++a) total[c] += here(c, a);
        for (std::size_t a = 0; a + 1 < n; ++a) {
            for (std::size_t c = 0; c < width; ++c) {
                yes[c] += here(c, a);
                no[c] = total[c] - yes[c];
            }
            cuts.leaf_yes[a] = needs.feasible(yes.data(), yes.data());
            cuts.leaf_no[a] = needs.feasible(no.data(), no.data());
            cuts.alive[a] =
                (cuts.leaf_yes[a] || needs.can_split(yes.data())) && (cuts.leaf_no[a] || needs.can_split(no.data()));
        }
    }
}

// True if a side of some cut became feasible.
bool LeafPairs::score_pair(const PairRows& sums, const LeafRequirements& needs, std::size_t f, std::size_t g) {
    const std::size_t n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g];
    Cuts &of_f = cuts_[f], &of_g = cuts_[g];
    const auto any = [](const std::vector<std::uint8_t>& flags) {
        return std::find(flags.begin(), flags.end(), 1) != flags.end();
    };
    const bool all_g = any(of_g.alive);
    if (n_f < 2 || n_g < 2 || (!all_g && !any(of_f.alive))) return false;
    sum_up(sums, f, g);
    bool changed = false;
    const std::size_t n = n_g - 1;
    double* feasible[4] = {feasible_[0].data(), feasible_[1].data(), feasible_[2].data(), feasible_[3].data()};
    std::fill_n(marked_yes_.begin(), n, 0.0);
    std::fill_n(marked_no_.begin(), n, 0.0);
    for (std::size_t a = 0; a + 1 < n_f; ++a) {
        if (!of_f.alive[a] && !all_g) continue;
        fill_leaves(a, n_f, n_g);
        for (int i = 0; i < 4; ++i)
            find_feasible(leaves_[i].most.data(), leaves_[i].weight.data(), leaves_[i].rows.data(), needs.test.q(),
                          needs.test.spread(), needs.min_rows, needs.min_weight, n, feasible[i]);
        const int marks = mark(feasible, n, marked_yes_.data(), marked_no_.data());
        changed = changed || ((marks & 1) && !of_f.pair_yes[a]) || ((marks & 2) && !of_f.pair_no[a]);
        of_f.pair_yes[a] |= static_cast<std::uint8_t>(marks & 1);
        of_f.pair_no[a] |= static_cast<std::uint8_t>(marks >> 1);
    }
    for (std::size_t b = 0; b < n; ++b) {
        changed = changed || (marked_yes_[b] > 0 && !of_g.pair_yes[b]) || (marked_no_[b] > 0 && !of_g.pair_no[b]);
        of_g.pair_yes[b] |= static_cast<std::uint8_t>(marked_yes_[b] > 0);
        of_g.pair_no[b] |= static_cast<std::uint8_t>(marked_no_[b] > 0);
    }
    return changed;
}

void LeafPairs::sum_up(const PairRows& sums, std::size_t f, std::size_t g) {
    const std::size_t width = data_.n_channels(), n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g];
    prefix_sums_.resize(width);
    for (std::size_t c = 0; c < width; ++c) {
        prefix_sums_[c].resize(n_f * n_g);
        const double* without = sums.without == nullptr ? nullptr : sums.without->table(c, f, g);
        sum_prefixes(sums.all.table(c, f, g), without, n_f, n_g, prefix_sums_[c].data());
    }
    for (auto& leaves : leaves_) leaves.resize(n_g);
    for (auto& flags : feasible_) flags.resize(n_g);
    marked_yes_.resize(n_g);
    marked_no_.resize(n_g);
}

// The four leaves of cut a of f and every cut of g.
void LeafPairs::fill_leaves(std::size_t a, std::size_t n_f, std::size_t n_g) {
    const std::size_t n = n_g - 1;
    double *most[4], *weight[4], *rows[4];
    for (int i = 0; i < 4; ++i) {
        leaves_[i].clear(n);
        most[i] = leaves_[i].most.data();
        weight[i] = leaves_[i].weight.data();
        rows[i] = leaves_[i].rows.data();
    }
    for (std::size_t c = 0; c < data_.n_channels(); ++c) {
        const double* low = prefix_sums_[c].data() + a * n_g;
        const double* all = prefix_sums_[c].data() + (n_f - 1) * n_g;
        if (c < data_.n_classes()) {
            add_leaves(low, all, low[n], all[n], n, most, weight);
            continue;
        }
        for (std::size_t b = 0; b < n; ++b) {
            rows[0][b] = low[b];
            rows[1][b] = low[n] - low[b];
            rows[2][b] = all[b] - low[b];
            rows[3][b] = all[n] - low[n] - rows[2][b];
        }
    }
    if (!data_.counts_apart)
        for (auto& leaves : leaves_) std::copy_n(leaves.weight.begin(), n, leaves.rows.begin());
}

}  // namespace exactree::worst_leaf
