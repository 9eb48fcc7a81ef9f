#include "constrained/points.hpp"

namespace exactree::constrained {

Tree tree_of(const Arena& arena, std::uint32_t at) {
    Tree tree;
    std::vector<std::uint32_t> waiting{at};  // a place in the arena for each node
    tree.push_back({-1, -1, -1, -1, 0});
    for (std::size_t node = 0; node < waiting.size(); ++node) {
        const TreeOrigin& origin = arena[waiting[node]];
        tree[node].label = origin.label;
        if (origin.question.column < 0) continue;
        tree[node].column = origin.question.column;
        tree[node].rank = static_cast<std::int32_t>(origin.question.rank);
        tree[node].yes = static_cast<std::int32_t>(tree.size());
        tree[node].no = tree[node].yes + 1;
        waiting.push_back(origin.yes);
        waiting.push_back(origin.no);
        tree.resize(tree.size() + 2, {-1, -1, -1, -1, 0});
    }
    return tree;
}

}  // namespace exactree::constrained
