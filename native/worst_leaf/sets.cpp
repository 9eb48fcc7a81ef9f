#include "worst_leaf/sets.hpp"

#include <numeric>

#include "core/tree_searcher.hpp"

namespace exactree::worst_leaf {

RowSet all_rows(std::size_t n_rows) {
    RowSet set;
    set.rows.resize(n_rows);
    std::iota(set.rows.begin(), set.rows.end(), RowId{0});
    set.sure = n_rows;
    return set;
}

SetKey SetKey::of(const RowSet& set, int depth, std::int64_t leaves) {
    Key key;
    for (const RowId row : set.rows) key += row_key(row);
    return {key, depth, std::min(leaves, full_tree_leaves(depth))};
}

LeafData::LeafData(const Data& given, double unit) : data(given), weight(given.n_rows), count(given.n_rows) {
    for (std::size_t row = 0; row < given.n_rows; ++row) {
        weight[row] = static_cast<double>(given.gain[row]) * unit;
        count[row] = static_cast<double>(given.size[row].rows);
        counts_apart = counts_apart || weight[row] != count[row];
    }
    channels = given.n_classes + (counts_apart ? 1 : 0);
}

Tally::Tally(const LeafData& data, const RowSet& set) : sure(data.n_channels()) {
    for (std::size_t i = 0; i < set.sure; ++i) data.add(sure.data(), set.rows[i]);
    all = sure;
    for (std::size_t i = set.sure; i < set.rows.size(); ++i) data.add(all.data(), set.rows[i]);
}

CutSides sides_of(const Data& data, const RowSet& set, std::size_t column, Rank first, Rank last) {
    CutSides sides;
    std::vector<RowId> maybe_yes, maybe_no;
    const Rank* ranks = data.ranks.data() + column * data.n_rows;
    for (std::size_t i = 0; i < set.rows.size(); ++i) {
        const RowId row = set.rows[i];
        const Rank rank = ranks[row];
        const bool sure = i < set.sure;
        if (rank <= first) (sure ? sides.yes.rows : maybe_yes).push_back(row);
        if (rank > last) (sure ? sides.no.rows : maybe_no).push_back(row);
        if (rank > first && rank <= last) {
            maybe_yes.push_back(row);
            maybe_no.push_back(row);
        }
    }
    sides.yes.sure = sides.yes.rows.size();
    sides.no.sure = sides.no.rows.size();
    sides.yes.rows.insert(sides.yes.rows.end(), maybe_yes.begin(), maybe_yes.end());
    sides.no.rows.insert(sides.no.rows.end(), maybe_no.begin(), maybe_no.end());
    return sides;
}

}  // namespace exactree::worst_leaf
