#include "diagrams/constrained/plans.hpp"

#include <algorithm>

namespace exactree::diagrams::constrained {

namespace {

// The choices of each layer.
std::vector<std::vector<PlanOrigin>> layers_of(const PlanArena& arena, PlanOrigin at) {
    std::vector<std::vector<PlanOrigin>> layers;
    for (;;) {
        std::vector<PlanOrigin> choices;
        PlanOrigin choice = at.closes ? arena[at.previous] : at;
        for (;; choice = arena[choice.previous]) {
            choices.push_back(choice);
            if (choice.previous == kNowhere) break;
        }
        std::reverse(choices.begin(), choices.end());
        layers.push_back(std::move(choices));
        if (!at.closes || at.below == kNowhere) return layers;
        at = arena[at.below];
    }
}

}  // namespace

Tree write_plan(const PlanArena& arena, const PlanOrigin& root) {
    const auto layers = layers_of(arena, root);
    std::size_t n_asking = 0;
    for (const auto& choices : layers) n_asking += choices.size();
    Tree out, leaves;
    for (const auto& choices : layers) {
        const auto next_layer = static_cast<std::int32_t>(out.size() + choices.size());
        const auto target = [&](std::int32_t to) {
            if (to >= 0) return next_layer + to;
            leaves.push_back({-1, 0, -1, -1, -1 - to});
            return static_cast<std::int32_t>(n_asking + leaves.size() - 1);
        };
        for (const PlanOrigin& choice : choices) {
            const bool asks = choice.question.column >= 0;
            const std::int32_t yes = target(choice.yes), no = target(choice.no);
            out.push_back({asks ? choice.question.column : 0,
                           asks ? static_cast<std::int32_t>(choice.question.rank) : -1, yes, no, 0});
        }
    }
    out.insert(out.end(), leaves.begin(), leaves.end());
    return out;
}

}  // namespace exactree::diagrams::constrained
