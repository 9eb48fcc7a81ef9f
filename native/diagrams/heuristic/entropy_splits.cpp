#include "diagrams/heuristic/entropy_splits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace exactree::diagrams::heuristic {
namespace {

constexpr std::size_t kBins = SortedColumns::kMostBins;
constexpr std::size_t kMostCells = 1 << 20;  // splits kept, of 32 bytes each
constexpr double kUnits = 1 << 20;           // of entropy; n log2 n stays below 2^53 of them up to n = 2^28

std::uint64_t sum_of(std::span<const std::uint32_t> stakes) {
    return std::accumulate(stakes.begin(), stakes.end(), std::uint64_t{0});
}

}  // namespace

EntropyTable::EntropyTable(std::uint64_t largest) : values_(largest + 1, 0) {
    for (std::uint64_t n = 2; n <= largest; ++n) {
        const auto x = static_cast<double>(n);
        values_[n] = std::llround(x * std::log2(x) * kUnits);
    }
}

SplitFinder::SplitFinder(const DiagramData& data, const SortedColumns& sorted)
    : data_(data),
      sorted_(sorted),
      table_(sum_of(data.stake)),
      row_keys_(row_keys(data.n_rows)),
      weights_(data.n_classes),
      slots_(data.n_rows),
      stakes_(data.n_rows),
      turn_of_(data.n_rows, 0),
      counts_(data.n_classes * kBins),
      of_bin_(kBins),
      yes_(data.n_classes),
      inside_(data.n_classes),
      fresh_(data.n_columns) {}

EntropySplit SplitFinder::best(std::span<const RowId> rows, const std::uint8_t* looks, Watchdog& watchdog) {
    lay_out(rows);
    ColumnSplits* known = lookup();
    EntropySplit best = kNoSplit;
    for (std::size_t column = 0; column < data_.n_columns; ++column) {
        if (!looks[column]) continue;
        if (known[column].split.column == kUnknown.split.column) {
            count(column);
            scan(column, known[column], std::numeric_limits<std::int64_t>::min());
            if (watchdog.spend(rows.size() + kBins * data_.n_classes)) return best;
        }
        if (known[column].split.is_better(best)) best = known[column].split;
    }
    scan_promising_bins(known, looks, best, watchdog);
    return best;
}

// Scans the columns that may have a better cut inside a bin, the lowest bound first.
void SplitFinder::scan_promising_bins(ColumnSplits* known, const std::uint8_t* looks, EntropySplit& best,
                                      Watchdog& watchdog) {
    while (!watchdog.stopped()) {
        const std::int64_t open = best.column < 0 ? kNoFloor - 1 : best.entropy;
        std::size_t next = data_.n_columns;
        std::int64_t lowest = open;
        for (std::size_t column = 0; column < data_.n_columns; ++column) {
            if (!looks[column] || known[column].floor > lowest - (next < data_.n_columns)) continue;
            next = column;
            lowest = known[column].floor;
        }
        if (next == data_.n_columns) return;
        count(next);
        scan(next, known[next], open);
        if (known[next].split.is_better(best)) best = known[next].split;
        watchdog.spend(2 * rows_.size());
    }
}

Rank SplitFinder::rank_of(const EntropySplit& split) const {
    const auto column = static_cast<std::size_t>(split.column);
    std::size_t place = split.place;
    while (turn_of_[sorted_.row_at(column, place)] != turn_) --place;
    return data_.rank(column, sorted_.row_at(column, place));
}

void SplitFinder::lay_out(std::span<const RowId> rows) {
    rows_ = rows;
    key_ = 0;
    if (++turn_ == 0) {
        std::fill(turn_of_.begin(), turn_of_.end(), 0u);
        turn_ = 1;
    }
    std::fill(weights_.begin(), weights_.end(), 0u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const RowId row = rows[i];
        const auto label = static_cast<std::uint32_t>(data_.label[row]);
        slots_[i] = label * static_cast<std::uint32_t>(kBins);
        stakes_[i] = data_.stake[row];
        turn_of_[row] = turn_;
        weights_[label] += stakes_[i];
        key_ += row_keys_[row];
    }
    total_ = 0;
    of_all_ = 0;
    for (const std::uint32_t weight : weights_) {
        total_ += weight;
        of_all_ += table_[weight];
    }
}

