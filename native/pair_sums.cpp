#include "pair_sums.hpp"

#include <algorithm>
#include <cstdlib>

#include "sides.hpp"

namespace exactree {
namespace {

constexpr std::size_t kRowsToMirror = 256;
constexpr std::size_t kColumnsToCount = 88;       // measured: about even at 90 to 120
constexpr std::size_t kNearestCache = 32 * 1024;  // bytes, of most processors

// Gains of the best leaf and of the best split on rows with this base, this sum, and prefixes between low and high.
SideCosts side(Cost base, Cost sum, Cost low, Cost high, const Prices& prices) {
    const Cost leaf = (base + std::abs(sum)) / 2;
    const Cost split = (base + std::max(2 * high - sum, sum - 2 * low)) / 2;
    return SideCosts::of(prices.unit * base, prices.unit * leaf, prices.unit * std::max(leaf, split), prices.leaf);
}

struct Root {
    Cost base_with, sum_with, base_all, sum_all;
};

template <class Sum>
Joined join_sides(const Root& root, const Extremes<Sum>& found, std::int64_t leaves, const Prices& prices) {
    return join(side(root.base_with, root.sum_with, found.with_low, found.with_high, prices),
                side(root.base_all - root.base_with, root.sum_all - root.sum_with, found.without_low,
                     found.without_high, prices),
                leaves);
}

Joined join_leaves(const Root& root, const Prices& prices) {
    const Cost with = side(root.base_with, root.sum_with, 0, 0, prices).one;
    const Cost without = side(root.base_all - root.base_with, root.sum_all - root.sum_with, 0, 0, prices).one;
    return {with + without, 1, 1, 2};
}

// The cheapest tree so far, and of several the one with the fewest leaves; a lone leaf to begin with.
class Best {
 public:
    Best(Cost base, Cost sum, const Prices& prices) {
        known_.upper = prices.unit * ((base - std::abs(sum)) / 2) + prices.leaf;
    }
    void meet(const Joined& found, Question question) {
        if (found.cost > known_.upper || (found.cost == known_.upper && found.used >= used_)) return;
        known_.upper = found.cost;
        known_.question = question;
        known_.yes_leaves = found.yes_leaves;
        known_.no_leaves = found.no_leaves;
        used_ = found.used;
    }
    Known solved() const {
        Known out = known_;
        out.lower = out.relaxed = out.upper;
        return out;
    }

