#include "leaf_limits/searcher.hpp"

#include <algorithm>

#include "core/tree_searcher.hpp"

namespace exactree::leaf_limits {

namespace {

constexpr std::size_t kKnownBytes = 256;  // of one entry of the cache, its tree included
// Sums over pairs are used if they take no more: the time of a tree of depth two grows with their number.
constexpr std::size_t kMostPairBytes = std::size_t{1} << 25;
constexpr std::size_t kTables = 4;  // of sums over pairs, running sums among them

}  // namespace

LimitSearcher::LimitSearcher(const LeafData& data, const LeafCosts& costs, std::span<const double> unavoidable,
                             std::size_t memory, Watchdog& watchdog)
    : data_(data), costs_(costs), unavoidable_(unavoidable), watchdog_(watchdog), scan_(data), pairs_(data, costs) {
    const std::size_t room = memory / 2;
    const auto all = static_cast<Rank>(std::min<std::size_t>(data.data.n_rows, UINT32_MAX));
    has_pair_sums_ = worst_leaf::PairTables::bytes(data, all) <= std::min(room / kTables, kMostPairBytes);
    if (has_pair_sums_)
        for (auto* sums : {&two_, &whole_, &swept_}) *sums = std::make_unique<worst_leaf::PairTables>(data);
    most_known_ = room / kKnownBytes;
}

Found LimitSearcher::solve_root(int depth, std::int64_t leaves, double below, RootListener& listener) {
    listener_ = &listener;
    const Found found = solve(worst_leaf::all_rows(data_.data.n_rows), depth, leaves, below, true);
    listener_ = nullptr;
    return found;
}

Found LimitSearcher::leaf_of(const RowSet& set, const Tally& tally, bool is_root) const {
    const double *sure = tally.sure.data(), *all = tally.all.data();
    const LabelledCost leaf = is_root ? costs_.lone_leaf(sure, all) : costs_.leaf(sure, all, data_.rows(all));
    return {leaf.cost, set.exact() && leaf.label >= 0 ? FrontTree::leaf(leaf.label) : nullptr};
}

Found LimitSearcher::prune(const RowSet& set, const FrontTree& tree, bool is_root) const {
    const Found leaf = leaf_of(set, is_root);
    if (tree.is_leaf()) return leaf;
    const auto column = static_cast<std::size_t>(tree.question.column);
    const CutSides sides = worst_leaf::sides_of(data_.data, set, column, tree.question.rank, tree.question.rank);
    if (sides.yes.rows.empty() || sides.no.rows.empty()) return leaf;
    const Found yes = prune(sides.yes, *tree.yes), no = prune(sides.no, *tree.no);
    if (!yes.plan || !no.plan || yes.lower + no.lower >= leaf.lower) return leaf;
    return {yes.lower + no.lower, FrontTree::branch(tree.question, yes.plan, no.plan)};
}

// What every tree pays for these rows.
double LimitSearcher::floor_of(const RowSet& set) const {
    double sum = costs_.rules().leaf_price;
    for (std::size_t i = 0; i < set.sure; ++i) sum += unavoidable_[set.rows[i]];
    return sum;
}

Found LimitSearcher::solve(const RowSet& set, int depth, std::int64_t leaves, double below, bool is_root) {
    if (watchdog_.spend(set.rows.size())) return {0, nullptr};
    ++sets_looked_at;
    const Tally tally(data_, set);
    Found best = leaf_of(set, tally, is_root);
    depth = static_cast<int>(std::min<std::int64_t>(depth, leaves - 1));
    const double floor = floor_of(set) + costs_.rules().leaf_price;
    if (depth <= 0 || floor >= target(below, best) || data_.rows(tally.all.data()) < 2 * costs_.rules().min_rows)
        return ended(best, below);
    const bool cached = set.exact() && depth > 1 && !is_root;
    worst_leaf::SetKey key{};
    if (cached) {
        key = worst_leaf::SetKey::of(set, depth, leaves);
        const auto known = known_.find(key);
        if (known != known_.end() && (known->second.plan || known->second.lower >= below - costs_.rules().noise)) {
            ++found_in_cache;
            return ended(known->second, below);
        }
    }
    const Found divided = split(set, tally, depth, leaves, std::min(below, best.lower), is_root);
    if (divided.lower < best.lower) best = divided;
    const Found found = ended(best, below);
    if (cached && !watchdog_.stopped() && known_.size() < most_known_) known_[key] = found;
    return found;
}

// The cheapest tree of at least one question.
Found LimitSearcher::split(const RowSet& set, const Tally& tally, int depth, std::int64_t leaves, double below,
                           bool is_root) {
    if (depth == 1) return split_once(set, tally, below);
    if (has_pair_sums_ && set.exact() && depth == 2) return split_twice(set, leaves, below);
    if (has_pair_sums_ && set.exact() && depth == 3) return split_thrice(set, tally, leaves, below, is_root);
    return explore(set, depth, leaves, below, is_root);
}

Found LimitSearcher::split_once(const RowSet& set, const Tally& tally, double below) const {
    watchdog_.spend(set.rows.size() * data_.data.n_columns());
    Found best;
    Question question;
    int labels[2] = {0, 0};
    const auto visit = [&](std::size_t column, Rank rank, const pareto::FrontSide& yes, const pareto::FrontSide& no) {
        const LabelledCost one = costs_.leaf(yes.sure, yes.all, data_.rows(yes.all));
        if (one.cost >= target(below, best)) return;
        const LabelledCost other = costs_.leaf(no.sure, no.all, data_.rows(no.all));
        if (one.cost + other.cost >= target(below, best)) return;
        best.lower = one.cost + other.cost;
        question = {static_cast<std::int32_t>(column), rank};
        labels[0] = one.label;
        labels[1] = other.label;
    };
    scan_.cuts(set, tally, visit);
    if (set.exact() && question.column >= 0)
        best.plan = FrontTree::branch(question, FrontTree::leaf(labels[0]), FrontTree::leaf(labels[1]));
    return ended(best, below);
}

Found LimitSearcher::split_twice(const RowSet& set, std::int64_t leaves, double below) {
    two_->clear();
    two_->add(set.rows);
    watchdog_.spend(pairs_.work(*two_) + set.rows.size() * two_->n_pairs() / 2);
    const PairTrees trees = pairs_.cheapest({*two_});
    const PairTree& best = trees[static_cast<std::size_t>(std::min<std::int64_t>(leaves, 4))];
    if (best.cost >= below - costs_.rules().noise) return {std::min(best.cost, below), nullptr};
    return {best.cost, plan_of(set, best)};
}

Plan LimitSearcher::plan_of(const RowSet& set, const PairTree& tree) const {
    if (tree.question.column < 0) return leaf_of(set).plan;
    const auto column = static_cast<std::size_t>(tree.question.column);
    const CutSides sides = worst_leaf::sides_of(data_.data, set, column, tree.question.rank, tree.question.rank);
    const auto side = [&](const RowSet& rows, bool splits) {
        return splits ? split_once(rows, Tally(data_, rows), kNever).plan : leaf_of(rows).plan;
    };
    const Plan yes = side(sides.yes, tree.splits_yes), no = side(sides.no, tree.splits_no);
    return yes && no ? FrontTree::branch(tree.question, yes, no) : nullptr;
}

Found LimitSearcher::split_thrice(const RowSet& set, const Tally& tally, std::int64_t leaves, double below,
                                  bool is_root) {
    whole_->clear();
    whole_->add(set.rows);
    watchdog_.spend(set.rows.size() * whole_->n_pairs() / 2);
    Found best;
    for (std::size_t column = 0; column < data_.data.n_columns() && !watchdog_.stopped(); ++column) {
        const auto is_open = [](Rank) { return true; };
        const auto visit = [&](const worst_leaf::SweptCut& cut) {
            const double before = best.lower;
            try_swept(set, cut, leaves, below, best);
            if (is_root && best.lower < before && !watchdog_.stopped()) listener_->improved(best);
            return false;
        };
        worst_leaf::sweep_cuts(data_, set, tally, column, *swept_, watchdog_, is_open, visit);
    }
    return ended(best, below);
}

// Trees of depth two or less for a side whose sums are known; the first of one leaf.
PairTrees LimitSearcher::pair_trees(const double* side, const worst_leaf::PairRows& sums) {
    PairTrees trees;
    const double rows = data_.rows(side), leaf = costs_.leaf(side, side, rows).cost;
    if (rows >= 2 * costs_.rules().min_rows && leaf > 2 * costs_.rules().leaf_price) {
        watchdog_.spend(pairs_.work(sums.all));
        trees = pairs_.cheapest(sums);
    }
    trees[1] = {leaf, {}, false, false};
    for (std::size_t leaves = 2; leaves < trees.size(); ++leaves)
        if (trees[1].cost <= trees[leaves].cost) trees[leaves] = trees[1];
    return trees;
}

// A cut of which both sides have two more questions on each path; the sums of its swept side are known.
void LimitSearcher::try_swept(const RowSet& set, const worst_leaf::SweptCut& cut, std::int64_t leaves, double below,
                              Found& best) {
    ++sets_looked_at;
    const PairTrees swept = pair_trees(cut.swept, {*swept_});
    if (swept.back().cost + costs_.rules().leaf_price >= target(below, best)) return;
    const PairTrees rest = pair_trees(cut.rest, {*whole_, swept_.get()});
    const auto most = static_cast<std::size_t>(std::min<std::int64_t>(leaves, 2 * kMostPairLeaves));
    const PairTree *of_swept = nullptr, *of_rest = nullptr;
    double cheapest = target(below, best);
    for (std::size_t a = 1; a <= std::min(kMostPairLeaves, most - 1); ++a) {
        const PairTree& other = rest[std::min(kMostPairLeaves, most - a)];
        if (swept[a].cost + other.cost >= cheapest) continue;
        cheapest = swept[a].cost + other.cost;
        of_swept = &swept[a];
        of_rest = &other;
    }
    if (of_swept == nullptr || watchdog_.stopped()) return;
    const auto column = static_cast<std::size_t>(cut.question.column);
    const CutSides sides = worst_leaf::sides_of(data_.data, set, column, cut.question.rank, cut.question.rank);
    const Plan yes = plan_of(sides.yes, cut.yes_is_swept ? *of_swept : *of_rest);
    const Plan no = plan_of(sides.no, cut.yes_is_swept ? *of_rest : *of_swept);
    if (yes && no) best = {cheapest, FrontTree::branch(cut.question, yes, no)};
}

}  // namespace exactree::leaf_limits
