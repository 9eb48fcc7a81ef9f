// Ends of runs against going through the column group by group: plain and vector loops, groups longer than a word.
#undef NDEBUG
#include <cassert>

#include "ranks/run_ends.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::ranks::simd;
using namespace exactree::ranks;
using namespace exactree::testing;

namespace {

// The place behind the rows that have the rank of the one at `place`, and whether they all have one label.
Place end_of_group(const Node& node, std::size_t column, Place place, bool& one_label) {
    const Place begin = place;
    one_label = true;
    for (; place < node.n_rows() && node.rank_at(column, place) == node.rank_at(column, begin); ++place)
        one_label &= node.label(node.order(column)[place]) == node.label(node.order(column)[begin]);
    return place;
}

std::vector<RunEnd> expected(const Node& node, std::size_t column, bool every_rank) {
    const auto label_at = [&](Place place) { return node.label(node.order(column)[place]); };
    const auto n = static_cast<Place>(node.n_rows());
    std::vector<RunEnd> out;
    bool joins = false;  // the group before has one label
    for (Place begin = 0; begin < n;) {
        bool one_label = false;
        const Place end = end_of_group(node, column, begin, one_label);
        const bool goes_on = joins && one_label && !every_rank && label_at(begin) == label_at(begin - 1);
        if (begin > 0 && !goes_on) out.push_back({begin, true});
        for (Place place = begin + 1; place < end; ++place)
            if (label_at(place) != label_at(place - 1)) out.push_back({place, false});
        joins = one_label;
        begin = end;
    }
    out.push_back({n, true});
    return out;
}

void check(const Node& node, bool portable) {
    RunEnds ends(probe_ops<std::int16_t>(portable).find_changes);
    ends.begin(node);
    for (std::size_t column = 0; column < node.n_columns(); ++column)
        for (const bool every_rank : {false, true}) {
            const std::vector<RunEnd> wanted = expected(node, column, every_rank);
            const std::vector<RunEnd>& found = ends.find(node, column, every_rank);
            assert(found.size() == wanted.size());
            for (std::size_t k = 0; k < found.size(); ++k) {
                assert(found[k].place == wanted[k].place);
                assert(found[k].may_split == wanted[k].may_split);
            }
        }
}

// Columns from all different to nothing but ties. Labels follow one of them, but for some noise.
Table any_table(std::mt19937& random) {
    const std::size_t n_classes = 1 + random() % 12, n_rows = 1 + random() % 400, followed = random() % 4;
    const Rank most[] = {100000, 300, 40, 3};
    const std::size_t noise = 1 + random() % 200;
    Table table(static_cast<int>(n_classes));
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::vector<Rank> at;
        for (const Rank n_ranks : most) at.push_back(static_cast<Rank>(random() % n_ranks));
        const std::size_t label = (at[followed] * n_classes + most[followed] - 1) / most[followed];
        table.add(std::move(at),
                  static_cast<int>(random() % noise ? std::min(label, n_classes - 1) : random() % n_classes));
    }
    return table;
}

}  // namespace

int main() {
    std::mt19937 random(5);
    for (int trial = 0; trial < 600; ++trial) {
        Table table = any_table(random);
        const Data data = table.data();
        Node node;
        node.fill(data);
        check(node, false);
        check(node, true);
    }
}
