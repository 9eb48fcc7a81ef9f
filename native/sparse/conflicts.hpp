// A lower bound of the cost of a tree of any shape, from pairs of rows in conflict: rows of different labels.
//
// A tree answers one of two such rows wrongly unless one of its questions parts them. Give every pair p a weight y(p)
// such that the pairs of a row weigh no more than a wrong answer to it costs, and the pairs that a question parts no
// more than the price of a leaf. A tree that asks the questions C has at least |C| + 1 leaves, so it costs at least
//   price * (|C| + 1) + (sum of y(p) over the pairs that no question of C parts)  >=  price + (sum of all y(p)).
// This is the dual of a relaxed set cover: weights are packed greedily, the pairs that the fewest questions part first.
// Rows may belong to a smaller set: its packing is made of the pairs that lie in it. No limit on leaves matters.
#pragma once

#include <vector>

#include "bits/table.hpp"

namespace exactree::sparse {

using bits::BitTable;

template <class Ops>
class ConflictPacking {
 public:
    // Packs the pairs of the rows of a table; `price` and `unit` of a gain are costs. If a bound of `wanted` is near
    // but not met, packs them again in other orders.
    void pack(const BitTable<Ops>& table, Cost unit, Cost price, Cost wanted, const Ops& ops);
    // Of all pairs: any tree costs as much, beyond the price of one leaf.
    Cost total() const noexcept { return total_; }
    // Of the pairs whose rows both have a column, or both have not.
    Cost yes(std::size_t column) const noexcept { return yes_[column]; }
    Cost no(std::size_t column) const noexcept { return no_[column]; }
    std::uint64_t work() const noexcept { return work_; }  // cell updates of the last packing, about

 private:
    struct Conflict {
        std::uint32_t one, other;  // rows
        std::uint32_t key;  // pairs are packed in this order: columns that part them, weighed from the second time on
    };
    // Nearest rows of other labels that are considered for each row.
    static constexpr std::size_t kNearest = 16;
    // Pairs of rows that are compared at most: some 5 ms. Of more, each row is compared with every second one, or
    // third.
    static constexpr std::size_t kMostCompared = std::size_t{1} << 22;
    // Packings in other orders, if the first is at least such a part of what is wanted.
    static constexpr int kMoreRounds = 3;
    static constexpr double kNear = 0.85;
    static constexpr double kKeysPerColumn = 16;  // of a pair, in the order of packing

    void load_rows(const BitTable<Ops>& table, Cost unit);
    void transpose(const BitTable<Ops>& table);
    void list_pairs(const Ops& ops);
    void list_nearest(std::uint32_t row);
    void sort_pairs(std::size_t n_keys);
    void pack_sorted(Cost price);
    void weigh_columns(Cost price);
    void weigh_pairs();
    void pack_pair(const Conflict& pair);
    void add_to_sides(const Conflict& pair, Cost weight);
    const Word* row_bits(std::uint32_t row) const noexcept { return bits_.data() + row * n_words_; }

    std::size_t n_columns_ = 0, n_words_ = 0;  // words of a row
    std::vector<Word> bits_;                   // rows x n_words_
    std::vector<Cost> costs_, left_;           // by row
    std::vector<Cost> room_;                   // by column
    std::vector<Word> full_, parted_;          // columns without room; that part the current pair
    std::vector<std::int32_t> label_;
    std::vector<std::uint32_t> major_, minor_;  // rows of the label that costs most, and the others
    std::vector<std::uint32_t> compared_;       // rows that may be the other of a pair
    std::vector<Word> compared_bits_;
    std::vector<std::uint16_t> distances_;
    std::vector<std::size_t> begin_;  // by distance
    std::vector<Conflict> found_, pairs_;
    Cost total_ = 0;
    std::vector<Cost> yes_, no_;
    std::vector<Cost> best_yes_, best_no_;
    std::vector<double> weights_;  // by column, the fuller the heavier
    std::uint64_t work_ = 0;
};

extern template class ConflictPacking<bits::SmallOps>;
extern template class ConflictPacking<bits::MediumOps>;
extern template class ConflictPacking<bits::WideOps>;

}  // namespace exactree::sparse
