// Similarity bounds: lower bounds of both sides of every cut of a node, from the solved cuts of its other columns.
//
// With A and S sets of rows, best(S) >= best(A) - base(A without S). A solved cut has two sides A, and every cut of
// another column two sides S: from either end of that column the base of the difference grows from cut to cut, and the
// bound falls with it, mostly to zero within a few rows. Valid only where both sides of all cuts may have equally many
// leaves.
#pragma once

#include <vector>

#include "ranks/intervals.hpp"

namespace exactree::ranks {

class SimilarityBounds {
 public:
    // Derives bounds for all cuts of other columns from a solved cut.
    void learn(const Node& node, Cut cut, const SideBounds& solved);

    // Raises the bounds of a cut.
    void raise(std::size_t column, Place cut, SideBounds& ends) const noexcept {
        if (yes_.empty()) return;
        ends.yes = std::max(ends.yes, yes_[column * n_places_ + cut]);
        ends.no = std::max(ends.no, no_[column * n_places_ + cut]);
    }
    // Drops the cuts at both ends of a range that cost the target or more.
    OpenCuts trimmed(std::size_t column, OpenCuts alive, Cost target) const noexcept;

 private:
    Cost at(std::size_t column, Place cut) const noexcept {
        return yes_[column * n_places_ + cut] + no_[column * n_places_ + cut];
    }

    template <class BaseOf>
    void raise_column(const std::uint32_t* order, std::size_t n, std::size_t column, Cost best, BaseOf base_of);

    std::size_t n_places_ = 0;    // per column, one more than rows
    std::vector<Cost> yes_, no_;  // by column and place; empty until a cut was solved
};

}  // namespace exactree::ranks
