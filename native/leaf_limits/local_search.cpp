#include "leaf_limits/local_search.hpp"

#include <algorithm>

namespace exactree::leaf_limits {

namespace {

constexpr int kPartDepth = 2;

std::int64_t n_leaves(const FrontTree& tree) { return tree.is_leaf() ? 1 : n_leaves(*tree.yes) + n_leaves(*tree.no); }

class LocalSearch {
 public:
    LocalSearch(LimitSearcher& searcher, const LeafData& data, const Watchdog& watchdog)
        : searcher_(searcher), data_(data), watchdog_(watchdog) {}

    // The cheapest of the trees that differ from this one in one part of its rows.
    Found improved(const RowSet& set, const Found& tree, int depth, std::int64_t spare) {
        if (depth > kPartDepth && !tree.plan->is_leaf()) return improved_below(set, tree, depth, spare);
        if (watchdog_.stopped()) return tree;
        const Found found =
            searcher_.solve_part(set, std::min(depth, kPartDepth), n_leaves(*tree.plan) + spare, tree.lower);
        return found.plan && !watchdog_.stopped() ? found : tree;
    }

 private:
    Found improved_below(const RowSet& set, const Found& tree, int depth, std::int64_t spare) {
        const Question question = tree.plan->question;
        const CutSides sides = worst_leaf::sides_of(data_.data, set, static_cast<std::size_t>(question.column),
                                                    question.rank, question.rank);
        Found both[2] = {searcher_.prune(sides.yes, *tree.plan->yes), searcher_.prune(sides.no, *tree.plan->no)};
        if (!both[0].plan || !both[1].plan) return tree;
        for (const int side : {0, 1}) {
            const std::int64_t before = n_leaves(*both[side].plan);
            both[side] = improved(side == 0 ? sides.yes : sides.no, both[side], depth - 1, spare);
            spare -= n_leaves(*both[side].plan) - before;
        }
        const double cost = both[0].lower + both[1].lower;
        return cost < tree.lower ? Found{cost, FrontTree::branch(question, both[0].plan, both[1].plan)} : tree;
    }

    LimitSearcher& searcher_;
    const LeafData& data_;
    const Watchdog& watchdog_;
};

}  // namespace

void improve(LimitSearcher& searcher, const LeafData& data, const Found& start, int depth, std::int64_t leaves,
             const Watchdog& watchdog, RootListener& listener) {
    if (!start.plan || depth <= kPartDepth || n_leaves(*start.plan) > leaves) return;
    LocalSearch local(searcher, data, watchdog);
    const std::int64_t spare = leaves - n_leaves(*start.plan);
    listener.improved(local.improved(worst_leaf::all_rows(data.data.n_rows), start, depth, spare));
}

}  // namespace exactree::leaf_limits
