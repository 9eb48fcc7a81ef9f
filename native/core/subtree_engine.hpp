// What a primal heuristic needs of an engine: sets of rows that it can part, exact small subtrees on them, and
// questions in the order of their depth-two look-ahead.
#pragma once

#include <memory>
#include <vector>

#include "core/budget.hpp"
#include "core/cache.hpp"
#include "core/data.hpp"
#include "core/random.hpp"

namespace exactree {

// A set of rows as an engine lays it out.
class EngineRows {
 public:
    virtual ~EngineRows() = default;

    Key key;
    std::size_t n_rows = 0;
    std::size_t n_cells = 0;  // rows times columns of the data
    Cost leaf_cost = 0;       // as one leaf, with its price
    std::int32_t label = 0;
    bool can_split = false;  // large enough, and some question parts it
};

struct ScoredQuestion {
    Cost cost;
    Question question;
};

class SubtreeEngine {
 public:
    virtual ~SubtreeEngine() = default;

    virtual const EngineRows& all() const = 0;
    virtual std::unique_ptr<EngineRows> make_set() const = 0;
    // Whether moves of cuts within a column are better than random questions.
    virtual bool has_order() const = 0;
    // Parts the rows; false, with the sides undefined, if one of them would be too small for a leaf.
    virtual bool split(const EngineRows& rows, Question question, EngineRows& yes, EngineRows& no) = 0;
    // The best subtree of this depth: solved if it costs less than `below` and nothing stopped the search.
    virtual SubtreeBounds solve(const EngineRows& rows, int depth, Cost below) = 0;
    // Questions, the cheapest first by the best tree of depth two that begins with it. Solves the rows for depth two.
    virtual void look_ahead(const EngineRows& rows, std::vector<ScoredQuestion>& out) = 0;
    // Another question at random: a cut of the same column nearby if there is an order, else any.
    virtual Question vary(const EngineRows& rows, Question question, Random& random) = 0;
    // The question that parts the rows best between two subtrees as they are; none if it makes no difference.
    virtual Question best_between(const EngineRows& rows, const Tree& yes, const Tree& no) = 0;
    // The price of a leaf from now on.
    virtual void set_leaf_price(Cost price) = 0;
};

}  // namespace exactree
