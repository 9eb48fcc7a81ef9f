#include "bit_table.hpp"

#include <algorithm>
#include <cstdlib>

namespace exactree {
std::size_t count_questions(const Data& data) {
    std::size_t total = 0;
    for (const Rank n : data.n_ranks) total += n - 1;
    return total;
}

namespace {

std::size_t padded(std::size_t n_columns) { return (n_columns + kColumnBlock - 1) / kColumnBlock * kColumnBlock; }

}  // namespace

template <class Ops>
void BitTable<Ops>::fill(const Data& data, Cost unit, const Ops& ops) {
    const Cost total = std::accumulate(data.gain.begin(), data.gain.end(), Cost{0}) / unit;
    const bool copy = total <= kMostCopies * static_cast<Cost>(data.n_rows);
    std::vector<RowId> source;
    for (RowId row = 0; row < data.n_rows; ++row) {
        const Cost gain = data.gain[row] / unit, sign = data.label[row] == 1 ? 1 : -1;
        if (gain == 0) continue;  // any answer costs the same
        for (Cost n = copy ? gain : 1; n > 0; --n) {
            source.push_back(row);
            gain_.push_back(copy ? sign : sign * gain);
            keys_.push_back(row_key(source.size()));
            name_ += keys_.back();
        }
        if (copy) continue;
        largest_ = std::max(largest_, static_cast<Cell>(gain));
        all_alike_ = all_alike_ && gain == 1;
    }
    mark_positive();
    seen_.assign(std::bit_ceil(4 * count_questions(data) + 16), 0);
    RowBits at_most(n_words());
    std::vector<Rank> ranks(source.size());
    for (std::size_t column = 0; column < data.n_columns(); ++column) {
        for (std::size_t row = 0; row < source.size(); ++row) ranks[row] = data.rank(column, source[row]);
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            ops.pack(ranks.data(), ranks.size(), rank, at_most.data());
            add_column(at_most.data(), {static_cast<std::int32_t>(column), rank}, true);
        }
    }
    stride_ = padded(n_columns());
    cells_.assign(n_rows() * stride_, 0);
    for (std::size_t j = 0; j < n_columns(); ++j)
        for_each_row(this->column(j), n_words(),
                     [&](std::uint32_t row) { cells_[row * stride_ + j] = static_cast<Cell>(gain_[row]); });
}

template <class Ops>
void BitTable<Ops>::fill(const BitTable& whole, const RowBits& set, const Ops& ops, bool merging) {
    gain_.clear();
    keys_.clear();
    questions_.clear();
    bits_.clear();
    name_ = {};
    largest_ = whole.largest_;
    all_alike_ = whole.all_alike_;
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) {
        gain_.push_back(whole.gain_[row]);
        keys_.push_back(whole.keys_[row]);
        name_ += whole.keys_[row];
    });
    mark_positive();
    kept_.clear();
    seen_.assign(whole.seen_.size(), 0);
    scratch_.resize(n_words() + 1);
    for (std::size_t j = 0; j < whole.n_columns(); ++j) {
        ops.compress(whole.column(j), set.data(), set.size(), scratch_.data());
        if (add_column(scratch_.data(), whole.questions_[j], merging)) kept_.push_back(static_cast<std::uint32_t>(j));
    }
    stride_ = padded(n_columns());
    cells_.assign(n_rows() * stride_, 0);
    Cell* out = cells_.data();
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) {
        const Cell* from = whole.cells_.data() + row * whole.stride_;
        for (std::size_t j = 0; j < kept_.size(); ++j) out[j] = from[kept_[j]];
        out += stride_;
    });
}

template <class Ops>
void BitTable<Ops>::mark_positive() {
    positive_.assign(n_words(), 0);
    for (std::size_t row = 0; row < n_rows(); ++row) positive_[row / 64] |= Word{gain_[row] > 0} << (row % 64);
}

template <class Ops>
bool BitTable<Ops>::add_column(const Word* bits, Question question, bool merging) {
    const std::size_t n = n_words();
    if (n == 0) return false;
    // Yes and no are exchanged where the first row says yes, so that a column and its complement look the same.
    const Word flip = (bits[0] & 1) ? ~Word{0} : 0;
    const Word tail = n_rows() % 64 == 0 ? ~Word{0} : (Word{1} << (n_rows() % 64)) - 1;
    std::uint64_t hash = 0;
    bool parts = false;
    for (std::size_t w = 0; w < n; ++w) {
        const Word word = (bits[w] ^ flip) & (w + 1 == n ? tail : ~Word{0});
        parts = parts || word != 0;
        hash = (hash ^ word) * 0x9fb21c651e98df25u;
        hash ^= hash >> 32;
    }
    if (!parts) return false;
    const std::size_t mask = seen_.size() - 1;
    std::size_t at = static_cast<std::size_t>(scramble(hash)) & mask;
    for (; merging && seen_[at] != 0; at = (at + 1) & mask) {
        const Word* known = column(seen_[at] - 1);
        const Word differ = (known[0] ^ bits[0]) & 1 ? ~Word{0} : 0;
        bool same = true;
        for (std::size_t w = 0; w < n && same; ++w)
            same = ((known[w] ^ bits[w] ^ differ) & (w + 1 == n ? tail : ~Word{0})) == 0;
        if (same) return false;
    }
    bits_.insert(bits_.end(), bits, bits + n);
    questions_.push_back(question);
    seen_[at] = questions_.size();
    return true;
}

template <class Ops>
Key BitTable<Ops>::name_of(const RowBits& set) const {
    Key out;
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) { out += keys_[row]; });
    return out;
}

template class BitTable<SmallOps>;
template class BitTable<MediumOps>;
template class BitTable<WideOps>;

}  // namespace exactree
