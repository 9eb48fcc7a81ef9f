// The best single split against trying all of them, with and without a least size.
#undef NDEBUG
#include <cassert>

#include "ranks/depth_one.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks;
using namespace exactree::testing;

namespace {

Limits limited(Size least, Cost price) {
    Limits limits;
    limits.max_depth = 1;
    limits.max_leaves = 2;
    limits.least = least;
    limits.leaf_price = price;
    return limits;
}

void solves_depth_one() {
    std::mt19937 random(3);
    for (int trial = 0; trial < 200; ++trial) {
        Table table = random_table(random, 2 + trial % 3, 1 + random() % 20, 3, 4);
        const Data data = table.data();
        Node node;
        node.fill(data);
        const Limits limits = limited({1 + static_cast<std::int64_t>(random() % 4), trial % 2 * 5}, trial % 3);
        const SubtreeBounds known = solve_depth_one(data, limits, node);
        assert(known.solved() && known.upper == best_cost(data, limits, all_rows(data), 1, 2));
        assert(known.relaxed == best_cost(data, limited({1, 0}, limits.leaf_price), all_rows(data), 1, 2));
        if (known.question.column < 0) assert(known.upper == leaf_cost(data, limits, all_rows(data)));
    }
}

}  // namespace

int main() { solves_depth_one(); }
