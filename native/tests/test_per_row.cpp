// Numbers that all rows have are held once, and a layout that the watchdog stops gives no bound.
#undef NDEBUG
#include <cassert>
#include <numeric>

#include "ranks/depth_two.hpp"
#include "search/tree_search.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks;
using namespace exactree::search;
using namespace exactree::testing;

namespace {

void test_reading() {
    const Cost one = 3;
    const std::vector<Cost> some{1, 2, 4};
    const PerRow<Cost> same(&one, 4, 0), each(some);
    assert(same.is_one() && same.size() == 4 && same[0] == 3 && same[3] == 3);
    assert(!each.is_one() && each.size() == 3 && each[2] == 4);
    assert(std::accumulate(same.begin(), same.end(), Cost{0}) == 12);
    assert(std::accumulate(each.begin(), each.end(), Cost{0}) == 7);
}

// The same search from one number as from one per row.
void test_search(std::mt19937& random) {
    Table table = random_table(random, 2 + static_cast<int>(random() % 2), 8 + random() % 30, 3,
                               static_cast<Rank>(1 + random() % 12));
    const Cost weight = 1 + static_cast<Cost>(random() % 3);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        table.gain[row] = table.base[row] = weight;
        table.size[row] = {1, 0};
    }
    const Data written = table.data();
    Data shared = written;
    const Size size{1, 0};
    shared.gain = shared.base = PerRow<Cost>(&weight, written.n_rows, 0);
    shared.size = PerRow<Size>(&size, written.n_rows, 0);
    const Limits limits = limits_of(2 + static_cast<int>(random() % 2), 8, 1 + static_cast<int>(random() % 3));
    for (const Engine engine : {Engine::ranks, Engine::bits}) {
        const Outcome one = search_tree(shared, limits, {}, 0, {}, engine, {}, &shared);
        const Outcome other = search_tree(written, limits, {}, 0, {}, engine, {}, &written);
        assert(one.cost == other.cost && one.bound == other.bound && one.tree.size() == other.tree.size());
    }
}

// Without time nothing is known, whatever was laid out.
void test_stopped(std::mt19937& random) {
    Table table = random_table(random, 2, 40, 4, 20);
    const Data data = table.data();
    const Limits limits = limits_of(2, 4);
    Node node;
    node.fill(data);
    const Budget budget;
    Watchdog stopped(budget), going(budget);
    stopped.stop(Status::out_of_time);
    Node late;
    late.fill(data, false, &stopped);
    assert(late.n_rows() == data.n_rows && late.n_columns() == 0 && late.base() == node.base());
    const auto solver = make_depth_two_solver(data, limits, false);
    const SubtreeBounds unknown = solver->solve(node, {4}, stopped, nullptr);
    const SubtreeBounds best = solver->solve(node, {4}, going, nullptr);
    assert(unknown.lower == 0 && unknown.relaxed == 0 && unknown.upper >= best.upper && best.solved());
}

}  // namespace

int main() {
    std::mt19937 random(11);
    test_reading();
    for (int trial = 0; trial < 60; ++trial) test_search(random);
    for (int trial = 0; trial < 10; ++trial) test_stopped(random);
}
