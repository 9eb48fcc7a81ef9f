// DL8 and DL8.5 against trying everything, the paper's example, and how they end.
#undef NDEBUG
#include <cassert>
#include <string>

#include "dl85/itemset_search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::dl85;
using namespace exactree::testing;

namespace {

const Dl85Settings kDl8{false, true, Order::data, true};
const Dl85Settings kDl85{true, true, Order::data, true};

std::vector<Dl85Settings> all_settings() {
    std::vector<Dl85Settings> out{kDl8};
    for (const Order order : {Order::data, Order::gain, Order::gain_ascending})
        for (const bool partial : {true, false}) out.push_back({true, partial, order, false});
    return out;
}

std::uint64_t counter(const Outcome& out, const std::string& name) {
    for (const auto& [key, value] : out.counters)
        if (key == name) return value;
    assert(false && "no such counter");
    return 0;
}

Limits any_limits(std::mt19937& random, int depth) {
    Limits limits;
    limits.max_depth = depth;
    if (random() % 2) limits.least.rows = 1 + static_cast<std::int64_t>(random() % 4);
    if (random() % 3 == 0) limits.least.weight = static_cast<std::int64_t>(random() % 7);
    if (random() % 2) limits.leaf_price = static_cast<Cost>(random() % 4);
    return limits;
}

void check(const Data& data, const Limits& limits, const Dl85Settings& settings, const Budget& budget) {
    const Outcome out = search_itemsets(data, limits, settings, budget, {});
    const Cost best = best_cost(data, limits, all_rows(data), limits.max_depth, std::int64_t{1} << limits.max_depth);
    assert(out.status == Status::proved && out.cost == best && out.bound == best);
    const TreeFacts shape = shape_of(data, limits, out.tree, all_rows(data));
    assert(shape.cost == best && shape.depth <= limits.max_depth && shape.allowed);
    assert(!out.history.empty() && out.history.back().cost == best && out.history.back().bound == best);
}

void equals_trying_everything() {
    std::mt19937 random(21);
    const std::vector<Dl85Settings> settings = all_settings();
    for (int trial = 0; trial < 200; ++trial) {
        const int depth = trial % 4;
        const std::size_t n_columns = depth < 3 ? 3 : 2;
        Table table = groups(random, 1 + trial % 4, 1 + random() % 16, n_columns, depth < 3 ? 5 : 4);
        const Limits limits = any_limits(random, depth);
        for (const Dl85Settings& variant : settings) check(table.data(), limits, variant, {});
    }
}

// More rows of a kind than fit into a word, and kinds that begin in the middle of one.
void many_words() {
    std::mt19937 random(22);
    for (const std::size_t n_rows : {63, 64, 65, 300}) {
        Table table = random_table(random, 3, n_rows, 4, 3);
        Limits limits;
        limits.max_depth = 2;
        for (const Dl85Settings& variant : all_settings()) check(table.data(), limits, variant, {});
    }
}

// Table 1 of the paper: columns A, B, C and the class.
Table paper_example() {
    Table table(2);
    for (const auto& [at, label] : std::vector<std::pair<std::vector<Rank>, int>>{{{0, 1, 1}, 0},
                                                                                  {{1, 0, 1}, 1},
                                                                                  {{0, 0, 1}, 1},
                                                                                  {{0, 1, 0}, 0},
                                                                                  {{1, 0, 0}, 1},
                                                                                  {{0, 0, 0}, 0},
                                                                                  {{0, 0, 1}, 0},
                                                                                  {{1, 1, 0}, 1},
                                                                                  {{0, 0, 0}, 1},
                                                                                  {{0, 0, 1}, 0},
                                                                                  {{0, 0, 0}, 1}})
        table.add(at, label);
    return table;
}

// DL8.5 visits 17 itemsets, as in the paper. DL8 visits 26: all but {a, b, c}, which no row has; the paper's 27 is
// the whole lattice.
void counts_of_the_paper() {
    Table table = paper_example();
    Limits limits;
    limits.max_depth = 3;
    const Outcome dl8 = search_itemsets(table.data(), limits, kDl8, {}, {});
    const Outcome better = search_itemsets(table.data(), limits, kDl85, {}, {});
    assert(dl8.cost == 2 && better.cost == 2);
    assert(counter(dl8, "itemsets") == 26 && counter(better, "itemsets") == 17);
    assert(counter(dl8, "cache_size") == 12 && counter(better, "cache_size") == 10);
    assert(counter(dl8, "visits") == 39 && counter(better, "visits") == 26);
    assert(counter(dl8, "cache_hits") == 6 && counter(better, "cache_hits") == 5);
}

Limits deep() {
    Limits limits;
    limits.max_depth = 5;
    return limits;
}

// Hard enough not to be proved within a few looks at the clock.
Table hard() {
    std::mt19937 random(23);
    return random_table(random, 2, 500, 8, 60);
}

// A cache that forgets nearly everything costs time, never exactness.
void small_cache() {
    std::mt19937 random(24);
    Table table = random_table(random, 2, 120, 12, 2);
    const Data data = table.data();
    Limits limits;
    limits.max_depth = 4;
    for (const Dl85Settings& variant : all_settings()) {
        const Outcome roomy = search_itemsets(data, limits, variant, {}, {});
        Budget budget;
        budget.memory = 1;
        while (search_itemsets(data, limits, variant, budget, {}).status == Status::out_of_memory) *budget.memory *= 2;
        const Outcome tight = search_itemsets(data, limits, variant, budget, {});
        assert(roomy.status == Status::proved && tight.status == Status::proved && tight.cost == roomy.cost);
        assert(shape_of(data, limits, tight.tree, all_rows(data)).cost == tight.cost);
        assert(counter(tight, "cache_size") <= 1024 && counter(tight, "cache_size") < counter(roomy, "cache_size"));
    }
}

void check_stopped(const Data& data, const Outcome& out, Status status) {
    assert(out.status == status && out.bound < out.cost);
    const TreeFacts shape = shape_of(data, deep(), out.tree, all_rows(data));
    assert(shape.cost == out.cost && shape.depth <= 5);
}

void stopped() {
    Table table = hard();
    const Data data = table.data();
    const Cost leaf = leaf_cost(data, deep(), all_rows(data));
    for (const Dl85Settings& variant : all_settings()) {
        Budget no_time, no_memory, interrupted;
        no_time.seconds = 0.0;
        no_memory.memory = 1;
        int calls = 0;
        interrupted.poll = [&calls](const Progress&) { return ++calls < 3; };
        const Outcome late = search_itemsets(data, deep(), variant, no_time, {});
        check_stopped(data, late, Status::out_of_time);
        assert(late.cost < leaf);  // one look at the questions is always taken
        check_stopped(data, search_itemsets(data, deep(), variant, no_memory, {}), Status::out_of_memory);
        const Outcome cut = search_itemsets(data, deep(), variant, interrupted, {});
        check_stopped(data, cut, Status::interrupted);
        assert(calls == 3 && cut.cost < leaf);
    }
}

// A start is the first tree, and for DL8.5 the first bound: nothing as dear is looked for.
void start() {
    Table table = paper_example();
    const Data data = table.data();
    Limits limits;
    limits.max_depth = 3;
    const Outcome plain = search_itemsets(data, limits, kDl85, {}, {});
    const Outcome started = search_itemsets(data, limits, kDl85, {}, plain.tree);
    assert(started.cost == 2 && started.status == Status::proved);
    assert(counter(started, "visits") < counter(plain, "visits"));
    assert(search_itemsets(data, limits, kDl8, {}, plain.tree).cost == 2);
    Budget no_time;
    no_time.seconds = 0.0;
    assert(search_itemsets(data, limits, kDl8, no_time, plain.tree).cost == 2);
}

}  // namespace

int main() {
    equals_trying_everything();
    many_words();
    counts_of_the_paper();
    small_cache();
    stopped();
    start();
}
