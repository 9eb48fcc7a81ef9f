#include "search/engine_choice.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bits/searcher.hpp"
#include "ranks/searcher.hpp"
#include "search/warm_start.hpp"
#include "sparse/searcher.hpp"

namespace exactree::search {
namespace {

// Levels of the recursion that hold rows at one time.
std::size_t levels(const Limits& limits) { return 1 + static_cast<std::size_t>(std::max(0, limits.max_depth - 1)); }

// Bytes of the search over ranks: all rows, and for each thread two sides per level and one table of probes.
std::size_t rank_bytes(const Data& data, const Limits& limits, int threads) {
    const bool signs = data.n_classes <= 2 && !limits.limits_leaf_size();  // no runs where labels change often
    const std::size_t n = data.n_rows * data.n_columns(), sums = data.base.is_one() ? 0 : 8;
    const std::size_t node = (8 + sums) * n + 32 * data.n_rows, probes = (signs ? 8 : 40) * n + 80 * data.n_rows;
    return node + static_cast<std::size_t>(threads) * (2 * (levels(limits) - 1) * node + probes);
}

// Bytes of the primal heuristic: rows of the current tree and of both sides per level, and the exact blocks.
std::size_t rank_improver_bytes(const Data& data, const Limits& limits) {
    const std::size_t n = data.n_rows * data.n_columns(), node = 16 * n + 32 * data.n_rows;
    return 6 * levels(limits) * node + 40 * n + 80 * data.n_rows;
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

// Levels of a search without limit of depth that may be as large as the first.
constexpr std::int64_t kSparseLevels = 8;

// Whether the price of leaves alone keeps trees small: no limit on depth or leaves matters.
bool is_sparse(const Data& data, const Limits& limits) {
    if (limits.leaf_price == 0) return false;
    const std::int64_t leaves = useful_leaves(data, limits);
    return limits.max_leaves >= leaves && (limits.max_depth >= kNoDepthLimit || limits.max_depth >= leaves - 1);
}

// Sparse trees of few questions, whatever the columns: the bounds of the search on bit sets are worth more than the
// square of so many questions costs.
constexpr std::size_t kMostSparseQuestions = 300;

template <class Ops>
EnginePlan sparse_plan(const Data& data, const Limits& limits, bool portable, const Settings& settings) {
    // Every level has fewer rows and columns than the one above.
    Limits shallow = limits;
    shallow.max_depth = static_cast<int>(std::min<std::int64_t>(useful_leaves(data, limits), kSparseLevels));
    return {bit_bytes<Ops>(data, shallow, 1), 2 * bit_bytes<Ops>(data, shallow, 1),
            [&data, &limits, portable, settings](Watchdog& watchdog, std::size_t cache_bytes) {
                return std::make_unique<sparse::SparseSearcher<Ops>>(data, limits, watchdog, cache_bytes,
                                                                     bits::bit_ops<Ops>(portable), settings);
            }};
}

template <class Ops>
EnginePlan bit_plan(const Data& data, const Limits& limits, bool portable, const Settings& settings) {
    if (is_sparse(data, limits)) return sparse_plan<Ops>(data, limits, portable, settings);
    return {bit_bytes<Ops>(data, limits, settings.threads), 2 * bit_bytes<Ops>(data, limits, 1),
            [&data, &limits, portable, settings](Watchdog& watchdog, std::size_t cache_bytes) {
                return std::make_unique<bits::BitSearcher<Ops>>(data, limits, watchdog, cache_bytes,
                                                                bits::bit_ops<Ops>(portable), settings);
            }};
}

}  // namespace

bool prefers_sparse(const Data& data, const Limits& limits) {
    const bool few = prefers_bits(data) || bits::count_questions(data) <= kMostSparseQuestions;
    return few && fits_bits(data, limits) && is_sparse(data, limits);
}

std::int64_t useful_leaves(const Data& data, const Limits& limits) {
    const auto groups = std::count_if(data.base.begin(), data.base.end(), [](Cost base) { return base > 0; });
    const std::int64_t leaves = std::max<std::int64_t>(1, groups);
    if (limits.leaf_price == 0) return leaves;
    const Cost affordable = (single_leaf(data, limits).cost - 1) / limits.leaf_price;
    return std::clamp<std::int64_t>(affordable, 1, leaves);
}

bool is_quick(const Data& points, const Limits& limits, int max_depth) {
    // Sums over pairs of questions: once for all rows, and once more for each question above.
    const int levels = std::max(0, max_depth - 2);
    if (levels == 0 && points.ranks.size() <= kQuickCells) return true;
    const auto questions = static_cast<double>(bits::count_questions(points));
    const double work = static_cast<double>(points.n_rows) * std::pow(questions, std::min(levels, kMostLevels));
    return work <= kQuickWork && chooses_bits(points, limits);
}

EnginePlan choose_engine(const Data& data, const Limits& limits, Engine engine, const Settings& settings) {
    const bool bits = engine == Engine::bits || engine == Engine::portable_bits;
    if (bits && !fits_bits(data, limits))
        throw std::invalid_argument("bit sets are for leaves of any weight and at most " +
                                    std::to_string(kMostBitQuestions) + " questions, fewer with more than " +
                                    std::to_string(kMostBitClasses) + " classes");
    if (!bits && (engine != Engine::fastest || !(chooses_bits(data, limits) || prefers_sparse(data, limits))))
        return {rank_bytes(data, limits, settings.threads), rank_improver_bytes(data, limits),
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

}  // namespace exactree::search
