// Trees from sums over paths: sums, relaxed problems and the cheapest allowed tree, against trying everything.
#undef NDEBUG
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "constrained/path_search.hpp"

using namespace exactree;
using namespace exactree::constrained;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
using Groups = std::vector<std::size_t>;
using Answers = std::map<std::pair<Cost, Cost>, Cost>;  // lowest cost by sums

// Two or three classes, two sums; columns of several ranks, and of two ranks that are thresholds of one number.
struct Case {
    std::size_t n_groups, n_columns = 0;
    int n_classes;
    std::vector<Rank> ranks;
    std::vector<Cost> channels;  // for each label: cost, two sums; then rows and weight
    Limits limits;
    Channels layout;

    Case(std::mt19937& random, int depth, std::size_t groups) : n_groups(groups), n_classes(2 + (random() % 4 == 0)) {
        const std::size_t n = 1 + random() % (depth == 3 ? 2 : 3);
        for (std::size_t column = 0; column < n; ++column) add_columns(random, depth == 3 ? 2 : 3);
        limits = {depth, full_tree_leaves(depth), {1, 0}, static_cast<Cost>(random() % 2)};
        if (random() % 3 == 0) limits.least.rows = 1 + static_cast<std::int64_t>(random() % 6);
        if (random() % 4 == 0) limits.least.weight = 1 + static_cast<std::int64_t>(random() % 6);
        if (depth == 2 && random() % 3 == 0) limits.max_leaves = 3;
        layout = {n_classes, 2, static_cast<std::size_t>(3 * n_classes), limits.leaf_price, {}};
        for (std::size_t group = 0; group < n_groups; ++group) {
            for (int label = 0; label < n_classes; ++label) {
                channels.push_back(static_cast<Cost>(random() % 3));
                for (int j = 0; j < 2; ++j) channels.push_back(label == 0 ? 0 : static_cast<Cost>(random() % 5) - 2);
            }
            channels.push_back(1 + static_cast<Cost>(random() % 3));
            if (limits.least.weight > 0) channels.push_back(static_cast<Cost>(random() % 4));
        }
    }
    void add_columns(std::mt19937& random, Rank last) {
        std::vector<Rank> values(n_groups);
        for (Rank& value : values) value = static_cast<Rank>(random() % (last + 1));
        const auto kind = random() % 3;  // as ranks, or a column of two ranks per threshold, either way up
        if (kind == 0) return add(values);
        for (Rank cut = 0; cut < last; ++cut) {
            std::vector<Rank> column(n_groups);
            for (std::size_t group = 0; group < n_groups; ++group) column[group] = (values[group] > cut) == (kind == 1);
            add(column);
        }
    }
    void add(const std::vector<Rank>& column) {
        ranks.insert(ranks.end(), column.begin(), column.end());
        ++n_columns;
    }
    std::size_t width() const { return channels.size() / n_groups; }
    Rank rank(std::size_t column, std::size_t group) const { return ranks[column * n_groups + group]; }
    Cost sum(const Groups& groups, std::size_t channel) const {
        Cost total = 0;
        for (const std::size_t group : groups) total += channels[group * width() + channel];
        return total;
    }
    Groups all() const {
        Groups groups;
        for (std::size_t group = 0; group < n_groups; ++group) groups.push_back(group);
        return groups;
    }
    Groups side(const Groups& groups, const Question& asked, bool yes) const {
        Groups out;
        for (const std::size_t group : groups)
            if ((rank(static_cast<std::size_t>(asked.column), group) <= asked.rank) == yes) out.push_back(group);
        return out;
    }
};

void keep(Answers& found, std::pair<Cost, Cost> sums, Cost cost) {
    const auto [at, fresh] = found.try_emplace(sums, cost);
    if (!fresh) at->second = std::min(at->second, cost);
}