 private:
    Known known_;
    int used_ = 1;
};

}  // namespace

template <class Ops>
void PairSums<Ops>::fill(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs) {
    stride_ = table.stride();
    const std::size_t n_columns = table.n_columns();
    singles_.resize(stride_);
    base_.resize(n_columns);
    rows_.resize(n_columns);
    list_.resize(table.n_rows() + 3);
    n_rows_ = ops.list_rows(set.data(), set.data(), 0, set.size(), list_.data());
    base_all_ = sum_all_ = 0;
    for (std::size_t at = 0; at < n_rows_; ++at) {
        sum_all_ += table.gain(list_[at]);
        base_all_ += std::abs(table.gain(list_[at]));
    }
    ops.sum_rows(table.cells(), stride_, stride_, table.largest(), list_.data(), n_rows_, singles_.data());
    if (with_pairs) {
        if (table.all_alike() && n_columns <= kColumnsToCount)
            count_pairs(table, set, ops);
        else
            fill_pairs(table, set, ops);
        return;
    }
    for (std::size_t i = 0; i < n_columns; ++i) {
        rows_[i] = n_rows_ - ops.count_difference(set.data(), table.column(i), set.size());
        base_[i] = static_cast<Cost>(rows_[i]);
        if (table.all_alike()) continue;
        ops.list_rows(set.data(), table.column(i), 0, set.size(), list_.data());
        base_[i] = 0;
        for (std::size_t at = 0; at < rows_[i]; ++at) base_[i] += std::abs(table.gain(list_[at]));
    }
}

// With few columns it is faster to count the rows of each pair, class by class, than to add up rows.
template <class Ops>
void PairSums<Ops>::count_pairs(const BitTable<Ops>& table, const RowBits& set, const Ops& ops) {
    const std::size_t n_columns = table.n_columns();
    pairs_.assign(n_columns * stride_, 0);
    all_.resize(set.size());
    for (const bool positive : {true, false}) {
        std::size_t n_class = 0;
        for (std::size_t w = 0; w < set.size(); ++w) {
            all_[w] = set[w] & (positive ? table.positive()[w] : ~table.positive()[w]);
            n_class += static_cast<std::size_t>(std::popcount(all_[w]));
        }
        const std::size_t n_words = words_for(n_class);
        bits_.resize(n_columns * n_words + 1);
        for (std::size_t i = 0; i < n_columns; ++i)
            ops.compress(table.column(i), all_.data(), all_.size(), bits_.data() + i * n_words);
        ops.count_pairs(bits_.data(), n_columns, n_words, stride_, positive ? 1 : -1, pairs_.data());
        if (positive)
            for (std::size_t i = 0; i < n_columns; ++i) rows_[i] = static_cast<std::size_t>(pairs_[i * stride_ + i]);
    }
    for (std::size_t i = 0; i < n_columns; ++i) {  // p rows of one class, and p minus the sum of the other
        rows_[i] = 2 * rows_[i] - static_cast<std::size_t>(pairs_[i * stride_ + i]);
        base_[i] = static_cast<Cost>(rows_[i]);
    }
}

template <class Ops>
void PairSums<Ops>::fill_pairs(const BitTable<Ops>& table, const RowBits& set, const Ops& ops) {
    // Every row is read once per column it has. Where the whole table is too large for the nearest cache, the rows of
    // the set are copied together first.
    const bool copied = table.n_rows() * stride_ * sizeof(typename Ops::Cell) > kNearestCache;
    if (copied) copy_rows(table);
    const auto* cells = copied ? cells_.data() : table.cells();
    const Word* members = copied ? all_.data() : set.data();
    const std::size_t n_columns = table.n_columns(), n_words = copied ? all_.size() : set.size();
    // Pairs are the same either way round: with many rows it pays to sum one half and to copy the other.
    const bool half = n_rows_ >= kRowsToMirror;
    pairs_.resize(n_columns * stride_);
    for (std::size_t i = 0; i < n_columns; ++i) {
        const Word* column = table.column(i);
        if (copied) {
            ops.compress(column, set.data(), set.size(), bits_.data());
            column = bits_.data();
        }
        const std::size_t without = ops.count_difference(members, column, n_words);
        rows_[i] = n_rows_ - without;
        const bool with = rows_[i] <= without;  // the smaller side is summed, the other is what is left
        const std::size_t n = ops.list_rows(members, column, with ? 0 : ~Word{0}, n_words, list_.data());
        Cost base = static_cast<Cost>(n);
        if (!table.all_alike()) {
            base = 0;
            for (std::size_t at = 0; at < n; ++at)
                base += copied ? base_of_row_[list_[at]] : std::abs(table.gain(list_[at]));
        }
        base_[i] = with ? base : base_all_ - base;
        const std::size_t from = half ? i / kColumnBlock * kColumnBlock : 0;
        Sum* out = pairs_.data() + i * stride_;
        ops.sum_rows(cells + from, stride_, stride_ - from, table.largest(), list_.data(), n, out + from);
        if (!with)
            for (std::size_t j = from; j < stride_; ++j) out[j] = static_cast<Sum>(singles_[j] - out[j]);
    }
    if (half) mirror(n_columns);
}

// The rows in the list, one after the other.
template <class Ops>
void PairSums<Ops>::copy_rows(const BitTable<Ops>& table) {
    cells_.resize(n_rows_ * stride_);
    base_of_row_.resize(n_rows_);
    for (std::size_t at = 0; at < n_rows_; ++at) {
        const auto* from = table.cells() + list_[at] * stride_;
        std::copy(from, from + stride_, cells_.data() + at * stride_);
        base_of_row_[at] = std::abs(table.gain(list_[at]));
    }
    all_ = all_rows(n_rows_);
    bits_.resize(all_.size() + 1);
}

template <class Ops>
void PairSums<Ops>::mirror(std::size_t n_columns) {
    for (std::size_t block = kColumnBlock; block < n_columns; block += kColumnBlock)
        for (std::size_t other = 0; other < block; other += kColumnBlock)
            for (std::size_t i = block; i < std::min(n_columns, block + kColumnBlock); ++i)
                for (std::size_t j = other; j < other + kColumnBlock; ++j)
                    pairs_[i * stride_ + j] = pairs_[j * stride_ + i];
}

template <class Ops>
Known solve_pairs(const BitTable<Ops>& table, const PairSums<Ops>& sums, std::int64_t leaves, const Prices& prices,
                  const Ops& ops, std::vector<Cost>* guesses) {
    Best best(sums.base(), sums.sum(), prices);
    if (guesses) guesses->assign(table.n_columns(), kNoCost);
    for (std::size_t i = 0; i < table.n_columns() && leaves >= 2; ++i) {
        if (!sums.parts(i)) continue;
        const Root root{sums.base(i), sums.singles()[i], sums.base(), sums.sum()};
        const Joined found =
            leaves >= 3 ? join_sides(root, ops.extremes(sums.pairs(i), sums.singles(), table.stride()), leaves, prices)
                        : join_leaves(root, prices);
        if (guesses) (*guesses)[i] = found.cost;
        best.meet(found, table.question(i));
    }
    return best.solved();
}

template <class Ops>
Known solve_rest(const BitTable<Ops>& table, const PairSums<Ops>& all, const PairSums<Ops>& part, std::int64_t leaves,
                 const Prices& prices, const Ops& ops) {
    Best best(all.base() - part.base(), all.sum() - part.sum(), prices);
    const std::size_t n_rows = all.n_rows() - part.n_rows();
    for (std::size_t i = 0; i < table.n_columns() && leaves >= 2; ++i) {
        const std::size_t with = all.n_rows(i) - part.n_rows(i);
        if (with == 0 || with == n_rows) continue;
        const Root root{all.base(i) - part.base(i), all.singles()[i] - part.singles()[i], all.base() - part.base(),
                        all.sum() - part.sum()};
        const Joined found = leaves >= 3 ? join_sides(root,
                                                      ops.extremes_of_rest(all.pairs(i), all.singles(), part.pairs(i),
                                                                           part.singles(), table.stride()),
                                                      leaves, prices)
                                         : join_leaves(root, prices);
        best.meet(found, table.question(i));
    }
    return best.solved();
}

#define EXACTREE_INSTANTIATE(Ops)                                                                                   \
    template class PairSums<Ops>;                                                                                   \
    template Known solve_pairs(const BitTable<Ops>&, const PairSums<Ops>&, std::int64_t, const Prices&, const Ops&, \
                               std::vector<Cost>*);                                                                 \
    template Known solve_rest(const BitTable<Ops>&, const PairSums<Ops>&, const PairSums<Ops>&, std::int64_t,       \
                              const Prices&, const Ops&);
EXACTREE_INSTANTIATE(SmallOps)
EXACTREE_INSTANTIATE(MediumOps)
EXACTREE_INSTANTIATE(WideOps)

}  // namespace exactree
