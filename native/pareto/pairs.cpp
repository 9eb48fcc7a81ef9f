#include "pareto/pairs.hpp"

#include <algorithm>
#include <numeric>

#include "core/also_avx2.hpp"

namespace exactree::pareto {

namespace {

// The four leaves of one cut of f and every cut of g, one class: what they weigh, and their heaviest class.
EXACTREE_ALSO_AVX2 void add_class(const double* low, const double* all, double low_total, double total, std::size_t n,
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

// Errors of leaves, infinite for those that are too small.
EXACTREE_ALSO_AVX2 void find_wrong(const double* most, const double* weight, const double* rows, double least_rows,
                                   double least_weight, std::size_t n, double* wrong) {
    for (std::size_t b = 0; b < n; ++b) {
        const bool large = (rows[b] >= least_rows) & (weight[b] >= least_weight);
        wrong[b] = large ? weight[b] - most[b] : kNoErrors;
    }
}

// Fewest errors of two leaves, over all cuts.
EXACTREE_ALSO_AVX2 double fewest_of(const double* one, const double* other, std::size_t n) {
    double fewest = kNoErrors;
    for (std::size_t b = 0; b < n; ++b) {
        const double both = one[b] + other[b];
        fewest = both < fewest ? both : fewest;
    }
    return fewest;
}

}  // namespace

FrontPairs::FrontPairs(const worst_leaf::LeafData& data, const FrontRule& rule)
    : data_(data), rule_(rule), n_columns_(data.data.n_columns()) {
    n_ranks_.assign(data.data.n_ranks.begin(), data.data.n_ranks.end());
    first_.assign(n_columns_ * n_columns_, 0);
    std::size_t widest = 0;
    for (std::size_t f = 0; f < n_columns_; ++f) {
        first_root_.push_back(roots_.size());
        widest = std::max(widest, n_ranks_[f]);
        for (std::size_t a = 0; a + 1 < n_ranks_[f]; ++a)
            roots_.push_back({{static_cast<std::int32_t>(f), static_cast<Rank>(a)}, {}, {}});
        for (std::size_t g = f; g < n_columns_; ++g) {
            first_[f * n_columns_ + g] = n_cells_;
            n_cells_ += n_ranks_[f] * n_ranks_[g];
        }
    }
    prefix_sums_.resize(n_cells_ * data.n_channels());
    order_.resize(roots_.size());
    for (LeafErrors& leaves : leaves_)
        for (auto* numbers : {&leaves.wrong, &leaves.weight, &leaves.rows, &leaves.most}) numbers->resize(widest);
}

void FrontPairs::load(const worst_leaf::PairRows& sums, std::int64_t leaves) {
    most_leaves_ = leaves;
    for (std::size_t c = 0; c < data_.n_channels(); ++c)
        for (std::size_t f = 0; f < n_columns_; ++f)
            for (std::size_t g = f; g < n_columns_; ++g) sum_up(sums, c, f, g);
    score_columns();
    for (std::size_t f = 0; f < n_columns_; ++f)
        for (std::size_t g = f; g < n_columns_; ++g) score_pair(f, g);
    fewest_wrong_ = kNoErrors;
    for (PairRoot& root : roots_) {
        for (RootSide* side : {&root.yes, &root.no})
            side->wrong = std::min(side->split_wrong, side->leaf.score < 0 ? kNoErrors : side->leaf.wrong);
        fewest_wrong_ = std::min(fewest_wrong_, root.yes.wrong + root.no.wrong);
    }
}

void FrontPairs::sum_up(const worst_leaf::PairRows& sums, std::size_t channel, std::size_t f, std::size_t g) {
    const double* table = sums.all.table(channel, f, g);
    const double* without = sums.without == nullptr ? nullptr : sums.without->table(channel, f, g);
    double* running = prefix_sums(channel, f, g);
    const std::size_t n = n_ranks_[g];
    for (std::size_t a = 0; a < n_ranks_[f]; ++a) {
        double sum = 0;
        for (std::size_t b = 0; b < n; ++b) {
            sum += table[a * n + b] - (without == nullptr ? 0.0 : without[a * n + b]);
            running[a * n + b] = sum;
        }
        if (a > 0)
            for (std::size_t b = 0; b < n; ++b) running[a * n + b] += running[(a - 1) * n + b];
    }
}

// The sides of each cut as leaves; their sums are in the pair of a column with itself.
void FrontPairs::score_columns() {
    const std::size_t width = data_.n_channels();
    std::vector<double> yes(width), no(width);
    for (PairRoot& root : roots_) {
        const auto f = static_cast<std::size_t>(root.question.column);
        const std::size_t last = n_ranks_[f] - 1;
        for (std::size_t c = 0; c < width; ++c) {
            yes[c] = low(c, f, root.question.rank, f, last);
            no[c] = low(c, f, last, f, last) - yes[c];
        }
        root.yes = {std::accumulate(yes.begin(), yes.begin() + data_.data.n_classes, 0.0), leaf_of(yes.data())};
        root.no = {std::accumulate(no.begin(), no.begin() + data_.data.n_classes, 0.0), leaf_of(no.data())};
    }
}

FrontPairs::SideOption FrontPairs::leaf_of(const double* channels) const {
    int label = 0;
    double weight = 0;
    for (int k = 0; k < data_.data.n_classes; ++k) {
        weight += channels[k];
        if (channels[k] > channels[label]) label = k;
    }
    SideOption option{-1, kNoErrors, {}, label, label};
    if (data_.rows(channels) < rule_.min_rows || weight < rule_.min_weight) return option;
    option.wrong = weight - channels[label];
    option.score = rule_.rule.score(channels[label], option.wrong);
    return option;
}

void FrontPairs::score_pair(std::size_t f, std::size_t g) {
    if (n_ranks_[f] < 2 || n_ranks_[g] < 2) return;
    const std::size_t n = n_ranks_[g] - 1;
    const double* wrong[4] = {leaves_[0].wrong.data(), leaves_[1].wrong.data(), leaves_[2].wrong.data(),
                              leaves_[3].wrong.data()};
    for (std::size_t a = 0; a + 1 < n_ranks_[f]; ++a) {
        fill_leaves(f, g, a);
        PairRoot& root = roots_[first_root_[f] + a];
        root.yes.split_wrong = std::min(root.yes.split_wrong, fewest_of(wrong[0], wrong[1], n));
        root.no.split_wrong = std::min(root.no.split_wrong, fewest_of(wrong[2], wrong[3], n));
        for (std::size_t b = 0; b < n; ++b) {
            PairRoot& other = roots_[first_root_[g] + b];
            other.yes.split_wrong = std::min(other.yes.split_wrong, wrong[0][b] + wrong[2][b]);
            other.no.split_wrong = std::min(other.no.split_wrong, wrong[1][b] + wrong[3][b]);
        }
    }
}

// The four leaves of cut a of f and every cut of g.
void FrontPairs::fill_leaves(std::size_t f, std::size_t g, std::size_t a) {
    const std::size_t n = n_ranks_[g] - 1, last = n_ranks_[f] - 1;
    double *most[4], *weight[4];
    for (int i = 0; i < 4; ++i) {
        most[i] = leaves_[i].most.data();
        weight[i] = leaves_[i].weight.data();
        std::fill_n(most[i], n, 0.0);
        std::fill_n(weight[i], n, 0.0);
    }
    for (std::size_t c = 0; c < data_.n_channels(); ++c) {
        const double* below = prefix_sums(c, f, g) + a * (n + 1);
        const double* all = prefix_sums(c, f, g) + last * (n + 1);
        if (c < data_.n_classes()) {
            add_class(below, all, below[n], all[n], n, most, weight);
            continue;
        }
        for (std::size_t b = 0; b < n; ++b) {
            leaves_[0].rows[b] = below[b];
            leaves_[1].rows[b] = below[n] - below[b];
            leaves_[2].rows[b] = all[b] - below[b];
            leaves_[3].rows[b] = all[n] - below[n] - leaves_[2].rows[b];
        }
    }
    for (LeafErrors& leaves : leaves_) {
        const double* rows = data_.counts_apart ? leaves.rows.data() : leaves.weight.data();
        find_wrong(leaves.most.data(), leaves.weight.data(), rows, rule_.min_rows, rule_.min_weight, n,
                   leaves.wrong.data());
    }
}

// Cuts with the fewest errors come first, so that their trees prune others.
void FrontPairs::grow(const FrontTarget& target, ParetoFront& out) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto wrong = [&](std::size_t i) { return roots_[i].yes.wrong + roots_[i].no.wrong; };
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return wrong(a) < wrong(b); });
    for (const std::size_t i : order_) {
        if (wrong(i) == kNoErrors) break;
        grow_below(roots_[i], target, out);
    }
}

