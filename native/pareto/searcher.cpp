#include "pareto/searcher.hpp"

#include <algorithm>
#include <numeric>

#include "core/tree_searcher.hpp"

namespace exactree::pareto {

namespace {

constexpr std::size_t kTables = 8;  // of sums over pairs, running sums among them
// Intervals with more possible rows than this share of all, or than so many leaves of the minimum size, are bisected
// without a bound: it would prune nothing.
constexpr double kPossibleShare = 0.05;
constexpr double kPossibleLeaves = 4;

}  // namespace

FrontSearcher::FrontSearcher(const worst_leaf::LeafData& data, const FrontRule& rule, std::size_t memory,
                             Watchdog& watchdog)
    : data_(data), rule_(rule), watchdog_(watchdog), scan_(data) {
    few_ranks_ = worst_leaf::PairTables::bytes(data) <= memory / kTables;
    if (few_ranks_) {
        for (auto* sums : {&two_, &whole_, &yes_}) *sums = std::make_unique<worst_leaf::PairTables>(data);
        for (auto* pairs : {&pairs_, &pairs_yes_, &pairs_no_}) *pairs = std::make_unique<FrontPairs>(data, rule);
    }
    find_equivalent_points();
}

// Equivalent points: no question separates rows of the same ranks, so at most one of their labels is right.
void FrontSearcher::find_equivalent_points() {
    const Data& data = data_.data;
    std::vector<RowId> order = worst_leaf::all_rows(data_.data.n_rows).rows;
    const auto compare = [&](RowId a, RowId b) {
        for (std::size_t column = 0; column < data.n_columns(); ++column)
            if (data.rank(column, a) != data.rank(column, b))
                return data.rank(column, a) < data.rank(column, b) ? -1 : 1;
        return 0;
    };
    std::sort(order.begin(), order.end(), [&](RowId a, RowId b) { return compare(a, b) < 0; });
    unavoidable_.assign(data.n_rows, 0.0);
    std::vector<double> weight(data_.n_classes());
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        std::fill(weight.begin(), weight.end(), 0.0);
        for (last = first; last < order.size() && compare(order[first], order[last]) == 0; ++last)
            weight[static_cast<std::size_t>(data.label[order[last]])] += data_.weight[order[last]];
        const auto heaviest = std::max_element(weight.begin(), weight.end()) - weight.begin();
        for (std::size_t i = first; i < last; ++i)
            if (data.label[order[i]] != heaviest) unavoidable_[order[i]] = data_.weight[order[i]];
    }
}

double FrontSearcher::unavoidable(const worst_leaf::RowSet& set) const {
    double sum = 0;
    for (std::size_t i = 0; i < set.sure; ++i) sum += unavoidable_[set.rows[i]];
    return sum;
}

void FrontSearcher::grow(int depth, std::int64_t leaves, ParetoFront& out) {
    grow(worst_leaf::all_rows(data_.data.n_rows), depth, leaves, FrontTarget{out}, out);
}

FrontSearcher::Leaf FrontSearcher::leaf_of(const double* sure, const double* all) const {
    const std::size_t n = data_.n_classes();
    double sure_total = 0, total = 0, most_sure = 0;
    for (std::size_t k = 0; k < n; ++k) {
        sure_total += sure[k];
        total += all[k];
        most_sure = std::max(most_sure, sure[k]);
    }
    Leaf leaf;
    if (data_.rows(all) < rule_.min_rows || total < rule_.min_weight) return leaf;
    leaf.wrong = sure_total - most_sure;
    for (std::size_t k = 0; k < n; ++k) {
        const double score = all[k] > 0 ? rule_.rule.score(all[k], sure_total - sure[k]) : 0;
        if (score <= leaf.score) continue;
        leaf.score = score;
        leaf.label = static_cast<int>(k);
    }
    return leaf;
}

void FrontSearcher::grow(const worst_leaf::RowSet& set, int depth, std::int64_t leaves, const FrontTarget& target,
                         ParetoFront& out) {
    if (watchdog_.spend(set.rows.size())) return;
    ++sets_looked_at;
    const worst_leaf::Tally tally(data_, set);
    add_leaf(set, tally, target, out);
    depth = static_cast<int>(std::min<std::int64_t>(depth, leaves - 1));
    if (depth <= 0) return;
    const double needed = target.needed(unavoidable(set));
    const worst_leaf::LeafRequirements needs{data_, worst_leaf::LeafTest(rule_.rule, std::max(0.0, needed)),
                                             rule_.min_rows, rule_.min_weight};
    if (needed >= 1 || !needs.can_split(tally.all.data())) return;
    if (depth == 1) return grow_depth_one(set, tally, target, out);
    if (few_ranks_ && set.exact() && depth == 2) return grow_depth_two(set, leaves, target, out);
    if (few_ranks_ && set.exact() && depth == 3) return grow_depth_three(set, tally, leaves, target, out);
    for (std::size_t column = 0; column < data_.data.n_columns() && !watchdog_.stopped(); ++column)
        grow_column(set, column, depth, leaves, target, out);
}

