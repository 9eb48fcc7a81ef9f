#include "search/greedy.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace exactree::search {
namespace {

struct GreedySplit {
    Question question;
    double score = -1;  // sum over both sides of (sum of squared class weights / weight); higher is purer
};

double purity(const Cost* weights, std::size_t n_classes) {
    double squares = 0, total = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
        const auto w = static_cast<double>(weights[k]);
        squares += w * w;
        total += w;
    }
    return total > 0 ? squares / total : 0;
}

// A leaf that may be split, and the improvement that brings.
struct OpenLeaf {
    std::vector<RowId> rows;
    std::int32_t at;
    int depth;
    Question question;
    double improvement;
    bool operator<(const OpenLeaf& other) const {
        return improvement != other.improvement ? improvement < other.improvement : at > other.at;
    }
};

class GreedyGrower {
 public:
    GreedyGrower(const Data& data, const Limits& limits)
        : data_(data), limits_(limits), n_classes_(static_cast<std::size_t>(data.n_classes)) {}

    Tree grow() {
        std::vector<RowId> all(data_.n_rows);
        std::iota(all.begin(), all.end(), RowId{0});
        add(std::move(all), 0);
        for (std::int64_t leaves = 1; leaves < limits_.max_leaves && !open_leaves_.empty(); ++leaves) {
            OpenLeaf leaf = open_leaves_.top();
            open_leaves_.pop();
            const auto asked = static_cast<std::size_t>(leaf.question.column);
            tree_[leaf.at].column = leaf.question.column;
            tree_[leaf.at].rank = static_cast<std::int32_t>(leaf.question.rank);
            const auto border = std::stable_partition(leaf.rows.begin(), leaf.rows.end(), [&](RowId row) {
                return data_.rank(asked, row) <= leaf.question.rank;
            });
            tree_[leaf.at].yes = static_cast<std::int32_t>(tree_.size());
            add({leaf.rows.begin(), border}, leaf.depth + 1);
            tree_[leaf.at].no = static_cast<std::int32_t>(tree_.size());
            add({border, leaf.rows.end()}, leaf.depth + 1);
        }
        return std::move(tree_);
    }

 private:
    void add(std::vector<RowId> rows, int depth) {
        const auto at = static_cast<std::int32_t>(tree_.size());
        totals_.assign(n_classes_, 0);
        size_ = {};
        for (const RowId row : rows) {
            totals_[data_.label[row]] += data_.gain[row];
            size_ += data_.size[row];
        }
        const auto largest = std::max_element(totals_.begin(), totals_.end());
        tree_.push_back({-1, -1, -1, -1, static_cast<std::int32_t>(largest - totals_.begin())});
        const bool pure = *largest == std::accumulate(totals_.begin(), totals_.end(), Cost{0});
        if (depth >= limits_.max_depth || pure) return;
        GreedySplit best;
        for (std::size_t column = 0; column < data_.n_columns(); ++column) try_column(rows, column, best);
        if (best.score < 0) return;
        open_leaves_.push({std::move(rows), at, depth, best.question, best.score - purity(totals_.data(), n_classes_)});
    }

    // Class weights and sizes per rank, then one pass over the ranks.
    void try_column(const std::vector<RowId>& rows, std::size_t column, GreedySplit& best) {
        const std::size_t n_ranks = data_.n_ranks[column];
        by_rank_.assign(n_ranks * n_classes_, 0);
        sizes_.assign(n_ranks, {});
        for (const RowId row : rows) {
            const Rank rank = data_.rank(column, row);
            by_rank_[rank * n_classes_ + static_cast<std::size_t>(data_.label[row])] += data_.gain[row];
            sizes_[rank] += data_.size[row];
        }
        yes_.assign(n_classes_, 0);
        no_ = totals_;
        Size yes;
        for (Rank rank = 0; rank + 1 < n_ranks; ++rank) {
            if (sizes_[rank].rows == 0) continue;  // the same split as the rank before
            for (std::size_t k = 0; k < n_classes_; ++k) {
                yes_[k] += by_rank_[rank * n_classes_ + k];
                no_[k] -= by_rank_[rank * n_classes_ + k];
            }
            yes += sizes_[rank];
            if (yes.rows == size_.rows || !limits_.allows(yes, size_ - yes)) continue;
            const double score = purity(yes_.data(), n_classes_) + purity(no_.data(), n_classes_);
            if (score > best.score) best = {{static_cast<std::int32_t>(column), rank}, score};
        }
    }

    const Data& data_;
    const Limits& limits_;
    std::size_t n_classes_;
    Tree tree_;
    std::priority_queue<OpenLeaf> open_leaves_;
    // scratch: of the current rows
    std::vector<Cost> totals_, by_rank_, yes_, no_;
    Size size_;
    std::vector<Size> sizes_;
};

}  // namespace

Tree grow_greedy_tree(const Data& data, const Limits& limits) { return GreedyGrower(data, limits).grow(); }

}  // namespace exactree::search
