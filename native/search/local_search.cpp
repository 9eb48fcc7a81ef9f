#include "search/local_search.hpp"

#include <algorithm>
#include <numeric>

namespace exactree::search {
namespace {

constexpr int kMostRounds = 16;  // most trees converge after three to six

class TreeImprover {
 public:
    TreeImprover(const Data& data, const Limits& limits, const Tree& tree, Watchdog& watchdog)
        : data_(data), limits_(limits), watchdog_(watchdog), tree_(tree), rows_(data.n_rows) {
        std::iota(rows_.begin(), rows_.end(), RowId{0});
    }

    const Tree& round() {
        visit(0, rows_);
        return tree_;
    }

 private:
    using Rows = std::span<RowId>;

    void visit(std::int32_t at, Rows rows) {
        TreeNode& node = tree_[static_cast<std::size_t>(at)];
        if (node.column < 0) {
            node.label = best_label(rows);
            return;
        }
        const auto border = std::partition(rows.begin(), rows.end(), [&](RowId row) { return answers_yes(node, row); });
        visit(node.yes, {rows.begin(), border});
        visit(node.no, {border, rows.end()});
        if (watchdog_.stopped() || !collect_undecided(node, rows)) return;
        watchdog_.spend(8 * rows.size());
        const Question best = best_question(node, rows);
        node.column = best.column;
        node.rank = static_cast<std::int32_t>(best.rank);
    }

    bool answers_yes(const TreeNode& node, RowId row) const {
        return data_.rank(static_cast<std::size_t>(node.column), row) <= static_cast<Rank>(node.rank);
    }
    std::int32_t answer(std::int32_t at, RowId row) const {
        const TreeNode* node = &tree_[static_cast<std::size_t>(at)];
        while (node->column >= 0)
            node = &tree_[static_cast<std::size_t>(answers_yes(*node, row) ? node->yes : node->no)];
        return node->label;
    }
    std::int32_t best_label(Rows rows) {
        gains_.assign(static_cast<std::size_t>(data_.n_classes), 0);
        for (const RowId row : rows) gains_[static_cast<std::size_t>(data_.label[row])] += data_.gain[row];
        return static_cast<std::int32_t>(std::max_element(gains_.begin(), gains_.end()) - gains_.begin());
    }

    // Collects the rows that the two subtrees classify differently, with the gain of sending each to the yes side.
    bool collect_undecided(const TreeNode& node, Rows rows) {
        undecided_.clear();
        preference_.clear();
        for (const RowId row : rows) {
            const std::int32_t label = data_.label[row];
            const int better = (answer(node.yes, row) == label) - (answer(node.no, row) == label);
            if (better == 0) continue;
            undecided_.push_back(row);
            preference_.push_back(better * data_.gain[row]);
        }
        return !undecided_.empty();
    }

    // The current question unless another is better.
    Question best_question(const TreeNode& node, Rows rows) {
        Question best{node.column, static_cast<Rank>(node.rank)};
        Cost most = 0;
        for (std::size_t i = 0; i < undecided_.size(); ++i)
            if (answers_yes(node, undecided_[i])) most += preference_[i];
        for (std::size_t column = 0; column < data_.n_columns(); ++column) {
            if (watchdog_.spend(8 * undecided_.size())) break;
            by_rank_.assign(data_.n_ranks[column], 0);
            for (std::size_t i = 0; i < undecided_.size(); ++i)
                by_rank_[data_.rank(column, undecided_[i])] += preference_[i];
            std::partial_sum(by_rank_.begin(), by_rank_.end(), by_rank_.begin());
            // The last rank is no split: every row answers yes.
            if (*std::max_element(by_rank_.begin(), by_rank_.end() - 1) > most) take_allowed(column, rows, best, most);
        }
        return best;
    }

    // The best question about a column whose sides are large enough, if it gains more than `most`.
    void take_allowed(std::size_t column, Rows rows, Question& best, Cost& most) {
        sizes_.assign(data_.n_ranks[column], {});
        Size all, yes;
        for (const RowId row : rows) {
            sizes_[data_.rank(column, row)] += data_.size[row];
            all += data_.size[row];
        }
        for (Rank rank = 0; rank + 1 < data_.n_ranks[column]; ++rank) {
            yes += sizes_[rank];
            if (by_rank_[rank] <= most || !limits_.allows(yes, all - yes)) continue;
            most = by_rank_[rank];
            best = {static_cast<std::int32_t>(column), rank};
        }
    }

    const Data& data_;
    const Limits& limits_;
    Watchdog& watchdog_;
    Tree tree_;
    std::vector<RowId> rows_;  // those of a node are contiguous while it is visited
    // of the current node
    std::vector<RowId> undecided_;
    std::vector<Cost> preference_;  // of each of them
    // scratch
    std::vector<Cost> gains_, by_rank_;
    std::vector<Size> sizes_;
};

}  // namespace

ScoredTree improve_tree(const Data& data, const Limits& limits, const Tree& tree, Watchdog& watchdog) {
    ScoredTree best = prune_to_limits(data, limits, tree);
    if (data.n_columns() == 0 || tree[0].column < 0) return best;
    TreeImprover improver(data, limits, tree, watchdog);
    for (int round = 0; round < kMostRounds && !watchdog.stopped(); ++round) {
        ScoredTree next = prune_to_limits(data, limits, improver.round());
        if (next.cost >= best.cost) break;
        best = std::move(next);
    }
    return best;
}

}  // namespace exactree::search