void FrontPairs::grow_below(const PairRoot& root, const FrontTarget& target, ParetoFront& out) {
    const double needed = target.needed(root.yes.wrong + root.no.wrong);
    // The worst leaf of a tree scores no higher than the accuracy over all its rows.
    const auto hopeless = [&](const RootSide& side) { return 1 - side.wrong / side.weight <= needed + kFrontNoise; };
    if (hopeless(root.yes) || hopeless(root.no)) return;
    find_splits(root, true, needed, target);
    if (splits_[0].empty() && root.yes.leaf.score <= needed + kFrontNoise) return;
    find_splits(root, false, needed, target);
    if (most_leaves_ >= 4) return join(root, false, false, target, out);
    join(root, true, most_leaves_ == 2, target, out);
    if (most_leaves_ == 3) join(root, false, true, target, out);
}

// All questions that split a side into two leaves that may be on the front.
void FrontPairs::find_splits(const PairRoot& root, bool yes, double needed, const FrontTarget& target) {
    splits_[yes ? 0 : 1].clear();
    for (std::size_t g = 0; g < n_columns_; ++g)
        for (std::size_t b = 0; b + 1 < n_ranks_[g]; ++b)
            add_split(root, yes, {static_cast<std::int32_t>(g), static_cast<Rank>(b)}, needed, target);
}

