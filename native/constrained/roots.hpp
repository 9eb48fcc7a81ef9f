// Where the rounds of a search take their trees from: root questions with bounds of their sides, and lists of the
// subtrees of a side.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "constrained/points.hpp"

namespace exactree::constrained {

// A question that the root of a tree within a limit may ask, and lower bounds of the relaxed cost of its sides.
struct RootQuestion {
    Question question;
    std::size_t at = 0;  // among all
    Cost yes = 0, no = 0;
    Cost cost() const noexcept { return yes + no; }
};

using Counters = std::vector<std::pair<std::string, std::uint64_t>>;

class Roots {
 public:
    virtual ~Roots() = default;

    // No tree has a lower relaxed cost, and none a higher one.
    virtual Cost lowest() = 0;
    virtual double highest() const = 0;
    virtual std::vector<RootQuestion> questions(Cost most) = 0;
    // Single leaves, and subtrees of a side of the question opened last, of at most this relaxed cost.
    virtual void list_leaves(Cost most, Points& out) = 0;
    virtual void open(const RootQuestion& root) = 0;
    virtual void list_side(bool yes, Cost most, Points& out) = 0;
    virtual Points no_points() const = 0;
    virtual Arena& arena() = 0;
    virtual Counters counters() const = 0;
};

}  // namespace exactree::constrained
