// Compiled once per instruction set, in a namespace of its own: EXACTREE_ISA.
#include <algorithm>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "core/lanes.inl"
#include "core/row_bits.hpp"
#include "ranks/simd/probes.hpp"

namespace exactree::ranks::simd::EXACTREE_ISA {
namespace {

using exactree::EXACTREE_ISA::Lanes;

}  // namespace
}  // namespace exactree::ranks::simd::EXACTREE_ISA

#include "ranks/simd/two_classes.inl"

namespace exactree::ranks::simd::EXACTREE_ISA {
namespace {

#if defined(__AVX2__)
// Labels or ranks of eight rows at a time, compared with those of the rows before them.
class Changes {
 public:
    explicit Changes(std::uint32_t first) : last_(_mm256_set1_epi32(static_cast<int>(first))) {}

    // A bit for every value that differs from the one before.
    std::uint64_t take(__m256i values) {
        const __m256i turned = _mm256_permutevar8x32_epi32(values, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
        const __m256i same = _mm256_cmpeq_epi32(values, _mm256_blend_epi32(turned, last_, 1));
        last_ = turned;
        return 255u ^ static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
    }

 private:
    __m256i last_;  // in its first lane
};

__m256i gather(const std::uint32_t* values, __m256i rows) {
    return _mm256_i32gather_epi32(reinterpret_cast<const int*>(values), rows, 4);
}

// Numbers for the labels of eight rows, the same for the same label. Comparing instead of gathering takes 2 % off room
// at depth 4; with many labels it would be more work.
__m256i labels_of(const RowLabels& labels, __m256i rows) {
    constexpr std::size_t kFew = 8;
    if (labels.n_begins > kFew) return gather(labels.of_row, rows);
    __m256i out = _mm256_setzero_si256();
    for (std::size_t k = 0; k < labels.n_begins; ++k)
        out = _mm256_add_epi32(out, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(labels.begins[k])), rows));
    return out;
}
#endif

void find_changes(const std::uint32_t* order, const RowLabels& labels, const Rank* ranks, std::size_t n_rows,
                  std::uint64_t* labels_change, std::uint64_t* ranks_change) {
    std::fill(labels_change, labels_change + words_for(n_rows), 0);
    std::fill(ranks_change, ranks_change + words_for(n_rows), 0);
    std::size_t at = 0;
#if defined(__AVX2__)
    const __m256i first = labels_of(labels, _mm256_set1_epi32(static_cast<int>(order[0])));
    Changes by_label(static_cast<std::uint32_t>(_mm256_extract_epi32(first, 0))), by_rank(ranks ? ranks[order[0]] : 0);
    for (; at + 8 <= n_rows; at += 8) {
        const __m256i rows = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(order + at));
        labels_change[at / 64] |= by_label.take(labels_of(labels, rows)) << at % 64;
        ranks_change[at / 64] |= (ranks ? by_rank.take(gather(ranks, rows)) : 255) << at % 64;
    }
    ranks_change[0] &= ~std::uint64_t{1};  // nothing comes before the first row
#endif
    for (at = std::max<std::size_t>(at, 1); at < n_rows; ++at) {
        const std::uint32_t row = order[at], before = order[at - 1];
        labels_change[at / 64] |= std::uint64_t{labels.of_row[row] != labels.of_row[before]} << at % 64;
        ranks_change[at / 64] |= std::uint64_t{!ranks || ranks[row] != ranks[before]} << at % 64;
    }
}

void mark(const Rank* const* ranks, const Rank* at_most, std::size_t n_probes, std::size_t n_rows,
          std::uint32_t* marks) {
    using V = Lanes<std::int32_t>;  // one lane per row; ranks stay below 2^31
    std::size_t row = 0;
    for (; row + V::n <= n_rows; row += V::n) {
        V block;
        for (std::size_t x = 0; x < n_probes; ++x) {
            V at;
            std::memcpy(&at.v, ranks[x] + row, sizeof at.v);
            const V within = reaches(V::all(static_cast<std::int32_t>(at_most[x])), at);
            block = block + (within & V::all(std::int32_t{1} << x));
        }
        std::memcpy(marks + row, &block.v, sizeof block.v);
    }
    for (; row < n_rows; ++row) {
        marks[row] = 0;
        for (std::size_t x = 0; x < n_probes; ++x) marks[row] |= std::uint32_t{ranks[x][row] <= at_most[x]} << x;
    }
}

template <class Lane>
Lanes<Lane> mask_of(std::uint32_t marks, const Lanes<Lane>& bits) {
    return equal(Lanes<Lane>::all(static_cast<Lane>(marks)) & bits, bits);
}

template <class Lane>
void spread(const std::uint32_t* marks, const Lane* gain, std::size_t n_rows, Lane* out) {
    const auto bits = Lanes<Lane>::bits();
    for (std::size_t row = 0; row < n_rows; ++row)
        (mask_of(marks[row], bits) & Lanes<Lane>::all(gain[row])).store(out + row * kLanes<Lane>);
}