void FrontPairs::add_split(const PairRoot& root, bool yes, Question question, double needed,
                           const FrontTarget& target) {
    const auto f = static_cast<std::size_t>(root.question.column), g = static_cast<std::size_t>(question.column);
    const std::size_t a = root.question.rank, b = question.rank, last_f = n_ranks_[f] - 1, last_g = n_ranks_[g] - 1;
    const std::size_t n_classes = data_.n_classes();
    double most[2] = {0, 0}, weight[2] = {0, 0}, rows[2] = {0, 0};
    int label[2] = {0, 0};
    for (std::size_t c = 0; c < data_.n_channels(); ++c) {
        const double below = low(c, f, a, g, b), side = low(c, f, a, g, last_g);
        const double first = yes ? below : low(c, f, last_f, g, b) - below;
        const double both[2] = {first, (yes ? side : low(c, f, last_f, g, last_g) - side) - first};
        for (int i = 0; i < 2; ++i) {
            if (c == n_classes) rows[i] = both[i];
            if (c == n_classes) continue;
            weight[i] += both[i];
            if (both[i] > most[i]) label[i] = static_cast<int>(c);
            most[i] = std::max(most[i], both[i]);
        }
    }
    for (int i = 0; i < 2; ++i)
        if ((data_.counts_apart ? rows[i] : weight[i]) < rule_.min_rows || weight[i] < rule_.min_weight) return;
    const double score =
        std::min(rule_.rule.score(most[0], weight[0] - most[0]), rule_.rule.score(most[1], weight[1] - most[1]));
    if (score <= needed + kFrontNoise) return;
    const double wrong = weight[0] - most[0] + weight[1] - most[1];
    if (score <= target.needed(wrong + (yes ? root.no : root.yes).wrong) + kFrontNoise) return;
    splits_[yes ? 0 : 1].push_back({score, wrong, question, label[0], label[1]});
}

// The nondominated options of each side, then all nondominated combinations of them.
void FrontPairs::join(const PairRoot& root, bool yes_leaf, bool no_leaf, const FrontTarget& target, ParetoFront& out) {
    for (int i = 0; i < 2; ++i) {
        const RootSide& side = i == 0 ? root.yes : root.no;
        std::vector<SideOption>& chosen = chosen_[i];
        chosen.clear();
        if (!(i == 0 ? yes_leaf : no_leaf)) chosen = splits_[i];
        if (side.leaf.score >= 0) chosen.push_back(side.leaf);
        std::stable_sort(chosen.begin(), chosen.end(), [](const SideOption& a, const SideOption& b) {
            return a.wrong != b.wrong ? a.wrong < b.wrong : a.score > b.score;
        });
        double best = -1;
        std::erase_if(chosen, [&](const SideOption& option) {
            const bool beaten = option.score <= best;
            best = std::max(best, option.score);
            return beaten;
        });
    }
    const auto plan_of = [](const SideOption& option) {
        if (option.question.column < 0) return FrontTree::leaf(option.label_yes);
        return FrontTree::branch(option.question, FrontTree::leaf(option.label_yes), FrontTree::leaf(option.label_no));
    };
    join_sides(chosen_[0], chosen_[1], target,
               [&](const SideOption& yes, const SideOption& no, double score, double wrong) {
                   out.add({score, wrong, FrontTree::branch(root.question, plan_of(yes), plan_of(no))});
                   return false;
               });
}

}  // namespace exactree::pareto
