#include "search/tree_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>

#include "bits/searcher.hpp"
#include "ranks/searcher.hpp"
#include "search/greedy.hpp"
#include "search/local_search.hpp"
#include "search/warm_start.hpp"

namespace exactree::search {
namespace {

// The incumbent and the lower bound, with the history of both.
class Incumbent : public ProgressListener {
 public:
    Incumbent(const Limits& limits, const Budget& budget, Cost offset, Watchdog& watchdog)
        : limits_(limits), budget_(budget), offset_(offset), watchdog_(watchdog) {}

    void update(ScoredTree found) {
        if (found.cost >= watchdog_.cost) return;
        tree_ = std::move(found.tree);
        described_.reset();
        watchdog_.cost = found.cost;
        record();
    }
    // The tree itself is reconstructed once, at the end.
    void improved(const SubtreeBounds& root, int depth) override {
        if (root.upper > watchdog_.cost) return;
        described_ = Described{root, depth};
        watchdog_.cost = root.upper;
        record();
    }
    void bounded(Cost bound, int depth) override {
        if (depth < max_depth()) return;  // no bound for deeper trees
        bound = std::min(bound, watchdog_.cost.load());
        if (bound <= watchdog_.bound) return;
        watchdog_.bound = bound;
        record();
        const auto open = static_cast<double>(watchdog_.cost - bound);
        if (bound < watchdog_.cost && open <= budget_.gap * static_cast<double>(watchdog_.cost + offset_))
            watchdog_.stop(Status::gap_reached);
    }
    int max_depth() const {
        return static_cast<int>(std::min<std::int64_t>(limits_.max_depth, limits_.max_leaves - 1));
    }
    Cost cost() const noexcept { return watchdog_.cost; }
    bool proved() const noexcept { return watchdog_.bound >= watchdog_.cost; }

    Outcome outcome(TreeSearcher* searcher = nullptr) {
        if (described_) tree_ = searcher->reconstruct(described_->root, described_->depth);
        const Status status = proved() ? Status::proved : watchdog_.status().value_or(Status::out_of_memory);
        return {std::move(tree_), watchdog_.cost, watchdog_.bound, status, std::move(history_), {}};
    }

 private:
    void record() { history_.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound}); }

    const Limits& limits_;
    const Budget& budget_;
    Cost offset_;
    Watchdog& watchdog_;
    struct Described {
        SubtreeBounds root;
        int depth;
    };
    Tree tree_;
    std::optional<Described> described_;  // root of a better tree than tree_, reconstructed at the end
    std::vector<Progress> history_;
};

// Levels of the recursion that hold rows at one time.
std::size_t levels(const Limits& limits) { return 1 + static_cast<std::size_t>(std::max(0, limits.max_depth - 1)); }

// Bytes of the search over ranks: all rows, and for each thread two sides per level and one table of probes.
std::size_t rank_bytes(const Data& data, const Limits& limits, int threads) {
    const std::size_t n = data.n_rows * data.n_columns(), node = 16 * n + 32 * data.n_rows;
    return node + static_cast<std::size_t>(threads) * (2 * (levels(limits) - 1) * node + 40 * n + 80 * data.n_rows);
}

// Sums that are kept for each pair of questions.
std::size_t sums_per_pair(const Data& data) {
    return data.n_classes <= 2 ? 1 : static_cast<std::size_t>(data.n_classes);
}

// Of the user's table.
Cost count_rows(const Data& data) {
    Cost total = 0;
    for (const Size& size : data.size) total += size.rows;
    return total;
}

// Bytes of the tables and pair sums of the search on bit sets.
template <class Ops>
std::size_t bit_bytes(const Data& data, const Limits& limits, int threads) {
    const std::size_t n = bits::count_questions(data), stride = n + bits::kColumnBlock,
                      sized = limits.limits_leaf_size() ? 1 : 0;
    const std::size_t rows =
        bits::kMostCopies * data.n_rows + sized * static_cast<std::size_t>(count_rows(data)) / bits::kSmallGain;
    const std::size_t table = rows * stride * (1 + sized) * sizeof(typename Ops::Cell) + n * rows / 8;
    const std::size_t sums = n * stride * (sums_per_pair(data) + 2 * sized) * sizeof(typename Ops::Sum);
    return static_cast<std::size_t>(threads) * levels(limits) * 2 * (table + sums);
}

