#include "anytime/subtree.hpp"

namespace exactree::anytime {
namespace {

std::int32_t write(const Subtree& subtree, Tree& out) {
    const auto here = static_cast<std::int32_t>(out.size());
    out.push_back({-1, -1, -1, -1, subtree.label});
    if (subtree.is_leaf() || !subtree.yes || !subtree.no) return here;
    const std::int32_t yes = write(*subtree.yes, out), no = write(*subtree.no, out);
    out[static_cast<std::size_t>(here)] = {subtree.question.column, static_cast<std::int32_t>(subtree.question.rank),
                                           yes, no, subtree.label};
    return here;
}

}  // namespace

SubtreePtr clone(const Subtree& subtree) {
    auto out = std::make_unique<Subtree>();
    out->question = subtree.question;
    out->label = subtree.label;
    out->cost = subtree.cost;
    out->block = subtree.block;
    out->written = subtree.written;
    if (subtree.yes) out->yes = clone(*subtree.yes);
    if (subtree.no) out->no = clone(*subtree.no);
    return out;
}

Tree tree_of(const Subtree& subtree) {
    Tree out;
    write(subtree, out);
    return out;
}

}  // namespace exactree::anytime
