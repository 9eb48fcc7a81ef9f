// The best question of a node of a diagram whose targets are fixed.
#pragma once

#include <unordered_map>

#include "core/budget.hpp"
#include "diagrams/heuristic/sorted_columns.hpp"

namespace exactree::diagrams::heuristic {

struct FoundQuestion {
    Cost gain;            // of all rows that answer yes, or no if swapped
    std::int32_t column;  // negative: none gains more than this
    std::uint32_t place;  // in the column's order of rows: no current row lies between its last yes and here
    bool swapped;
};

// Sums gains up by bin. Those above 0 and those below bound the gain of any cut inside a bin, so few bins are scanned.
class QuestionFinder {
 public:
    QuestionFinder(const DiagramData& data, const SortedColumns& sorted);

    // The question of most gain, if that is more than `now`. Rows are distinct; `gains` has what it gains by answering
    // yes, never 0. Ties go to the first one, by column and place.
    FoundQuestion best(std::span<const RowId> rows, std::span<const Cost> gains, Cost now, Watchdog& watchdog);
    // The largest rank that answers yes. The rows must be those of the last call of `best`.
    Rank rank_of(const FoundQuestion& asked) const;

 private:
    void lay_out();
    void count(std::size_t column);
    void scan(std::size_t column, FoundQuestion& best);
    void scan_bin(std::size_t column, std::size_t bin, Cost yes, FoundQuestion& best) const;
    void take(std::size_t column, std::size_t place, Cost yes, FoundQuestion& best) const;

    const DiagramData& data_;
    const SortedColumns& sorted_;
    std::vector<std::uint64_t> row_keys_;
    // of the current rows
    std::span<const RowId> rows_;
    std::span<const Cost> gains_;
    std::uint64_t key_ = 0;               // hash key, gains included
    Cost total_ = 0;                      // of all gains
    Cost most_ = 0;                       // of those above 0
    std::vector<std::uint8_t> slots_;     // of each row: where its gain is counted
    std::vector<Cost> gain_of_;           // of each row of the table
    std::vector<std::uint32_t> turn_of_;  // of each row of the table: turn in which it was last used
    std::uint32_t turn_ = 0;
    std::vector<Cost> sums_;                                  // gains above 0, then those below; by bin
    std::unordered_map<std::uint64_t, FoundQuestion> known_;  // by key: most nodes stay as they are in a pass
};

}  // namespace exactree::diagrams::heuristic