// Sums over pairs of questions must fit into memory at every level.
constexpr std::size_t kMostBitQuestions = 1500, kMostBitClasses = 16;

bool fits_bits(const Data& data, const Limits& limits) {
    const std::size_t n = bits::count_questions(data);
    return limits.least.weight == 0 && n <= kMostBitQuestions &&
           n * n * sums_per_pair(data) <= kMostBitQuestions * kMostBitQuestions * kMostBitClasses;
}

// Pairs of questions cost their square. Measured at depths 3 and 4: with two classes bit sets are 10 times as fast as
// ranks with one or two cuts per column, even with some 20 cuts per column and 90 in all, and 2 to 14 times as slow
// beyond. With 3 to 26 classes, where ranks take 10 ms and more, they are 3 to 25 times as fast with up to 8 cuts per
// column, as fast to 12 times as fast with 16, and with 32 up to 3.5 times as slow.
bool prefers_bits(const Data& data) {
    const std::size_t cuts = data.n_classes <= 2 ? 4 : 16;
    return bits::count_questions(data) <= std::max<std::size_t>(100, cuts * data.n_columns());
}

// The one rule that chooses the engine.
bool chooses_bits(const Data& data, const Limits& limits) { return fits_bits(data, limits) && prefers_bits(data); }

// At depth two a search of so many cells, over ranks or bits, takes less than 0.2 s; a greedy tree takes a tenth to a
// quarter of that and saves nothing. On bit sets the search of the CP4IM sets finds better trees sooner without a
// greedy one below so much work; beyond it most proofs take 0.2 to 4 s.
constexpr std::size_t kQuickCells = std::size_t{1} << 20;
constexpr double kQuickWork = 1e9;
constexpr int kMostLevels = 30;

// Whether a proof is expected to take less time than a greedy tree saves.
bool is_quick(const Data& points, const Limits& limits, int max_depth) {
    // Sums over pairs of questions: once for all rows, and once more for each question above.
    const int levels = std::max(0, max_depth - 2);
    if (levels == 0 && points.ranks.size() <= kQuickCells) return true;
    const auto questions = static_cast<double>(bits::count_questions(points));
    const double work = static_cast<double>(points.n_rows) * std::pow(questions, std::min(levels, kMostLevels));
    return work <= kQuickWork && chooses_bits(points, limits);
}

// An engine, created once it is known that its memory (without the cache) is within the limit.
struct EnginePlan {
    std::size_t bytes;
    std::function<std::unique_ptr<TreeSearcher>(Watchdog&, std::size_t cache_bytes)> make;
};

template <class Ops>
EnginePlan bit_plan(const Data& data, const Limits& limits, bool portable, const Settings& settings) {
    return {bit_bytes<Ops>(data, limits, settings.threads),
            [&data, &limits, portable, settings](Watchdog& watchdog, std::size_t cache_bytes) {
                return std::make_unique<bits::BitSearcher<Ops>>(data, limits, watchdog, cache_bytes,
                                                                bits::bit_ops<Ops>(portable), settings);
            }};
}

EnginePlan choose_engine(const Data& data, const Limits& limits, Engine engine, const Settings& settings) {
    const bool bits = engine == Engine::bits || engine == Engine::portable_bits;
    if (bits && !fits_bits(data, limits))
        throw std::invalid_argument("bit sets are for leaves of any weight and at most " +
                                    std::to_string(kMostBitQuestions) + " questions, fewer with more than " +
                                    std::to_string(kMostBitClasses) + " classes");
    if (!bits && (engine != Engine::fastest || !chooses_bits(data, limits)))
        return {rank_bytes(data, limits, settings.threads),
                [&data, &limits, settings, engine](Watchdog& watchdog, std::size_t cache_bytes) {
                    return std::make_unique<ranks::RankSearcher>(data, limits, watchdog, cache_bytes, settings,
                                                                 engine == Engine::portable_ranks);
                }};
    const Cost unit = bits::gain_unit(data);
    Cost total = 0, largest = 0;
    for (const Cost gain : data.gain) {
        total += gain / unit;
        largest = std::max(largest, gain / unit);
    }
    if (total <= bits::kMostCopies * static_cast<Cost>(data.n_rows)) largest = 1;  // written out as copies of gain one
    if (limits.limits_leaf_size()) total = std::max(total, count_rows(data) + 1);
    const bool portable = engine == Engine::portable_bits;
    if (largest <= bits::kSmallGain && total <= INT16_MAX)
        return bit_plan<bits::SmallOps>(data, limits, portable, settings);
    if (largest <= bits::kSmallGain && total <= INT32_MAX)
        return bit_plan<bits::MediumOps>(data, limits, portable, settings);
    return bit_plan<bits::WideOps>(data, limits, portable, settings);
}

