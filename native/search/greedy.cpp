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

// With so many ranks per row and more, sorting the ranks of the rows takes less time than a pass over all ranks.
constexpr std::size_t kSortedFrom = 16;

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
    GreedyGrower(const Data& data, const Limits& limits, Watchdog* watchdog)
        : data_(data), limits_(limits), watchdog_(watchdog), n_classes_(static_cast<std::size_t>(data.n_classes)) {}

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
        for (std::size_t column = 0; column < data_.n_columns(); ++column) {
            if (watchdog_ && watchdog_->spend(rows.size() + data_.n_ranks[column])) break;
            try_column(rows, column, best);
        }
        if (best.score < 0) return;
        open_leaves_.push({std::move(rows), at, depth, best.question, best.score - purity(totals_.data(), n_classes_)});
    }

    // Class weights and sizes per rank, then one pass over the ranks.
    void try_column(const std::vector<RowId>& rows, std::size_t column, GreedySplit& best) {
        sum_by_rank(rows, column);
        yes_.assign(n_classes_, 0);
        no_ = totals_;
        Size yes;
        for (std::size_t at = 0; at < sizes_.size(); ++at) {
            if (sizes_[at].rows == 0) continue;  // the same split as the rank before
            for (std::size_t k = 0; k < n_classes_; ++k) {
                yes_[k] += by_rank_[at * n_classes_ + k];
                no_[k] -= by_rank_[at * n_classes_ + k];
            }
            yes += sizes_[at];
            if (yes.rows == size_.rows || !limits_.allows(yes, size_ - yes)) continue;
            const double score = purity(yes_.data(), n_classes_) + purity(no_.data(), n_classes_);
            const Rank rank = met_.empty() ? static_cast<Rank>(at) : met_[at];
            if (score > best.score) best = {{static_cast<std::int32_t>(column), rank}, score};
        }
    }

    // All ranks in order, or where rows are few only those that they have: these are sorted, and listed in met_.
    void sum_by_rank(const std::vector<RowId>& rows, std::size_t column) {
        const std::size_t n_ranks = data_.n_ranks[column];
        met_.clear();
        if (rows.size() * kSortedFrom < n_ranks) {
            for (const RowId row : rows) met_.push_back(data_.rank(column, row));
            std::sort(met_.begin(), met_.end());
            met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
        }
        const std::size_t n_places = met_.empty() ? n_ranks : met_.size();
        by_rank_.assign(n_places * n_classes_, 0);
        sizes_.assign(n_places, {});
        for (const RowId row : rows) {
            const Rank rank = data_.rank(column, row);
            const std::size_t at =
                met_.empty()
                    ? rank
                    : static_cast<std::size_t>(std::lower_bound(met_.begin(), met_.end(), rank) - met_.begin());
            by_rank_[at * n_classes_ + static_cast<std::size_t>(data_.label[row])] += data_.gain[row];
            sizes_[at] += data_.size[row];
        }
    }

    const Data& data_;
    const Limits& limits_;
    Watchdog* watchdog_;
    std::size_t n_classes_;
    Tree tree_;
    std::priority_queue<OpenLeaf> open_leaves_;
    // scratch: of the current rows
    std::vector<Cost> totals_, by_rank_, yes_, no_;
    Size size_;
    std::vector<Size> sizes_;
    std::vector<Rank> met_;
};

}  // namespace

Tree grow_greedy_tree(const Data& data, const Limits& limits, Watchdog* watchdog) {
    return GreedyGrower(data, limits, watchdog).grow();
}

}  // namespace exactree::search
