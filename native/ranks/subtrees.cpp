#include "ranks/subtrees.hpp"

#include <algorithm>
#include <cmath>

namespace exactree::ranks {
namespace {

std::int32_t answer(const Data& data, const Tree& tree, RowId row) {
    const TreeNode* node = tree.data();
    while (node->column >= 0) {
        const bool yes = data.rank(static_cast<std::size_t>(node->column), row) <= static_cast<Rank>(node->rank);
        node = &tree[static_cast<std::size_t>(yes ? node->yes : node->no)];
    }
    return node->label;
}

}  // namespace

RankSubtrees::RankSubtrees(const RankSearcher& leader, Watchdog& watchdog, std::size_t cache_bytes)
    : data_(leader.data_),
      limits_(leader.limits_),
      watchdog_(watchdog),
      cache_bytes_(cache_bytes),
      searcher_(leader, watchdog, limits_, std::make_shared<Cache>(cache_bytes)) {
    all_.node = &leader.root_;
    describe(all_);
}

void RankSubtrees::describe(RankSet& set) const {
    const Node& node = *set.node;
    set.key = node.key();
    set.n_rows = node.n_rows();
    set.n_cells = node.n_rows() * data_.n_columns();
    set.leaf_cost = node.leaf_error() + limits_.leaf_price;
    set.label = node.best_label();
    set.can_split =
        node.n_columns() > 0 && set.leaf_cost > 2 * limits_.leaf_price && node.size().reaches(searcher_.twice_least_);
}

bool RankSubtrees::split(const EngineRows& rows, Question question, EngineRows& yes, EngineRows& no) {
    const Node& node = node_of(rows);
    const std::optional<Cut> cut = node.find_cut(question);
    if (!cut) return false;
    auto &with = static_cast<RankSet&>(yes), &without = static_cast<RankSet&>(no);
    Node::split(data_, node, *cut, with.own, without.own);
    watchdog_.spend(4 * node.n_rows() * node.n_columns());
    if (!limits_.allows(with.own.size(), without.own.size())) return false;
    describe(with);
    describe(without);
    return true;
}

SubtreeBounds RankSubtrees::solve(const EngineRows& rows, int depth, Cost below) {
    return searcher_.solve(node_of(rows), depth, {full_tree_leaves(depth), below}, nullptr);
}

// The best allowed question comes first: with a minimum leaf size the others are ordered without it.
void RankSubtrees::look_ahead(const EngineRows& rows, std::vector<ScoredQuestion>& out) {
    const Node& node = node_of(rows);
    const SubtreeBounds best = searcher_.depth_two_->solve(node, {4}, watchdog_, &guesses_);
    searcher_.store_bounds(node.key(), Shape(2, 4), best);
    out.clear();
    if (best.question.column >= 0) out.push_back({best.upper, best.question});
    for (std::size_t column = 0; column < guesses_.size(); ++column) {
        if (guesses_[column].cost >= kInfiniteCost) continue;
        const Question question = node.question({column, guesses_[column].cut});
        if (question != best.question) out.push_back({guesses_[column].cost, question});
    }
    std::stable_sort(out.begin() + (best.question.column >= 0), out.end(),
                     [](const ScoredQuestion& a, const ScoredQuestion& b) { return a.cost < b.cost; });
}

// A cut half to a thousandth of the rows away.
Question RankSubtrees::vary(const EngineRows& rows, Question question, Random& random) {
    const Node& node = node_of(rows);
    const std::optional<Cut> cut = node.find_cut(question);
    if (!cut) return question;
    const double reach = static_cast<double>(node.n_rows()) * std::exp2(-9 * random.uniform());
    const double step = reach * (random.uniform() + random.uniform() - 1);
    const double wanted = static_cast<double>(cut->place) + step + (step > 0 ? 1 : -1);
    if (wanted < 1 || wanted >= static_cast<double>(node.n_rows())) return question;
    const auto near = static_cast<Place>(wanted);
    const Place place = step > 0 ? node.tie_end(cut->column, near - 1) : node.tie_begin(cut->column, near);
    return place == 0 || place >= node.n_rows() ? question : node.question({cut->column, place});
}

void RankSubtrees::collect_torn_rows(const Node& node, const Tree& yes, const Tree& no) {
    torn_.clear();
    for (std::uint32_t local = 0; local < node.n_rows(); ++local) {
        const RowId row = node.row(local);
        const std::int32_t label = data_.label[row];
        const int better = (answer(data_, yes, row) == label) - (answer(data_, no, row) == label);
        if (better != 0) torn_.push_back({row, better * data_.gain[row]});
    }
    watchdog_.spend(8 * node.n_rows() + torn_.size() * node.n_columns());
}

Question RankSubtrees::best_between(const EngineRows& rows, const Tree& yes, const Tree& no) {
    const Node& node = node_of(rows);
    collect_torn_rows(node, yes, no);
    Question best;
    if (torn_.empty()) return best;
    Cost most = -kInfiniteCost;
    for (std::size_t at = 0; at < node.n_columns(); ++at) {
        const std::uint32_t column = node.source(at);
        by_rank_.assign(data_.n_ranks[column], 0);
        for (const TornRow& torn : torn_) by_rank_[data_.rank(column, torn.row)] += torn.preference;
        Cost sum = 0;
        for (Rank rank = 0; rank + 1 < data_.n_ranks[column]; ++rank) {
            sum += by_rank_[rank];
            if (sum <= most) continue;
            most = sum;
            best = {static_cast<std::int32_t>(column), rank};
        }
    }
    return best;
}

void RankSubtrees::set_leaf_price(Cost price) {
    limits_.leaf_price = price;
    searcher_.cache_ = std::make_shared<Cache>(cache_bytes_);
    describe(all_);
}

std::unique_ptr<SubtreeEngine> RankSearcher::make_subtree_engine(Watchdog& watchdog, std::size_t cache_bytes) {
    return std::make_unique<RankSubtrees>(*this, watchdog, cache_bytes);
}

}  // namespace exactree::ranks
