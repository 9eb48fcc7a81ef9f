#include "ranks/node.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/scratch.hpp"

namespace exactree::ranks {

void Node::read_bases(const Data& data) {
    uniform_base_.reset();
    bases_.clear();
    if (data.base.is_one()) {
        uniform_base_ = data.base[0];
        return;
    }
    for (const RowId row : rows_) bases_.push_back(data.base[row]);
    if (std::adjacent_find(bases_.begin(), bases_.end(), std::not_equal_to<>()) != bases_.end()) return;
    uniform_base_ = bases_.empty() ? 0 : bases_[0];
    bases_.clear();
}

void Node::sum_up(const Data& data) {
    gains_.assign(static_cast<std::size_t>(data.n_classes), 0);
    base_ = 0;
    size_ = {};
    key_ = {};
    for (const RowId row : rows_) {
        gains_[static_cast<std::size_t>(data.label[row])] += data.gain[row];
        base_ += data.base[row];
        size_ += data.size[row];
        key_ += row_key(row);
    }
}

// All sums of the rows of one side follow from those of the other.
void Node::subtract(const Node& whole, const Node& part) {
    gains_ = whole.gains_;
    for (std::size_t k = 0; k < gains_.size(); ++k) gains_[k] -= part.gains_[k];
    base_ = whole.base_ - part.base_;
    size_ = whole.size_ - part.size_;
    key_ = whole.key_ - part.key_;
}

void Node::add_up_bases() {
    if (uniform_base_) return;
    ensure_size(sources_.size() * (rows_.size() + 1), base_before_);
    Cost* out = base_before_.data();
    for (std::size_t column = 0; column < sources_.size(); ++column) {
        Cost sum = 0;
        *out++ = 0;
        for (std::size_t at = 0; at < rows_.size(); ++at) *out++ = sum += bases_[order(column)[at]];
    }
}

void Node::resize_rows(std::size_t n_rows) {
    rows_.resize(n_rows + simd::kPartitionPadding);
    labels_.resize(n_rows + simd::kPartitionPadding);
}

void Node::reserve_columns(std::size_t n_columns) {
    ensure_size(rows_.size() * n_columns + simd::kPartitionPadding, order_);
    ensure_size(rows_.size() * n_columns + simd::kPartitionPadding, ranks_);
    sources_.clear();
    tied_.clear();
}

// Keeps the column that was just written, unless all rows have the same rank.
void Node::keep_unless_constant(std::uint32_t source, bool tied) {
    const std::size_t column = sources_.size();
    if (rows_.empty() || rank_at(column, 0) == rank_at(column, static_cast<Place>(rows_.size() - 1))) return;
    sources_.push_back(source);
    tied_.push_back(tied);
}

void Node::fill(const Data& data, bool portable, Watchdog* watchdog) {
    const std::size_t n = data.n_rows;
    partition_ops_ = simd::partition_ops(portable);
    rows_.resize(n);
    std::iota(rows_.begin(), rows_.end(), RowId{0});
    // By label, and so within ties, where it makes the runs of one label longer.
    std::stable_sort(rows_.begin(), rows_.end(), [&](RowId a, RowId b) { return data.label[a] < data.label[b]; });
    reserve_columns(data.n_columns());
    for (std::size_t column = 0; column < data.n_columns(); ++column) {
        if (watchdog && watchdog->spend(8 * n)) break;
        std::vector<std::uint32_t> next(data.n_ranks[column] + 1, 0);  // counting sort by rank
        for (RowId row = 0; row < n; ++row) ++next[data.rank(column, row) + 1];
        const bool tied = *std::max_element(next.begin(), next.end()) > 1;
        for (Rank rank = 0; rank < data.n_ranks[column]; ++rank) next[rank + 1] += next[rank];
        const std::size_t first = sources_.size() * n;
        for (std::uint32_t local = 0; local < n; ++local) {
            const Rank rank = data.rank(column, rows_[local]);
            order_[first + next[rank]++] = local;
            ranks_[first + local] = rank;
        }
        keep_unless_constant(static_cast<std::uint32_t>(column), tied);
    }
    labels_.clear();
    for (const RowId row : rows_) labels_.push_back(static_cast<std::uint32_t>(data.label[row]));
    read_bases(data);
    sum_up(data);
    add_up_bases();
}

void Node::split(const Data& data, const Node& parent, Cut cut, Node& yes, Node& no) {
    const auto n = static_cast<std::uint32_t>(parent.n_rows());
    yes.new_place_.assign(n, 0);
    for (Place at = cut.place; at < n; ++at) yes.new_place_[parent.order(cut.column)[at]] = simd::kNoSide;
    partition(data, parent, cut.place, yes, no);
}

void Node::split_by_set(const Data& data, const Node& parent, const RowBits& rows, Node& in, Node& out) {
    const auto n = static_cast<std::uint32_t>(parent.n_rows());
    std::uint32_t n_in = 0;
    in.new_place_.assign(n, simd::kNoSide);
    for (std::uint32_t local = 0; local < n; ++local)
        if (has_row(rows, parent.rows_[local])) {
            in.new_place_[local] = 0;
            ++n_in;
        }
    partition(data, parent, n_in, in, out);
}

// The yes side's `new_place_` holds the side and position of each row.
void Node::partition(const Data& data, const Node& parent, std::uint32_t n_yes, Node& yes, Node& no) {
    const auto n = static_cast<std::uint32_t>(parent.n_rows());
    std::vector<std::uint32_t>& target_of = yes.new_place_;
    const simd::PartitionOps& ops = parent.partition_ops_;
    yes.resize_rows(n_yes);
    no.resize_rows(n - n_yes);
    ops.values(parent.rows_.data(), target_of.data(), n, yes.rows_.data(), no.rows_.data());
    ops.values(parent.labels_.data(), target_of.data(), n, yes.labels_.data(), no.labels_.data());
    std::uint32_t next[2] = {0, 0};
    for (std::uint32_t local = 0; local < n; ++local) target_of[local] |= next[target_of[local] >> 31]++;
    for (Node* side : {&yes, &no}) {
        side->partition_ops_ = ops;
        side->rows_.resize(side->rows_.size() - simd::kPartitionPadding);
        side->labels_.resize(side->rows_.size());
        side->reserve_columns(parent.n_columns());
    }
    // A column may write behind its end, where the next one goes.
    for (std::size_t column = 0; column < parent.n_columns(); ++column) {
        const std::size_t at_yes = yes.sources_.size() * yes.n_rows(), at_no = no.sources_.size() * no.n_rows();
        ops.rows(parent.order(column), target_of.data(), n, yes.order_.data() + at_yes, no.order_.data() + at_no);
        ops.values(parent.ranks(column), target_of.data(), n, yes.ranks_.data() + at_yes, no.ranks_.data() + at_no);
        yes.keep_unless_constant(parent.source(column), parent.tied(column));
        no.keep_unless_constant(parent.source(column), parent.tied(column));
    }
    for (Node* side : {&yes, &no}) {
        side->uniform_base_ = parent.uniform_base_;
        if (!parent.uniform_base_) side->read_bases(data);
        side->add_up_bases();
    }
    Node &small = yes.n_rows() < no.n_rows() ? yes : no, &large = yes.n_rows() < no.n_rows() ? no : yes;
    small.sum_up(data);
    large.subtract(parent, small);
}

// Ties are mostly short, so the next few places come before a search over all.
Place Node::tie_begin(std::size_t column, Place place) const {
    const Rank rank = rank_at(column, place);
    for (int step = 0; step < 4; ++step) {
        if (place == 0 || rank_at(column, place - 1) != rank) return place;
        --place;
    }
    const std::uint32_t* first = order(column);
    const Rank* by_row = ranks(column);
    return static_cast<Place>(
        std::partition_point(first, first + place, [&](std::uint32_t local) { return by_row[local] < rank; }) - first);
}

Place Node::tie_end(std::size_t column, Place place) const {
    const Rank rank = rank_at(column, place);
    const auto n = static_cast<Place>(rows_.size());
    for (int step = 0; step < 4; ++step)
        if (++place == n || rank_at(column, place) != rank) return place;
    const std::uint32_t* first = order(column);
    const Rank* by_row = ranks(column);
    return static_cast<Place>(
        std::partition_point(first + place, first + n, [&](std::uint32_t local) { return by_row[local] <= rank; }) -
        first);
}

Place Node::place_beyond(std::size_t column, Cost base) const {
    const auto n = static_cast<Place>(rows_.size());
    if (base < 0) return 0;
    if (uniform_base_) {
        if (*uniform_base_ == 0) return n;
        return static_cast<Place>(std::min<Cost>(n, base / *uniform_base_ + 1));
    }
    const Cost* first = base_before_.data() + column * (rows_.size() + 1);
    return std::min(n, static_cast<Place>(std::upper_bound(first, first + n + 1, base) - first));
}

std::optional<Cut> Node::find_cut(Question question) const {
    for (std::size_t column = 0; column < sources_.size(); ++column) {
        if (sources_[column] != static_cast<std::uint32_t>(question.column)) continue;
        const std::uint32_t* first = order(column);
        const Rank* by_row = ranks(column);
        const auto* cut = std::partition_point(first, first + rows_.size(),
                                               [&](std::uint32_t local) { return by_row[local] <= question.rank; });
        const auto place = static_cast<Place>(cut - first);
        if (place == 0 || place == rows_.size()) return std::nullopt;
        return Cut{column, place};
    }
    return std::nullopt;
}

}  // namespace exactree::ranks
