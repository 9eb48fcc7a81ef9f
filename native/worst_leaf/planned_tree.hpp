// A tree under construction.
#pragma once

#include <memory>

#include "core/data.hpp"

namespace exactree::worst_leaf {

struct PlannedTree {
    Question question;  // none: a leaf
    int label = 0;
    std::unique_ptr<PlannedTree> yes, no;

    bool is_leaf() const noexcept { return question.column < 0; }
    std::int64_t n_leaves() const { return is_leaf() ? 1 : yes->n_leaves() + no->n_leaves(); }
    void become_leaf(int its_label) {
        *this = PlannedTree{};
        label = its_label;
    }
    void become_stump(Question its_question, int label_yes, int label_no) {
        PlannedTree sides[2];
        sides[0].label = label_yes;
        sides[1].label = label_no;
        become_branch(its_question, std::move(sides[0]), std::move(sides[1]));
    }
    void become_branch(Question its_question, PlannedTree its_yes, PlannedTree its_no) {
        question = its_question;
        yes = std::make_unique<PlannedTree>(std::move(its_yes));
        no = std::make_unique<PlannedTree>(std::move(its_no));
    }
};

inline std::int32_t append_tree(const PlannedTree& plan, Tree& tree) {
    const auto at = static_cast<std::int32_t>(tree.size());
    tree.push_back({plan.question.column, static_cast<std::int32_t>(plan.question.rank), -1, -1, plan.label});
    if (plan.is_leaf()) {
        tree.back().rank = -1;
        return at;
    }
    const std::int32_t yes = append_tree(*plan.yes, tree), no = append_tree(*plan.no, tree);
    tree[static_cast<std::size_t>(at)].yes = yes;
    tree[static_cast<std::size_t>(at)].no = no;
    return at;
}

}  // namespace exactree::worst_leaf
