// Pareto front of trees by score of the worst leaf and errors, and the test whether a candidate is nondominated.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/data.hpp"

namespace exactree::pareto {

constexpr double kFrontNoise = 1e-10;  // scores that differ by less are equal
constexpr double kNoErrors = std::numeric_limits<double>::infinity();

// An immutable tree; subtrees are shared.
struct FrontTree {
    Question question;  // none: a leaf
    int label = 0;
    std::shared_ptr<const FrontTree> yes, no;

    bool is_leaf() const noexcept { return question.column < 0; }
    static std::shared_ptr<const FrontTree> leaf(int label) {
        return std::make_shared<const FrontTree>(FrontTree{Question{}, label, nullptr, nullptr});
    }
    static std::shared_ptr<const FrontTree> branch(Question question, std::shared_ptr<const FrontTree> yes,
                                                   std::shared_ptr<const FrontTree> no) {
        return std::make_shared<const FrontTree>(FrontTree{question, 0, std::move(yes), std::move(no)});
    }
};

inline std::int32_t append_tree(const FrontTree& plan, Tree& tree) {
    const auto at = static_cast<std::int32_t>(tree.size());
    tree.push_back({plan.question.column, plan.is_leaf() ? -1 : static_cast<std::int32_t>(plan.question.rank), -1, -1,
                    plan.label});
    if (plan.is_leaf()) return at;
    const std::int32_t yes = append_tree(*plan.yes, tree), no = append_tree(*plan.no, tree);
    tree[static_cast<std::size_t>(at)].yes = yes;
    tree[static_cast<std::size_t>(at)].no = no;
    return at;
}

// Without a tree it is a bound: no tree of the sets of rows has a higher score with as few errors.
struct FrontEntry {
    double score = 0;  // of the worst leaf
    double wrong = 0;  // weight
    std::shared_ptr<const FrontTree> plan;
};

// Entries by rising score and rising errors.
class ParetoFront {
 public:
    // The score that a tree with so many errors must exceed in order to be nondominated.
    double needed(double wrong) const {
        if (wrong > most_wrong) return kNoErrors;
        const auto after = std::upper_bound(steps_.begin(), steps_.end(), wrong,
                                            [](double errors, const FrontEntry& step) { return errors < step.wrong; });
        return after == steps_.begin() ? -1.0 : std::prev(after)->score;
    }
    bool admits(double score, double wrong) const { return score > needed(wrong) + kFrontNoise; }

    // Adds a nondominated entry, and drops those that it dominates.
    void add(FrontEntry step) {
        const auto first = std::lower_bound(steps_.begin(), steps_.end(), step.wrong,
                                            [](const FrontEntry& other, double wrong) { return other.wrong < wrong; });
        auto last = first;
        while (last != steps_.end() && last->score <= step.score + kFrontNoise) ++last;
        steps_.insert(steps_.erase(first, last), std::move(step));
    }

    const std::vector<FrontEntry>& entries() const noexcept { return steps_; }
    bool empty() const noexcept { return steps_.empty(); }
    double fewest_wrong() const { return steps_.front().wrong; }
    double best_score() const { return steps_.back().score; }

    double most_wrong = kNoErrors;  // trees with more errors are pruned

 private:
    std::vector<FrontEntry> steps_;
};

// Admission test of a tree for some rows: it must not be dominated by the front of these rows, nor, combined with the
// bounds of the other side of the cut above, by the front of all rows of that cut.
struct FrontTarget {
    const ParetoFront& found;
    const FrontTarget* above = nullptr;
    double wrong_elsewhere = 0;          // lower bound of the errors of the other side
    double score_elsewhere = kNoErrors;  // upper bound of the score of the other side

    double needed(double wrong) const {
        const double here = found.needed(wrong);
        if (above == nullptr || here == kNoErrors) return here;
        const double there = above->needed(wrong + wrong_elsewhere);
        return there + kFrontNoise >= score_elsewhere ? kNoErrors : std::max(here, there);
    }
    bool admits(double score, double wrong) const { return score > needed(wrong) + kFrontNoise; }
};

// Calls take(yes, no, score, wrong) for each nondominated combination of entries of the two sides of a cut, until it
// returns true.
template <class Steps, class Take>
bool join_sides(const Steps& yes, const Steps& no, const FrontTarget& target, Take take) {
    for (const auto& a : yes) {
        for (const auto& b : no) {
            const double score = std::min(a.score, b.score), wrong = a.wrong + b.wrong;
            if (target.admits(score, wrong) && take(a, b, score, wrong)) return true;
            if (b.score >= a.score) break;  // later ones have more errors and no higher combined score
        }
    }
    return false;
}

}  // namespace exactree::pareto
