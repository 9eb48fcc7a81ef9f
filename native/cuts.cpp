#include "cuts.hpp"

namespace exactree {

void Prefixes::fill(const Data& data, const Node& node) {
    base.resize(node.n_cells());
    size.resize(node.n_cells());
    key.resize(node.n_cells());
    for (std::size_t j = 0; j < node.columns().size(); ++j) {
        const NodeColumn& column = node.columns()[j];
        Cost base_so_far = 0;
        Size size_so_far;
        Key key_so_far;
        for (std::uint32_t rank = 0; rank < column.n_ranks; ++rank) {
            const std::size_t cell = column.first_cell + rank;
            for (std::uint32_t at = node.cell_begin(cell); at < node.cell_end(column, rank); ++at) {
                const RowId row = node.row(node.order(j)[at]);
                base_so_far += data.base[row];
                size_so_far += data.size[row];
                key_so_far += row_key(row);
            }
            base[cell] = base_so_far;
            size[cell] = size_so_far;
            key[cell] = key_so_far;
        }
    }
}

CutBounds::Lowest CutBounds::lowest(const Interval& open) const {
    Lowest out;
    for (std::int32_t cut = open.low + 1; cut < open.high; ++cut) {
        const Ends ends = at(open, cut);
        out.relaxed = std::min(out.relaxed, ends.yes + ends.no);
        if (allowed(open, cut)) out.allowed = std::min(out.allowed, ends.yes + ends.no);
    }
    return out;
}

CutBounds::Choice CutBounds::middle(const Interval& open, Cost target) const {
    std::int32_t first = -1, last = -1;
    const auto alive = [&](std::int32_t cut) {
        const Ends ends = at(open, cut);
        return ends.yes + ends.no < target && allowed(open, cut);
    };
    for (std::int32_t cut = open.low + 1; cut < open.high; ++cut)
        if (alive(cut)) {
            if (first < 0) first = cut;
            last = cut;
        }
    if (first < 0) return {};
    const Cost centre = (base(open, first) + base(open, last)) / 2;
    Choice out{first, base(open, last) - base(open, first)};
    for (std::int32_t cut = first; cut <= last && base(open, cut) <= centre; ++cut)
        if (alive(cut)) out.cut = cut;
    return out;
}

CutBounds::Choice CutBounds::best_guess(const Interval& open, const std::vector<Cost>& guesses) const {
    Choice out;
    Cost best = kNoCost;
    for (std::int32_t cut = open.low + 1; cut < open.high; ++cut)
        if (allowed(open, cut) && (out.cut < 0 || guesses[cell(open, cut)] < best)) {
            best = guesses[cell(open, cut)];
            out.cut = cut;
        }
    if (out.cut >= 0) out.width = prefixes_.base[cell(open, open.high - 1)] - base(open, open.low + 1);
    return out;
}

}  // namespace exactree
