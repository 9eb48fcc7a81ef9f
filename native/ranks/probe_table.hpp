// A node laid out for probes: gains as narrow as the data allow, and per column the places where a split can be best.
//
// Rows of one label that follow each other need no split in between: the gain of a split is convex in the number of
// such rows below it, so it is largest at one of the two ends of the run. (Not so with a minimum leaf size: then every
// place between two ranks is scored.)
#pragma once

#include <span>

#include "core/side_costs.hpp"
#include "ranks/node.hpp"
#include "ranks/run_ends.hpp"
#include "ranks/simd/probes.hpp"

namespace exactree::ranks {

// Costs of both sides of a cut, each with one leaf and with at most two.
struct ProbedSides {
    SideCosts yes, no;
};
struct ProbedCut {
    ProbedSides relaxed;  // leaves of any size
    ProbedSides allowed;  // leaves of the minimum size; the same if there is none
};

constexpr std::size_t kSpreadRows = std::size_t{1} << 15;  // up to so many, spread gains take less time than marks

template <class Lane>
class ProbeTable {
 public:
    // Gains are multiples of `unit`.
    // From `marked_from` rows on, gains are not spread where marks are enough.
    ProbeTable(const Data& data, const Limits& limits, Cost unit, simd::ProbeOps<Lane> ops,
               std::size_t marked_from = kSpreadRows)
        : data_(data),
          limits_(limits),
          unit_(unit),
          all_gained_(std::equal(data.gain.begin(), data.gain.end(), data.base.begin())),
          ops_(ops),
          marked_from_(marked_from),
          run_ends_(ops.find_changes) {}

    // False if the watchdog stopped it: then nothing can be scored.
    bool fill(const Node& node, Watchdog& watchdog);
    // Scores up to kLanes cuts of the node that was filled in last, in one pass.
    void score(const Node& node, std::span<const Cut> cuts, ProbedCut* out);
    // Approximate work of a pass, in cell updates.
    std::uint64_t work() const noexcept { return work_; }

 private:
    bool sized() const noexcept { return limits_.limits_leaf_size(); }
    bool takes_signs(const Node& node) const;
    void fill_rows(const Node& node);
    bool takes_marks() const;
    void fill_column(const Node& node, std::size_t column);
    void fill_by_place(const Node& node, std::size_t column);
    std::size_t fill_runs(const Node& node, std::size_t column);
    Lane gain_between(const Node& node, std::size_t column, Place begin, Place end) const;
    std::size_t fill_short_runs(const Node& node, std::size_t column);
    void read_signed(const Node& node, std::span<const Cut> cuts, ProbedCut* out) const;
    void read_gains(const Node& node, std::span<const Cut> cuts, ProbedCut* out) const;

    const Data& data_;
    const Limits& limits_;
    Cost unit_;
    bool all_gained_;  // the base of every row is lost by a wrong label: its gain
    simd::ProbeOps<Lane> ops_;
    std::size_t marked_from_;
    RunEnds run_ends_;
    simd::ProbedRows<Lane> rows_{};
    std::vector<simd::ProbedColumn<Lane>> columns_;
    // Room of one column: only as much as the way it is laid out takes.
    struct ColumnRoom {
        std::vector<simd::LabelRun<Lane>> runs;
        std::vector<Lane> signed_before, may_part;  // by place
    };
    std::vector<ColumnRoom> rooms_;
    std::vector<Lane> gain_, size_rows_, size_weight_, class_gain_;
    std::vector<Lane> seen_;     // scratch, per class
    bool signed_ = false;        // gains of all but one class are negative, see takes_signs
    bool marked_ = false;        // of the current node: gains are read from marks
    std::int32_t positive_ = 0;  // that class
    std::uint64_t work_ = 0;
    // of the current pass
    std::vector<std::uint32_t> marks_;
    std::vector<Lane> spread_, scratch_;
    simd::SignedRange<Lane> range_;
    simd::BestGains<Lane> gains_;
};

extern template class ProbeTable<std::int16_t>;
extern template class ProbeTable<std::int32_t>;
extern template class ProbeTable<std::int64_t>;

}  // namespace exactree::ranks
