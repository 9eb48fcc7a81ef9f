#include "ranks/probe_table.hpp"

#include "core/scratch.hpp"

namespace exactree::ranks {
namespace {

// Average length below which runs are not used: mispredicted ends of runs cost more than scoring every row.
constexpr std::size_t kShortRun = 5;

// Whether labels change that often, estimated from samples of the column: a wrong estimate costs time only.
bool labels_change_often(const Node& node, std::size_t column) {
    constexpr std::size_t kStretches = 4, kLength = 64;
    const std::size_t n = node.n_rows(), length = std::min(kLength, n / kStretches);
    const std::uint32_t* order = node.order(column);
    std::size_t changes = 0;
    for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
        const std::size_t first = stretch * (n - length) / kStretches;
        for (std::size_t at = first + 1; at < first + length; ++at)
            changes += node.label(order[at]) != node.label(order[at - 1]);
    }
    return changes * kShortRun > kStretches * length;
}

}  // namespace

template <class Lane>
bool ProbeTable<Lane>::fill(const Node& node, Watchdog& watchdog) {
    const std::size_t n = node.n_rows(), n_columns = node.n_columns();
    fill_rows(node);
    run_ends_.begin(node);
    columns_.resize(n_columns);
    ensure_size(n_columns, rooms_);
    std::size_t most_runs = 0;
    work_ = 2 * n;
    for (std::size_t column = 0; column < n_columns; ++column) {
        if (watchdog.spend(n)) return false;
        fill_column(node, column);
        most_runs = std::max(most_runs, columns_[column].n_runs);
        work_ += n + 3 * columns_[column].n_runs;
    }
    ensure_size(n, marks_);
    marked_ = takes_marks();
    if (!marked_) ensure_size(n * kLanes<Lane>, spread_);
    if (!signed_) ensure_size(simd::probe_scratch<Lane>(rows_.n_classes, most_runs + 1), scratch_);
    return true;
}

// Whether one signed number per row is enough: leaves of any size, no more than two classes that gain anything here,
// and a base that is lost by the wrong one of them.
template <class Lane>
bool ProbeTable<Lane>::takes_signs(const Node& node) const {
    const std::vector<Cost>& gains = node.gains();
    if (sized() || std::count_if(gains.begin(), gains.end(), [](Cost gain) { return gain > 0; }) > 2) return false;
    if (all_gained_) return true;
    for (std::uint32_t local = 0; local < node.n_rows(); ++local)
        if (data_.gain[node.row(local)] != data_.base[node.row(local)]) return false;
    return true;
}

// Whether gains are 1 and -1, and so many that spread gains would not fit into the cache.
template <class Lane>
bool ProbeTable<Lane>::takes_marks() const {
    if (!signed_ || !ops_.two_classes_marked || rows_.n_rows < marked_from_) return false;
    return std::all_of(gain_.begin(), gain_.begin() + static_cast<std::ptrdiff_t>(rows_.n_rows),
                       [](Lane gain) { return gain == 1 || gain == -1; });
}

template <class Lane>
void ProbeTable<Lane>::fill_rows(const Node& node) {
    const std::size_t n = node.n_rows();
    signed_ = takes_signs(node);
    ensure_size(n, gain_);
    positive_ = node.best_label();
    Cost signed_gain = 0;
    for (std::uint32_t local = 0; local < n; ++local) {
        const Cost gain = data_.gain[node.row(local)] / unit_;
        const Cost its = signed_ && node.label(local) != positive_ ? -gain : gain;
        gain_[local] = static_cast<Lane>(its);
        signed_gain += its;
    }
    if (!signed_) signed_gain = 0;
    if (sized()) {
        ensure_size(n, size_rows_);
        ensure_size(n, size_weight_);
        for (std::uint32_t local = 0; local < n; ++local) {
            size_rows_[local] = static_cast<Lane>(data_.size[node.row(local)].rows);
            size_weight_[local] = static_cast<Lane>(data_.size[node.row(local)].weight);
        }
    }
    seen_.resize(node.gains().size());
    class_gain_.clear();
    for (const Cost gain : node.gains()) class_gain_.push_back(static_cast<Lane>(gain / unit_));
    rows_ = {n,
             static_cast<std::size_t>(data_.n_classes),
             static_cast<Lane>(signed_gain),
             class_gain_.data(),
             gain_.data(),
             size_rows_.data(),
             size_weight_.data(),
             &columns_};
}

