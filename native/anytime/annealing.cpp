#include "anytime/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace exactree::anytime {
namespace {

constexpr std::size_t kFirstWidth = 4, kMostWidth = 64;
constexpr std::uint64_t kFirstCycle = 200'000'000;  // about 0.2 s
constexpr double kHeat = 0.003;                     // of the best cost; 0.001 is as good, 0.0005 is not
constexpr double kNewChance = 0.7, kRollChance = 0.4;
constexpr double kExactShare = 0.25;  // of the work
constexpr int kDeepestExact = 4, kPriceSteps = 10;
constexpr std::uint64_t kLeastExact = 10'000'000;

// How often each move is tried, on columns with an order of cuts and without.
constexpr std::array<double, 6> kOrderedMoves{.2, .15, .3, .1, .15, .1}, kOtherMoves{.3, .3, .05, .2, .05, .1};

SubtreePtr subtree_of(const Tree& tree, std::int32_t at) {
    const TreeNode& node = tree[static_cast<std::size_t>(at)];
    auto out = std::make_unique<Subtree>();
    if (node.column < 0) return out;
    out->question = {node.column, static_cast<Rank>(node.rank)};
    out->yes = subtree_of(tree, node.yes);
    out->no = subtree_of(tree, node.no);
    return out;
}

// Of a subtree that is written out.
std::int64_t count_leaves(const Subtree& subtree) {
    return subtree.yes && subtree.no ? count_leaves(*subtree.yes) + count_leaves(*subtree.no) : 1;
}

}  // namespace

AnytimeSearch::AnytimeSearch(SubtreeEngine& engine, Watchdog& watchdog, const Options& options,
                             std::function<void(const Tree&)> found)
    : engine_(engine),
      watchdog_(watchdog),
      grower_(engine, watchdog, options.leaf_price),
      options_(options),
      found_(std::move(found)),
      random_(options.seed),
      price_(options.leaf_price) {
    grower_.set_block_depth(std::min(2, options.depth));
    if (engine.has_order())
        work_factor_ = {0, 0, 0, 3e2, 3e5};
    else
        work_factor_ = {0, 0, 0, 1, 30};
}

void AnytimeSearch::take(SubtreePtr found) {
    if (!found || (current_ && found->cost >= current_->cost)) return;
    current_ = std::move(found);
    keep_best();
}

void AnytimeSearch::keep_best() {
    if (current_->cost < cost()) best_ = clone(*current_);
}

void AnytimeSearch::start() {
    take(grower_.roll(engine_.all(), options_.depth, kInfiniteCost));
    if (limits_leaves()) price_leaves();
    report();
    widen();
    report();
    cycle_begin_ = watchdog_.work();
    cycle_work_ = std::max(kFirstCycle, cycle_begin_);
}

void AnytimeSearch::set_price(Cost price) {
    price_ = price;
    grower_.set_leaf_price(price);
    tried_exactly_.clear();
    current_.reset();
    best_.reset();
    reported_ = kInfiniteCost;
}

// The price at which the first tree has as many leaves as are allowed, by bisection. A tree that is best for a price is
// best for its own number of leaves.
void AnytimeSearch::price_leaves() {
    Cost low = price_, high = std::max(price_ + 1, engine_.all().leaf_cost / 2);
    for (int step = 0; step < kPriceSteps && best_ && !watchdog_.stopped(); ++step) {
        report();
        if (count_leaves(*best_) > options_.max_leaves)
            low = price_;
        else if (price_ == options_.leaf_price)
            return;
        else
            high = price_;
        const Cost middle = low + (high - low) / (step < kPriceSteps / 2 ? 4 : 2);
        if (middle == price_) return;
        set_price(middle);
        take(grower_.roll(engine_.all(), options_.depth, kInfiniteCost));
    }
}

// Every cycle moves the price towards the number of leaves allowed, by smaller and smaller steps.
void AnytimeSearch::adjust_price() {
    const bool dear = count_leaves(*best_) <= options_.max_leaves;
    if (dear && price_ == options_.leaf_price) return;
    const double factor = dear ? 1 / (1 + price_step_) : 1 + price_step_;
    price_step_ *= 0.7;
    const SubtreePtr old = std::move(best_);
    set_price(std::max(options_.leaf_price, static_cast<Cost>(factor * static_cast<double>(price_)) + !dear));
    take(grower_.refit(engine_.all(), *old, options_.depth, kInfiniteCost));
    if (!best_) {  // stopped
        best_ = clone(*old);
        current_ = clone(*old);
    }
}

