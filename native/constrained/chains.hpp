// Questions as sets of groups of rows, in chains of sets that contain each other: the thresholds of a column, and
// neighbouring columns of two values where they are thresholds of one number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data.hpp"

namespace exactree::constrained {

// The inside of a question is the side without the most frequent value of its chain, so most rows are inside few.
struct ChainQuestion {
    Question question;
    bool yes_inside = true;
    std::uint32_t chain = 0;
    bool low = true;  // within its chain: insides grow with the place of low questions, and shrink with that of others
};

class Chains {
 public:
    // Ranks of the groups, column by column.
    Chains(std::span<const Rank> ranks, std::size_t n_columns, std::size_t n_groups);

    std::size_t size() const noexcept { return questions_.size(); }
    std::size_t n_groups() const noexcept { return ends_.size() - 1; }
    const ChainQuestion& operator[](std::size_t question) const noexcept { return questions_[question]; }
    // The innermost question of each chain that a group is inside of, ascending; one at most.
    std::span<const std::uint32_t> innermost(std::size_t group) const noexcept {
        return {innermost_.data() + ends_[group], innermost_.data() + ends_[group + 1]};
    }
    // Of two questions of a chain, the one whose inside is that of both; none if no group is inside both.
    std::int64_t within_both(std::size_t a, std::size_t b) const noexcept {
        if (questions_[a].low != questions_[b].low) return -1;
        return static_cast<std::int64_t>(questions_[a].low == (a < b) ? a : b);
    }
    // Number of sets of so many of the innermost questions of a group, over all groups.
    std::uint64_t n_sets(int depth) const;

 private:
    struct Chain {
        std::vector<Question> questions;  // by size of their sets
        std::vector<Rank> rank;           // of each group: how many of the sets it is not in
        bool of_yes = true;               // the sets are those that answer yes, else no
        std::span<const Rank> last;       // ranks of the last column of two values
    };
    static bool extend(Chain& chain, std::span<const Rank> column, std::int32_t number);
    void add(const Chain& chain, std::vector<std::vector<std::uint32_t>>& innermost);

    std::vector<ChainQuestion> questions_;
    std::vector<std::uint32_t> innermost_;
    std::vector<std::size_t> ends_;  // of the innermost questions of each group, from a 0 on
    std::uint32_t n_chains_ = 0;
};

}  // namespace exactree::constrained
