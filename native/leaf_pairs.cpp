#include "leaf_pairs.hpp"

#include <algorithm>

namespace exactree {

bool PairSums::fits(const Data& data) {
    std::size_t cells = 0;
    for (const Rank n : data.n_ranks) {
        if (n > kFewRanks) return false;
        cells += n;
    }
    return cells * cells / 2 <= kMostPairCells;
}

PairSums::PairSums(const LeafData& data) : data_(data), n_columns_(data.data.n_columns()) {
    first_.assign(n_columns_ * n_columns_, 0);
    for (std::size_t f = 0; f < n_columns_; ++f) {
        for (std::size_t g = f; g < n_columns_; ++g) {
            first_[f * n_columns_ + g] = n_cells_;
            n_cells_ += std::size_t{data.data.n_ranks[f]} * data.data.n_ranks[g];
        }
    }
    cells_.assign(n_cells_ * data.n_channels(), 0.0);
}

void PairSums::add(RowId row) {
    const Data& data = data_.data;
    double* of_class = cells_.data() + static_cast<std::size_t>(data.label[row]) * n_cells_;
    double* of_rows = cells_.data() + data_.n_classes() * n_cells_;
    const double weight = data_.weight[row];
    for (std::size_t f = 0; f < n_columns_; ++f) {
        const std::size_t a = data.rank(f, row);
        for (std::size_t g = f; g < n_columns_; ++g) {
            const std::size_t cell = first_[f * n_columns_ + g] + a * data.n_ranks[g] + data.rank(g, row);
            of_class[cell] += weight;
            if (data_.counts_apart) of_rows[cell] += data_.count[row];
        }
    }
}

void PairSums::subtract(const PairSums& whole, const PairSums& part) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] = whole.cells_[i] - part.cells_[i];
}

void LeafPairs::Leaves::clear(std::size_t n) {
    std::fill_n(most.begin(), n, 0.0);
    std::fill_n(weight.begin(), n, 0.0);
}

void LeafPairs::Leaves::add_class(const double* weights, std::size_t n) {
    for (std::size_t b = 0; b < n; ++b) {
        most[b] = std::max(most[b], weights[b]);
        weight[b] += weights[b];
    }
}

int LeafPairs::fewest_of(const Cuts& cuts, std::size_t rank) const {
    const int yes = cuts.leaf_yes[rank] ? 1 : cuts.pair_yes[rank] ? 2 : kNoLeaves;
    const int no = cuts.leaf_no[rank] ? 1 : cuts.pair_no[rank] ? 2 : kNoLeaves;
    return yes + no;
}

int LeafPairs::fewest(const PairSums& sums, const LeafNeeds& needs, int enough) {
    const std::size_t n_columns = data_.data.n_columns();
    look_at_columns(sums, needs);
    int best = kNoLeaves;
    const auto look = [&](std::size_t f) {
        for (std::size_t rank = 0; rank + 1 < data_.data.n_ranks[f]; ++rank)
            best = std::min(best, fewest_of(cuts_[f], rank));
    };
    for (std::size_t f = 0; f < n_columns; ++f) look(f);
    if (best <= std::max(2, enough)) return best;
    for (std::size_t f = 0; f < n_columns; ++f) {
        for (std::size_t g = f; g < n_columns; ++g) {
            if (!look_at_pair(sums, needs, f, g)) continue;
            look(f);
            look(g);
            if (best <= enough) return best;
        }
    }
    return best <= 4 ? best : kNoLeaves;
}

// Sides that are leaves, and cuts that no further question can help: a side too small, or with one label only.
void LeafPairs::look_at_columns(const PairSums& sums, const LeafNeeds& needs) {
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
        for (std::size_t c = 0; c < width; ++c)  // on the diagonal of the pair of a column with itself
            for (std::size_t a = 0; a < n; ++a) total[c] += sums.table(c, f, f)[a * n + a];
        for (std::size_t a = 0; a + 1 < n; ++a) {
            for (std::size_t c = 0; c < width; ++c) {
                yes[c] += sums.table(c, f, f)[a * n + a];
                no[c] = total[c] - yes[c];
            }
            cuts.leaf_yes[a] = needs.holds(yes.data(), yes.data());
            cuts.leaf_no[a] = needs.holds(no.data(), no.data());
            cuts.alive[a] =
                (cuts.leaf_yes[a] || needs.can_part(yes.data())) && (cuts.leaf_no[a] || needs.can_part(no.data()));
        }
    }
}