// Blocks of depth three, once a tree of them does not take too long.
void AnytimeSearch::grow_deep_blocks() {
    if (engine_.has_order() || options_.depth <= 3 || grower_.block_depth() == 3) return;
    grower_.set_block_depth(3);
    watchdog_.limit_work(cycle_work_);
    SubtreePtr found = grower_.roll(engine_.all(), options_.depth, kInfiniteCost);
    const bool finished = !watchdog_.stopped();
    watchdog_.limit_work();
    if (finished)
        take(std::move(found));
    else
        grower_.set_block_depth(2);
}

// A nested look-ahead, each wider than the last. It is cheaper with blocks of depth two.
void AnytimeSearch::widen() {
    if (options_.depth <= 2 || width_ >= kMostWidth) return;
    const std::uint64_t before = watchdog_.work();
    const int blocks = grower_.block_depth();
    width_ = width_ == 0 ? kFirstWidth : 4 * width_;
    grower_.set_block_depth(2);
    take(grower_.nested(engine_.all(), options_.depth, cost(), width_));
    grower_.set_block_depth(blocks);
    nested_work_ = watchdog_.work() - before;
}

void AnytimeSearch::run(std::uint64_t work) {
    const std::uint64_t end = watchdog_.work() + work;
    if (n_cycles_ == 0 && watchdog_.work() == cycle_begin_) grow_deep_blocks();
    while (best_ && options_.depth > grower_.block_depth() && watchdog_.work() < end && !watchdog_.stopped()) {
        if (watchdog_.work() - cycle_begin_ >= cycle_work_) begin_cycle();
        step();
    }
    if (best_) report();
}

void AnytimeSearch::begin_cycle() {
    cycle_begin_ = watchdog_.work();
    cycle_work_ *= 2;
    ++n_cycles_;
    current_ = clone(*best_);
    report();
    if (limits_leaves()) adjust_price();
    if (n_cycles_ > 1) grow_deep_blocks();
    if (4 * nested_work_ < cycle_work_ / 2) widen();
    if (!engine_.has_order() || options_.depth <= 3) return;
    const bool affordable = predicted_work(engine_.all(), 3) < static_cast<double>(cycle_work_) / 4;
    grower_.set_block_depth(n_cycles_ % 2 == 1 && affordable ? 3 : 2);
}

void AnytimeSearch::step() {
    Spot spot = choose_spot();
    const EngineRows* rows = rows_at(spot);
    if (rows == nullptr || !rows->can_split) {
        watchdog_.spend(1000);
        return;
    }
    const double left =
        1 - std::min(1.0, static_cast<double>(watchdog_.work() - cycle_begin_) / static_cast<double>(cycle_work_));
    const double heat = (kHeat * static_cast<double>(cost()) + static_cast<double>(options_.row_cost)) * left * left;
    const auto more = static_cast<Cost>(-heat * std::log(1 - 0.9999 * random_.uniform()));
    // The threshold is drawn before the move is evaluated, so that it limits the blocks.
    const Cost below = spot.subtree->cost + more + 1;
    SubtreePtr fresh = apply(choose_move(spot, *rows), spot, *rows, below);
    watchdog_.spend(1000);
    if (fresh && fresh->cost < below && !watchdog_.stopped()) replace(spot, std::move(fresh));
    if (!options_.keep_rows) current_ = clone(*current_);
}

// Reservoir sampling over the nodes above the blocks, in proportion to their cost.
void AnytimeSearch::visit_spots(Subtree& subtree, int depth, Spot& path, Spot& chosen, double& total) {
    if (depth <= grower_.block_depth()) return;
    const double weight = static_cast<double>(subtree.cost) + 0.01 * static_cast<double>(options_.row_cost);
    total += weight;
    if (random_.uniform() * total < weight) chosen = {&subtree, depth, path.above, path.sides};
    if (!subtree.is_inner()) return;
    path.above.push_back(&subtree);
    for (const bool yes : {true, false}) {
        path.sides.push_back(yes);
        visit_spots(yes ? *subtree.yes : *subtree.no, depth - 1, path, chosen, total);
        path.sides.pop_back();
    }
    path.above.pop_back();
}

AnytimeSearch::Spot AnytimeSearch::choose_spot() {
    Spot path, chosen{current_.get(), options_.depth, {}, {}};
    double total = 0;
    visit_spots(*current_, options_.depth, path, chosen, total);
    return chosen;
}

// The rows are kept with the tree: a move does not split them from the root again.
const EngineRows* AnytimeSearch::rows_at(const Spot& spot) {
    const EngineRows* rows = &engine_.all();
    for (std::size_t at = 0; at < spot.above.size(); ++at) {
        Subtree& parent = *spot.above[at];
        Subtree& child = spot.sides[at] ? *parent.yes : *parent.no;
        if (!child.rows) {
            std::shared_ptr<EngineRows> yes = engine_.make_set(), no = engine_.make_set();
            if (!engine_.split(*rows, parent.question, *yes, *no)) return nullptr;
            parent.yes->rows = std::move(yes);
            parent.no->rows = std::move(no);
        }
        rows = child.rows.get();
    }
    return rows;
}

