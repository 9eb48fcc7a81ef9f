// The engine on bit sets as a primal heuristic uses it: sets of rows have tables of their own, a question may become
// any other.
#pragma once

#include <unordered_map>

#include "bits/searcher.hpp"

namespace exactree::bits {

template <class Ops>
class BitSubtrees : public SubtreeEngine {
 public:
    // `leader` must outlive it.
    BitSubtrees(const BitSearcher<Ops>& leader, Watchdog& watchdog, std::size_t cache_bytes);

    const RowSet& all() const override { return all_; }
    std::unique_ptr<RowSet> make_set() const override { return std::make_unique<TableSet>(); }
    bool has_order() const override { return false; }
    bool split(const RowSet& rows, Question question, RowSet& yes, RowSet& no) override;
    SubtreeBounds solve(const RowSet& rows, int depth, Cost below) override;
    void look_ahead(const RowSet& rows, std::vector<ScoredQuestion>& out) override;
    Question vary(const RowSet& rows, Question question, Random& random) override;
    Question best_between(const RowSet& rows, const Tree& yes, const Tree& no) override;
    void set_leaf_price(Cost price) override;

 private:
    struct TableSet : RowSet {
        RowBits rows;  // of the table of all rows
        BitTable<Ops> own;
        const BitTable<Ops>* table = &own;
    };

    static const TableSet& set_of(const RowSet& rows) { return static_cast<const TableSet&>(rows); }
    static std::uint64_t name_of(Question question) noexcept {
        return static_cast<std::uint64_t>(question.column) << 32 | question.rank;
    }
    void describe(TableSet& set);
    Cost size_of(const RowBits& rows) const;
    std::int32_t answer(const Tree& tree, std::uint32_t row) const;

    Watchdog& watchdog_;
    std::size_t cache_bytes_;
    BitSearcher<Ops> searcher_;
    std::unordered_map<std::uint64_t, std::size_t> columns_;  // by question
    std::vector<std::int32_t> labels_;                        // by row of the table of all rows
    TableSet all_;
    PairSums<Ops> sums_;
    RootCosts estimates_;
    std::vector<std::pair<std::uint32_t, Cost>> torn_;  // rows that two subtrees classify differently
};

}  // namespace exactree::bits