void add_warm_start(const Tree& tree, const Data& data, const Limits& limits, Watchdog& watchdog, Incumbent& incumbent,
                    const Settings& settings) {
    incumbent.update(prune_to_limits(data, limits, tree));
    if (settings.local_search) incumbent.update(improve_tree(data, limits, tree, watchdog));
}

void run(TreeSearcher& searcher, const Data& data, const Limits& limits, Watchdog& watchdog, Incumbent& incumbent,
         const Settings& settings) {
    // Iterative deepening: shallow trees are cheap, and each optimum is the cutoff of the next depth.
    const int deepest = incumbent.max_depth();
    for (int depth = settings.deepening ? std::min(2, deepest) : deepest; depth <= deepest && !watchdog.stopped();
         ++depth) {
        watchdog.enter(Stage::deepening, depth);
        if (const Tree good = searcher.heuristic_tree(depth); !good.empty())
            add_warm_start(good, data, limits, watchdog, incumbent, settings);
        const SubtreeBounds known = searcher.solve_root(depth, limits.max_leaves, incumbent.cost(), incumbent);
        if (known.upper < incumbent.cost()) incumbent.improved(known, depth);
        incumbent.bounded(known.lower, depth);
    }
}

// A search without this tree would end with a leaf: on a large table it may be so late.
constexpr double kGreedySeconds = 0.5;

// The cheaper of the caller's tree and the greedy one, once both are pruned to the limits; empty if there is neither.
Tree first_tree(const Data& data, const Limits& limits, const Tree& start, const Data* points, Watchdog& watchdog) {
    if (points == nullptr) return start;
    watchdog.enter(Stage::greedy);
    watchdog.grant(kGreedySeconds);
    Tree greedy = grow_greedy_tree(*points, limits, &watchdog);
    watchdog.grant(0);
    if (!start.empty() && prune_to_limits(data, limits, start).cost <= prune_to_limits(data, limits, greedy).cost)
        return start;
    return greedy;
}

}  // namespace

Outcome search_tree(const Data& data, const Limits& limits, const Budget& budget, Cost offset, const Tree& start,
                    Engine engine, const Settings& settings, const Data* points) {
    Watchdog watchdog(budget);
    Incumbent incumbent(limits, budget, offset, watchdog);
    incumbent.update(single_leaf(data, limits));
    const EnginePlan chosen = choose_engine(data, limits, engine, settings);
    if (incumbent.max_depth() == 0) {  // no split is allowed, so the leaf is the best tree
        incumbent.bounded(incumbent.cost(), 0);
        return incumbent.outcome();
    }
    const bool grow_last = points != nullptr && is_quick(*points, limits, incumbent.max_depth());
    const Tree first = first_tree(data, limits, start, grow_last ? nullptr : points, watchdog);
    if (budget.seconds && watchdog.seconds() >= *budget.seconds) watchdog.stop(Status::out_of_time);
    if (!first.empty()) add_warm_start(first, data, limits, watchdog, incumbent, settings);
    std::unique_ptr<TreeSearcher> searcher;
    if (budget.memory && chosen.bytes > *budget.memory) {
        watchdog.stop(Status::out_of_memory);
    } else if (!watchdog.stopped()) {
        searcher = chosen.make(watchdog, budget.memory ? *budget.memory - chosen.bytes : SIZE_MAX);
        run(*searcher, data, limits, watchdog, incumbent, settings);
    }
    // A search that ends early never returns a worse tree than CART.
    if (grow_last && !incumbent.proved())
        incumbent.update(prune_to_limits(data, limits, grow_greedy_tree(*points, limits)));
    Outcome out = incumbent.outcome(searcher.get());
    if (searcher) out.counters = searcher->counters();
    return out;
}

}  // namespace exactree::search
