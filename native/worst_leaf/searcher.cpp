#include "worst_leaf/searcher.hpp"

#include <algorithm>
#include <limits>

#include "core/tree_searcher.hpp"

namespace exactree::worst_leaf {

namespace {

// Intervals with more possible rows than this many leaves of the minimum size are bisected without a bound: it would
// prune nothing.
constexpr double kPossibleLeaves = 4;
constexpr std::size_t kRefutedBytes = 96;  // of one entry, hash table included
constexpr std::size_t kTables = 3;         // of sums over pairs

}  // namespace

LeafSearcher::LeafSearcher(const LeafData& data, const LeafRule& rule, const LeafLimits& limits, Watchdog& watchdog)
    : data_(data),
      rule_(rule),
      limits_(limits),
      watchdog_(watchdog),
      needs_{data, LeafTest(rule, 0), limits.min_rows, limits.min_weight},
      scan_(data),
      pairs_(data) {
    const std::size_t room = limits.memory / 2;
    few_ranks_ = PairTables::bytes(data) <= room / kTables;
    most_refuted_ = room / kRefutedBytes;
    if (few_ranks_)
        for (auto* sums : {&two_, &whole_, &swept_}) *sums = std::make_unique<PairTables>(data);
    reset_refuted_cuts();
}

void LeafSearcher::reset_refuted_cuts() {
    refuted_cuts_.resize(data_.data.n_columns());
    for (std::size_t column = 0; column < refuted_cuts_.size(); ++column)
        refuted_cuts_[column].assign(data_.data.n_ranks[column], std::numeric_limits<double>::infinity());
}

std::optional<PlannedTree> LeafSearcher::find(double q, int depth, std::int64_t leaves) {
    set_threshold(q);
    reset_refuted_cuts();
    last_column_.resize(static_cast<std::size_t>(depth) + 1, 0);
    PlannedTree plan;
    if (!explore(all_rows(data_.data.n_rows), depth, leaves, &plan) || watchdog_.stopped()) return std::nullopt;
    return plan;
}

void LeafSearcher::maximize_score(LeafIncumbent& incumbent, int depth, std::int64_t leaves) {
    set_threshold(incumbent.score + kLeafNoise);
    reset_refuted_cuts();
    maximize_all(incumbent, depth, leaves);
}

void LeafSearcher::minimize_leaves(LeafIncumbent& incumbent, double q, int depth) {
    set_threshold(q);
    incumbent.by_leaves = true;
    maximize_all(incumbent, depth, incumbent.plan.n_leaves() - 1);
}

void LeafSearcher::maximize_all(LeafIncumbent& incumbent, int depth, std::int64_t leaves) {
    last_column_.resize(static_cast<std::size_t>(depth) + 1, 0);
    incumbent_ = &incumbent;
    const RowSet all = all_rows(data_.data.n_rows);
    PlannedTree plan;
    // A tree is either returned, or accepted as incumbent on the way.
    if (explore(all, depth, leaves, &plan) && !watchdog_.stopped()) accept_and_continue(all, &plan);
    incumbent_ = nullptr;
}

// While maximising, a better tree for all rows becomes the incumbent, and the search continues with a higher threshold.
bool LeafSearcher::accept_and_continue(const RowSet& set, PlannedTree* plan) {
    if (!is_improving(set) || plan == nullptr) return false;
    if (!incumbent_->by_leaves) {
        incumbent_->score = std::max(incumbent_->score, worst_score(*plan));
        set_threshold(incumbent_->score + kLeafNoise);
    }
    incumbent_->plan = std::move(*plan);
    *plan = PlannedTree{};
    return true;
}

void LeafSearcher::set_threshold(double q) {
    q_ = q;
    needs_.test = LeafTest(rule_, q);
}

bool LeafSearcher::explore(const RowSet& set, int depth, std::int64_t leaves, PlannedTree* plan) {
    if (watchdog_.spend(set.rows.size())) return false;
    ++sets_looked_at;
    const Tally tally(data_, set);
    const int label = needs_.label(tally.sure.data(), tally.all.data());
    if (label >= 0) {
        if (plan != nullptr) plan->become_leaf(label);
        return true;
    }
    depth = static_cast<int>(std::min<std::int64_t>(depth, leaves - 1));
    if (depth <= 0 || !needs_.can_split(tally.all.data())) return false;
    if (depth == 1) return explore_depth_one(set, tally, plan);
    if (!set.exact()) return explore_columns(set, depth, leaves, plan);
    const SetKey key = SetKey::of(set, depth, leaves);
    const auto known = refuted_.find(key);
    if (known != refuted_.end() && known->second <= q_) {
        ++found_in_cache;
        return false;
    }
    bool found = false;
    if (few_ranks_ && depth == 2)
        found = explore_depth_two(set, depth, leaves, plan);
    else if (few_ranks_ && depth == 3)
        found = explore_depth_three(set, tally, leaves, plan);
    else
        found = explore_columns(set, depth, leaves, plan);
    // While minimising leaves, trees become incumbents although none is returned.
    const bool refuted = !found && !(is_improving(set) && incumbent_->by_leaves) && !watchdog_.stopped();
    if (refuted && refuted_.size() < most_refuted_) refuted_[key] = q_;
    return found;
}

bool LeafSearcher::explore_depth_one(const RowSet& set, const Tally& tally, PlannedTree* plan) {
    watchdog_.spend(set.rows.size() * data_.data.n_columns());
    scan_.take(set, tally);
    const auto value = [&](const double* side, int label) {
        double total = 0;
        for (std::size_t k = 0; k < data_.n_classes(); ++k) total += side[k];
        return rule_.score(side[label], total - side[label]);
    };
    double best = -1;
    for (std::size_t column = 0; column < data_.data.n_columns(); ++column) {
        const bool enough = scan_.cuts(column, needs_, [&](Rank rank, const LabelledSides& sides) {
            if (plan == nullptr) return true;
            const double worse = std::min(value(sides.yes, sides.label_yes), value(sides.no, sides.label_no));
            if (worse > best) {
                best = worse;
                plan->become_stump({static_cast<std::int32_t>(column), rank}, sides.label_yes, sides.label_no);
            }
            return false;
        });
        if (enough) return true;
    }
    return best >= 0;
}

bool LeafSearcher::explore_depth_two(const RowSet& set, int depth, std::int64_t leaves, PlannedTree* plan) {
    two_->clear();
    two_->add(set.rows);
    watchdog_.spend(pairs_.work({*two_}) + set.rows.size() * two_->n_pairs() / 2);
    const int enough = static_cast<int>(std::min<std::int64_t>(4, leaves));
    if (pairs_.fewest({*two_}, needs_, enough) > enough) return false;
    if (plan == nullptr) return true;
    if (is_improving(set)) return explore_columns(set, depth, leaves, plan);
    for (const Question& question : pairs_.feasible_cuts({*two_}, needs_, leaves)) {
        const auto column = static_cast<std::size_t>(question.column);
        const CutSides sides = sides_of(data_.data, set, column, question.rank, question.rank);
        if (explore_sides(sides, question, depth, leaves, plan)) return true;
    }
    return false;  // only when stopped
}

void LeafSearcher::sum_whole(const RowSet& set) {
    whole_->clear();
    whole_->add(set.rows);
    watchdog_.spend(set.rows.size() * whole_->n_pairs() / 2);
}

bool LeafSearcher::explore_depth_three(const RowSet& set, const Tally& tally, std::int64_t leaves, PlannedTree* plan) {
    sum_whole(set);
    for (std::size_t column = 0; column < data_.data.n_columns(); ++column) {
        const bool found = sweep(set, tally, column, [&](const SweptCut& cut) {
            // While maximising, there may be a better tree below the same cut.
            while (explore_cut(set, cut, allowed(set, leaves), plan))
                if (!accept_and_continue(set, plan)) return true;
            refute(set, column, cut.question.rank, cut.question.rank);
            return false;
        });
        if (found) return true;
    }
    return false;
}

// One cut whose sides have two more questions on each path; the sums of its swept side are available.
bool LeafSearcher::explore_cut(const RowSet& set, const SweptCut& cut, std::int64_t leaves, PlannedTree* plan) {
    const int least = fewest_leaves(cut.swept, {*swept_}, leaves);
    if (least >= leaves) return false;
    const int least_rest = fewest_leaves(cut.rest, {*whole_, swept_.get()}, leaves);
    if (least + least_rest > leaves) return false;
    if (plan == nullptr) return true;
    const auto column = static_cast<std::size_t>(cut.question.column);
    const CutSides sides = sides_of(data_.data, set, column, cut.question.rank, cut.question.rank);
    return explore_sides(sides, cut.question, 3, leaves, plan);
}

// Fewest leaves of a side with two more questions on each path, or any feasible number if leaves are not scarce.
int LeafSearcher::fewest_leaves(const double* side, const PairRows& sums, std::int64_t leaves) {
    if (needs_.feasible(side, side)) return 1;
    if (!needs_.can_split(side)) return kNoLeaves;
    watchdog_.spend(pairs_.work(sums));
    return pairs_.fewest(sums, needs_, leaves >= 8 ? 4 : 2);
}

bool LeafSearcher::explore_columns(const RowSet& set, int depth, std::int64_t leaves, PlannedTree* plan) {
    std::size_t& last = last_column_[static_cast<std::size_t>(depth)];
    const std::size_t first = last, n = data_.data.n_columns();
    for (std::size_t i = 0; i < n && !watchdog_.stopped(); ++i) {
        const std::size_t column = (first + i) % n;
        if (explore_column(set, column, depth, leaves, plan)) {
            last = column;
            return true;
        }
    }
    return false;
}

void LeafSearcher::count_rows(const RowSet& set, std::size_t column, std::vector<double>& up_to) const {
    up_to.assign(data_.data.n_ranks[column], 0.0);
    for (const RowId row : set.rows) up_to[data_.data.rank(column, row)] += data_.count[row];
    for (std::size_t rank = 1; rank < up_to.size(); ++rank) up_to[rank] += up_to[rank - 1];
}

bool LeafSearcher::explore_column(const RowSet& set, std::size_t column, int depth, std::int64_t leaves,
                                  PlannedTree* plan) {
    std::vector<double> up_to;
    count_rows(set, column, up_to);
    const double total = up_to.back();
    std::vector<RankInterval> waiting = open_cuts(set, column);
    while (!waiting.empty() && !watchdog_.stopped()) {
        const auto [first, last] = waiting.back();
        waiting.pop_back();
        if (up_to[last] < limits_.min_rows || total - up_to[first] < limits_.min_rows) continue;
        const double possible = up_to[last] - up_to[first];
        // With few ranks, solving a single cut by pair sums is faster than bounding several.
        const double most = few_ranks_ && depth > 2 ? 0 : kPossibleLeaves * limits_.min_rows;
        if (possible <= most || first == last) {
            const bool several = first != last && possible > 0;
            PlannedTree* wanted = several || !set.exact() ? nullptr : plan;
            const Question question{static_cast<std::int32_t>(column), first};
            const CutSides sides = sides_of(data_.data, set, column, first, last);
            if (!explore_sides(sides, question, depth, allowed(set, leaves), wanted)) {
                refute(set, column, first, last);
                continue;
            }
            if (!several) {
                if (!accept_and_continue(set, plan)) return true;
                waiting.push_back({first, last});  // there may be a better tree below the same cut
                continue;
            }
        }
        const Rank middle = first + (last - first) / 2;
        waiting.push_back({middle + 1, last});
        waiting.push_back({first, middle});
    }
    return false;
}

// Cuts of a column in intervals, without those that are refuted.
std::vector<LeafSearcher::RankInterval> LeafSearcher::open_cuts(const RowSet& set, std::size_t column) const {
    std::vector<RankInterval> open;
    const Rank n_cuts = data_.data.n_ranks[column] - 1;
    for (Rank rank = 0; rank < n_cuts; ++rank) {
        if (is_refuted(set, column, rank)) continue;
        if (open.empty() || open.back().last + 1 < rank)
            open.push_back({rank, rank});
        else
            open.back().last = rank;
    }
    return open;
}

bool LeafSearcher::explore_sides(const CutSides& sides, Question question, int depth, std::int64_t leaves,
                                 PlannedTree* plan) {
    bool found = false;
    for_each_allocation(depth, leaves, [&](std::int64_t leaves_yes, std::int64_t leaves_no) {
        PlannedTree yes, no;
        PlannedTree* wanted_yes = plan == nullptr ? nullptr : &yes;
        PlannedTree* wanted_no = plan == nullptr ? nullptr : &no;
        // The smaller side fails faster.
        const bool yes_first = sides.yes.rows.size() <= sides.no.rows.size();
        const auto explore_yes = [&] { return explore(sides.yes, depth - 1, leaves_yes, wanted_yes); };
        const auto explore_no = [&] { return explore(sides.no, depth - 1, leaves_no, wanted_no); };
        found = yes_first ? explore_yes() && explore_no() : explore_no() && explore_yes();
        if (found && plan != nullptr) plan->become_branch(question, std::move(yes), std::move(no));
        return found;
    });
    return found;
}

double LeafSearcher::worst_score(const PlannedTree& plan) const {
    return worst_score(plan, all_rows(data_.data.n_rows));
}

double LeafSearcher::worst_score(const PlannedTree& plan, const RowSet& set) const {
    if (plan.is_leaf()) {
        const Tally tally(data_, set);
        double total = 0;
        for (std::size_t k = 0; k < data_.n_classes(); ++k) total += tally.all[k];
        const double right = tally.all[static_cast<std::size_t>(plan.label)];
        return rule_.score(right, total - right);
    }
    const CutSides sides = sides_of(data_.data, set, static_cast<std::size_t>(plan.question.column), plan.question.rank,
                                    plan.question.rank);
    return std::min(worst_score(*plan.yes, sides.yes), worst_score(*plan.no, sides.no));
}

}  // namespace exactree::worst_leaf