Answers all_answers(const Case& of, const Groups& groups, int depth, std::int64_t leaves) {
    Answers found;
    const std::size_t sizes = of.layout.width;
    if (of.sum(groups, sizes) < of.limits.least.rows) return found;
    if (of.limits.least.weight > 0 && of.sum(groups, sizes + 1) < of.limits.least.weight) return found;
    for (std::size_t label = 0; label < static_cast<std::size_t>(of.n_classes); ++label)
        keep(found, {of.sum(groups, 3 * label + 1), of.sum(groups, 3 * label + 2)},
             of.sum(groups, 3 * label) + of.limits.leaf_price);
    for (std::int32_t column = 0; depth > 0 && leaves > 1 && column < static_cast<std::int32_t>(of.n_columns); ++column)
        for (Rank rank = 0; rank < 3; ++rank) {
            const Groups yes = of.side(groups, {column, rank}, true), no = of.side(groups, {column, rank}, false);
            if (yes.empty() || no.empty()) continue;
            for (std::int64_t given = 1; given < leaves; ++given)
                for (const auto& [a, cost_a] : all_answers(of, yes, depth - 1, given))
                    for (const auto& [b, cost_b] : all_answers(of, no, depth - 1, leaves - given))
                        keep(found, {a.first + b.first, a.second + b.second}, cost_a + cost_b);
        }
    return found;
}

void test_sums(std::mt19937& random) {
    const Case of(random, 3, 4 + random() % 30);
    const Chains chains(of.ranks, of.n_columns, of.n_groups);
    PathSums sums(chains, of.channels, of.width(), 3);
    Watchdog watchdog{Budget{}};
    assert(sums.fill(watchdog));
    std::vector<double> found(sums.width());
    const auto check = [&](const Groups& groups) {
        for (std::size_t c = 0; c < found.size(); ++c)
            assert(found[c] == static_cast<double>(of.sum(groups, sums.kept()[c])));
    };
    const auto inside = [&](const Groups& groups, std::uint32_t i, bool in) {
        return of.side(groups, chains[i].question, chains[i].yes_inside == in);
    };
    const auto n = static_cast<std::uint32_t>(chains.size());
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j)
            for (unsigned sides = 0; i != j && sides < 4; ++sides) {
                const Path path = Path{}.with(i, sides % 2 == 0).with(j, sides / 2 == 0);
                const Groups groups = inside(inside(of.all(), i, sides % 2 == 0), j, sides / 2 == 0);
                sums.whole(path, found.data());
                check(groups);
                for (std::uint32_t k = 0; k < n; ++k) {
                    if (path.asks(k)) continue;
                    sums.part(path, k, found.data());
                    check(inside(groups, k, true));
                }
            }
}

void test_chains_join_thresholds() {
    const std::vector<Rank> ranks{0, 0, 1, 1, 1,   // at most 1
                                  0, 0, 0, 1, 1,   // at most 2
                                  0, 0, 0, 0, 1,   // at most 3
                                  0, 1, 0, 1, 0};  // something else
    const Chains chains(ranks, 4, 5);
    assert(chains.size() == 4);
    assert(chains[0].chain == chains[1].chain && chains[1].chain == chains[2].chain);
    assert(chains[3].chain != chains[2].chain);
    for (std::size_t group = 0; group < 5; ++group) assert(chains.innermost(group).size() <= 2);
}

double relaxed_cost(const Answers& answers, const Multipliers& multipliers) {
    double lowest = kInfinite;
    for (const auto& [sums, cost] : answers)
        lowest = std::min(lowest, static_cast<double>(cost) + multipliers.by_sum[0] * static_cast<double>(sums.first) +
                                      multipliers.by_sum[1] * static_cast<double>(sums.second));
    return lowest - multipliers.constant;
}

// Multipliers for limits from above: the relaxed cost of an allowed tree is at most its cost.
Multipliers random_multipliers(std::mt19937& random, const SumLimits& sums) {
    Multipliers out{{0, 0}, 0};
    for (std::size_t j = 0; j < 2; ++j) {
        if (sums.most[j] >= kInfiniteCost) continue;
        out.by_sum[j] = 0.25 * static_cast<double>(random() % 9) / (random() % 2 == 0 ? 1 : 3);
        out.constant += out.by_sum[j] * static_cast<double>(sums.most[j]);
    }
    return out;
}

