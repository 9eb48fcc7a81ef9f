// The state of the anytime search: a tree whose lowest levels are blocks.
#pragma once

#include <memory>

#include "core/data.hpp"
#include "core/subtree_engine.hpp"

namespace exactree::anytime {

struct Subtree {
    Question question;  // none at a leaf
    std::int32_t label = 0;
    Cost cost = 0;
    bool block = false;    // an optimum of small depth that is only replaced as a whole; its sides may be missing
    bool written = false;  // no sides are missing
    std::unique_ptr<Subtree> yes, no;
    std::shared_ptr<const EngineRows> rows;  // those that arrive, once they were needed

    bool is_leaf() const noexcept { return question.column < 0; }
    bool is_inner() const noexcept { return !is_leaf() && !block; }
};

using SubtreePtr = std::unique_ptr<Subtree>;

// Without the rows.
SubtreePtr clone(const Subtree& subtree);

// Of a subtree that is written out; a missing side becomes a leaf.
Tree tree_of(const Subtree& subtree);

}  // namespace exactree::anytime
