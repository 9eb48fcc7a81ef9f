// The anytime search: its trees are allowed, cost what it says, and depend on the seed and the work only.
#undef NDEBUG
#include <cassert>

#include "anytime/annealing.hpp"
#include "bits/searcher.hpp"
#include "ranks/searcher.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::anytime;
using namespace exactree::testing;

namespace {

struct Found {
    std::vector<Tree> trees;
    Cost cost = kInfiniteCost;  // of the last one, as the search counts it
};

Found search(const Data& data, const Limits& limits, bool bits, std::uint64_t work, std::uint64_t seed = 0,
             bool keep_rows = true) {
    const Budget budget;
    Watchdog leader(budget), own(leader, Watchdog::Aside{});
    std::unique_ptr<TreeSearcher> searcher;
    if (bits)
        searcher = std::make_unique<bits::BitSearcher<bits::WideOps>>(data, limits, leader, 1 << 20,
                                                                      bits::bit_ops<bits::WideOps>(), Settings{});
    else
        searcher = std::make_unique<ranks::RankSearcher>(data, limits, leader, 1 << 20, Settings{}, false);
    const std::unique_ptr<SubtreeEngine> engine = searcher->make_subtree_engine(own, 1 << 20);
    const AnytimeSearch::Options options{limits.max_depth, limits.max_leaves, limits.leaf_price, 1, seed, keep_rows};
    Found out;
    AnytimeSearch run(*engine, own, options, [&](const Tree& tree) { out.trees.push_back(tree); });
    run.start();
    run.run(work);
    out.cost = run.cost();
    return out;
}

void check(const Data& data, const Limits& limits, const Found& found, bool exact) {
    assert(!found.trees.empty());
    Cost last = kInfiniteCost;
    for (const Tree& tree : found.trees) {
        const TreeFacts facts = shape_of(data, limits, tree, all_rows(data));
        assert(facts.allowed && facts.depth <= limits.max_depth && facts.cost < last);
        last = facts.cost;
    }
    assert(last == found.cost);
    if (exact) assert(last >= best_cost(data, limits, all_rows(data), limits.max_depth, limits.max_leaves));
}

void trees_are_allowed() {
    std::mt19937 random(31);
    int split = 0;
    for (int trial = 0; trial < 120; ++trial) {
        const int depth = 1 + trial % 6;
        Table table = random_table(random, 2 + trial % 3, 20 + random() % 60, 4, trial % 4 ? 6 : 2);
        const Data data = table.data();
        const Limits limits = limits_of(depth, std::int64_t{1} << depth, 1 + trial / 6 % 4, trial / 6 % 3);
        for (const bool bits : {false, true}) {
            const Found found = search(data, limits, bits, 300'000, 0, trial % 5 != 0);
            check(data, limits, found, depth <= 2);
            split += found.trees.back().size() > 1;
        }
    }
    assert(split > 200);
}

// A minimum weight of leaves is for ranks only.
void least_weight() {
    std::mt19937 random(32);
    for (int trial = 0; trial < 40; ++trial) {
        Table table = random_table(random, 2, 60, 3, 8);
        const Data data = table.data();
        Limits limits = limits_of(4, 16);
        limits.least.weight = 1 + static_cast<std::int64_t>(random() % 20);
        check(data, limits, search(data, limits, false, 300'000), false);
    }
}

void same_work_same_tree() {
    std::mt19937 random(33);
    Table table = random_table(random, 2, 300, 6, 40);
    const Data data = table.data();
    const Limits limits = limits_of(5, 32);
    for (const bool bits : {false, true}) {
        const Found once = search(data, limits, bits, 20'000'000, 7), again = search(data, limits, bits, 20'000'000, 7);
        assert(once.cost == again.cost && once.trees.size() == again.trees.size());
        assert(shape_of(data, limits, once.trees.back(), all_rows(data)).cost == once.cost);
        // It goes on from its first trees.
        assert(once.trees.size() > 1);
    }
}

// A limit of 60 questions allocates no more than the tree needs.
void deep_limit() {
    std::mt19937 random(34);
    Table table = random_table(random, 3, 200, 5, 30);
    const Data data = table.data();
    const Limits limits = limits_of(kMaxDepth, full_tree_leaves(kMaxDepth));
    for (const bool bits : {false, true}) {
        const Found found = search(data, limits, bits, 1'000'000);
        check(data, limits, found, false);
    }
}

// With few leaves, trees are worth pruning: about as large as allowed.
void few_leaves() {
    std::mt19937 random(35);
    Table table = random_table(random, 2, 400, 5, 50);
    const Data data = table.data();
    const Limits limits = limits_of(6, 9);
    for (const bool bits : {false, true}) {
        const Found found = search(data, limits, bits, 30'000'000);
        std::int64_t nearest = 1000;
        for (const Tree& tree : found.trees) {
            const std::int64_t leaves = shape_of(data, limits, tree, all_rows(data)).leaves;
            nearest = std::min(nearest, std::abs(leaves - 9));
        }
        assert(nearest <= 3);
    }
}

// What cannot stay under the limit is null.
void growing_obeys_its_limit() {
    std::mt19937 random(36);
    const Budget budget;
    for (int trial = 0; trial < 60; ++trial) {
        Table table = random_table(random, 2, 60, 4, 10);
        const Data data = table.data();
        const Limits limits = limits_of(4, 16, 1 + trial % 3);
        Watchdog leader(budget), own(leader, Watchdog::Aside{});
        ranks::RankSearcher searcher(data, limits, leader, 1 << 20, Settings{}, false);
        const std::unique_ptr<SubtreeEngine> engine = searcher.make_subtree_engine(own, 1 << 20);
        Grower grower(*engine, own, 0);
        const SubtreePtr free = grower.roll(engine->all(), 4, kInfiniteCost);
        for (const Cost below : {free->cost, free->cost + 1}) {
            const SubtreePtr found = grower.roll(engine->all(), 4, below);
            assert((found != nullptr) == (below > free->cost));
            const SubtreePtr wide = grower.nested(engine->all(), 4, below, 4);
            assert(!wide || wide->cost < below);
        }
        const SubtreePtr exact = grower.exact(engine->all(), 4, kInfiniteCost);
        grower.write_out(engine->all(), *exact, 4);
        assert(exact->cost <= free->cost);
        assert(shape_of(data, limits, tree_of(*exact), all_rows(data)).cost == exact->cost);
    }
}

}  // namespace

int main() {
    trees_are_allowed();
    least_weight();
    same_work_same_tree();
    deep_limit();
    few_leaves();
    growing_obeys_its_limit();
}