// Largest gain of one label in the scanned prefix of a column, on both sides; gains only grow.
template <class Lane>
class ScannedGains {
 public:
    ScannedGains(Lane* by_class, std::size_t n_classes) : by_class_(by_class) {
        for (std::size_t k = 0; k < n_classes; ++k) Lanes<Lane>().store(by_class + k * kLanes<Lane>);
    }
    // Scans rows of one label that gain `gained`; all scanned rows of the label then gain `seen`.
    void pass(std::int32_t label, Lane seen, const Lanes<Lane>& gained) {
        Lane* mine = by_class_ + static_cast<std::size_t>(label) * kLanes<Lane>;
        const Lanes<Lane> sum = Lanes<Lane>::load(mine) + gained;
        sum.store(mine);
        yes = larger(yes, sum);
        no = larger(no, Lanes<Lane>::all(seen) - sum);
    }
    Lanes<Lane> yes, no;

 private:
    Lane* by_class_;
};

template <class Lane>
Lane seen_from_above(const ProbedRows<Lane>& rows, const LabelRun<Lane>& run) {
    return static_cast<Lane>(rows.class_gain[run.label] - run.before + run.gain);
}

// Largest gains of splits of both sides.
template <class Lane>
struct BestSplitGains {
    Lanes<Lane> yes, no;

    void meet(const Lane* below, const ScannedGains<Lane>& above) {
        yes = larger(yes, Lanes<Lane>::load(below) + above.yes);
        no = larger(no, Lanes<Lane>::load(below + kLanes<Lane>) + above.no);
    }
};

template <class Lane>
void store_gains(const ScannedGains<Lane>& passed, Lane* to) {
    passed.yes.store(to);
    passed.no.store(to + kLanes<Lane>);
}

// A forward pass over a column stores what each run gains and the largest gain below each stop; the backward pass adds
// the largest gain above it.
template <class Lane>
ScannedGains<Lane> many_by_runs(const ProbedRows<Lane>& rows, const ProbedColumn<Lane>& column, const Lane* spread,
                                Lane* scratch, BestSplitGains<Lane>& best) {
    Lane* to = scratch + rows.n_classes * kLanes<Lane>;
    ScannedGains<Lane> up(scratch, rows.n_classes);
    std::size_t at = 0;
    for (const LabelRun<Lane>* run = column.runs; run != column.runs + column.n_runs; at = (run++)->end) {
        const Lanes<Lane> gained = gained_by(column.order, at, run->end, spread);
        gained.store(to);
        to += kLanes<Lane>;
        up.pass(run->label, run->before, gained);
        if (!run->stops) continue;
        store_gains(up, to);
        to += 2 * kLanes<Lane>;
    }
    ScannedGains<Lane> down(scratch, rows.n_classes);
    for (const LabelRun<Lane>* run = column.runs + column.n_runs; run-- != column.runs;) {
        if (run->stops) best.meet(to -= 2 * kLanes<Lane>, down);
        down.pass(run->label, seen_from_above(rows, *run), Lanes<Lane>::load(to -= kLanes<Lane>));
    }
    return up;
}

// The same for runs of one row, without branches. In the backward pass every row adds to the last stop at or below it:
// at the stop itself that is the gain of the split, elsewhere less.
template <class Lane>
ScannedGains<Lane> many_by_place(const ProbedRows<Lane>& rows, const ProbedColumn<Lane>& column, const Lane* spread,
                                 Lane* scratch, BestSplitGains<Lane>& best) {
    Lane* to = scratch + (rows.n_classes + 2) * kLanes<Lane>;  // nothing is stored below the first stop
    store_gains(ScannedGains<Lane>(scratch, rows.n_classes), to - 2 * kLanes<Lane>);
    ScannedGains<Lane> up(scratch, rows.n_classes);
    for (std::size_t at = 0; at < rows.n_rows; ++at) {
        const LabelRun<Lane>& run = column.runs[at];
        up.pass(run.label, run.before, gained_by(column.order, at, at + 1, spread));
        store_gains(up, to);
        to += 2 * kLanes<Lane> * run.stops;
    }
    ScannedGains<Lane> down(scratch, rows.n_classes);
    for (std::size_t at = rows.n_rows; at-- > 0;) {
        const LabelRun<Lane>& run = column.runs[at];
        best.meet(to - 2 * kLanes<Lane>, down);
        to -= 2 * kLanes<Lane> * run.stops;
        down.pass(run.label, seen_from_above(rows, run), gained_by(column.order, at, at + 1, spread));
    }
    return up;
}

template <class Lane>
void many_classes(const ProbedRows<Lane>& rows, const Lane* spread, Lane* scratch, BestGains<Lane>& out) {
    BestSplitGains<Lane> best;
    for (const ProbedColumn<Lane>& column : *rows.columns) {
        const ScannedGains<Lane> all = column.by_place ? many_by_place(rows, column, spread, scratch, best)
                                                       : many_by_runs(rows, column, spread, scratch, best);
        all.yes.store(out.leaf.yes);  // the same for every column
        all.no.store(out.leaf.no);
    }
    best.yes.store(out.split.yes);
    best.no.store(out.split.no);
}

