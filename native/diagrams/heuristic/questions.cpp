#include "diagrams/heuristic/questions.hpp"

#include <algorithm>

#include "core/random.hpp"

namespace exactree::diagrams::heuristic {
namespace {

constexpr std::size_t kBins = SortedColumns::kMostBins;
constexpr std::size_t kMostKnown = 1 << 20;  // best questions kept

}  // namespace

QuestionFinder::QuestionFinder(const DiagramData& data, const SortedColumns& sorted)
    : data_(data),
      sorted_(sorted),
      row_keys_(row_keys(data.n_rows)),
      slots_(data.n_rows),
      gain_of_(data.n_rows),
      turn_of_(data.n_rows, 0),
      sums_(2 * kBins) {}

FoundQuestion QuestionFinder::best(std::span<const RowId> rows, std::span<const Cost> gains, Cost now,
                                   Watchdog& watchdog) {
    rows_ = rows;
    gains_ = gains;
    lay_out();
    const auto found = known_.find(key_);
    if (found != known_.end() && (found->second.column >= 0 || found->second.gain <= now)) return found->second;
    FoundQuestion best{now, -1, 0, false};
    for (std::size_t column = 0; column < data_.n_columns && best.gain < most_; ++column) {
        count(column);
        scan(column, best);
        if (watchdog.spend(rows.size() + kBins)) return best;
    }
    if (found != known_.end())
        found->second = best;
    else if (known_.size() < kMostKnown)
        known_.emplace(key_, best);
    return best;
}

Rank QuestionFinder::rank_of(const FoundQuestion& asked) const {
    const auto column = static_cast<std::size_t>(asked.column);
    std::size_t place = asked.place;
    while (turn_of_[sorted_.row_at(column, place)] != turn_) --place;
    return data_.rank(column, sorted_.row_at(column, place));
}

void QuestionFinder::lay_out() {
    key_ = 0;
    total_ = most_ = 0;
    if (++turn_ == 0) {
        std::fill(turn_of_.begin(), turn_of_.end(), 0u);
        turn_ = 1;
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const RowId row = rows_[i];
        const Cost gain = gains_[i];
        slots_[i] = gain < 0 ? kBins : 0;
        turn_of_[row] = turn_;
        gain_of_[row] = gain;
        total_ += gain;
        most_ += std::max<Cost>(gain, 0);
        key_ += Random(row_keys_[row] ^ static_cast<std::uint64_t>(gain)).next();
    }
}

void QuestionFinder::count(std::size_t column) {
    std::fill(sums_.begin(), sums_.end(), Cost{0});
    const std::uint8_t* bins = sorted_.bins(column);
    Cost* sums = sums_.data();
    for (std::size_t i = 0, n = rows_.size(); i < n; ++i) sums[std::size_t{slots_[i]} + bins[rows_[i]]] += gains_[i];
}

// Evaluates the cuts between bins, then those inside bins whose bound is better.
void QuestionFinder::scan(std::size_t column, FoundQuestion& best) {
    const std::size_t n_bins = sorted_.n_bins(column);
    Cost yes = 0, left = 2 * most_ - total_;  // of gains without their signs: 0 if none would answer no
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        const Cost above = sums_[bin], below = sums_[kBins + bin];
        yes += above + below;
        left -= above - below;
        if (left == 0) break;
        if (above != below) take(column, sorted_.end(column, bin) - 1, yes, best);
    }
    if (sorted_.exact(column)) return;
    yes = 0;
    for (std::size_t bin = 0; bin < n_bins; ++bin) {
        const Cost above = sums_[bin], below = sums_[kBins + bin];
        const Cost most = std::max(yes + above, total_ - yes - below);
        const bool earlier =
            best.column == static_cast<std::int32_t>(column) && sorted_.begin(column, bin) < best.place;
        if (most > best.gain || (most == best.gain && earlier)) scan_bin(column, bin, yes, best);
        yes += above + below;
    }
}

// Evaluates all cuts inside a bin.
void QuestionFinder::scan_bin(std::size_t column, std::size_t bin, Cost yes, FoundQuestion& best) const {
    const auto sorted = sorted_.of(column);
    bool waits = false;  // for a row of another rank
    std::size_t last = 0;
    for (std::size_t place = sorted_.begin(column, bin); place < sorted_.end(column, bin); ++place) {
        const RowId row = sorted[place] & ~SortedColumns::kFirst;
        if ((sorted[place] & SortedColumns::kFirst) != 0 && last != 0) waits = true;
        if (turn_of_[row] != turn_) continue;
        if (waits) take(column, last - 1, yes, best);
        waits = false;
        last = place + 1;
        yes += gain_of_[row];
    }
}

void QuestionFinder::take(std::size_t column, std::size_t place, Cost yes, FoundQuestion& best) const {
    const bool swapped = total_ - yes > yes;
    const Cost gain = swapped ? total_ - yes : yes;
    const auto of = static_cast<std::int32_t>(column);
    const bool earlier = best.column == of && place < best.place;
    if (gain > best.gain || (gain == best.gain && earlier))
        best = {gain, of, static_cast<std::uint32_t>(place), swapped};
}

}  // namespace exactree::diagrams::heuristic