template <class Lane>
void ProbeTable<Lane>::fill_column(const Node& node, std::size_t column) {
    simd::ProbedColumn<Lane>& out = columns_[column];
    out = {node.order(column), false, nullptr, nullptr, nullptr, 0};
    out.by_place = !sized() && labels_change_often(node, column);
    if (out.by_place && signed_) {
        fill_by_place(node, column);
        return;
    }
    out.n_runs = out.by_place ? fill_short_runs(node, column) : fill_runs(node, column);
    out.runs = rooms_[column].runs.data();
}

// No loop here branches on labels, which are hard to predict.
template <class Lane>
void ProbeTable<Lane>::fill_by_place(const Node& node, std::size_t column) {
    const std::size_t n = node.n_rows();
    const std::uint32_t* order = node.order(column);
    ensure_size(n, rooms_[column].signed_before);
    Lane* const before = rooms_[column].signed_before.data();
    Lane sum = 0;
    for (std::size_t at = 0; at < n; ++at) before[at] = sum = static_cast<Lane>(sum + gain_[order[at]]);
    columns_[column].signed_before = before;
    if (!node.tied(column)) return;
    const Rank* ranks = node.ranks(column);
    ensure_size(n, rooms_[column].may_part);
    Lane* const may_part = rooms_[column].may_part.data();
    std::size_t n_ties = 0;
    for (std::size_t at = 0; at + 1 < n; ++at) {
        const bool tie = ranks[order[at]] == ranks[order[at + 1]];
        may_part[at] = static_cast<Lane>(tie ? 0 : -1);
        n_ties += tie;
    }
    may_part[n - 1] = 0;
    if (n_ties > 0) columns_[column].may_part = may_part;
}

// What rows of one label gain that follow each other.
template <class Lane>
Lane ProbeTable<Lane>::gain_between(const Node& node, std::size_t column, Place begin, Place end) const {
    const std::uint32_t* const order = node.order(column);
    if (all_gained_) {
        const Cost gain = (node.base_before(column, end) - node.base_before(column, begin)) / unit_;
        return static_cast<Lane>(signed_ && node.label(order[begin]) != positive_ ? -gain : gain);
    }
    Lane sum = 0;
    for (Place at = begin; at < end; ++at) sum = static_cast<Lane>(sum + gain_[order[at]]);
    return sum;
}

template <class Lane>
std::size_t ProbeTable<Lane>::fill_runs(const Node& node, std::size_t column) {
    const std::uint32_t* const order = node.order(column);
    std::fill(seen_.begin(), seen_.end(), Lane{0});
    Place begin = 0;
    const std::vector<RunEnd>& ends = run_ends_.find(node, column, sized());
    ensure_size(ends.size(), rooms_[column].runs);
    simd::LabelRun<Lane>* out = rooms_[column].runs.data();
    for (const RunEnd& end : ends) {
        const std::int32_t label = node.label(order[begin]);
        const Lane gain = gain_between(node, column, begin, end.place);
        Lane& seen = seen_[signed_ ? 0 : static_cast<std::size_t>(label)];
        seen = static_cast<Lane>(seen + gain);
        *out++ = {end.place, label, gain, seen, end.may_split};
        begin = end.place;
    }
    return ends.size();
}

// One row each.
template <class Lane>
std::size_t ProbeTable<Lane>::fill_short_runs(const Node& node, std::size_t column) {
    const auto n = static_cast<std::uint32_t>(node.n_rows());
    ensure_size(n, rooms_[column].runs);
    simd::LabelRun<Lane>* const out = rooms_[column].runs.data();
    const std::uint32_t* order = node.order(column);
    std::fill(seen_.begin(), seen_.end(), Lane{0});
    for (std::uint32_t at = 0; at < n; ++at) {
        const std::int32_t label = node.label(order[at]);
        const Lane its = gain_[order[at]];
        Lane& seen = seen_[static_cast<std::size_t>(label)];
        seen = static_cast<Lane>(seen + its);
        out[at] = {at + 1, label, its, seen, 1};
    }
    const Rank* ranks = node.ranks(column);
    if (node.tied(column))
        for (std::uint32_t at = 0; at + 1 < n; ++at) out[at].stops = ranks[order[at]] != ranks[order[at + 1]];
    return n;
}

