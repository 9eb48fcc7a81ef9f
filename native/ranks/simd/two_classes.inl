// Passes over sorted rows for two classes: a part of probes.inl, compiled once per instruction set in the namespace
// EXACTREE_ISA.
namespace exactree::ranks::simd::EXACTREE_ISA {
namespace {

// Smallest and largest sums met so far on both sides. The initial 0 stands for no split.
template <class Lane>
struct PrefixExtremes {
    Lanes<Lane> yes_low, yes_high, no_low, no_high;

    void meet(const Lanes<Lane>& yes, const Lanes<Lane>& no) {
        yes_low = smaller(yes_low, yes);
        yes_high = larger(yes_high, yes);
        no_low = smaller(no_low, no);
        no_high = larger(no_high, no);
    }
    void store(SignedRange<Lane>& out) const {
        yes_low.store(out.low.yes);
        yes_high.store(out.high.yes);
        no_low.store(out.low.no);
        no_high.store(out.high.no);
    }
};

// What a row gains on the yes side of each probe: as written by `spread`.
template <class Lane>
struct SpreadGains {
    const Lane* spread;

    Lanes<Lane> of(std::uint32_t row) const { return Lanes<Lane>::load(spread + row * kLanes<Lane>); }
};

// The same from the marks of a row, where gains are 1 and -1 and the highest bit has the sign. An eighth of the memory:
// where spread gains do not fit into the cache, computing them again takes less time than waiting for them.
template <class Lane>
struct MarkedGains {
    const std::uint32_t* marks;
    Lanes<Lane> bits = Lanes<Lane>::bits();

    Lanes<Lane> of(std::uint32_t row) const {
        const auto word = Lanes<Lane>::all(static_cast<Lane>(marks[row]));
        const Lanes<Lane> sign((typename Lanes<Lane>::Vector)(word.v < typename Lanes<Lane>::Vector{}));  // 0 or -1
        return equal(word & bits, bits) & Lanes<Lane>(sign.v | Lanes<Lane>::all(1).v);
    }
};

// Sums over the whole column; returns the signed gains of the yes side.
template <bool kTied, class Lane, class Gains>
Lanes<Lane> scan_rows(const ProbedColumn<Lane>& column, std::size_t n_rows, const Gains& gains,
                      PrefixExtremes<Lane>& sums) {
    Lanes<Lane> yes;
    for (std::size_t at = 0; at < n_rows; ++at) {
        yes = yes + gains.of(column.order[at]);
        const Lanes<Lane> no = Lanes<Lane>::all(column.signed_before[at]) - yes;
        if constexpr (kTied) {  // a sum of 0 changes nothing
            const auto mask = Lanes<Lane>::all(column.may_part[at]);
            sums.meet(yes & mask, no & mask);
        } else {
            sums.meet(yes, no);
        }
    }
    return yes;
}

// What the rows order[first .. last) gain. Inlined: a call would pass the sum in memory.
template <class Lane, class Gains>
[[gnu::always_inline]] inline Lanes<Lane> gained_by(const std::uint32_t* order, std::size_t first, std::size_t last,
                                                    const Gains& gains) {
    const auto its = [&](std::size_t at) { return gains.of(order[at]); };
    Lanes<Lane> sum, other;
    for (; first + 4 <= last; first += 4) {
        sum = sum + its(first) + its(first + 1);
        other = other + its(first + 2) + its(first + 3);
    }
    for (; first < last; ++first) sum = sum + its(first);
    return sum + other;
}
template <class Lane>
[[gnu::always_inline]] inline Lanes<Lane> gained_by(const std::uint32_t* order, std::size_t first, std::size_t last,
                                                    const Lane* spread) {
    return gained_by<Lane>(order, first, last, SpreadGains<Lane>{spread});
}

template <class Lane, class Gains>
Lanes<Lane> scan_runs(const ProbedColumn<Lane>& column, const Gains& gains, PrefixExtremes<Lane>& sums) {
    Lanes<Lane> yes;
    std::size_t at = 0;
    for (const LabelRun<Lane>* run = column.runs; run != column.runs + column.n_runs; at = (run++)->end) {
        yes = yes + gained_by<Lane>(column.order, at, run->end, gains);
        if (run->stops) sums.meet(yes, Lanes<Lane>::all(run->before) - yes);
    }
    return yes;
}

template <class Lane, class Gains>
void scan_two_classes(const ProbedRows<Lane>& rows, const Gains& gains, SignedRange<Lane>& out) {
    PrefixExtremes<Lane> sums;
    Lanes<Lane> yes;
    for (const ProbedColumn<Lane>& column : *rows.columns) {
        PrefixExtremes<Lane> here = sums;  // a copy, so that it stays in registers
        yes = !column.by_place  ? scan_runs(column, gains, here)
              : column.may_part ? scan_rows<true>(column, rows.n_rows, gains, here)
                                : scan_rows<false>(column, rows.n_rows, gains, here);
        sums = here;
    }
    sums.store(out);
    yes.store(out.whole.yes);
    (Lanes<Lane>::all(rows.signed_gain) - yes).store(out.whole.no);
}

template <class Lane>
void two_classes(const ProbedRows<Lane>& rows, const Lane* spread, SignedRange<Lane>& out) {
    scan_two_classes(rows, SpreadGains<Lane>{spread}, out);
}

template <class Lane>
void two_classes_marked(const ProbedRows<Lane>& rows, const std::uint32_t* marks, SignedRange<Lane>& out) {
    scan_two_classes(rows, MarkedGains<Lane>{marks}, out);
}

}  // namespace
}  // namespace exactree::ranks::simd::EXACTREE_ISA
