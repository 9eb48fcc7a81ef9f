#include "bits/pair_trees.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/side_costs.hpp"

namespace exactree::bits {
namespace {

// The current rows: all those summed up, or those of them that are not in `part`.
template <class Ops>
struct SummedRows {
    const BitTable<Ops>& table;
    const PairSums<Ops>& all;
    const PairSums<Ops>* part;

    Cost base() const { return all.base() - (part ? part->base() : 0); }
    Cost base(std::size_t i) const { return all.base(i) - (part ? part->base(i) : 0); }
    Cost sum(std::size_t run) const { return all.sum(run) - (part ? part->sum(run) : 0); }
    Cost single(std::size_t run, std::size_t i) const {
        return all.singles(run)[i] - (part ? part->singles(run)[i] : 0);
    }
    // Whether some of the rows have the column and some have not.
    bool splits_rows(std::size_t i) const {
        const std::size_t n = all.n_rows() - (part ? part->n_rows() : 0);
        const std::size_t with = all.n_rows(i) - (part ? part->n_rows(i) : 0);
        return with > 0 && with < n;
    }
};

// What one leaf and two leaves gain on the rows that have a root, and on those that have not.
struct Gains {
    Cost one, two;
};
struct BothGains {
    Gains with, without;
};

// Two classes. With d the sum over a set (class 1 minus class 0) and b its base, a leaf gains (b + |d|) / 2. A split by
// column j turns d into p and d - p; the best split has the smallest or the largest p, see ranks/depth_one.cpp. So a
// root i needs the extremes over j of pairs[i][j] and of singles[j] - pairs[i][j] only.
template <class Ops>
class SignedRoots {
 public:
    SignedRoots(const SummedRows<Ops>& rows, const Ops& ops) : rows_(rows), ops_(ops) {}

    Cost leaf() const { return (rows_.base() + std::abs(rows_.sum(0))) / 2; }
    BothGains gains(std::size_t i, bool with_splits) const {
        const Cost base = rows_.base(i), sum = rows_.single(0, i);
        const Extremes<typename Ops::Sum> found = with_splits ? extremes(i) : Extremes<typename Ops::Sum>{};
        return {side(base, sum, found.with_low, found.with_high),
                side(rows_.base() - base, rows_.sum(0) - sum, found.without_low, found.without_high)};
    }

 private:
    static Gains side(Cost base, Cost sum, Cost low, Cost high) {
        const Cost leaf = (base + std::abs(sum)) / 2;
        const Cost split = (base + std::max(2 * high - sum, sum - 2 * low)) / 2;
        return {leaf, std::max(leaf, split)};
    }
    Extremes<typename Ops::Sum> extremes(std::size_t i) const {
        const PairSums<Ops>& all = rows_.all;
        const std::size_t stride = rows_.table.stride();
        if (!rows_.part) return ops_.extremes(all.pairs(0, i), all.singles(0), stride);
        return ops_.extremes_of_rest(all.pairs(0, i), all.singles(0), rows_.part->pairs(0, i), rows_.part->singles(0),
                                     stride);
    }

    const SummedRows<Ops>& rows_;
    const Ops& ops_;
};

// Any number of classes: every leaf takes the class that gains most. Classes without rows are left out.
template <class Ops>
class ClassRoots {
 public:
    using Sum = typename Ops::Sum;

    ClassRoots(const SummedRows<Ops>& rows, const Ops& ops) : rows_(rows), ops_(ops) {
        const std::size_t n_runs = rows.table.runs().size(), stride = rows.table.stride();
        for (std::size_t run = 0; run < n_runs; ++run)
            if (rows.sum(run) > 0) runs_.push_back(run);
        classes_.resize(runs_.size());
        if (rows.part) singles_.resize(runs_.size() * stride);
        for (std::size_t k = 0; k < runs_.size(); ++k) {
            classes_[k].singles = rows.all.singles(runs_[k]);
            if (!rows.part) continue;
            Sum* left = singles_.data() + k * stride;
            for (std::size_t j = 0; j < stride; ++j)
                left[j] = static_cast<Sum>(classes_[k].singles[j] - rows.part->singles(runs_[k])[j]);
            classes_[k].singles = left;
        }
    }

