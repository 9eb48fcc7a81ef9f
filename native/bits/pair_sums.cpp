#include "bits/pair_sums.hpp"

#include <algorithm>
#include <type_traits>

namespace exactree::bits {

template <class Ops>
void PairSums<Ops>::fill(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs) {
    const std::size_t n_runs = table.runs().size(), n_columns = table.n_columns();
    stride_ = table.stride();
    n_rows_ = 0;
    base_all_ = 0;
    sums_.assign(n_runs, 0);
    base_.assign(n_columns, 0);
    rows_.assign(n_columns, 0);
    singles_.assign(n_runs * stride_, 0);
    if (with_pairs) pairs_.assign(n_runs * n_columns * stride_, 0);
    add_rows(table, set, ops, with_pairs, false);
    finish(table, set, ops, with_pairs);
    if (table.sized()) add_sizes(table, set, ops, with_pairs);
}

template <class Ops>
bool PairSums<Ops>::update_to(const BitTable<Ops>& table, const RowBits& set, const Ops& ops) {
    if (table.sized() || table.sparse() || table_ != &table || version_ != table.version()) return false;
    const std::size_t n = ops.count_rows(set.data(), set.size());
    const std::size_t gone = ops.count_difference(set_.data(), set.data(), set.size());
    const std::size_t come = ops.count_difference(set.data(), set_.data(), set.size());
    if (gone + come + kFew >= n) return false;
    for (const bool minus : {true, false}) {
        RowBits& part = minus ? gone_ : come_;
        part.resize(set.size());
        for (std::size_t w = 0; w < set.size(); ++w) part[w] = minus ? set_[w] & ~set[w] : set[w] & ~set_[w];
        add_rows(table, part, ops, true, minus);
    }
    finish(table, set, ops, true);
    return true;
}

template <class Ops>
void PairSums<Ops>::add_rows(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs,
                             bool minus) {
    const std::size_t n_columns = table.n_columns();
    for (std::size_t run = 0; run < table.runs().size(); ++run) {
        list_run(table, set, table.runs()[run], ops);
        if (with_pairs && table.sparse())
            scatter(table, run);
        else if (with_pairs)
            ops.add_pairs(table.cells(), stride_, table.largest(), list_.data(), n_listed_, bits_.data(), n_columns,
                          words_for(n_listed_), minus, pairs_.data() + run * n_columns * stride_);
        else
            ops.sum_rows(table.cells(), stride_, stride_, table.largest(), list_.data(), n_listed_,
                         singles_.data() + run * stride_);
        sum_run(table, run, ops, minus ? -1 : 1);
    }
}

// Adds each row to the pairs of columns in which it is rare.
template <class Ops>
void PairSums<Ops>::scatter(const BitTable<Ops>& table, std::size_t run) {
    Sum* pairs = pairs_.data() + run * table.n_columns() * stride_;
    for (std::size_t at = 0; at < n_listed_; ++at) {
        const auto gain = static_cast<Sum>(table.gain(list_[at]));
        const std::span<const std::uint16_t> rare = table.rare(list_[at]);
        for (std::size_t i = 0; i < rare.size(); ++i) {
            Sum* out = pairs + rare[i] * stride_;
            for (std::size_t j = i; j < rare.size(); ++j) out[rare[j]] = static_cast<Sum>(out[rare[j]] + gain);
        }
    }
}

// Turns sums over rows that are rare in two columns into sums over rows that have them, by inclusion and exclusion.
template <class Ops>
void PairSums<Ops>::gather(const BitTable<Ops>& table, std::size_t run) {
    const std::size_t n = table.n_columns();
    Sum* pairs = pairs_.data() + run * n * stride_;
    const auto all = static_cast<Sum>(sums_[run]);
    rare_.resize(n);
    for (std::size_t i = 0; i < n; ++i) rare_[i] = pairs[i * stride_ + i];
    for (std::size_t i = 0; i < n; ++i) {
        Sum* row = pairs + i * stride_;
        const bool common = table.is_common(i);
        for (std::size_t j = i; j < n; ++j) {
            const Sum one = table.is_common(j) ? rare_[i] : Sum{0}, two = common ? rare_[j] : Sum{0};
            const bool both = common && table.is_common(j), neither = !common && !table.is_common(j);
            const Sum base = both ? static_cast<Sum>(all - one - two) : static_cast<Sum>(one + two);
            row[j] = static_cast<Sum>(both || neither ? base + row[j] : base - row[j]);
        }
        const std::size_t end = std::min(n, (i / kColumnBlock + 1) * kColumnBlock);
        for (std::size_t j = i + 1; j < end; ++j) pairs[j * stride_ + i] = row[j];
    }
}

// What follows from the sums over pairs, and from the set itself.
template <class Ops>
void PairSums<Ops>::finish(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs) {
    const std::size_t n_columns = table.n_columns();
    for (std::size_t run = 0; with_pairs && run < table.runs().size(); ++run) {
        Sum* pairs = pairs_.data() + run * n_columns * stride_;
        if (table.sparse()) gather(table, run);
        ops.mirror(pairs, stride_, n_columns);
        for (std::size_t i = 0; i < n_columns; ++i) singles_[run * stride_ + i] = pairs[i * stride_ + i];
    }
    if (table.all_alike()) count_bases(table, set, ops);
    table_ = with_pairs ? &table : nullptr;
    version_ = table.version();
    set_ = set;
}

template <class Ops>
void PairSums<Ops>::add_sizes(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs) {
    const std::size_t n_columns = table.n_columns();
    list_run(table, set, {0, 0, table.n_rows()}, ops);
    size_all_ = 0;
    for (std::size_t at = 0; at < n_listed_; ++at) size_all_ += table.size(list_[at]);
    size_singles_.assign(stride_, 0);
    if (!with_pairs) {
        ops.sum_rows(table.size_cells(), stride_, stride_, table.largest_size(), list_.data(), n_listed_,
                     size_singles_.data());
        return;
    }
    size_pairs_.assign(n_columns * stride_, 0);
    ops.add_pairs(table.size_cells(), stride_, table.largest_size(), list_.data(), n_listed_, bits_.data(), n_columns,
                  words_for(n_listed_), false, size_pairs_.data());
    ops.mirror(size_pairs_.data(), stride_, n_columns);
    for (std::size_t i = 0; i < n_columns; ++i) size_singles_[i] = size_pairs_[i * stride_ + i];
}

template <class Ops>
void PairSums<Ops>::fill_difference(const PairSums& all, const PairSums& part) {
    const auto rest = [](const auto& whole, const auto& taken, auto& out) {
        using Number = typename std::decay_t<decltype(out)>::value_type;
        out.resize(taken.size());
        for (std::size_t at = 0; at < out.size(); ++at) out[at] = static_cast<Number>(whole[at] - taken[at]);
    };
    stride_ = all.stride_;
    n_rows_ = all.n_rows_ - part.n_rows_;
    base_all_ = all.base_all_ - part.base_all_;
    size_all_ = all.size_all_ - part.size_all_;
    rest(all.pairs_, part.pairs_, pairs_);
    rest(all.singles_, part.singles_, singles_);
    rest(all.size_pairs_, part.size_pairs_, size_pairs_);
    rest(all.size_singles_, part.size_singles_, size_singles_);
    rest(all.sums_, part.sums_, sums_);
    rest(all.base_, part.base_, base_);
    rest(all.rows_, part.rows_, rows_);
}

// The rows of the run that are in the set, and for each column which of them have it.
template <class Ops>
void PairSums<Ops>::list_run(const BitTable<Ops>& table, const RowBits& set, const RowRun& run, const Ops& ops) {
    const std::size_t first = run.begin / 64;
    slice(set, run.begin, run.end, part_);
    list_.resize(run.end - run.begin + 3);
    n_listed_ = ops.list_rows(part_.data(), part_.data(), 0, part_.size(), list_.data());
    for (std::size_t at = 0; at < n_listed_ && first > 0; ++at) list_[at] += static_cast<std::uint32_t>(64 * first);
    const std::size_t n_words = words_for(n_listed_);
    bits_.resize(table.n_columns() * n_words + 1);
    for (std::size_t i = 0; i < table.n_columns(); ++i)
        ops.compress(table.column(i) + first, part_.data(), part_.size(), bits_.data() + i * n_words);
}

template <class Ops>
void PairSums<Ops>::sum_run(const BitTable<Ops>& table, std::size_t run, const Ops& ops, int sign) {
    const std::size_t n_words = words_for(n_listed_);
    const auto times = static_cast<std::size_t>(sign);  // adds up to the right number modulo 2^64
    n_rows_ += times * n_listed_;
    for (std::size_t at = 0; at < n_listed_; ++at) sums_[run] += sign * table.gain(list_[at]);
    for (std::size_t i = 0; i < table.n_columns(); ++i) {
        const Word* has = bits_.data() + i * n_words;
        rows_[i] += times * ops.count_rows(has, n_words);
        if (table.all_alike()) continue;  // see count_bases
        for_each_row(has, n_words, [&](std::uint32_t at) { base_[i] += sign * table.base(list_[at]); });
    }
    if (table.all_alike()) return;
    for (std::size_t at = 0; at < n_listed_; ++at) base_all_ += sign * table.base(list_[at]);
}

// Where no base is more than one.
template <class Ops>
void PairSums<Ops>::count_bases(const BitTable<Ops>& table, const RowBits& set, const Ops& ops) {
    if (table.all_carry_base()) {
        base_all_ = static_cast<Cost>(n_rows_);
        std::copy(rows_.begin(), rows_.end(), base_.begin());
        return;
    }
    part_ = set;
    for (std::size_t w = 0; w < part_.size(); ++w) part_[w] &= table.base_carriers()[w];
    base_all_ = static_cast<Cost>(ops.count_rows(part_.data(), part_.size()));
    for (std::size_t i = 0; i < base_.size(); ++i)
        base_[i] = base_all_ - static_cast<Cost>(ops.count_difference(part_.data(), table.column(i), part_.size()));
}

template class PairSums<SmallOps>;
template class PairSums<MediumOps>;
template class PairSums<WideOps>;

}  // namespace exactree::bits