// Size of the scanned rows: of the yes side and of all.
template <class Lane>
struct ScannedSize {
    Lanes<Lane> yes_rows, yes_weight, rows, weight;

    void pass(const ProbedRows<Lane>& of, std::uint32_t row, const Lanes<Lane>& mask) {
        const auto its_rows = Lanes<Lane>::all(of.rows[row]), its_weight = Lanes<Lane>::all(of.weight[row]);
        rows = rows + its_rows;
        weight = weight + its_weight;
        yes_rows = yes_rows + (mask & its_rows);
        yes_weight = yes_weight + (mask & its_weight);
    }
    // Where both halves of the yes side, and of the no side, are large enough; `all` is the size of the column.
    Lanes<Lane> yes_allowed(const ScannedSize& all, LeastSize<Lane> least) const {
        return enough(yes_rows, yes_weight, least) &
               enough(all.yes_rows - yes_rows, all.yes_weight - yes_weight, least);
    }
    Lanes<Lane> no_allowed(const ScannedSize& all, LeastSize<Lane> least) const {
        const Lanes<Lane> no_rows = rows - yes_rows, no_weight = weight - yes_weight;
        return enough(no_rows, no_weight, least) &
               enough(all.rows - all.yes_rows - no_rows, all.weight - all.yes_weight - no_weight, least);
    }

 private:
    static Lanes<Lane> enough(const Lanes<Lane>& r, const Lanes<Lane>& w, LeastSize<Lane> least) {
        return reaches(r, Lanes<Lane>::all(least.rows)) & reaches(w, Lanes<Lane>::all(least.weight));
    }
};

// As many_classes, but stores with each gain whether both sides of the split are large enough.
template <class Lane>
void sized(const ProbedRows<Lane>& rows, const std::uint32_t* marks, const Lane* spread, LeastSize<Lane> least,
           Lane* scratch, BestGains<Lane>& out) {
    using V = Lanes<Lane>;
    const V bits = V::bits();
    ScannedSize<Lane> all;
    for (std::uint32_t row = 0; row < rows.n_rows; ++row) all.pass(rows, row, mask_of(marks[row], bits));
    BestSplitGains<Lane> best, allowed;
    for (const ProbedColumn<Lane>& column : *rows.columns) {
        ScannedGains<Lane> up(scratch, rows.n_classes);
        ScannedSize<Lane> size;
        Lane* to = scratch + rows.n_classes * V::n;
        std::size_t at = 0;
        for (const LabelRun<Lane>* run = column.runs; run != column.runs + column.n_runs; ++run) {
            const V gained = gained_by(column.order, at, run->end, spread);
            gained.store(to);
            to += V::n;
            up.pass(run->label, run->before, gained);
            for (; at < run->end; ++at) size.pass(rows, column.order[at], mask_of(marks[column.order[at]], bits));
            if (!run->stops) continue;
            store_gains(up, to);
            size.yes_allowed(all, least).store(to + 2 * V::n);
            size.no_allowed(all, least).store(to + 3 * V::n);
            to += 4 * V::n;
        }
        up.yes.store(out.leaf.yes);  // the same for every column
        up.no.store(out.leaf.no);
        ScannedGains<Lane> down(scratch, rows.n_classes);
        for (const LabelRun<Lane>* run = column.runs + column.n_runs; run-- != column.runs;) {
            if (run->stops) {
                to -= 4 * V::n;
                best.meet(to, down);
                allowed.yes = larger(allowed.yes, (V::load(to) + down.yes) & V::load(to + 2 * V::n));
                allowed.no = larger(allowed.no, (V::load(to + V::n) + down.no) & V::load(to + 3 * V::n));
            }
            down.pass(run->label, seen_from_above(rows, *run), V::load(to -= V::n));
        }
    }
    best.yes.store(out.split.yes);
    best.no.store(out.split.no);
    allowed.yes.store(out.allowed.yes);
    allowed.no.store(out.allowed.no);
}

template <class Lane>
ProbeOps<Lane> ops() {
    decltype(ProbeOps<Lane>::two_classes_marked) marked = nullptr;
    if constexpr (kMarksHoldSigns<Lane>) marked = &two_classes_marked<Lane>;
    return {&find_changes, &mark, &spread<Lane>, &two_classes<Lane>, marked, &many_classes<Lane>, &sized<Lane>};
}

}  // namespace

ProbeOps<std::int16_t> narrow_probes() { return ops<std::int16_t>(); }
ProbeOps<std::int32_t> medium_probes() { return ops<std::int32_t>(); }
ProbeOps<std::int64_t> wide_probes() { return ops<std::int64_t>(); }

}  // namespace exactree::ranks::simd::EXACTREE_ISA