// Looks up the cached splits of the rows, or adds an entry.
SplitFinder::ColumnSplits* SplitFinder::lookup() {
    auto found = known_.find(key_);
    if (found == known_.end() && known_.size() < kMostCells / (data_.n_columns + 1))
        found = known_.emplace(key_, std::vector<ColumnSplits>(data_.n_columns, kUnknown)).first;
    if (found != known_.end()) return found->second.data();
    std::fill(fresh_.begin(), fresh_.end(), kUnknown);
    return fresh_.data();
}

void SplitFinder::count(std::size_t column) {
    const std::size_t n_bins = sorted_.n_bins(column);
    for (std::size_t k = 0; k < data_.n_classes; ++k) std::fill_n(counts_.data() + k * kBins, n_bins, 0u);
    const std::uint8_t* bins = sorted_.bins(column);
    std::uint32_t* counts = counts_.data();
    const RowId* rows = rows_.data();
    for (std::size_t i = 0, n = rows_.size(); i < n; ++i) counts[slots_[i] + bins[rows[i]]] += stakes_[i];
    std::copy_n(counts, n_bins, of_bin_.begin());
    for (std::size_t k = 1; k < data_.n_classes; ++k)
        for (std::size_t bin = 0; bin < n_bins; ++bin) of_bin_[bin] += counts[k * kBins + bin];
}

// Evaluates the cuts between bins, and those inside bins whose lower bound is not above `open`.
void SplitFinder::scan(std::size_t column, ColumnSplits& known, std::int64_t open) {
    const std::size_t n_bins = sorted_.n_bins(column);
    const bool exact = sorted_.exact(column);
    std::fill(yes_.begin(), yes_.end(), 0u);
    CutWeights cut{0, 0, of_all_};
    known = {kNoSplit, kNoFloor};
    for (std::size_t bin = 0; bin < n_bins && cut.yes < total_; ++bin) {
        if (of_bin_[bin] == 0) continue;
        const CutWeights before = cut;
        if (!exact) std::copy(yes_.begin(), yes_.end(), inside_.begin());
        const std::int64_t floor = move_bin(bin, of_bin_[bin], cut);
        if (cut.yes < total_) evaluate(column, sorted_.end(column, bin) - 1, cut, known.split);
        if (exact) continue;
        if (floor <= open)
            scan_bin(column, bin, before, known.split);
        else
            known.floor = std::min(known.floor, floor);
    }
}

// Moves a bin's rows to the yes side, and returns a lower bound of the entropy of all cuts inside the bin. With y rows
// of class k that answer yes and n that do not, T that answer yes and U that do not of all classes, entropy is F(T) -
// sum of P_k(y) over the classes, where F(T) is h(T) + h(U), P_k(y) is h(y) + h(n), and h(x) is x log x. F is convex:
// it lies above its tangent in the middle of the bin. P_k is convex too: tangent minus P_k is least at an end of the
// bin, for each class by itself.
std::int64_t SplitFinder::move_bin(std::size_t bin, std::uint32_t moved, CutWeights& cut) {
    const std::uint32_t half = moved / 2, middle = cut.yes + half;
    const std::int64_t slope = middle < total_ ? between(middle + 1) - between(middle) : 0;
    std::int64_t floor = between(middle) - slope * half - cut.of_yes - cut.of_no;
    std::size_t n_mixed = 0;
    for (std::size_t k = 0; k < data_.n_classes; ++k) {
        const std::uint32_t more = counts_[k * kBins + bin];
        if (more == 0) continue;
        const std::uint32_t yes = yes_[k], no = weights_[k] - yes;
        const std::int64_t of_yes = table_[yes + more] - table_[yes], of_no = table_[no - more] - table_[no];
        floor += std::min<std::int64_t>(0, slope * more - of_yes - of_no);
        cut.of_yes += of_yes;
        cut.of_no += of_no;
        yes_[k] = yes + more;
        ++n_mixed;
    }
    cut.yes += moved;
    // Between rows of one class no cut is better than before or behind them.
    if (n_mixed < 2) return kNoFloor;
    // Logarithms are rounded, by half a unit each.
    return floor - 2 * static_cast<std::int64_t>(moved + data_.n_classes + 2);
}