template <class Lane>
void ProbeTable<Lane>::score(const Node& node, std::span<const Cut> cuts, ProbedCut* out) {
    const Rank* ranks[kLanes<Lane>];
    Rank at_most[kLanes<Lane>];
    for (std::size_t x = 0; x < cuts.size(); ++x) {
        ranks[x] = node.ranks(cuts[x].column);
        at_most[x] = node.rank_at(cuts[x].column, cuts[x].place - 1);
    }
    ops_.mark(ranks, at_most, cuts.size(), node.n_rows(), marks_.data());
    if (marked_) {
        for (std::size_t row = 0; row < node.n_rows(); ++row) marks_[row] |= gain_[row] < 0 ? simd::kNegative : 0;
        ops_.two_classes_marked(rows_, marks_.data(), range_);
        read_signed(node, cuts, out);
        return;
    }
    ops_.spread(marks_.data(), gain_.data(), node.n_rows(), spread_.data());
    if (signed_) {
        ops_.two_classes(rows_, spread_.data(), range_);
        read_signed(node, cuts, out);
        return;
    }
    if (sized()) {
        const simd::LeastSize<Lane> least{static_cast<Lane>(limits_.least.rows),
                                          static_cast<Lane>(limits_.least.weight)};
        ops_.sized(rows_, marks_.data(), spread_.data(), least, scratch_.data(), gains_);
    } else {
        ops_.many_classes(rows_, spread_.data(), scratch_.data(), gains_);
    }
    read_gains(node, cuts, out);
}

// With p the signed gains of the low side of a split, d those of the node and s its base, the two sides gain (s + |p| +
// |d - p|) / 2, and |p| + |d - p| is largest at the smallest or the largest p.
template <class Lane>
void ProbeTable<Lane>::read_signed(const Node& node, std::span<const Cut> cuts, ProbedCut* out) const {
    const auto costs = [&](Cost base, Cost whole, Cost low, Cost high) {
        const Cost leaf = (base + unit_ * std::abs(whole)) / 2;
        const Cost split = (base + unit_ * std::max(2 * high - whole, whole - 2 * low)) / 2;
        return SideCosts::of(base, leaf, split, limits_.leaf_price);
    };
    for (std::size_t x = 0; x < cuts.size(); ++x) {
        const Cost base = node.base_before(cuts[x].column, cuts[x].place);
        out[x].relaxed = {costs(base, range_.whole.yes[x], range_.low.yes[x], range_.high.yes[x]),
                          costs(node.base() - base, range_.whole.no[x], range_.low.no[x], range_.high.no[x])};
        out[x].allowed = out[x].relaxed;
    }
}

template <class Lane>
void ProbeTable<Lane>::read_gains(const Node& node, std::span<const Cut> cuts, ProbedCut* out) const {
    const auto costs = [&](Cost base, Lane leaf, Lane split) {
        return SideCosts::of(base, unit_ * leaf, unit_ * split, limits_.leaf_price);
    };
    for (std::size_t x = 0; x < cuts.size(); ++x) {
        const Cost yes = node.base_before(cuts[x].column, cuts[x].place), no = node.base() - yes;
        out[x].relaxed = {costs(yes, gains_.leaf.yes[x], gains_.split.yes[x]),
                          costs(no, gains_.leaf.no[x], gains_.split.no[x])};
        out[x].allowed = out[x].relaxed;
        if (sized())
            out[x].allowed = {costs(yes, gains_.leaf.yes[x], gains_.allowed.yes[x]),
                              costs(no, gains_.leaf.no[x], gains_.allowed.no[x])};
    }
}

template class ProbeTable<std::int16_t>;
template class ProbeTable<std::int32_t>;
template class ProbeTable<std::int64_t>;

}  // namespace exactree::ranks
