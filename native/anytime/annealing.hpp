// The anytime search: a good tree at once, then steadily better ones by simulated annealing over the upper questions.
//
// Work, not time, is counted: the same seed and the same work give the same tree.
#pragma once

#include <array>
#include <functional>
#include <unordered_set>

#include "anytime/grower.hpp"
#include "core/tree_searcher.hpp"

namespace exactree::anytime {

class AnytimeSearch {
 public:
    struct Options {
        int depth;
        std::int64_t max_leaves;
        Cost leaf_price;
        Cost row_cost;  // of one misclassified row, for the heat
        std::uint64_t seed;
        bool keep_rows;  // with the tree
    };
    // `watchdog` counts the work of this search alone. `found` gets trees; they may have more than `max_leaves` leaves,
    // and are then worth pruning.
    AnytimeSearch(SubtreeEngine& engine, Watchdog& watchdog, const Options& options,
                  std::function<void(const Tree&)> found);

    // The first tree, and a better one from a nested look-ahead.
    void start();
    // Goes on until so much more work is done; a little more, as no move is cut short.
    void run(std::uint64_t work);
    // Continues from this tree if that is better once its lowest levels are solved.
    void adopt(const Tree& tree);

    // Of the best tree; with the current price of leaves where their number is limited.
    Cost cost() const noexcept { return best_ ? best_->cost : kInfiniteCost; }
    // Passes the best tree on, if it has changed.
    void report();

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

    bool limits_leaves() const noexcept { return options_.max_leaves < full_tree_leaves(options_.depth); }
    void price_leaves();
    void adjust_price();
    void set_price(Cost price);
    void grow_deep_blocks();
    void widen();
    void begin_cycle();
    void step();
    void visit_spots(Subtree& subtree, int depth, Spot& path, Spot& chosen, double& total);
    Spot choose_spot();
    const EngineRows* rows_at(const Spot& spot);
    Move choose_move(const Spot& spot, const EngineRows& rows);
    bool affords_exact(const EngineRows& rows, int depth);
    double predicted_work(const EngineRows& rows, int depth) const;
    SubtreePtr apply(Move move, const Spot& spot, const EngineRows& rows, Cost below);
    SubtreePtr apply_exact(const Spot& spot, const EngineRows& rows);
    void replace(Spot& spot, SubtreePtr fresh);
    void take(SubtreePtr found);
    void keep_best();

    SubtreeEngine& engine_;
    Watchdog& watchdog_;
    Grower grower_;
    Options options_;
    std::function<void(const Tree&)> found_;
    Random random_;
    Cost price_;  // of a leaf: higher than asked where the number of leaves is limited
    double price_step_ = 0.5;
    SubtreePtr current_, best_;
    Cost reported_ = kInfiniteCost;
    std::uint64_t cycle_begin_ = 0, cycle_work_ = 0;
    int n_cycles_ = 0;
    std::size_t width_ = 0;          // of the last nested look-ahead
    std::uint64_t nested_work_ = 0;  // that it took
    std::uint64_t exact_work_ = 0;
    std::array<double, 5> work_factor_;                // of exact subtrees by depth, learnt
    std::unordered_set<std::uint64_t> tried_exactly_;  // keys of sets of rows
};

}  // namespace exactree::anytime
