#include "bits/table.hpp"

#include <algorithm>

namespace exactree::bits {
std::size_t count_questions(const Data& data) {
    std::size_t total = 0;
    for (const Rank n : data.n_ranks) total += n - 1;
    return total;
}

namespace {

// A table is sparse if one cell in so many is rare. Measured on 100 and 600 rows of 64, 128 and 256 columns: sums by
// rare cells take a quarter to a third of the time where one in 20 is, as long as others where one in 10 is.
constexpr std::size_t kDense = 16;

std::size_t padded(std::size_t n_columns) { return (n_columns + kColumnBlock - 1) / kColumnBlock * kColumnBlock; }

// Whether a row gains what the base of its group is, the first of them if there are several. The cheapest answer to a
// group costs nothing, so there is one in every group that has a base.
std::vector<char> find_base_carriers(const Data& data) {
    std::vector<char> out(data.n_rows, 0);
    Cost base = 0;  // of the current group, until its bearer is found
    for (RowId row = 0; row < data.n_rows; ++row) {
        if (data.base[row] > 0) base = data.base[row];  // a group begins
        out[row] = base > 0 && data.gain[row] == base;
        if (out[row]) base = 0;
    }
    return out;
}

// What any label but its own costs on the group of a row that bears the base, beyond what its own costs.
std::vector<Cost> find_sure_costs(const Data& data, const std::vector<char>& carries_base) {
    std::vector<Cost> out(data.n_rows, 0);
    for (RowId begin = 0, end = 0; begin < data.n_rows; begin = end) {
        for (end = begin + 1; end < data.n_rows && data.base[end] == 0;) ++end;
        for (RowId row = begin; row < end; ++row) {
            if (!carries_base[row]) continue;
            Cost second = 0;
            for (RowId other = begin; other < end; ++other)
                if (other != row) second = std::max(second, data.gain[other]);
            out[row] = data.gain[row] - second;
        }
    }
    return out;
}

// All rows, as they come or, without signs, sorted by class.
std::vector<RowId> by_class(const Data& data, bool signs) {
    std::vector<RowId> out(data.n_rows);
    std::iota(out.begin(), out.end(), RowId{0});
    if (!signs)
        std::stable_sort(out.begin(), out.end(), [&](RowId a, RowId b) { return data.label[a] < data.label[b]; });
    return out;
}

}  // namespace

template <class Ops>
std::size_t BitTable<Ops>::add_row(Cost gain, Cost sure, Cost size, bool copy) {
    const Cost sign = gain < 0 ? -1 : 1;
    std::size_t n = 0;
    for (Cost left = std::abs(gain); left > 0 || size > 0; ++n) {
        const Cost part = copy ? std::min<Cost>(1, left) : left, rows = std::min<Cost>(kSmallGain, size);
        gain_.push_back(sign * part);
        sure_.push_back(std::min(sure, part));
        sure -= sure_.back();
        if (sized_) size_.push_back(rows);
        keys_.push_back(row_key(gain_.size()));
        key_ += keys_.back();
        left -= part;
        size -= rows;
    }
    return n;
}

template <class Ops>
std::vector<RowId> BitTable<Ops>::add_rows(const Data& data, Cost unit) {
    const Cost total = std::accumulate(data.gain.begin(), data.gain.end(), Cost{0}) / unit;
    const bool copy = total <= kMostCopies * static_cast<Cost>(data.n_rows);
    const std::vector<char> carries_base = find_base_carriers(data);
    const std::vector<Cost> sure = find_sure_costs(data, carries_base);
    signs_ = data.n_classes <= 2 && !sized_;
    if (signs_) runs_.push_back({0, 0, 0});
    std::vector<RowId> source;
    for (const RowId row : by_class(data, signs_)) {
        const Cost gain = data.gain[row] / unit, size = sized_ ? data.size[row].rows : 0;
        if (!signs_ && (runs_.empty() || runs_.back().label != data.label[row]))
            runs_.push_back({data.label[row], source.size(), source.size()});
        // Without sizes a row is left out to which any answer costs the same.
        source.insert(source.end(),
                      add_row(signs_ && data.label[row] == 0 ? -gain : gain, sure[row] / unit, size, copy), row);
        runs_.back().end = source.size();
        all_carry_base_ = all_carry_base_ && !sized_ && (carries_base[row] || gain == 0);
        if (copy) continue;
        largest_ = std::max(largest_, static_cast<Cell>(gain));
        all_alike_ = all_alike_ && gain <= 1;
    }
    for (const Cost size : size_) largest_size_ = std::max(largest_size_, static_cast<Cell>(size));
    base_carriers_.assign(n_words(), 0);
    for (std::size_t row = 0; row < source.size(); ++row)
        base_carriers_[row / 64] |= Word{carries_base[source[row]] != 0 && gain_[row] != 0} << (row % 64);
    return source;
}

template <class Ops>
void BitTable<Ops>::fill(const Data& data, Cost unit, const Ops& ops, bool sized) {
    ++version_;
    sized_ = sized;
    const std::vector<RowId> source = add_rows(data, unit);
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
    fill_cells();
}

template <class Ops>
void BitTable<Ops>::fill_cells() {
    stride_ = padded(n_columns());
    cells_.assign(n_rows() * stride_, 0);
    size_cells_.assign(sized_ ? cells_.size() : 0, 0);
    // All columns of a few rows at a time, so that their cells stay in the cache.
    for (std::size_t w = 0; w < n_words(); ++w)
        for (std::size_t j = 0; j < n_columns(); ++j)
            for_each_row(column(j) + w, 1, [&](std::uint32_t bit) {
                const std::size_t row = 64 * w + bit;
                cells_[row * stride_ + j] = static_cast<Cell>(gain_[row]);
                if (sized_) size_cells_[row * stride_ + j] = static_cast<Cell>(size_[row]);
            });
}

template <class Ops>
void BitTable<Ops>::add_rows(const BitTable& whole, const RowBits& set, const Ops& ops) {
    gain_.clear();
    sure_.clear();
    size_.clear();
    keys_.clear();
    runs_.clear();
    key_ = {};
    largest_ = whole.largest_;
    largest_size_ = whole.largest_size_;
    all_alike_ = whole.all_alike_;
    all_carry_base_ = whole.all_carry_base_;
    signs_ = whole.signs_;
    sized_ = whole.sized_;
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) {
        gain_.push_back(whole.gain_[row]);
        sure_.push_back(whole.sure_[row]);
        if (sized_) size_.push_back(whole.size_[row]);
        keys_.push_back(whole.keys_[row]);
        key_ += whole.keys_[row];
    });
    base_carriers_.resize(n_words() + 1);
    ops.compress(whole.base_carriers_.data(), set.data(), set.size(), base_carriers_.data());
    base_carriers_.resize(n_words());
    std::size_t end = 0;
    for (const RowRun& run : whole.runs_) {
        slice(set, run.begin, run.end, scratch_);
        const std::size_t n = ops.count_rows(scratch_.data(), scratch_.size());
        if (n > 0 || signs_) runs_.push_back({run.label, end, end + n});
        end += n;
    }
}

