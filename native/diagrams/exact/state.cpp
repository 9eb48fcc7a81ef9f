#include "diagrams/exact/state.hpp"

#include <algorithm>

namespace exactree::diagrams::exact {

Key key_of(const State& state) {
    Key out;
    for (const RowGroup& group : state) {
        const std::uint64_t low = splitmix64(group.key.low ^ splitmix64(group.key.high));
        out += {low, splitmix64(group.key.high + splitmix64(low))};
    }
    return out;
}

RowBits side_of(const Data& data, const RowGroup& group, const NodeOption& option, bool yes) {
    if (option.onward == Continuation::all) return group.rows;
    const Rank* ranks = data.ranks.data() + static_cast<std::size_t>(option.question.column) * data.n_rows;
    RowBits out(group.rows.size(), 0);
    for_each_row(group.rows.data(), group.rows.size(), [&](std::uint32_t row) {
        if ((ranks[row] <= option.question.rank) == yes) add_row(out, row);
    });
    return out;
}

State joined(const Data& data, const std::vector<Flow>& flows, const std::vector<std::int32_t>& group_of,
             std::int32_t n_groups) {
    State next(static_cast<std::size_t>(n_groups), {RowBits(words_for(data.n_rows), 0), {}});
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
        RowGroup& group = next[static_cast<std::size_t>(group_of[flow])];
        for (std::size_t w = 0; w < group.rows.size(); ++w) group.rows[w] |= flows[flow].rows[w];
        group.key += flows[flow].key;
    }
    return next;
}

bool allowed(const Data& data, const DiagramRules& rules, const State& state, bool last) {
    if (!rules.sized()) return true;
    const Size least{rules.least_rows, last || rules.tree ? rules.least_weight : 0};
    return std::all_of(state.begin(), state.end(), [&](const RowGroup& group) {
        Size size;
        for_each_row(group.rows.data(), group.rows.size(), [&](std::uint32_t row) { size += data.size[row]; });
        return size.reaches(least);
    });
}

}  // namespace exactree::diagrams::exact
