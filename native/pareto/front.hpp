// Trees of which none beats another in both the worth of its worst leaf and its errors; what is still worth finding.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/data.hpp"

namespace exactree::pareto {

constexpr double kFrontNoise = 1e-10;  // worths that differ by less are the same
constexpr double kNoErrors = std::numeric_limits<double>::infinity();

// A tree that others may have parts in common with.
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

// Without a plan it is no tree but a bound: no tree of some sets of rows is worth more with as few errors.
struct FrontEntry {
    double score = 0;  // of the worst leaf
    double wrong = 0;  // weight
    std::shared_ptr<const FrontTree> plan;
};

// Steps by rising worth and rising errors.
class ParetoFront {
 public:
    // What a tree with so many errors must be worth more than, in order not to be beaten.
    double needed(double wrong) const {
        if (wrong > most_wrong) return kNoErrors;
        const auto after = std::upper_bound(steps_.begin(), steps_.end(), wrong,
                                            [](double errors, const FrontEntry& step) { return errors < step.wrong; });
        return after == steps_.begin() ? -1.0 : std::prev(after)->score;
    }
    bool admits(double score, double wrong) const { return score > needed(wrong) + kFrontNoise; }

    // Takes a step that is wanted, and drops those that it beats.
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

    double most_wrong = kNoErrors;  // trees with more errors are of no interest

 private:
    std::vector<FrontEntry> steps_;
};

// What is wanted of a tree for some rows: not to be beaten by what is found for them, nor, together with the least that
// is known of the other side of the cut above, by what is found for all rows of that cut.
struct FrontTarget {
    const ParetoFront& found;
    const FrontTarget* above = nullptr;
    double wrong_elsewhere = 0;          // at least, on the other side
    double score_elsewhere = kNoErrors;  // at most, on the other side

    double needed(double wrong) const {
        const double here = found.needed(wrong);
        if (above == nullptr || here == kNoErrors) return here;
        const double there = above->needed(wrong + wrong_elsewhere);
        return there + kFrontNoise >= score_elsewhere ? kNoErrors : std::max(here, there);
    }
    bool admits(double score, double wrong) const { return score > needed(wrong) + kFrontNoise; }
};

// Calls take(yes, no, worth, wrong) for each wanted pair of steps of the two sides of a cut, until it returns true.
template <class Steps, class Take>
bool join_sides(const Steps& yes, const Steps& no, const FrontTarget& target, Take take) {
    for (const auto& a : yes) {
        for (const auto& b : no) {
            const double score = std::min(a.score, b.score), wrong = a.wrong + b.wrong;
            if (target.admits(score, wrong) && take(a, b, score, wrong)) return true;
            if (b.score >= a.score) break;  // those behind have more errors and are worth no more together
        }
    }
    return false;
}

}  // namespace exactree::pareto
