// Trees of any depth with a price of leaves, against trying everything; and each bound by itself.
#undef NDEBUG
#include <cassert>
#include <map>

#include "search/tree_search.hpp"
#include "sparse/conflicts.hpp"
#include "sparse/searcher.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::testing;

namespace {

// Lowest cost of a tree of any depth, by trying every question.
Cost best_cost_of_any_depth(const Data& data, const Limits& limits, const Rows& rows, std::map<Rows, Cost>& known) {
    const auto at = known.find(rows);
    if (at != known.end()) return at->second;
    Cost best = leaf_cost(data, limits, rows);
    for (std::size_t column = 0; column < data.n_columns(); ++column)
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const Rows yes = side_of(data, rows, column, rank, true), no = side_of(data, rows, column, rank, false);
            if (yes.empty() || no.empty() || !limits.allows(size_of(data, yes), size_of(data, no))) continue;
            best = std::min(best, best_cost_of_any_depth(data, limits, yes, known) +
                                      best_cost_of_any_depth(data, limits, no, known));
        }
    return known[rows] = best;
}

Cost best_cost_of_any_depth(const Data& data, const Limits& limits) {
    std::map<Rows, Cost> known;
    return best_cost_of_any_depth(data, limits, all_rows(data), known);
}

class Listener : public ProgressListener {
 public:
    explicit Listener(Cost best) : best_(best) {}
    void improved(const SubtreeBounds& root, int) override { assert(root.upper >= best_); }
    void bounded(Cost bound, int) override { assert(bound <= best_); }

 private:
    Cost best_;
};

template <class Ops>
void check_searcher(const Data& data, const Limits& limits, Cost best, Cost below, bool portable) {
    Watchdog watchdog{Budget{}};
    sparse::SparseSearcher<Ops> searcher(data, limits, watchdog, 1 << 20, bits::bit_ops<Ops>(portable), {});
    Listener listener(best);
    const SubtreeBounds found = searcher.solve_root(kNoDepthLimit, 1000, below, listener);
    assert(found.relaxed <= found.lower && found.lower <= best && best <= found.upper);
    assert(found.solved() || found.lower >= below);
    if (found.upper >= kInfiniteCost) return;
    const TreeFacts facts = shape_of(data, limits, searcher.reconstruct(found, kNoDepthLimit), all_rows(data));
    assert(facts.allowed && facts.cost <= found.upper);
}

// Labels that a chain of questions gives, each about a column of its own: trees of depth two miss it.
Table chain(std::mt19937& random) {
    Table table(2);
    const std::size_t n_rows = 16 + random() % 24, links = 3 + random() % 2;
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::vector<Rank> at(5);
        for (Rank& rank : at) rank = static_cast<Rank>(random() % 2);
        std::size_t link = 0;
        while (link < links && at[link] == 0) ++link;
        table.add(std::move(at), static_cast<int>(link % 2));
    }
    return table;
}

Table any_table(std::mt19937& random, int trial) {
    if (trial % 7 == 0) return chain(random);
    const int n_classes = 2 + trial % 3;
    if (trial % 2) return groups(random, n_classes, 1 + random() % 30, 3 + random() % 4, 2);
    return random_table(random, n_classes, 2 + random() % 40, 3 + random() % 3, 2 + trial % 2);
}

void equals_trying_everything() {
    std::mt19937 random(31);
    for (int trial = 0; trial < 1500; ++trial) {
        Table table = any_table(random, trial);
        const Data data = table.data();
        Limits limits = limits_of(kNoDepthLimit, 1000, 1 + (trial % 3 == 0) * (random() % 4),
                                  1 + static_cast<Cost>(random() % (trial % 5 == 0 ? 12 : 4)));
        const Cost best = best_cost_of_any_depth(data, limits);
        const Cost below = trial % 4 ? kInfiniteCost : best + static_cast<Cost>(random() % 5) - 2;
        check_searcher<bits::SmallOps>(data, limits, best, below, trial % 2 == 0);
        check_searcher<bits::WideOps>(data, limits, best, below, trial % 2 == 0);
    }
}

}  // namespace

int main() { equals_trying_everything(); }