// True if some cut got an answer for a side that had none.
bool LeafPairs::look_at_pair(const PairSums& sums, const LeafNeeds& needs, std::size_t f, std::size_t g) {
    const std::size_t n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g];
    Cuts &of_f = cuts_[f], &of_g = cuts_[g];
    const auto any = [](const std::vector<std::uint8_t>& flags) {
        return std::find(flags.begin(), flags.end(), 1) != flags.end();
    };
    const bool all_g = any(of_g.alive);
    if (n_f < 2 || n_g < 2 || (!all_g && !any(of_f.alive))) return false;
    sum_up(sums, f, g);
    bool changed = false;
    const double least_rows = needs.min_rows, least_weight = needs.min_weight;
    for (std::size_t a = 0; a + 1 < n_f; ++a) {
        if (!of_f.alive[a] && !all_g) continue;
        fill_leaves(a, n_f, n_g);
        for (int i = 0; i < 4; ++i)
            needs.test.passes_all(leaves_[i].most.data(), leaves_[i].weight.data(), leaves_[i].rows.data(), least_rows,
                                  least_weight, n_g - 1, holds_[i].data());
        for (std::size_t b = 0; b + 1 < n_g; ++b) {
            const std::uint8_t yes_f = holds_[0][b] & holds_[1][b], no_f = holds_[2][b] & holds_[3][b];
            const std::uint8_t yes_g = holds_[0][b] & holds_[2][b], no_g = holds_[1][b] & holds_[3][b];
            changed = changed || (yes_f > of_f.pair_yes[a]) || (no_f > of_f.pair_no[a]) || (yes_g > of_g.pair_yes[b]) ||
                      (no_g > of_g.pair_no[b]);
            of_f.pair_yes[a] |= yes_f;
            of_f.pair_no[a] |= no_f;
            of_g.pair_yes[b] |= yes_g;
            of_g.pair_no[b] |= no_g;
        }
    }
    return changed;
}

void LeafPairs::sum_up(const PairSums& sums, std::size_t f, std::size_t g) {
    const std::size_t width = data_.n_channels(), n_f = data_.data.n_ranks[f], n_g = data_.data.n_ranks[g];
    upto_.resize(width);
    for (std::size_t c = 0; c < width; ++c) {
        const double* table = sums.table(c, f, g);
        upto_[c].resize(n_f * n_g);
        double* upto = upto_[c].data();
        for (std::size_t a = 0; a < n_f; ++a) {
            double sum = 0;
            for (std::size_t b = 0; b < n_g; ++b) {
                sum += table[a * n_g + b];
                upto[a * n_g + b] = sum;
            }
            if (a > 0)
                for (std::size_t b = 0; b < n_g; ++b) upto[a * n_g + b] += upto[(a - 1) * n_g + b];
        }
    }
    for (auto& leaves : leaves_) leaves.resize(n_g);
    for (auto& flags : holds_) flags.resize(n_g);
    scratch_.resize(4 * n_g);
}

// The four leaves of cut a of f and every cut of g.
void LeafPairs::fill_leaves(std::size_t a, std::size_t n_f, std::size_t n_g) {
    const std::size_t n = n_g - 1, width = data_.n_channels();
    for (auto& leaves : leaves_) leaves.clear(n);
    for (std::size_t c = 0; c < width; ++c) {
        const double* low = upto_[c].data() + a * n_g;
        const double* all = upto_[c].data() + (n_f - 1) * n_g;
        const double low_total = low[n], total = all[n];
        double* part[4] = {scratch_.data(), scratch_.data() + n_g, scratch_.data() + 2 * n_g,
                           scratch_.data() + 3 * n_g};
        for (std::size_t b = 0; b < n; ++b) {
            part[0][b] = low[b];
            part[1][b] = low_total - low[b];
            part[2][b] = all[b] - low[b];
            part[3][b] = total - low_total - all[b] + low[b];
        }
        for (int i = 0; i < 4; ++i) {
            if (c < data_.n_classes()) leaves_[i].add_class(part[i], n);
            if (c == data_.n_classes()) std::copy_n(part[i], n, leaves_[i].rows.begin());
        }
    }
    if (!data_.counts_apart)
        for (auto& leaves : leaves_) std::copy_n(leaves.weight.begin(), n, leaves.rows.begin());
}

}  // namespace exactree
