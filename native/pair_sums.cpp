#include "pair_sums.hpp"

#include <algorithm>
#include <cstdlib>

#include "sides.hpp"

namespace exactree {
namespace {

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
    list_.resize(table.n_rows() + 3);
    n_rows_ = ops.list_rows(set.data(), set.data(), 0, set.size(), list_.data());
    const std::size_t n_words = words_for(n_rows_);
    bits_.resize(n_columns * n_words + 1);
    for (std::size_t i = 0; i < n_columns; ++i)
        ops.compress(table.column(i), set.data(), set.size(), bits_.data() + i * n_words);
    singles_.assign(stride_, 0);
    if (with_pairs) {
        pairs_.resize(n_columns * stride_);
        ops.sum_pairs(table.cells(), stride_, table.largest(), list_.data(), n_rows_, bits_.data(), n_columns, n_words,
                      pairs_.data());
        ops.mirror(pairs_.data(), stride_, n_columns);
        for (std::size_t i = 0; i < n_columns; ++i) singles_[i] = pairs_[i * stride_ + i];
    } else {
        ops.sum_rows(table.cells(), stride_, stride_, table.largest(), list_.data(), n_rows_, singles_.data());
    }
    weigh_columns(table, ops);
}

template <class Ops>
void PairSums<Ops>::weigh_columns(const BitTable<Ops>& table, const Ops& ops) {
    const std::size_t n_columns = table.n_columns(), n_words = words_for(n_rows_);
    base_all_ = sum_all_ = 0;
    for (std::size_t at = 0; at < n_rows_; ++at) {
        sum_all_ += table.gain(list_[at]);
        base_all_ += std::abs(table.gain(list_[at]));
    }
    base_.resize(n_columns);
    rows_.resize(n_columns);
    for (std::size_t i = 0; i < n_columns; ++i) {
        const Word* has = bits_.data() + i * n_words;
        rows_[i] = ops.count_rows(has, n_words);
        base_[i] = static_cast<Cost>(rows_[i]);
        if (table.all_alike()) continue;
        base_[i] = 0;
        for_each_row(has, n_words, [&](std::uint32_t at) { base_[i] += std::abs(table.gain(list_[at])); });
    }
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
