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
struct FrontPlan {
    Question question;  // none: a leaf
    int label = 0;
    std::shared_ptr<const FrontPlan> yes, no;

    bool is_leaf() const noexcept { return question.column < 0; }
    static std::shared_ptr<const FrontPlan> leaf(int label) {
        return std::make_shared<const FrontPlan>(FrontPlan{Question{}, label, nullptr, nullptr});
    }
    static std::shared_ptr<const FrontPlan> branch(Question question, std::shared_ptr<const FrontPlan> yes,
                                                   std::shared_ptr<const FrontPlan> no) {
        return std::make_shared<const FrontPlan>(FrontPlan{question, 0, std::move(yes), std::move(no)});
    }
};

// Without a plan it is no tree but a bound: no tree of some sets of rows is worth more with as few errors.
struct FrontStep {
    double worth = 0;  // of the worst leaf
    double wrong = 0;  // weight
    std::shared_ptr<const FrontPlan> plan;
};

// Steps by rising worth and rising errors.
class FrontSteps {
 public:
    // What a tree with so many errors must be worth more than, in order not to be beaten.
    double needed(double wrong) const {
        if (wrong > most_wrong) return kNoErrors;
        const auto after = std::upper_bound(steps_.begin(), steps_.end(), wrong,
                                            [](double errors, const FrontStep& step) { return errors < step.wrong; });
        return after == steps_.begin() ? -1.0 : std::prev(after)->worth;
    }
    bool wants(double worth, double wrong) const { return worth > needed(wrong) + kFrontNoise; }

    // Takes a step that is wanted, and drops those that it beats.
    void add(FrontStep step) {
        const auto first = std::lower_bound(steps_.begin(), steps_.end(), step.wrong,
                                            [](const FrontStep& other, double wrong) { return other.wrong < wrong; });
        auto last = first;
        while (last != steps_.end() && last->worth <= step.worth + kFrontNoise) ++last;
        steps_.insert(steps_.erase(first, last), std::move(step));
    }

    const std::vector<FrontStep>& steps() const noexcept { return steps_; }
    bool empty() const noexcept { return steps_.empty(); }
    double fewest_wrong() const { return steps_.front().wrong; }
    double most_worth() const { return steps_.back().worth; }

    double most_wrong = kNoErrors;  // trees with more errors are of no interest

 private:
    std::vector<FrontStep> steps_;
};

// What is wanted of a tree for some rows: not to be beaten by what is found for them, nor, together with the least that
// is known of the other side of the cut above, by what is found for all rows of that cut.
struct FrontTarget {
    const FrontSteps& found;
    const FrontTarget* above = nullptr;
    double wrong_elsewhere = 0;          // at least, on the other side
    double worth_elsewhere = kNoErrors;  // at most, on the other side

    double needed(double wrong) const {
        const double here = found.needed(wrong);
        if (above == nullptr || here == kNoErrors) return here;
        const double there = above->needed(wrong + wrong_elsewhere);
        return there + kFrontNoise >= worth_elsewhere ? kNoErrors : std::max(here, there);
    }
    bool wants(double worth, double wrong) const { return worth > needed(wrong) + kFrontNoise; }
};

// Calls take(yes, no, worth, wrong) for each wanted pair of steps of the two sides of a cut, until it returns true.
template <class Steps, class Take>
bool join_sides(const Steps& yes, const Steps& no, const FrontTarget& target, Take take) {
    for (const auto& a : yes) {
        for (const auto& b : no) {
            const double worth = std::min(a.worth, b.worth), wrong = a.wrong + b.wrong;
            if (target.wants(worth, wrong) && take(a, b, worth, wrong)) return true;
            if (b.worth >= a.worth) break;  // those behind have more errors and are worth no more together
        }
    }
    return false;
}

}  // namespace exactree::pareto
