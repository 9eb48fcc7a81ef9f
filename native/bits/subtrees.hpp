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

    const EngineRows& all() const override { return all_; }
    std::unique_ptr<EngineRows> make_set() const override { return std::make_unique<TableSet>(); }
    bool has_order() const override { return false; }
    bool split(const EngineRows& rows, Question question, EngineRows& yes, EngineRows& no) override;
    SubtreeBounds solve(const EngineRows& rows, int depth, Cost below) override;
    void look_ahead(const EngineRows& rows, std::vector<ScoredQuestion>& out) override;
    Question vary(const EngineRows& rows, Question question, Random& random) override;
    Question best_between(const EngineRows& rows, const Tree& yes, const Tree& no) override;
    void set_leaf_price(Cost price) override;

 private:
    struct TableSet : EngineRows {
        RowBits rows;  // of the table of all rows
        BitTable<Ops> own;
        const BitTable<Ops>* table = &own;
    };

    static const TableSet& set_of(const EngineRows& rows) { return static_cast<const TableSet&>(rows); }
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
