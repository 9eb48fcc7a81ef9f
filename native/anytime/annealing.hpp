// The anytime search: a good tree at once, then steadily better ones by simulated annealing over the upper questions.
//
// Work, not time, is counted: the same seed and the same work give the same tree.
#pragma once

#include <array>
#include <unordered_set>

#include "anytime/grower.hpp"

namespace exactree::anytime {

class AnytimeSearch {
 public:
    // `watchdog` counts the work of this search alone. `row_cost` is what one misclassified row costs, for the heat.
    AnytimeSearch(SubtreeEngine& engine, Watchdog& watchdog, int depth, Cost row_cost, std::uint64_t seed,
                  bool keep_rows);

    // The first tree, and a better one from a nested look-ahead.
    void start();
    // Goes on until so much more work is done; a little more, as no move is cut short.
    void run(std::uint64_t work);
    // Continues from this tree if that is better once its lowest levels are solved.
    void adopt(const Tree& tree);

    Cost cost() const noexcept { return best_ ? best_->cost : kInfiniteCost; }
    Tree best_tree();

 private:
    enum class Move { new_rolled, new_refitted, varied, rolled_by_chance, best_between, exact };
    static constexpr std::size_t kMoves = 6;

    // A subtree that a move replaces, and the path from the root to it.
    struct Spot {
        Subtree* subtree = nullptr;
        int depth = 0;
        std::vector<Subtree*> above;
        std::vector<bool> sides;  // whether the path goes to the yes side
    };

    void grow_deep_blocks();
    void widen();
    void begin_cycle();
    void step();
    void visit_spots(Subtree& subtree, int depth, Spot& path, Spot& chosen, double& total);
    Spot choose_spot();
    const RowSet* rows_at(const Spot& spot);
    Move choose_move(const Spot& spot, const RowSet& rows);
    bool affords_exact(const RowSet& rows, int depth);
    double predicted_work(const RowSet& rows, int depth) const;
    SubtreePtr apply(Move move, const Spot& spot, const RowSet& rows, Cost below);
    SubtreePtr apply_exact(const Spot& spot, const RowSet& rows);
    void replace(Spot& spot, SubtreePtr fresh);
    void take(SubtreePtr found);
    void keep_best();

    SubtreeEngine& engine_;
    Watchdog& watchdog_;
    Grower grower_;
    int depth_;
    Cost row_cost_;
    Random random_;
    bool keep_rows_;
    SubtreePtr current_, best_;
    std::uint64_t cycle_begin_ = 0, cycle_work_ = 0;
    int n_cycles_ = 0;
    std::size_t width_ = 0;         // of the last nested look-ahead
    std::uint64_t nested_work_ = 0;  // that it took
    std::uint64_t exact_work_ = 0;
    std::array<double, 5> work_factor_;                // of exact subtrees by depth, learnt
    std::unordered_set<std::uint64_t> tried_exactly_;  // keys of sets of rows
};

}  // namespace exactree::anytime
