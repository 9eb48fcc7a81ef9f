// The cheapest tree whose sums stay within limits: against trying everything, at multipliers good and bad.
#undef NDEBUG
#include <cassert>
#include <limits>
#include <map>

#include "constrained/search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::constrained;
using namespace exactree::testing;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Two classes; the one sum counts the rows of a class that get the label 1, less those of the other.
struct Case {
    Table table;
    std::vector<Cost> channels;  // for each label: cost, sum
    std::vector<Cost> relaxed_gain;

    Case(std::mt19937& random, Cost multiplier, std::size_t n_rows) : table(2) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            const Cost cost[2] = {static_cast<Cost>(random() % 3), static_cast<Cost>(random() % 3)};
            const Cost sum = random() % 2 == 0 ? 1 : -1;
            channels.insert(channels.end(), {cost[0], 0, cost[1], sum});
            // The relaxed cost, without what both labels pay.
            table.add_group({random_rank(random), random_rank(random)}, {cost[0], cost[1] + multiplier * sum}, 1);
            while (channels.size() < 4 * table.rows.size()) channels.push_back(0);
        }
    }
    static Rank random_rank(std::mt19937& random) { return static_cast<Rank>(random() % 4); }
};

using Answers = std::map<Cost, Cost>;  // lowest cost by sum

void keep(Answers& found, Cost sum, Cost cost) {
    const auto [at, fresh] = found.try_emplace(sum, cost);
    if (!fresh) at->second = std::min(at->second, cost);
}

Answers all_answers(const Case& of, const Data& data, const Rows& rows, int depth, std::int64_t leaves, Cost price) {
    Answers found;
    for (int label = 0; label < 2; ++label) {
        Cost cost = price, sum = 0;
        for (const RowId row : rows) {
            cost += of.channels[4 * row + 2 * static_cast<std::size_t>(label)];
            sum += of.channels[4 * row + 2 * static_cast<std::size_t>(label) + 1];
        }
        keep(found, sum, cost);
    }
    if (depth == 0 || leaves < 2) return found;
    for (std::size_t column = 0; column < data.n_columns(); ++column)
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank) {
            const Rows yes = side_of(data, rows, column, rank, true), no = side_of(data, rows, column, rank, false);
            if (yes.empty() || no.empty()) continue;
            for (std::int64_t given = 1; given < leaves; ++given)
                for (const auto& [a, cost_a] : all_answers(of, data, yes, depth - 1, given, price))
                    for (const auto& [b, cost_b] : all_answers(of, data, no, depth - 1, leaves - given, price))
                        keep(found, a + b, cost_a + cost_b);
        }
    return found;
}

void test_against_everything(std::mt19937& random) {
    const Cost multiplier = static_cast<Cost>(random() % 3) - 1;
    const int depth = 1 + static_cast<int>(random() % 3);
    Case of(random, multiplier, depth == 3 ? 5 + random() % 6 : 6 + random() % 20);
    const Data data = of.table.data();
    const Cost price = static_cast<Cost>(random() % 2);
    const Limits limits{depth, 1 + static_cast<std::int64_t>(random() % (depth == 3 ? 8 : 4)), {1, 0}, price};
    const Channels channels{2, 1, 4, price, of.channels};
    SumLimits sums;
    const Cost middle = static_cast<Cost>(random() % 7) - 3;
    sums.least = {random() % 2 == 0 ? middle - 1 : -kInfiniteCost};
    sums.most = {middle + 1};
    // Without what the cheapest labels of all groups cost together.
    double offset = 0;
    for (std::size_t row = 0; row < of.channels.size(); row += 4)
        offset +=
            static_cast<double>(std::min(of.channels[row], of.channels[row + 2] + multiplier * of.channels[row + 3]));
    const Cost bound = multiplier > 0 ? sums.most[0] : sums.least[0];
    if (bound <= -kInfiniteCost && multiplier < 0) return;  // no multiplier for a sum that is not limited from below
    const double shift = static_cast<double>(multiplier * (multiplier == 0 ? 0 : bound)) - offset;
    const std::vector<LeafLimit> none;
    Cost best = kInfiniteCost;
    for (const auto& [sum, cost] : all_answers(of, data, all_rows(data), depth, limits.max_leaves, price))
        if (sums.allow(&sum)) best = std::min(best, cost);
    // With an incumbent that is one too dear, what is to be found lies just below the level.
    const double known = best < kInfiniteCost && random() % 2 == 0 ? static_cast<double>(best + 1) : kInfinite;
    const ConstrainedProblem problem{{limits, channels, sums, none}, 1, shift, 0.5, 0, known};
    const ConstrainedOutcome found = search_constrained(data, problem, {}, random() % 2 == 0);
    assert(found.status == Status::proved);
    if (best == kInfiniteCost) {
        assert(found.cost == kInfinite && found.tree.empty());
        return;
    }
    assert(found.cost == static_cast<double>(best) && found.bound == found.cost && !found.tree.empty());
}

void test_soft_limits_take_the_largest_violation() {
    const SoftLimit limit{2, {{0, 1, 3, 10}, {0, -1, 3, 10}, {1, 1, 0, 5}}};
    const Cost within[2] = {-3, 0}, below[2] = {-23, 0}, both[2] = {13, 20};
    assert(limit.penalty(within) == 0);
    assert(limit.penalty(below) == 4);
    assert(limit.penalty(both) == 8);
}

void test_no_time() {
    std::mt19937 random(1);
    Case of(random, 0, 50'000);
    const Data data = of.table.data();
    const Limits limits{3, 8, {1, 0}, 0};
    const Channels channels{2, 1, 4, 0, of.channels};
    SumLimits sums;
    sums.least = {-kInfiniteCost};
    sums.most = {-1000};
    const std::vector<LeafLimit> none;
    Budget budget;
    budget.seconds = 0;
    const ConstrainedOutcome found =
        search_constrained(data, {{limits, channels, sums, none}, 1, 0, 0.5, 0, kInfinite}, budget);
    assert(found.tree.empty() && found.status == Status::out_of_time && found.bound < kInfinite);
}

}  // namespace

int main() {
    std::mt19937 random(7);
    for (int round = 0; round < 600; ++round) test_against_everything(random);
    test_soft_limits_take_the_largest_violation();
    test_no_time();
}
