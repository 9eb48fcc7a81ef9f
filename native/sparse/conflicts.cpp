#include "sparse/conflicts.hpp"

#include <algorithm>

namespace exactree::sparse {
namespace {

// Transposes a square of 64 x 64 bits in place: swaps ever smaller blocks (Warren, Hacker's Delight, 7-3).
void transpose_square(Word* square) {
    Word mask = 0x00000000ffffffffu;
    for (std::size_t step = 32; step != 0; step >>= 1, mask ^= mask << step)
        for (std::size_t k = 0; k < 64; k = (k + step + 1) & ~step) {
            const Word swapped = (square[k] >> step ^ square[k + step]) & mask;
            square[k] ^= swapped << step;
            square[k + step] ^= swapped;
        }
}

}  // namespace

template <class Ops>
void ConflictPacking<Ops>::pack(const BitTable<Ops>& table, Cost unit, Cost price, Cost wanted, const Ops& ops) {
    n_columns_ = table.n_columns();
    n_words_ = std::max<std::size_t>(1, words_for(n_columns_));
    parted_.resize(n_words_);
    transpose(table);
    load_rows(table, unit);
    list_pairs(ops);
    sort_pairs(n_columns_ + 1);
    pack_sorted(price);
    weights_.assign(n_columns_, 0);
    const auto near = static_cast<Cost>(kNear * static_cast<double>(wanted));
    for (int round = 0; round < kMoreRounds && price + total_ < wanted && price + total_ >= near; ++round) {
        const Cost best = total_;
        best_yes_ = yes_;
        best_no_ = no_;
        weigh_columns(price);
        weigh_pairs();
        pack_sorted(price);
        work_ += found_.size() * 16;
        if (total_ > best) continue;
        total_ = best;
        yes_.swap(best_yes_);
        no_.swap(best_no_);
        return;
    }
}

// In the order of their keys.
template <class Ops>
void ConflictPacking<Ops>::pack_sorted(Cost price) {
    total_ = 0;
    yes_.assign(n_columns_, 0);
    no_.assign(n_columns_, 0);
    room_.assign(n_columns_, price);
    full_.assign(n_words_, 0);
    left_ = costs_;
    for (const Conflict& pair : pairs_) pack_pair(pair);
}

// By how full the columns were, halfway between the last weights and those of the last packing.
template <class Ops>
void ConflictPacking<Ops>::weigh_columns(Cost price) {
    for (std::size_t j = 0; j < n_columns_; ++j) {
        const double fill = static_cast<double>(price - room_[j]) / static_cast<double>(price);
        weights_[j] = (weights_[j] + fill * fill) / 2;
    }
}

template <class Ops>
void ConflictPacking<Ops>::weigh_pairs() {
    for (Conflict& pair : found_) {
        const Word *one = row_bits(pair.one), *other = row_bits(pair.other);
        double weight = 0;
        for (std::size_t w = 0; w < n_words_; ++w) {
            const Word parted = one[w] ^ other[w];
            for_each_row(&parted, 1, [&](std::uint32_t bit) { weight += weights_[64 * w + bit]; });
        }
        pair.key = static_cast<std::uint32_t>(weight * kKeysPerColumn);
    }
    sort_pairs(n_columns_ * static_cast<std::size_t>(kKeysPerColumn) + 1);
}

template <class Ops>
void ConflictPacking<Ops>::transpose(const BitTable<Ops>& table) {
    const std::size_t n_rows = table.n_rows();
    bits_.assign(n_rows * n_words_, 0);
    Word square[64];
    for (std::size_t word = 0; word < words_for(n_columns_); ++word)
        for (std::size_t from = 0; from < table.n_words(); ++from) {
            for (std::size_t j = 0; j < 64; ++j)
                square[j] = 64 * word + j < n_columns_ ? table.column(64 * word + j)[from] : 0;
            transpose_square(square);
            for (std::size_t row = 64 * from; row < std::min(n_rows, 64 * from + 64); ++row)
                bits_[row * n_words_ + word] = square[row - 64 * from];
        }
}

template <class Ops>
void ConflictPacking<Ops>::load_rows(const BitTable<Ops>& table, Cost unit) {
    const auto n_rows = static_cast<std::uint32_t>(table.n_rows());
    costs_.resize(n_rows);
    label_.resize(n_rows);
    std::vector<Cost> of_label;
    for (const bits::RowRun& run : table.runs())
        for (std::size_t at = run.begin; at < run.end; ++at) {
            const auto row = static_cast<std::uint32_t>(at);
            const std::int32_t label = table.has_signs() ? table.gain(row) > 0 : run.label;
            label_[row] = label;
            costs_[row] = unit * table.sure(row);
            if (of_label.size() <= static_cast<std::size_t>(label))
                of_label.resize(static_cast<std::size_t>(label) + 1);
            of_label[static_cast<std::size_t>(label)] += costs_[row];
        }
    const auto most = std::max_element(of_label.begin(), of_label.end()) - of_label.begin();
    major_.clear();
    minor_.clear();
    for (std::uint32_t row = 0; row < n_rows; ++row)
        if (costs_[row] > 0) (label_[row] == most ? major_ : minor_).push_back(row);
    compared_ = major_;
    // With more than two labels, the others are in conflict among themselves, too.
    if (std::count_if(of_label.begin(), of_label.end(), [](Cost cost) { return cost > 0; }) > 2)
        compared_.insert(compared_.end(), minor_.begin(), minor_.end());
}

// The nearest rows of other labels for each row but those of the label that costs most.
template <class Ops>
void ConflictPacking<Ops>::list_pairs(const Ops& ops) {
    found_.clear();
    const std::size_t stride = 1 + compared_.size() * minor_.size() / kMostCompared,
                      n = (compared_.size() + stride - 1) / stride;
    compared_bits_.resize(n * n_words_);
    for (std::size_t at = 0; at < n; ++at) {
        compared_[at] = compared_[at * stride];
        std::copy_n(row_bits(compared_[at]), n_words_, compared_bits_.data() + at * n_words_);
    }
    compared_.resize(n);
    distances_.resize(n);
    for (const std::uint32_t row : minor_) {
        ops.distances(row_bits(row), compared_bits_.data(), n, n_words_, distances_.data());
        list_nearest(row);
    }
    work_ = minor_.size() * n * (n_words_ + 2);
}

template <class Ops>
void ConflictPacking<Ops>::list_nearest(std::uint32_t row) {
    begin_.assign(n_columns_ + 1, 0);
    for (const std::uint16_t distance : distances_) ++begin_[distance];
    std::size_t farthest = 0, n = begin_[0];
    while (n < kNearest && farthest < n_columns_) n += begin_[++farthest];
    std::size_t ties = 2 * kNearest;  // as many at that distance
    for (std::size_t at = 0; at < compared_.size(); ++at) {
        if (distances_[at] > farthest || label_[compared_[at]] == label_[row]) continue;
        if (distances_[at] == farthest && ties-- == 0) return;
        found_.push_back({row, compared_[at], distances_[at]});
    }
}

template <class Ops>
void ConflictPacking<Ops>::sort_pairs(std::size_t n_keys) {
    begin_.assign(n_keys + 1, 0);
    for (const Conflict& pair : found_) ++begin_[pair.key + 1];
    for (std::size_t d = 1; d < begin_.size(); ++d) begin_[d] += begin_[d - 1];
    pairs_.resize(found_.size());
    for (const Conflict& pair : found_) pairs_[begin_[pair.key]++] = pair;
}

template <class Ops>
void ConflictPacking<Ops>::pack_pair(const Conflict& pair) {
    Cost weight = std::min(left_[pair.one], left_[pair.other]);
    if (weight == 0) return;
    const Word *one = row_bits(pair.one), *other = row_bits(pair.other);
    Word blocked = 0;
    for (std::size_t w = 0; w < n_words_; ++w) blocked |= (parted_[w] = one[w] ^ other[w]) & full_[w];
    if (blocked) return;
    for_each_row(parted_.data(), n_words_, [&](std::uint32_t column) { weight = std::min(weight, room_[column]); });
    for_each_row(parted_.data(), n_words_, [&](std::uint32_t column) {
        room_[column] -= weight;
        if (room_[column] == 0) full_[column / 64] |= Word{1} << (column % 64);
    });
    left_[pair.one] -= weight;
    left_[pair.other] -= weight;
    total_ += weight;
    add_to_sides(pair, weight);
}

template <class Ops>
void ConflictPacking<Ops>::add_to_sides(const Conflict& pair, Cost weight) {
    const Word *one = row_bits(pair.one), *other = row_bits(pair.other);
    for (std::size_t w = 0; w < n_words_; ++w) {
        const Word last = 64 * (w + 1) <= n_columns_ ? ~Word{0} : (Word{1} << (n_columns_ % 64)) - 1;
        const Word both = one[w] & other[w], neither = ~(one[w] | other[w]) & last;
        Cost* yes = yes_.data() + 64 * w;
        Cost* no = no_.data() + 64 * w;
        for_each_row(&both, 1, [&](std::uint32_t bit) { yes[bit] += weight; });
        for_each_row(&neither, 1, [&](std::uint32_t bit) { no[bit] += weight; });
    }
}

template class ConflictPacking<bits::SmallOps>;
template class ConflictPacking<bits::MediumOps>;
template class ConflictPacking<bits::WideOps>;

}  // namespace exactree::sparse
