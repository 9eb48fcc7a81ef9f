// The moves of DiagramImprover that change questions.
#include "diagrams/heuristic/improver.hpp"

namespace exactree::diagrams::heuristic {

bool DiagramImprover::improve_questions(Diagram& diagram, std::size_t layer, Watchdog& watchdog) {
    bool changed = false;
    for (std::size_t node = 0; node < diagram.first[layer + 1] - diagram.first[layer]; ++node) {
        const std::size_t place = diagram.first[layer] + node;
        if (!diagram.used[place]) continue;
        const Target* to = diagram.nodes[place].to;
        if (to[0] == to[1] && diagram.is_label(to[0])) {
            changed |= split_equal_sides(diagram, layer, node, watchdog);
            if (watchdog.stopped()) return false;
            continue;
        }
        collect_gains(diagram, layer, node);
        const std::size_t n_torn = torn_.size();
        const FoundQuestion asked = finder_.best({torn_.data(), n_torn}, {gain_.data(), n_torn}, now_, watchdog);
        if (watchdog.stopped()) return false;
        changed |= apply_question(diagram, layer, node, asked);
    }
    return changed;
}

// Both sides of a node end in leaves of one label: finds the best other label for one of them, and the question for it.
bool DiagramImprover::split_equal_sides(Diagram& diagram, std::size_t layer, std::size_t node, Watchdog& watchdog) {
    DiagramNode& here = diagram.nodes[diagram.first[layer] + node];
    const Target same = here.to[1];
    FoundQuestion best{0, -1, 0, false};
    Target other = same;
    for (Target k = 0; diagram.is_label(k) && !watchdog.stopped(); ++k) {
        if (k == same) continue;
        const FoundQuestion asked = best_question_for(diagram, layer, node, k, watchdog);
        if (asked.column < 0 || asked.gain <= best.gain) continue;
        best = asked;
        other = k;
    }
    if (other != same && !watchdog.stopped()) {
        best = best_question_for(diagram, layer, node, other,
                                 watchdog);  // the finder knows the rows of its last call only
        now_ = 0;
        if (!watchdog.stopped() && apply_question(diagram, layer, node, best)) return true;
    }
    here.to[0] = here.to[1] = same;
    return false;
}

// The best question if the yes side of a node has the given label.
FoundQuestion DiagramImprover::best_question_for(Diagram& diagram, std::size_t layer, std::size_t node, Target label,
                                                 Watchdog& watchdog) {
    diagram.nodes[diagram.first[layer] + node].to[0] = label;
    collect_gains(diagram, layer, node);
    return finder_.best({torn_.data(), torn_.size()}, {gain_.data(), torn_.size()}, 0, watchdog);
}

// Sets the question found, if it is better than the current one.
bool DiagramImprover::apply_question(Diagram& diagram, std::size_t layer, std::size_t node,
                                     const FoundQuestion& asked) {
    if (asked.column < 0 || asked.gain <= now_) return false;
    DiagramNode& here = diagram.nodes[diagram.first[layer] + node];
    const DiagramNode before = here;
    here.column = asked.column;
    here.rank = static_cast<std::int32_t>(finder_.rank_of(asked));
    if (asked.swapped) std::swap(here.to[0], here.to[1]);
    if (allowed(diagram)) {
        partition(here, layer, diagram.first[layer] + node);
        return true;
    }
    here = before;
    return false;
}

// Collects the rows of a node whose cost depends on their answer, the gain of answering yes for each, and the gain of
// the current question.
void DiagramImprover::collect_gains(const Diagram& diagram, std::size_t layer, std::size_t node) {
    const DiagramNode& asks = diagram.nodes[diagram.first[layer] + node];
    const Cost *yes = costs_at(asks.to[0]), *no = costs_at(asks.to[1]);
    torn_.resize(data_.n_rows);
    gain_.resize(data_.n_rows);
    now_ = 0;
    std::size_t n_torn = 0;
    const NodeRows share = shares_[diagram.first[layer] + node];
    for (std::size_t i = share.begin; i < share.end; ++i) {
        const RowId row = rows_of_[layer * data_.n_rows + i];
        const Cost gain = no[row] - yes[row];
        torn_[n_torn] = row;
        gain_[n_torn] = gain;
        n_torn += gain != 0;
        now_ += i < share.middle ? gain : 0;
    }
    torn_.resize(n_torn);
    gain_.resize(n_torn);
}

}  // namespace exactree::diagrams::heuristic