void FrontSearcher::add_leaf(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, const FrontTarget& target,
                             ParetoFront& out) const {
    const Leaf leaf = leaf_of(tally.sure.data(), tally.all.data());
    if (leaf.score < 0 || !target.admits(leaf.score, leaf.wrong)) return;
    out.add({leaf.score, leaf.wrong, set.exact() ? FrontTree::leaf(leaf.label) : nullptr});
}

void FrontSearcher::grow_depth_one(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally,
                                   const FrontTarget& target, ParetoFront& out) {
    watchdog_.spend(set.rows.size() * data_.data.n_columns());
    const double least = target.needed(unavoidable(set)) + kFrontNoise;
    scan_.cuts(set, tally, [&](std::size_t column, Rank rank, const FrontSide& yes, const FrontSide& no) {
        const Leaf one = leaf_of(yes.sure, yes.all);
        if (one.score <= least) return;
        const Leaf other = leaf_of(no.sure, no.all);
        const double score = std::min(one.score, other.score), wrong = one.wrong + other.wrong;
        if (score <= least || score < 0 || !target.admits(score, wrong)) return;
        const Question question{static_cast<std::int32_t>(column), rank};
        const auto plan = [&] {
            return FrontTree::branch(question, FrontTree::leaf(one.label), FrontTree::leaf(other.label));
        };
        out.add({score, wrong, set.exact() ? plan() : nullptr});
    });
}

void FrontSearcher::grow_depth_two(const worst_leaf::RowSet& set, std::int64_t leaves, const FrontTarget& target,
                                   ParetoFront& out) {
    two_->clear();
    two_->add(set.rows);
    watchdog_.spend(pairs_->work(*two_) + set.rows.size() * two_->n_pairs() / 2);
    pairs_->load({*two_}, leaves);
    pairs_->grow(target, out);
}

// The sums of the yes side follow the cut as it moves up a column, so that every row is added once.
void FrontSearcher::grow_depth_three(const worst_leaf::RowSet& set, const worst_leaf::Tally& tally, std::int64_t leaves,
                                     const FrontTarget& target, ParetoFront& out) {
    const Data& data = data_.data;
    whole_->clear();
    whole_->add(set.rows);
    watchdog_.spend(set.rows.size() * whole_->n_pairs() / 2);
    std::vector<double> yes(data_.n_channels()), no(data_.n_channels());
    for (std::size_t column = 0; column < data.n_columns(); ++column) {
        std::vector<std::vector<RowId>> by_rank(data.n_ranks[column]);
        for (const RowId row : set.rows) by_rank[data.rank(column, row)].push_back(row);
        std::fill(yes.begin(), yes.end(), 0.0);
        yes_->clear();
        for (Rank rank = 0; rank + 1 < data.n_ranks[column] && !watchdog_.stopped(); ++rank) {
            if (by_rank[rank].empty()) continue;
            for (const RowId row : by_rank[rank]) data_.add(yes.data(), row);
            yes_->add(by_rank[rank]);
            for (std::size_t c = 0; c < yes.size(); ++c) no[c] = tally.all[c] - yes[c];
            watchdog_.spend(by_rank[rank].size() * yes_->n_pairs() / 2);
            grow_below({static_cast<std::int32_t>(column), rank}, yes.data(), no.data(), leaves, target, out);
        }
    }
}

// Trees of depth two on both sides of a cut, whose sums are available.
void FrontSearcher::grow_below(Question question, const double* yes, const double* no, std::int64_t leaves,
                               const FrontTarget& target, ParetoFront& out) {
    const Leaf leaf_yes = leaf_of(yes, yes), leaf_no = leaf_of(no, no);
    if (leaf_yes.score < 0 || leaf_no.score < 0) return;
    ++sets_looked_at;
    for_each_allocation(3, leaves, [&](std::int64_t leaves_yes, std::int64_t leaves_no) {
        if (watchdog_.spend(2 * pairs_->work(*yes_))) return true;
        pairs_yes_->load({*yes_}, leaves_yes);
        // The worst leaf of a tree scores no higher than the accuracy over all its rows.
        const double wrong_yes = std::min(leaf_yes.wrong, pairs_yes_->fewest_wrong());
        if (1 - wrong_yes / weight_of(yes) <= target.needed(wrong_yes) + kFrontNoise) return false;
        pairs_no_->load({*whole_, yes_.get()}, leaves_no);
        ParetoFront steps_yes, steps_no;
        const FrontTarget for_yes{steps_yes, &target, std::min(leaf_no.wrong, pairs_no_->fewest_wrong())};
        grow_side(leaf_yes, leaves_yes, *pairs_yes_, for_yes, steps_yes);
        if (steps_yes.empty()) return false;
        const FrontTarget for_no{steps_no, &target, steps_yes.fewest_wrong(), steps_yes.best_score()};
        grow_side(leaf_no, leaves_no, *pairs_no_, for_no, steps_no);
        join_sides(steps_yes.entries(), steps_no.entries(), target,
                   [&](const FrontEntry& a, const FrontEntry& b, double score, double wrong) {
                       out.add({score, wrong, FrontTree::branch(question, a.plan, b.plan)});
                       return false;
                   });
        return false;
    });
}