    Cost leaf() const {
        Cost most = 0;
        for (const std::size_t run : runs_) most = std::max(most, rows_.sum(run));
        return most;
    }
    BothGains gains(std::size_t i, bool with_splits) {
        Cost with = 0, without = 0;
        for (std::size_t k = 0; k < runs_.size(); ++k) {
            ClassSums<Sum>& own = classes_[k];
            own.with = own.singles[i];
            own.without = static_cast<Sum>(rows_.sum(runs_[k]) - own.with);
            with = std::max<Cost>(with, own.with);
            without = std::max<Cost>(without, own.without);
        }
        if (!with_splits) return {{with, with}, {without, without}};  // there may be no pairs
        load_pairs(i);
        const auto best = rows_.part ? ops_.best_splits_of_rest : ops_.best_splits;
        const Splits<Sum> found = best(classes_.data(), classes_.size(), rows_.table.n_columns());
        return {{with, found.with}, {without, found.without}};
    }

 private:
    void load_pairs(std::size_t i) {
        for (std::size_t k = 0; k < runs_.size(); ++k) {
            classes_[k].pairs = rows_.all.pairs(runs_[k], i);
            classes_[k].part = rows_.part ? rows_.part->pairs(runs_[k], i) : nullptr;
        }
    }

    const SummedRows<Ops>& rows_;
    const Ops& ops_;
    std::vector<std::size_t> runs_;
    std::vector<ClassSums<Sum>> classes_;
    std::vector<Sum> singles_;  // without the subtracted rows
};

// The cheapest tree so far, and of several the one with the fewest leaves; initially a single leaf.
class BestPairTree {
 public:
    explicit BestPairTree(Cost leaf) { known_.upper = leaf; }
    void meet(const SplitCost& found, Question question) {
        if (found.cost > known_.upper || (found.cost == known_.upper && found.used >= used_)) return;
        known_.upper = found.cost;
        known_.question = question;
        known_.yes_leaves = found.yes_leaves;
        known_.no_leaves = found.no_leaves;
        used_ = found.used;
    }
    SubtreeBounds solved() const {
        SubtreeBounds out = known_;
        out.lower = out.relaxed = out.upper;
        return out;
    }

 private:
    SubtreeBounds known_;
    int used_ = 1;
};

void tell(RootCosts& told, std::size_t column, const SplitCost& found, const SideCosts& with,
          const SideCosts& without) {
    told.total[column] = found.cost;
    told.yes[column] = with.two;
    told.no[column] = without.two;
}

template <class Ops, class Roots>
SubtreeBounds try_roots(const SummedRows<Ops>& rows, Roots roots, std::int64_t leaves, const Prices& prices,
                        RootCosts* told) {
    const auto costs = [&](Cost base, const Gains& gains) {
        return SideCosts::of(prices.unit * base, prices.unit * gains.one, prices.unit * gains.two, prices.leaf);
    };
    BestPairTree best(costs(rows.base(), {roots.leaf(), 0}).one);
    if (told) told->reset(rows.table.n_columns());
    for (std::size_t i = 0; i < rows.table.n_columns() && leaves >= 2; ++i) {
        if (!rows.splits_rows(i)) continue;
        const BothGains gains = roots.gains(i, leaves >= 3);
        const SideCosts with = costs(rows.base(i), gains.with),
                        without = costs(rows.base() - rows.base(i), gains.without);
        const SplitCost found =
            leaves >= 3 ? combine_sides(with, without, leaves) : SplitCost{with.one + without.one, 1, 1, 2};
        if (told) tell(*told, i, found, with, without);
        best.meet(found, rows.table.question(i));
    }
    return best.solved();
}

// With a minimum leaf size, over all rows of the sums.
template <class Ops>
class SizedRoots {
 public:
    using Sum = typename Ops::Sum;

    SizedRoots(const SummedRows<Ops>& rows, Cost least, const Ops& ops)
        : rows_(rows), ops_(ops), least_(std::min(least, rows.all.size() + 1)) {
        for (std::size_t run = 0; run < rows.table.runs().size(); ++run)
            classes_.push_back({nullptr, nullptr, rows.all.singles(run), 0, 0});
    }

