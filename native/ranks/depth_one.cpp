#include "ranks/depth_one.hpp"

namespace exactree::ranks {

SubtreeBounds solve_depth_one(const Data& data, const Limits& limits, const Node& node) {
    SubtreeBounds known;
    known.upper = node.leaf_error() + limits.leaf_price;
    known.relaxed = known.upper;
    std::vector<Cost> low;
    for (std::size_t column = 0; column < node.n_columns(); ++column) {
        low.assign(node.gains().size(), 0);
        Size size;
        const std::uint32_t* order = node.order(column);
        for (Place cut = 1; cut < node.n_rows(); ++cut) {
            const RowId row = node.row(order[cut - 1]);
            low[static_cast<std::size_t>(data.label[row])] += data.gain[row];
            size += data.size[row];
            if (node.rank_at(column, cut) == node.rank_at(column, cut - 1)) continue;
            Cost best_low = 0, best_high = 0;
            for (std::size_t k = 0; k < low.size(); ++k) {
                best_low = std::max(best_low, low[k]);
                best_high = std::max(best_high, node.gains()[k] - low[k]);
            }
            const Cost cost = node.base() - best_low - best_high + 2 * limits.leaf_price;
            known.relaxed = std::min(known.relaxed, cost);
            if (cost >= known.upper || !limits.allows(size, node.size() - size)) continue;
            known.upper = cost;
            known.question = node.question({column, cut});
            known.yes_leaves = known.no_leaves = 1;
        }
    }
    known.lower = known.upper;
    return known;
}

}  // namespace exactree::ranks