template <class Ops>
void BitTable<Ops>::fill(const BitTable& whole, const RowBits& set, const Ops& ops, bool merging, Cost unsupported) {
    ++version_;
    add_rows(whole, set, ops);
    questions_.clear();
    bits_.clear();
    kept_.clear();
    seen_.assign(whole.seen_.size(), 0);
    scratch_.resize(n_words() + 1);
    for (std::size_t j = 0; j < whole.n_columns(); ++j) {
        ops.compress(whole.column(j), set.data(), set.size(), scratch_.data());
        if (unsupported >= 0 && !supports(scratch_.data(), unsupported)) continue;
        if (add_column(scratch_.data(), whole.questions_[j], merging)) kept_.push_back(static_cast<std::uint32_t>(j));
    }
    stride_ = padded(n_columns());
    take_cells(whole.cells_, whole.stride_, set, cells_);
    if (sized_) take_cells(whole.size_cells_, whole.stride_, set, size_cells_);
}

template <class Ops>
void BitTable<Ops>::take_cells(const std::vector<Cell>& whole, std::size_t stride, const RowBits& set,
                               std::vector<Cell>& cells) const {
    cells.assign(n_rows() * stride_, 0);
    Cell* out = cells.data();
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) {
        const Cell* from = whole.data() + row * stride;
        for (std::size_t j = 0; j < kept_.size(); ++j) out[j] = from[kept_[j]];
        out += stride_;
    });
}

