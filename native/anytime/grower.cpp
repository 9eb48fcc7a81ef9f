#include "anytime/grower.hpp"

#include <algorithm>
#include <utility>

namespace exactree::anytime {
namespace {

constexpr std::size_t kMostQuestions = 64;         // kept of each set of rows
constexpr std::size_t kMostQuestionLists = 20000;  // 20 MB

}  // namespace

Grower::Sides& Grower::sides_at(Levels& levels, int depth) {
    while (levels.size() <= static_cast<std::size_t>(depth)) levels.emplace_back();
    Sides& sides = levels[static_cast<std::size_t>(depth)];
    if (!sides.yes) sides = {engine_.make_set(), engine_.make_set()};
    return sides;
}

void Grower::set_leaf_price(Cost price) {
    leaf_price_ = price;
    questions_.clear();
    engine_.set_leaf_price(price);
}

SubtreePtr Grower::leaf(const EngineRows& rows) {
    auto out = std::make_unique<Subtree>();
    out->cost = rows.leaf_cost;
    out->label = rows.label;
    return out;
}

SubtreePtr Grower::block(const EngineRows& rows, int depth, Cost below) {
    if (depth == 0 || !rows.can_split) return leaf_below(rows, below);
    const SubtreeBounds known = engine_.solve(rows, depth, below);
    if (!known.solved() || known.upper >= below) return nullptr;
    SubtreePtr out = leaf(rows);
    out->cost = known.upper;
    out->question = known.question;
    out->block = !out->is_leaf();
    return out;
}

const std::vector<ScoredQuestion>& Grower::questions(const EngineRows& rows) {
    const auto found = questions_.find(rows.key.low);
    if (found != questions_.end()) return found->second;
    if (questions_.size() >= kMostQuestionLists) questions_.clear();
    std::vector<ScoredQuestion> all;
    engine_.look_ahead(rows, all);
    const std::size_t n = std::min(all.size(), kMostQuestions);
    return questions_[rows.key.low] = {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)};
}

Question Grower::pick(const EngineRows& rows, double chance, Random& random) {
    const std::vector<ScoredQuestion>& all = questions(rows);
    if (all.empty()) return {};
    std::size_t at = 0;
    while (at + 1 < all.size() && random.uniform() < chance) ++at;
    return all[at].question;
}

// `grow(rows, yes, depth, below)` grows one side. The more expensive side comes first: it is more likely to fail.
template <class Grow>
SubtreePtr Grower::grow_sides(const EngineRows& rows, Question question, int depth, Cost below, const Grow& grow) {
    Sides& sides = sides_at(levels_, depth);
    if (question.column < 0 || !engine_.split(rows, question, *sides.yes, *sides.no)) return leaf_below(rows, below);
    const bool yes_first = sides.yes->leaf_cost >= sides.no->leaf_cost;
    const auto grown = [&](bool yes, Cost limit) { return grow(yes ? *sides.yes : *sides.no, yes, depth - 1, limit); };
    SubtreePtr first = grown(yes_first, below - leaf_price_);
    if (!first) return leaf_below(rows, below);
    SubtreePtr second = grown(!yes_first, below - first->cost);
    if (!second || first->cost + second->cost >= rows.leaf_cost) return leaf_below(rows, below);
    SubtreePtr out = leaf(rows);
    out->question = question;
    out->cost = first->cost + second->cost;
    out->yes = std::move(yes_first ? first : second);
    out->no = std::move(yes_first ? second : first);
    return out;
}

SubtreePtr Grower::roll(const EngineRows& rows, int depth, Cost below, double chance, Random* random) {
    if (depth <= block_depth_) return block(rows, depth, below);
    if (!rows.can_split || watchdog_.stopped()) return leaf_below(rows, below);
    const Question question = random                    ? pick(rows, chance, *random)
                              : questions(rows).empty() ? Question{}
                                                        : questions(rows)[0].question;
    return grow_sides(rows, question, depth, below, [&](const EngineRows& side, bool, int left, Cost limit) {
        return roll(side, left, limit, chance, random);
    });
}

SubtreePtr Grower::nested(const EngineRows& rows, int depth, Cost below, std::size_t width) {
    if (depth <= block_depth_) return block(rows, depth, below);
    if (!rows.can_split || watchdog_.stopped()) return leaf_below(rows, below);
    SubtreePtr best;
    const std::vector<ScoredQuestion> first = questions(rows);
    for (std::size_t i = 0; i < std::min(width, first.size()) && !watchdog_.stopped(); ++i) {
        SubtreePtr found = rooted(rows, first[i].question, nullptr, depth, below);
        if (!found || found->cost >= below) continue;
        below = found->cost;
        best = std::move(found);
    }
    if (!best || !best->is_inner() || watchdog_.stopped()) return best;
    Sides& sides = sides_at(nested_levels_, depth);
    if (!engine_.split(rows, best->question, *sides.yes, *sides.no)) return best;
    if (SubtreePtr yes = nested(*sides.yes, depth - 1, best->yes->cost, width)) best->yes = std::move(yes);
    if (SubtreePtr no = nested(*sides.no, depth - 1, best->no->cost, width)) best->no = std::move(no);
    best->cost = best->yes->cost + best->no->cost;
    return best;
}

SubtreePtr Grower::refit(const EngineRows& rows, const Subtree& old, int depth, Cost below) {
    if (depth <= block_depth_ || !old.is_inner()) return roll(rows, depth, below);
    return rooted(rows, old.question, &old, depth, below);
}

SubtreePtr Grower::rooted(const EngineRows& rows, Question question, const Subtree* old, int depth, Cost below) {
    if (old && !old->is_inner()) old = nullptr;
    return grow_sides(rows, question, depth, below, [&](const EngineRows& side, bool yes, int left, Cost limit) {
        return old ? refit(side, yes ? *old->yes : *old->no, left, limit) : roll(side, left, limit);
    });
}

SubtreePtr Grower::exact(const EngineRows& rows, int depth, Cost below) {
    if (depth <= block_depth_ || !rows.can_split) return block(rows, depth, below);
    const SubtreeBounds known = engine_.solve(rows, depth, below);
    return known.solved() && known.upper < below ? written(rows, known, depth) : nullptr;
}

SubtreePtr Grower::written(const EngineRows& rows, const SubtreeBounds& known, int depth) {
    SubtreePtr out = leaf(rows);
    if (known.question.column < 0) return out;
    Sides& sides = sides_at(levels_, depth);
    if (!engine_.split(rows, known.question, *sides.yes, *sides.no)) return nullptr;
    out->question = known.question;
    out->yes = exact(*sides.yes, depth - 1, known.upper + 1);
    out->no = exact(*sides.no, depth - 1, known.upper + 1);
    if (!out->yes || !out->no) return nullptr;
    out->cost = out->yes->cost + out->no->cost;
    return out;
}

void Grower::write_out(const EngineRows& rows, Subtree& subtree, int depth) {
    if (subtree.is_leaf() || subtree.written) return;
    Sides& sides = sides_at(written_levels_, depth);
    if (!engine_.split(rows, subtree.question, *sides.yes, *sides.no)) return;
    if (!subtree.yes) {
        subtree.yes = block(*sides.yes, depth - 1, kInfiniteCost);
        subtree.no = block(*sides.no, depth - 1, kInfiniteCost);
        if (!subtree.yes || !subtree.no) return;
    }
    write_out(*sides.yes, *subtree.yes, depth - 1);
    write_out(*sides.no, *subtree.no, depth - 1);
    subtree.written = true;
}

}  // namespace exactree::anytime