AnytimeSearch::Move AnytimeSearch::choose_move(const Spot& spot, const EngineRows& rows) {
    const std::array<double, kMoves>& shares = engine_.has_order() ? kOrderedMoves : kOtherMoves;
    double at = random_.uniform();
    std::size_t chosen = 0;
    while (chosen + 1 < kMoves && (at -= shares[chosen]) >= 0) ++chosen;
    auto move = static_cast<Move>(chosen);
    if (move == Move::exact && !affords_exact(rows, spot.depth)) move = Move::varied;
    const bool keeps_question = move == Move::new_refitted || move == Move::varied || move == Move::best_between;
    return keeps_question && !spot.subtree->is_inner() ? Move::new_rolled : move;
}

double AnytimeSearch::predicted_work(const EngineRows& rows, int depth) const {
    return work_factor_[static_cast<std::size_t>(depth)] * std::pow(static_cast<double>(rows.n_cells), 1.2);
}

bool AnytimeSearch::affords_exact(const EngineRows& rows, int depth) {
    if (depth > kDeepestExact || depth < 3 || tried_exactly_.contains(rows.key.low)) return false;
    const double left = kExactShare * static_cast<double>(watchdog_.work()) - static_cast<double>(exact_work_);
    return left > 0 && predicted_work(rows, depth) < std::max<double>(left, kLeastExact);
}

SubtreePtr AnytimeSearch::apply_exact(const Spot& spot, const EngineRows& rows) {
    tried_exactly_.insert(rows.key.low);
    const std::uint64_t before = watchdog_.work();
    const auto predicted = static_cast<std::uint64_t>(predicted_work(rows, spot.depth));
    watchdog_.limit_work(std::max(kLeastExact, 4 * predicted));
    SubtreePtr found = grower_.exact(rows, spot.depth, spot.subtree->cost);
    watchdog_.limit_work();
    const std::uint64_t spent = watchdog_.work() - before;
    exact_work_ += spent;
    double& factor = work_factor_[static_cast<std::size_t>(spot.depth)];
    factor *= 0.8 + 0.2 * static_cast<double>(spent) / std::max(1.0, predicted_work(rows, spot.depth));
    return found;
}

SubtreePtr AnytimeSearch::apply(Move move, const Spot& spot, const EngineRows& rows, Cost below) {
    Subtree& old = *spot.subtree;
    switch (move) {
        case Move::new_rolled:
        case Move::new_refitted: {
            Question question = grower_.pick(rows, kNewChance, random_);
            if (random_.uniform() < 0.5) question = engine_.vary(rows, question, random_);
            const Subtree* fitted = move == Move::new_refitted ? &old : nullptr;
            return grower_.rooted(rows, question, fitted, spot.depth, below);
        }
        case Move::varied:
            return grower_.rooted(rows, engine_.vary(rows, old.question, random_), &old, spot.depth, below);
        case Move::rolled_by_chance:
            return grower_.roll(rows, spot.depth, below, kRollChance, &random_);
        case Move::best_between: {
            grower_.write_out(rows, old, spot.depth);
            const Question question = engine_.best_between(rows, tree_of(*old.yes), tree_of(*old.no));
            if (question.column < 0 || question == old.question) return nullptr;
            return grower_.rooted(rows, question, &old, spot.depth, below);
        }
        case Move::exact:
            return apply_exact(spot, rows);
    }
    return nullptr;
}

void AnytimeSearch::replace(Spot& spot, SubtreePtr fresh) {
    const Cost more = fresh->cost - spot.subtree->cost;
    fresh->rows = spot.subtree->rows;
    if (spot.above.empty()) {
        current_ = std::move(fresh);
    } else {
        Subtree& parent = *spot.above.back();
        (spot.sides.back() ? parent.yes : parent.no) = std::move(fresh);
    }
    for (Subtree* above : spot.above) {
        above->cost += more;
        above->written = false;
    }
    keep_best();
}

void AnytimeSearch::adopt(const Tree& tree) {
    take(grower_.refit(engine_.all(), *subtree_of(tree, 0), options_.depth, cost()));
}

void AnytimeSearch::report() {
    if (cost() >= reported_) return;
    reported_ = cost();
    watchdog_.hold(true);
    grower_.write_out(engine_.all(), *best_, options_.depth);
    watchdog_.hold(false);
    found_(tree_of(*best_));
}

}  // namespace exactree::anytime