template <class Ops>
bool BitTable<Ops>::supports(const Word* bits, Cost least) const {
    Cost with = 0, without = 0;
    for (std::size_t w = 0; w < n_words(); ++w) {
        const Word carriers = base_carriers_[w] & rows_of(w), yes = bits[w] & carriers, no = carriers & ~bits[w];
        if (all_alike_) {
            with += std::popcount(yes);
            without += std::popcount(no);
            continue;
        }
        for_each_row(&yes, 1, [&](std::uint32_t bit) { with += base(static_cast<std::uint32_t>(64 * w) + bit); });
        for_each_row(&no, 1, [&](std::uint32_t bit) { without += base(static_cast<std::uint32_t>(64 * w) + bit); });
    }
    return with > least && without > least;
}

template <class Ops>
bool BitTable<Ops>::add_column(const Word* bits, Question question, bool merging) {
    const std::size_t n = n_words();
    if (n == 0) return false;
    // Yes and no are exchanged where the first row answers yes, so that a column and its complement look the same.
    const Word flip = (bits[0] & 1) ? ~Word{0} : 0;
    std::uint64_t hash = 0;
    bool parts = false;
    for (std::size_t w = 0; w < n; ++w) {
        const Word word = (bits[w] ^ flip) & rows_of(w);
        parts = parts || word != 0;
        hash = (hash ^ word) * 0x9fb21c651e98df25u;
        hash ^= hash >> 32;
    }
    if (!parts) return false;
    const std::size_t mask = seen_.size() - 1;
    std::size_t at = static_cast<std::size_t>(splitmix64(hash)) & mask;
    for (; merging && seen_[at] != 0; at = (at + 1) & mask) {
        const Word* known = column(seen_[at] - 1);
        const Word differ = (known[0] ^ bits[0]) & 1 ? ~Word{0} : 0;
        bool same = true;
        for (std::size_t w = 0; w < n && same; ++w) same = ((known[w] ^ bits[w] ^ differ) & rows_of(w)) == 0;
        if (same) return false;
    }
    bits_.insert(bits_.end(), bits, bits + n);
    questions_.push_back(question);
    seen_[at] = questions_.size();
    return true;
}

template <class Ops>
template <class Take>
void BitTable<Ops>::for_each_rare(std::size_t j, const Take& take) const {
    for (std::size_t w = 0; w < n_words(); ++w) {
        const Word rare = common_[j] ? ~column(j)[w] & rows_of(w) : column(j)[w];
        for_each_row(&rare, 1, [&](std::uint32_t bit) { take(64 * w + bit); });
    }
}

template <class Ops>
void BitTable<Ops>::index_rare_cells(const Ops& ops) {
    rare_begin_.clear();
    common_.assign(n_columns(), 0);
    std::size_t total = 0;
    for (std::size_t j = 0; j < n_columns(); ++j) {
        const std::size_t with = ops.count_rows(column(j), n_words());
        common_[j] = 2 * with > n_rows();
        total += common_[j] ? n_rows() - with : with;
    }
    if (sized_ || kDense * total > n_rows() * n_columns()) return;
    rare_begin_.assign(n_rows() + 2, 0);  // shifted by one, so that after they are filled all begin where they should
    for (std::size_t j = 0; j < n_columns(); ++j) for_each_rare(j, [&](std::size_t row) { ++rare_begin_[row + 2]; });
    std::partial_sum(rare_begin_.begin(), rare_begin_.end(), rare_begin_.begin());
    rare_.resize(total);
    for (std::size_t j = 0; j < n_columns(); ++j)
        for_each_rare(j, [&](std::size_t row) { rare_[rare_begin_[row + 1]++] = static_cast<std::uint16_t>(j); });
}

template <class Ops>
std::int32_t BitTable<Ops>::best_label(const RowBits& set) const {
    Cost most = 0;
    std::int32_t best = 0;
    RowBits part;
    for (const RowRun& run : runs_) {
        Cost sum = 0;
        slice(set, run.begin, run.end, part);
        for_each_row(part.data(), part.size(), [&](std::uint32_t row) { sum += gain_[run.begin / 64 * 64 + row]; });
        if (sum <= most) continue;
        most = sum;
        best = signs_ ? 1 : run.label;
    }
    return best;
}

template <class Ops>
Key BitTable<Ops>::key_of(const RowBits& set) const {
    Key out;
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) { out += keys_[row]; });
    return out;
}

template class BitTable<SmallOps>;
template class BitTable<MediumOps>;
template class BitTable<WideOps>;

}  // namespace exactree::bits
