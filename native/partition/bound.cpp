#include "partition/bound.hpp"

#include <algorithm>
#include <utility>

#include "core/random.hpp"
#include "partition/part_data.hpp"

namespace exactree::partition {
namespace {

// A part of twice the size takes two to six times as long; one that takes far longer is given up.
constexpr std::uint64_t kGrowth = 5, kPatience = 4, kLeastWork = 4'000'000'000;
constexpr std::uint64_t kCopyWork = 16;  // for each cell of a part, mostly for sorting
constexpr std::size_t kTrials = 3;       // parts of a round, before it is judged
constexpr int kLeastHalvings = 2;        // after the first round
constexpr double kRest = 0.4;            // of the unproved share, from one round to the next

std::vector<RowId> shuffled_groups(const Data& data, std::uint64_t seed) {
    std::vector<RowId> out = group_starts(data);
    Random random(seed);
    for (std::size_t left = out.size(); left > 1; --left) std::swap(out[left - 1], out[random.below(left)]);
    return out;
}

// Each group with the rows that follow it, in the order of the data.
std::vector<RowId> rows_of(const Data& data, std::vector<RowId> groups) {
    std::sort(groups.begin(), groups.end());
    std::vector<RowId> out;
    for (RowId row : groups) {
        out.push_back(row);
        while (++row < data.n_rows && continues_group(data, row)) out.push_back(row);
    }
    return out;
}

}  // namespace

// Up to depth three a proof of the optimum takes little longer than one of less. From depth four on a bound of half the
// optimum takes a quarter of the time or less, and larger parts are worth more than the other half.
Schedule Schedule::of_depth(int depth) {
    const std::size_t leaves = std::size_t{1} << std::min(depth, 20);
    if (depth <= 3) return {120 * leaves, 3, 1};
    if (depth == 4) return {30 * leaves, 2, 0.5};
    return {15 * leaves, 1, 0.2};
}

PartitionBound::PartitionBound(const Data& data, const Limits& limits, Schedule schedule, std::uint64_t seed,
                               PartBound solve)
    : data_(data),
      limits_(limits),
      schedule_(schedule),
      solve_(std::move(solve)),
      groups_(shuffled_groups(data, seed)),
      share_(schedule.share) {
    limits_.least = {};  // a leaf that is large enough may have few rows in a part
    while (groups_.size() >> (halvings_ + 1) >= std::max<std::size_t>(1, schedule.smallest)) ++halvings_;
    lowest_.assign(std::size_t{1} << halvings_, 0);
    ended_ = halvings_ == 0;
}

std::uint64_t PartitionBound::advance(std::uint64_t work, Watchdog& leader) {
    std::uint64_t done = 0;
    while (!ended_ && done <= work && !leader.stopped()) done += solve_next(leader);
    return done;
}

std::uint64_t PartitionBound::solve_next(Watchdog& leader) {
    const std::size_t part = next_++;
    const PartData rows(data_, rows_of(data_, {groups_.begin() + static_cast<std::ptrdiff_t>(begin_of(part)),
                                               groups_.begin() + static_cast<std::ptrdiff_t>(begin_of(next_))}));
    Limits limits = limits_;
    limits.leaf_price = price_of(part);
    Watchdog within(leader, Watchdog::Aside{});
    within.limit_work(std::max(kLeastWork, kPatience * kGrowth * mean_));
    within.spend(kCopyWork * rows.data().n_rows * data_.n_columns());
    const Cost lower = solve_(rows.data(), limits, share_, within);
    work_ += within.work();
    n_stopped_ += within.stopped();
    if (lower > lowest_[part]) {
        bound_ += lower - lowest_[part];
        lowest_[part] = lower;
    }
    const bool hopeless = next_ >= std::min(kTrials, lowest_.size()) && 2 * n_stopped_ > next_;
    if (hopeless)
        ended_ = true;
    else if (next_ == lowest_.size())
        end_round();
    return within.work();
}

// Neighbours become one part, with the sum of their bounds until it is solved itself.
void PartitionBound::end_round() {
    const int doublings = std::min(schedule_.doublings, halvings_ - kLeastHalvings);
    if (doublings < 1) {  // two parts, or the whole, take about as long as the search itself
        ended_ = true;
        return;
    }
    halvings_ -= doublings;
    const std::size_t n_parts = std::size_t{1} << halvings_;
    for (std::size_t part = 0; part < n_parts; ++part) {
        Cost sum = 0;
        for (std::size_t at = part << doublings; at < (part + 1) << doublings; ++at) sum += lowest_[at];
        lowest_[part] = sum;
    }
    lowest_.resize(n_parts);
    share_ = 1 - kRest * (1 - share_);
    mean_ = work_ / next_;
    next_ = n_stopped_ = 0;
    work_ = 0;
}

std::size_t PartitionBound::begin_of(std::size_t part) const noexcept { return groups_.size() * part >> halvings_; }

// Halved with the rows, so that all parts together pay the price once. Other shares would be right, too; but an optimum
// is concave in the price, so those of like parts have the largest sum when all pay the same.
Cost PartitionBound::price_of(std::size_t part) const noexcept {
    Cost price = limits_.leaf_price;
    for (int halving = halvings_; halving-- > 0;) price = (part >> halving & 1) != 0 ? price / 2 : price - price / 2;
    return price;
}

}  // namespace exactree::partition