void test_against_everything(std::mt19937& random) {
    const int depth = 1 + static_cast<int>(random() % 3);
    const Case of(random, depth, depth == 3 ? 5 + random() % 6 : 6 + random() % 14);
    SumLimits sums;
    for (int j = 0; j < 2; ++j) {
        const Cost middle = static_cast<Cost>(random() % 9) - 6;
        sums.most.push_back(random() % 4 == 0 ? kInfiniteCost : middle);
        sums.least.push_back(random() % 2 == 0 ? middle - 3 : -kInfiniteCost);
    }
    PathSearch search(Chains(of.ranks, of.n_columns, of.n_groups), of.channels, of.layout, of.limits);
    Watchdog watchdog{Budget{}};
    assert(search.fill(watchdog));
    const Multipliers multipliers = random_multipliers(random, sums);
    const Answers full = all_answers(of, of.all(), depth, full_tree_leaves(depth));
    if (full.empty()) return;  // all rows are not enough for a leaf
    const RelaxedTree relaxed = search.relax(multipliers, depth, watchdog);
    assert(relaxed.solved && std::abs(relaxed.bound - relaxed_cost(full, multipliers)) < 1e-6);

    double best = kInfinite;
    for (const auto& [sum, cost] : all_answers(of, of.all(), depth, of.limits.max_leaves)) {
        const Cost both[2] = {sum.first, sum.second};
        if (sums.allow(both)) best = std::min(best, static_cast<double>(cost));
    }
    const double known = best < kInfinite && random() % 2 == 0 ? best + 1 : kInfinite;
    const std::vector<LeafLimit> none;
    const ConstrainedProblem problem{{of.limits, of.layout, sums, none}, 1, 0, 0.5, 0, known};
    const ConstrainedOutcome found = search.search(problem, multipliers, {}, watchdog);
    assert(found.status == Status::proved && found.cost == best);
    assert(found.tree.empty() == (best == kInfinite));
}

void test_a_stopped_search_keeps_what_is_known() {
    std::mt19937 random(3);
    const Case of(random, 3, 20'000);
    Budget budget;
    budget.seconds = 0;
    Watchdog watchdog(budget);
    watchdog.check_now();
    PathSearch search(Chains(of.ranks, of.n_columns, of.n_groups), of.channels, of.layout, of.limits);
    assert(!search.fill(watchdog));
    SumLimits sums;
    sums.least = {-kInfiniteCost, -kInfiniteCost};
    sums.most = {5, 5};
    const std::vector<LeafLimit> none;
    assert(!search.relax({{0, 0}, 0}, 3, watchdog).solved);
    const ConstrainedOutcome found =
        search.search({{of.limits, of.layout, sums, none}, 1, 0, 0.5, 7, 9}, {{0, 0}, 0}, budget, watchdog);
    assert(found.status == Status::out_of_time && found.cost == 9 && found.bound == 7 && found.tree.empty());
}

void test_what_fits() {
    std::mt19937 random(4);
    const Case of(random, 3, 50);
    const Chains chains(of.ranks, of.n_columns, of.n_groups);
    assert(PathSearch::fits(chains, of.width(), 3, 1 << 30, 1e9));
    assert(!PathSearch::fits(chains, of.width(), 3, 8, 1e9));
    assert(!PathSearch::fits(chains, of.width(), 1, 1 << 30, 1));
}

}  // namespace

int main() {
    std::mt19937 random(11);
    for (int round = 0; round < 150; ++round) test_sums(random);
    for (int round = 0; round < 900; ++round) test_against_everything(random);
    test_chains_join_thresholds();
    test_a_stopped_search_keeps_what_is_known();
    test_what_fits();
}
