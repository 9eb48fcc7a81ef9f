// The engine over ranked columns as a primal heuristic uses it: sets of rows are nodes, a question may move within its
// column.
#pragma once

#include "ranks/searcher.hpp"

namespace exactree::ranks {

class RankSubtrees : public SubtreeEngine {
 public:
    // `leader` must outlive it.
    RankSubtrees(const RankSearcher& leader, Watchdog& watchdog, std::size_t cache_bytes);

    const EngineRows& all() const override { return all_; }
    std::unique_ptr<EngineRows> make_set() const override { return std::make_unique<RankSet>(); }
    bool has_order() const override { return true; }
    bool split(const EngineRows& rows, Question question, EngineRows& yes, EngineRows& no) override;
    SubtreeBounds solve(const EngineRows& rows, int depth, Cost below) override;
    void look_ahead(const EngineRows& rows, std::vector<ScoredQuestion>& out) override;
    Question vary(const EngineRows& rows, Question question, Random& random) override;
    Question best_between(const EngineRows& rows, const Tree& yes, const Tree& no) override;
    void set_leaf_price(Cost price) override;

 private:
    struct RankSet : EngineRows {
        Node own;
        const Node* node = &own;
    };
    // A row that two subtrees classify differently, and the gain of sending it to the yes side.
    struct TornRow {
        RowId row;
        Cost preference;
    };

    static const Node& node_of(const EngineRows& rows) { return *static_cast<const RankSet&>(rows).node; }
    void describe(RankSet& set) const;
    void collect_torn_rows(const Node& node, const Tree& yes, const Tree& no);

    const Data& data_;
    Limits limits_;
    Watchdog& watchdog_;
    std::size_t cache_bytes_;
    RankSearcher searcher_;
    RankSet all_;
    std::vector<ScoredCut> guesses_;
    std::vector<TornRow> torn_;
    std::vector<Cost> by_rank_;
};

}  // namespace exactree::ranks
