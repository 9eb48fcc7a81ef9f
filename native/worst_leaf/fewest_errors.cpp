// Tie-breaking by errors: of the trees whose leaves all exceed the threshold, the one with the least misclassified
// weight.
#include <algorithm>
#include <limits>

#include "core/tree_searcher.hpp"
#include "worst_leaf/searcher.hpp"

namespace exactree::worst_leaf {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

double total_of(const LeafData& data, const double* all) {
    double total = 0;
    for (std::size_t k = 0; k < data.n_classes(); ++k) total += all[k];
    return total;
}

}  // namespace

std::optional<PlannedTree> LeafSearcher::minimize_errors(double q, int depth, std::int64_t leaves) {
    set_threshold(q);
    last_column_.resize(static_cast<std::size_t>(depth) + 1, 0);
    PlannedTree plan;
    if (fewest_errors(all_rows(data_.data.n_rows), depth, leaves, kNone, &plan) == kNone || watchdog_.stopped())
        return std::nullopt;
    return plan;
}

// All of these return the least misclassified weight if it is below `below`, and `below` otherwise.
double LeafSearcher::fewest_errors(const RowSet& set, int depth, std::int64_t leaves, double below, PlannedTree* plan) {
    if (watchdog_.spend(set.rows.size())) return below;
    const Tally tally(data_, set);
    const int label = needs_.label(tally.all.data(), tally.all.data());
    if (label >= 0) {
        const double wrong = total_of(data_, tally.all.data()) - tally.all[static_cast<std::size_t>(label)];
        if (wrong < below) {
            below = wrong;
            plan->become_leaf(label);
        }
    }
    depth = static_cast<int>(std::min<std::int64_t>(depth, leaves - 1));
    if (depth <= 0 || below <= 0) return below;
    if (depth == 1) return fewest_errors_depth_one(set, tally, below, plan);
    if (label < 0 && !explore(set, depth, leaves, nullptr)) return below;
    if (few_ranks_ && depth == 2) return fewest_errors_depth_two(set, leaves, below, plan);
    if (few_ranks_ && depth == 3) sum_whole(set);
    for (std::size_t column = 0; column < data_.data.n_columns(); ++column) {
        below = few_ranks_ && depth == 3 ? fewest_errors_swept(set, tally, column, leaves, below, plan)
                                         : fewest_errors_column(set, column, depth, leaves, below, plan);
    }
    return below;
}

// Sums over pairs select the feasible cuts.
double LeafSearcher::fewest_errors_depth_two(const RowSet& set, std::int64_t leaves, double below, PlannedTree* plan) {
    two_->clear();
    two_->add(set.rows);
    watchdog_.spend(pairs_.work({*two_}) + set.rows.size() * two_->n_pairs() / 2);
    for (const Question& question : pairs_.feasible_cuts({*two_}, needs_, leaves)) {
        const auto column = static_cast<std::size_t>(question.column);
        const CutSides sides = sides_of(data_.data, set, column, question.rank, question.rank);
        below = fewest_errors_sides(sides, question, 2, leaves, below, plan);
    }
    return below;
}

double LeafSearcher::fewest_errors_swept(const RowSet& set, const Tally& tally, std::size_t column, std::int64_t leaves,
                                         double below, PlannedTree* plan) {
    sweep(set, tally, column, [&](const SweptCut& cut) {
        if (explore_cut(set, cut, leaves, nullptr)) {
            const CutSides sides = sides_of(data_.data, set, column, cut.question.rank, cut.question.rank);
            below = fewest_errors_sides(sides, cut.question, 3, leaves, below, plan);
        }
        return false;
    });
    return below;
}

double LeafSearcher::fewest_errors_depth_one(const RowSet& set, const Tally& tally, double below, PlannedTree* plan) {
    watchdog_.spend(set.rows.size() * data_.data.n_columns());
    scan_.take(set, tally);
    for (std::size_t column = 0; column < data_.data.n_columns(); ++column) {
        scan_.cuts(column, needs_, [&](Rank rank, const LabelledSides& sides) {
            const double right = sides.yes[sides.label_yes] + sides.no[sides.label_no];
            const double wrong = total_of(data_, tally.all.data()) - right;
            if (wrong < below) {
                below = wrong;
                plan->become_stump({static_cast<std::int32_t>(column), rank}, sides.label_yes, sides.label_no);
            }
            return false;
        });
    }
    return below;
}

double LeafSearcher::fewest_errors_column(const RowSet& set, std::size_t column, int depth, std::int64_t leaves,
                                          double below, PlannedTree* plan) {
    std::vector<double> up_to;
    count_rows(set, column, up_to);
    std::vector<RankInterval> waiting = open_cuts(set, column);
    while (!waiting.empty() && !watchdog_.stopped()) {
        const auto [first, last] = waiting.back();
        waiting.pop_back();
        if (up_to[last] < limits_.min_rows || up_to.back() - up_to[first] < limits_.min_rows) continue;
        const Question question{static_cast<std::int32_t>(column), first};
        const CutSides sides = sides_of(data_.data, set, column, first, last);
        if (first == last || up_to[first] == up_to[last]) {
            below = fewest_errors_sides(sides, question, depth, leaves, below, plan);
            continue;
        }
        if (!explore_sides(sides, question, depth, leaves, nullptr)) continue;
        const Rank middle = first + (last - first) / 2;
        waiting.push_back({middle + 1, last});
        waiting.push_back({first, middle});
    }
    return below;
}

double LeafSearcher::fewest_errors_sides(const CutSides& sides, Question question, int depth, std::int64_t leaves,
                                         double below, PlannedTree* plan) {
    for_each_allocation(depth, leaves, [&](std::int64_t leaves_yes, std::int64_t leaves_no) {
        PlannedTree yes, no;
        const double wrong_yes = fewest_errors(sides.yes, depth - 1, leaves_yes, below, &yes);
        if (wrong_yes >= below) return false;
        const double wrong_no = fewest_errors(sides.no, depth - 1, leaves_no, below - wrong_yes, &no);
        if (wrong_yes + wrong_no >= below) return false;
        below = wrong_yes + wrong_no;
        plan->become_branch(question, std::move(yes), std::move(no));
        return false;
    });
    return below;
}

}  // namespace exactree::worst_leaf