    SubtreeBounds solved(std::int64_t leaves, const Prices& prices, RootCosts* told) {
        const auto costs = [&](Cost base, Cost one, Cost two) {
            return SideCosts::of(prices.unit * base, prices.unit * one, prices.unit * two, prices.leaf);
        };
        Cost most = 0;
        for (std::size_t run = 0; run < classes_.size(); ++run) most = std::max(most, rows_.sum(run));
        const Cost leaf = costs(rows_.base(), most, 0).one;
        BestPairTree best(leaf);
        Cost relaxed = leaf;
        if (told) told->reset(rows_.table.n_columns());
        for (std::size_t i = 0; i < rows_.table.n_columns() && leaves >= 2; ++i) {
            if (!rows_.splits_rows(i)) continue;
            const Splits<Sum> one = load_root(i, leaves >= 3);
            const SizedSplits<Sum> two =
                leaves >= 3 ? ops_.sized_splits(classes_.data(), classes_.size(), rows_.table.n_columns(), sizes_)
                            : SizedSplits<Sum>{};
            const auto joined = [&](const Splits<Sum>& splits) {
                const SideCosts with = costs(rows_.base(i), one.with, splits.with),
                                without = costs(rows_.base() - rows_.base(i), one.without, splits.without);
                return leaves >= 3 ? combine_sides(with, without, leaves) : SplitCost{with.one + without.one, 1, 1, 2};
            };
            const SplitCost any = joined(two.relaxed);
            relaxed = std::min(relaxed, any.cost);
            if (told)
                tell(*told, i, any, costs(rows_.base(i), one.with, two.relaxed.with),
                     costs(rows_.base() - rows_.base(i), one.without, two.relaxed.without));
            if (sizes_.with >= least_ && sizes_.without >= least_)
                best.meet(joined(two.allowed), rows_.table.question(i));
        }
        SubtreeBounds out = best.solved();
        out.relaxed = relaxed;
        return out;
    }

 private:
    // Loads a root, and the pairs if there are any; returns the gain of one leaf on either side.
    Splits<Sum> load_root(std::size_t i, bool with_pairs) {
        Splits<Sum> one{0, 0};
        for (std::size_t run = 0; run < classes_.size(); ++run) {
            ClassSums<Sum>& own = classes_[run];
            own.pairs = with_pairs ? rows_.all.pairs(run, i) : nullptr;
            own.with = own.singles[i];
            own.without = static_cast<Sum>(rows_.sum(run) - own.with);
            one = {std::max(one.with, own.with), std::max(one.without, own.without)};
        }
        const Sum with = rows_.all.size_singles()[i], without = static_cast<Sum>(rows_.all.size() - with);
        const Sum* pairs = with_pairs ? rows_.all.size_pairs(i) : nullptr;
        sizes_ = {pairs, rows_.all.size_singles(), with, without, static_cast<Sum>(least_)};
        return one;
    }

    const SummedRows<Ops>& rows_;
    const Ops& ops_;
    Cost least_;
    std::vector<ClassSums<Sum>> classes_;
    SizeSums<Sum> sizes_{};
};

template <class Ops>
SubtreeBounds try_roots(const SummedRows<Ops>& rows, std::int64_t leaves, const Prices& prices, const Ops& ops,
                        RootCosts* told) {
    if (rows.table.sized()) return SizedRoots<Ops>(rows, prices.least, ops).solved(leaves, prices, told);
    if (rows.table.has_signs()) return try_roots(rows, SignedRoots<Ops>(rows, ops), leaves, prices, told);
    return try_roots(rows, ClassRoots<Ops>(rows, ops), leaves, prices, told);
}

}  // namespace

template <class Ops>
SubtreeBounds solve_pairs(const BitTable<Ops>& table, const PairSums<Ops>& sums, std::int64_t leaves,
                          const Prices& prices, const Ops& ops, RootCosts* roots) {
    return try_roots(SummedRows<Ops>{table, sums, nullptr}, leaves, prices, ops, roots);
}

template <class Ops>
SubtreeBounds solve_complement(const BitTable<Ops>& table, const PairSums<Ops>& all, const PairSums<Ops>& part,
                               std::int64_t leaves, const Prices& prices, const Ops& ops) {
    if (!table.sized()) return try_roots(SummedRows<Ops>{table, all, &part}, leaves, prices, ops, nullptr);
    PairSums<Ops> rest;
    rest.fill_difference(all, part);
    return try_roots(SummedRows<Ops>{table, rest, nullptr}, leaves, prices, ops, nullptr);
}

#define EXACTREE_INSTANTIATE(Ops)                                                                               \
    template SubtreeBounds solve_pairs(const BitTable<Ops>&, const PairSums<Ops>&, std::int64_t, const Prices&, \
                                       const Ops&, RootCosts*);                                                 \
    template SubtreeBounds solve_complement(const BitTable<Ops>&, const PairSums<Ops>&, const PairSums<Ops>&,   \
                                            std::int64_t, const Prices&, const Ops&);
EXACTREE_INSTANTIATE(SmallOps)
EXACTREE_INSTANTIATE(MediumOps)
EXACTREE_INSTANTIATE(WideOps)

}  // namespace exactree::bits
