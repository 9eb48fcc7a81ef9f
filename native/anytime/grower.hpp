// Grows subtrees whose lowest levels are solved exactly. Every function takes a limit `below`, and returns null if it
// cannot stay under it: most bad subtrees end in their first block.
#pragma once

#include <deque>
#include <unordered_map>

#include "anytime/subtree.hpp"

namespace exactree::anytime {

class Grower {
 public:
    Grower(SubtreeEngine& engine, Watchdog& watchdog, Cost leaf_price)
        : engine_(engine), watchdog_(watchdog), leaf_price_(leaf_price) {}

    // Levels of a block.
    int block_depth() const noexcept { return block_depth_; }
    void set_block_depth(int depth) noexcept { block_depth_ = depth; }
    void set_leaf_price(Cost price);

    // The best subtree.
    SubtreePtr block(const EngineRows& rows, int depth, Cost below);
    // The first question of the look-ahead at every level, blocks below. The i-th question is taken with probability
    // (1 - chance) * chance^i.
    SubtreePtr roll(const EngineRows& rows, int depth, Cost below, double chance = 0, Random* random = nullptr);
    // The best of the first `width` questions, each completed by `roll`; then the same on both sides.
    SubtreePtr nested(const EngineRows& rows, int depth, Cost below, std::size_t width);
    // The upper questions of `old`, new blocks below.
    SubtreePtr refit(const EngineRows& rows, const Subtree& old, int depth, Cost below);
    // With this question; the sides are rolled, or refitted to those of `old`.
    SubtreePtr rooted(const EngineRows& rows, Question question, const Subtree* old, int depth, Cost below);
    // The best subtree above the depth of blocks, written out down to them.
    SubtreePtr exact(const EngineRows& rows, int depth, Cost below);

    // Solves the sides of blocks that are missing.
    void write_out(const EngineRows& rows, Subtree& subtree, int depth);
    const std::vector<ScoredQuestion>& questions(const EngineRows& rows);
    // One of them: the i-th with probability (1 - chance) * chance^i.
    Question pick(const EngineRows& rows, double chance, Random& random);

 private:
    // Both sides of a split at one level of a recursion, reused.
    struct Sides {
        std::unique_ptr<EngineRows> yes, no;
    };
    using Levels = std::deque<Sides>;  // by depth; a deque so that sides stay where they are

    Sides& sides_at(Levels& levels, int depth);
    static SubtreePtr leaf(const EngineRows& rows);
    static SubtreePtr leaf_below(const EngineRows& rows, Cost below) {
        return rows.leaf_cost < below ? leaf(rows) : nullptr;
    }
    template <class Grow>
    SubtreePtr grow_sides(const EngineRows& rows, Question question, int depth, Cost below, const Grow& grow);
    SubtreePtr written(const EngineRows& rows, const SubtreeBounds& known, int depth);

    SubtreeEngine& engine_;
    Watchdog& watchdog_;
    int block_depth_ = 2;
    Cost leaf_price_;
    Levels levels_, nested_levels_, written_levels_;
    std::unordered_map<std::uint64_t, std::vector<ScoredQuestion>> questions_;  // by key of the rows
};

}  // namespace exactree::anytime
