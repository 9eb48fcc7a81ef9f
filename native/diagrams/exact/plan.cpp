#include "diagrams/exact/searcher.hpp"

namespace exactree::diagrams::exact {
namespace {

std::int32_t best_label(const Data& data, const RowBits& rows) {
    std::vector<Cost> gains(static_cast<std::size_t>(data.n_classes), 0);
    for_each_row(rows.data(), rows.size(),
                 [&](std::uint32_t row) { gains[static_cast<std::size_t>(data.label[row])] += data.gain[row]; });
    return static_cast<std::int32_t>(std::max_element(gains.begin(), gains.end()) - gains.begin());
}

// Rows of a group on both sides of a choice; all are on the no side if nothing is asked.
std::pair<RowBits, RowBits> sides_of(const Data& data, const RowBits& rows, const NodeChoice& choice) {
    if (choice.question.column < 0) return {RowBits(rows.size(), 0), rows};
    RowBits yes(rows.size(), 0), no(rows.size(), 0);
    for_each_row(rows.data(), rows.size(), [&](std::uint32_t row) {
        const bool is_yes = data.rank(static_cast<std::size_t>(choice.question.column), row) <= choice.question.rank;
        add_row(is_yes ? yes : no, row);
    });
    return {std::move(yes), std::move(no)};
}

}  // namespace

std::int64_t count_nodes(const DiagramPlan& plan) {
    std::int64_t out = 0;
    for (const DiagramPlan* at = &plan; at; at = at->below.get()) out += static_cast<std::int64_t>(at->choices.size());
    return out;
}

Tree write_diagram(const Data& data, const DiagramPlan& plan) {
    const auto n_asking = static_cast<std::int32_t>(count_nodes(plan));
    Tree out;
    std::vector<RowBits> here{all_rows(data.n_rows)};
    for (const DiagramPlan* at = &plan; at; at = at->below.get()) {
        const auto next_layer = static_cast<std::int32_t>(out.size() + at->choices.size());
        std::vector<RowBits> next(at->below ? at->below->choices.size() : 0, RowBits(words_for(data.n_rows), 0));
        for (std::size_t node = 0; node < at->choices.size(); ++node) {
            const NodeChoice& choice = at->choices[node];
            const auto [yes, no] = sides_of(data, here[node], choice);
            const auto target = [&](std::int32_t to, const RowBits& rows) {
                if (to == kToLeaf) return n_asking + best_label(data, rows);
                RowBits& group = next[static_cast<std::size_t>(to)];
                for (std::size_t w = 0; w < rows.size(); ++w) group[w] |= rows[w];
                return next_layer + to;
            };
            const bool asks = choice.question.column >= 0;
            out.push_back({asks ? choice.question.column : 0,
                           asks ? static_cast<std::int32_t>(choice.question.rank) : -1, target(choice.yes, yes),
                           target(choice.no, no), 0});
        }
        here = std::move(next);
    }
    for (std::int32_t label = 0; label < data.n_classes; ++label) out.push_back({-1, 0, -1, -1, label});
    return out;
}

}  // namespace exactree::diagrams::exact