void FrontSearcher::grow_side(const Leaf& leaf, std::int64_t leaves, FrontPairs& pairs, const FrontTarget& target,
                              ParetoFront& out) const {
    if (target.admits(leaf.score, leaf.wrong)) out.add({leaf.score, leaf.wrong, FrontTree::leaf(leaf.label)});
    if (leaves > 1) pairs.grow(target, out);
}

double FrontSearcher::weight_of(const double* channels) const {
    return std::accumulate(channels, channels + data_.data.n_classes, 0.0);
}

void FrontSearcher::grow_column(const worst_leaf::RowSet& set, std::size_t column, int depth, std::int64_t leaves,
                                const FrontTarget& target, ParetoFront& out) {
    struct CutInterval {
        Rank first, last;
    };
    std::vector<double> up_to(data_.data.n_ranks[column], 0.0);
    for (const RowId row : set.rows) up_to[data_.data.rank(column, row)] += data_.count[row];
    for (std::size_t rank = 1; rank < up_to.size(); ++rank) up_to[rank] += up_to[rank - 1];
    if (up_to.size() < 2) return;
    const double total = up_to.back();
    // With few ranks, solving a single cut by pair sums is faster than bounding several.
    const double most = few_ranks_ ? 0 : std::max(kPossibleLeaves * rule_.min_rows, kPossibleShare * total);
    std::vector<CutInterval> waiting{{0, static_cast<Rank>(up_to.size() - 2)}};
    while (!waiting.empty() && !watchdog_.stopped()) {
        const auto [first, last] = waiting.back();
        waiting.pop_back();
        if (up_to[last] < rule_.min_rows || total - up_to[first] < rule_.min_rows) continue;
        const Question question{static_cast<std::int32_t>(column), first};
        const double possible = up_to[last] - up_to[first];
        if (possible == 0) {
            join(worst_leaf::sides_of(data_.data, set, column, first, last), question, depth, leaves, target, &out);
            continue;
        }
        if (possible <= most &&
            !join(worst_leaf::sides_of(data_.data, set, column, first, last), question, depth, leaves, target, nullptr))
            continue;
        const Rank middle = first + (last - first) / 2;
        waiting.push_back({middle + 1, last});
        waiting.push_back({first, middle});
    }
}

// Adds all nondominated trees, or, without `out`, returns whether there may be any.
bool FrontSearcher::join(const worst_leaf::CutSides& sides, Question question, int depth, std::int64_t leaves,
                         const FrontTarget& target, ParetoFront* out) {
    bool wanted = false;
    // The smaller side fails faster.
    const bool yes_first = sides.yes.rows.size() <= sides.no.rows.size();
    const worst_leaf::RowSet &one = yes_first ? sides.yes : sides.no, &other = yes_first ? sides.no : sides.yes;
    for_each_allocation(depth, leaves, [&](std::int64_t leaves_yes, std::int64_t leaves_no) {
        ParetoFront steps_one, steps_other;
        grow(one, depth - 1, yes_first ? leaves_yes : leaves_no, {steps_one, &target, unavoidable(other)}, steps_one);
        if (steps_one.empty()) return false;
        grow(other, depth - 1, yes_first ? leaves_no : leaves_yes,
             {steps_other, &target, steps_one.fewest_wrong(), steps_one.best_score()}, steps_other);
        const auto take = [&](const FrontEntry& a, const FrontEntry& b, double score, double wrong) {
            wanted = true;
            if (out == nullptr) return true;
            const bool exact = a.plan != nullptr && b.plan != nullptr;
            out->add({score, wrong,
                      exact ? FrontTree::branch(question, yes_first ? a.plan : b.plan, yes_first ? b.plan : a.plan)
                            : nullptr});
            return false;
        };
        join_sides(steps_one.entries(), steps_other.entries(), target, take);
        return wanted && out == nullptr;
    });
    return wanted;
}

FrontEntry FrontSearcher::score_tree(const Tree& tree) const {
    return score_tree(tree, 0, worst_leaf::all_rows(data_.data.n_rows));
}

FrontEntry FrontSearcher::score_tree(const Tree& tree, std::size_t at, const worst_leaf::RowSet& set) const {
    const TreeNode& node = tree[at];
    if (node.column < 0) {
        const worst_leaf::Tally tally(data_, set);
        const Leaf leaf = leaf_of(tally.all.data(), tally.all.data());
        return {leaf.score, leaf.wrong, FrontTree::leaf(leaf.label)};
    }
    const auto rank = static_cast<Rank>(node.rank);
    const worst_leaf::CutSides sides =
        worst_leaf::sides_of(data_.data, set, static_cast<std::size_t>(node.column), rank, rank);
    const FrontEntry yes = score_tree(tree, static_cast<std::size_t>(node.yes), sides.yes);
    const FrontEntry no = score_tree(tree, static_cast<std::size_t>(node.no), sides.no);
    return {std::min(yes.score, no.score), yes.wrong + no.wrong,
            FrontTree::branch({node.column, rank}, yes.plan, no.plan)};
}

}  // namespace exactree::pareto