// Evaluates all cuts inside a bin.
void SplitFinder::scan_bin(std::size_t column, std::size_t bin, CutWeights cut, EntropySplit& best) {
    const auto sorted = sorted_.of(column);
    bool waits = false;  // for a row of another rank
    std::size_t last = 0;
    for (std::size_t place = sorted_.begin(column, bin); place < sorted_.end(column, bin); ++place) {
        const RowId row = sorted[place] & ~SortedColumns::kFirst;
        if ((sorted[place] & SortedColumns::kFirst) != 0 && last != 0) waits = true;
        if (turn_of_[row] != turn_) continue;
        if (waits && cut.yes > 0) evaluate(column, last - 1, cut, best);
        waits = false;
        last = place + 1;
        move_to_yes(row, cut);
    }
}

void SplitFinder::move_to_yes(RowId row, CutWeights& cut) {
    const std::uint32_t stake = data_.stake[row];
    const auto k = static_cast<std::size_t>(data_.label[row]);
    const std::uint32_t yes = inside_[k], no = weights_[k] - yes;
    cut.of_yes += table_[yes + stake] - table_[yes];
    cut.of_no += table_[no - stake] - table_[no];
    cut.yes += stake;
    inside_[k] = yes + stake;
}

EntropySplit SplitFinder::best_heavy(const EntropySplit& best, const std::uint8_t* looks, std::int64_t least,
                                     Watchdog& watchdog) {
    if (best.column < 0 || is_heavy(best, least)) return best;
    std::int64_t total = 0;
    for (const RowId row : rows_) total += data_.size[row].weight;
    EntropySplit out = kNoSplit;
    for (std::size_t column = 0; column < data_.n_columns && !watchdog.stopped(); ++column) {
        if (!looks[column]) continue;
        scan_heavy(column, total, least, out);
        watchdog.spend(data_.n_rows);
    }
    return out;
}

bool SplitFinder::is_heavy(const EntropySplit& split, std::int64_t least) const {
    const auto column = static_cast<std::size_t>(split.column);
    const Rank rank = rank_of(split);
    std::int64_t yes = 0, no = 0;
    for (const RowId row : rows_) (data_.rank(column, row) <= rank ? yes : no) += data_.size[row].weight;
    return std::min(yes, no) >= least;
}

// Evaluates all cuts of a column whose sides are heavy enough.
void SplitFinder::scan_heavy(std::size_t column, std::int64_t total, std::int64_t least, EntropySplit& best) {
    std::fill(inside_.begin(), inside_.end(), 0u);
    CutWeights cut{0, 0, of_all_};
    std::int64_t yes = 0;
    bool waits = false;  // for a row of another rank
    std::size_t last = 0;
    for (std::size_t place = 0; place < data_.n_rows && total - yes >= least; ++place) {
        const std::uint32_t marked = sorted_.of(column)[place];
        const RowId row = marked & ~SortedColumns::kFirst;
        if ((marked & SortedColumns::kFirst) != 0 && last != 0) waits = true;
        if (turn_of_[row] != turn_) continue;
        if (waits && yes >= least) evaluate(column, last - 1, cut, best);
        waits = false;
        last = place + 1;
        move_to_yes(row, cut);
        yes += data_.size[row].weight;
    }
}

void SplitFinder::evaluate(std::size_t column, std::size_t place, const CutWeights& cut, EntropySplit& best) const {
    const std::uint32_t no = total_ - cut.yes;
    const EntropySplit split{table_[cut.yes] - cut.of_yes + table_[no] - cut.of_no, std::min(cut.yes, no),
                             static_cast<std::int32_t>(column), static_cast<std::uint32_t>(place)};
    if (split.is_better(best)) best = split;
}

}  // namespace exactree::diagrams::heuristic
