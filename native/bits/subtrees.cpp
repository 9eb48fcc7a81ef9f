#include "bits/subtrees.hpp"

#include <algorithm>
#include <bit>

namespace exactree::bits {

template <class Ops>
BitSubtrees<Ops>::BitSubtrees(const BitSearcher<Ops>& leader, Watchdog& watchdog, std::size_t cache_bytes)
    : watchdog_(watchdog), cache_bytes_(cache_bytes), searcher_(leader, watchdog) {
    searcher_.cache_ = std::make_shared<Cache>(cache_bytes);
    const BitTable<Ops>& table = *searcher_.all_;
    for (std::size_t j = 0; j < table.n_columns(); ++j) columns_[name_of(table.question(j))] = j;
    labels_.resize(table.n_rows());
    for (const RowRun& run : table.runs())
        for (std::size_t row = run.begin; row < run.end; ++row)
            labels_[row] = table.has_signs() ? table.gain(static_cast<std::uint32_t>(row)) > 0 : run.label;
    all_.rows = all_rows(table.n_rows());
    all_.table = &table;
    describe(all_);
}

template <class Ops>
Cost BitSubtrees<Ops>::size_of(const RowBits& rows) const {
    Cost size = 0;
    for_each_row(rows.data(), rows.size(), [&](std::uint32_t row) { size += searcher_.all_->size(row); });
    return size;
}

template <class Ops>
void BitSubtrees<Ops>::describe(TableSet& set) {
    const BitTable<Ops>& table = *set.table;
    const Prices& prices = searcher_.prices_;
    set.key = table.key();
    set.n_rows = table.n_rows();
    set.n_cells = table.n_rows() * searcher_.all_->n_columns();
    set.leaf_cost = searcher_.solve_shallow(table, all_rows(table.n_rows()), Shape(0, 1)).upper;
    set.label = searcher_.all_->best_label(set.rows);
    set.can_split = table.n_columns() > 0 && set.leaf_cost > 2 * prices.leaf &&
                    (!table.sized() || size_of(set.rows) >= 2 * prices.least);
}

template <class Ops>
bool BitSubtrees<Ops>::split(const EngineRows& rows, Question question, EngineRows& yes, EngineRows& no) {
    const auto found = columns_.find(name_of(question));
    if (found == columns_.end()) return false;
    const BitTable<Ops>& table = *searcher_.all_;
    const Word* has = table.column(found->second);
    TableSet* sides[] = {&static_cast<TableSet&>(yes), &static_cast<TableSet&>(no)};
    for (TableSet* side : sides) {
        side->rows = set_of(rows).rows;
        bool any = false;
        for (std::size_t w = 0; w < side->rows.size(); ++w)
            any |= (side->rows[w] &= side == sides[0] ? has[w] : ~has[w]) != 0;
        if (!any || (table.sized() && size_of(side->rows) < searcher_.prices_.least)) return false;
    }
    for (TableSet* side : sides) {
        side->own.fill(table, side->rows, searcher_.ops_, searcher_.settings_.merging);
        if (searcher_.settings_.scatter) side->own.index_rare_cells(searcher_.ops_);
        describe(*side);
    }
    watchdog_.spend(table.n_words() * table.n_columns() * 2 + rows.n_rows * table.stride());
    return true;
}

template <class Ops>
SubtreeBounds BitSubtrees<Ops>::solve(const EngineRows& rows, int depth, Cost below) {
    const BitTable<Ops>& table = *set_of(rows).table;
    return searcher_.solve(table, all_rows(table.n_rows()), rows.key, depth, full_tree_leaves(depth), below, nullptr);
}

// The best allowed question comes first: with a minimum leaf size the others are ordered without it.
template <class Ops>
void BitSubtrees<Ops>::look_ahead(const EngineRows& rows, std::vector<ScoredQuestion>& out) {
    const BitTable<Ops>& table = *set_of(rows).table;
    sums_.fill(table, all_rows(table.n_rows()), searcher_.ops_, true);
    watchdog_.spend(table.n_columns() * (table.n_rows() / 4 + table.n_sums() / 8));
    const SubtreeBounds best = solve_pairs(table, sums_, 4, searcher_.prices_, searcher_.ops_, &estimates_);
    searcher_.store_bounds(rows.key, Shape(2, 4), best);
    out.clear();
    if (best.question.column >= 0) out.push_back({best.upper, best.question});
    for (std::size_t j = 0; j < estimates_.total.size(); ++j)
        if (estimates_.total[j] < kInfiniteCost && table.question(j) != best.question)
            out.push_back({estimates_.total[j], table.question(j)});
    std::stable_sort(out.begin() + (best.question.column >= 0), out.end(),
                     [](const ScoredQuestion& a, const ScoredQuestion& b) { return a.cost < b.cost; });
}

template <class Ops>
Question BitSubtrees<Ops>::vary(const EngineRows& rows, Question question, Random& random) {
    const BitTable<Ops>& table = *set_of(rows).table;
    return table.n_columns() == 0 ? question : table.question(random.below(table.n_columns()));
}

template <class Ops>
std::int32_t BitSubtrees<Ops>::answer(const Tree& tree, std::uint32_t row) const {
    const TreeNode* node = tree.data();
    while (node->column >= 0) {
        const std::size_t column = columns_.at(name_of({node->column, static_cast<Rank>(node->rank)}));
        const bool yes = searcher_.all_->column(column)[row / 64] >> (row % 64) & 1;
        node = &tree[static_cast<std::size_t>(yes ? node->yes : node->no)];
    }
    return node->label;
}

template <class Ops>
Question BitSubtrees<Ops>::best_between(const EngineRows& rows, const Tree& yes, const Tree& no) {
    const BitTable<Ops>& table = *searcher_.all_;
    const RowBits& set = set_of(rows).rows;
    torn_.clear();
    for_each_row(set.data(), set.size(), [&](std::uint32_t row) {
        const int better = (answer(yes, row) == labels_[row]) - (answer(no, row) == labels_[row]);
        if (better != 0) torn_.emplace_back(row, better * std::abs(table.gain(row)));
    });
    watchdog_.spend(50 * rows.n_rows + torn_.size() * table.n_columns());
    Question best;
    Cost most = -kInfiniteCost;
    for (std::size_t j = 0; j < table.n_columns() && !torn_.empty(); ++j) {
        Cost sum = 0;
        for (const auto& [row, preference] : torn_)
            if (table.column(j)[row / 64] >> (row % 64) & 1) sum += preference;
        if (sum <= most) continue;
        most = sum;
        best = table.question(j);
    }
    return best;
}

template <class Ops>
void BitSubtrees<Ops>::set_leaf_price(Cost price) {
    searcher_.prices_.leaf = price;
    searcher_.cache_ = std::make_shared<Cache>(cache_bytes_);
    describe(all_);
}

template <class Ops>
std::unique_ptr<SubtreeEngine> BitSearcher<Ops>::make_subtree_engine(Watchdog& watchdog, std::size_t cache_bytes) {
    return std::make_unique<BitSubtrees<Ops>>(*this, watchdog, cache_bytes);
}

template class BitSubtrees<SmallOps>;
template class BitSubtrees<MediumOps>;
template class BitSubtrees<WideOps>;
template std::unique_ptr<SubtreeEngine> BitSearcher<SmallOps>::make_subtree_engine(Watchdog&, std::size_t);
template std::unique_ptr<SubtreeEngine> BitSearcher<MediumOps>::make_subtree_engine(Watchdog&, std::size_t);
template std::unique_ptr<SubtreeEngine> BitSearcher<WideOps>::make_subtree_engine(Watchdog&, std::size_t);

}  // namespace exactree::bits
