#include "ranks/similarity_bounds.hpp"

namespace exactree::ranks {
namespace {

constexpr std::size_t kMostCells = std::size_t{1} << 22;  // beyond it the bounds would take more than 64 MB
// Differing rows after which to stop: room at depth 4 has 19 % fewer subproblems with 32, 21 % with any number, but eeg
// at depth 3, which has no fewer, then takes a fifth longer.
constexpr std::size_t kMostLacking = 32;

}  // namespace

void SimilarityBounds::learn(const Node& node, Cut cut, const SideBounds& solved) {
    const std::size_t n = node.n_rows();
    if ((n + 1) * node.n_columns() > kMostCells) return;
    if (yes_.empty()) {
        n_places_ = n + 1;
        yes_.assign(n_places_ * node.n_columns(), 0);
        no_.assign(n_places_ * node.n_columns(), 0);
    }
    const Rank* ranks = node.ranks(cut.column);
    const Rank at_most = node.rank_at(cut.column, cut.place - 1);
    for (const Side side : {Side::yes, Side::no}) {
        const auto base_of = [&](std::uint32_t local) {
            return (ranks[local] <= at_most) == (side == Side::yes) ? node.base(local) : 0;
        };
        const Cost best = side == Side::yes ? solved.yes : solved.no;
        for (std::size_t column = 0; column < node.n_columns(); ++column)
            if (column != cut.column) raise_column(node.order(column), n, column, best, base_of);
    }
}

// From both ends of the column, as far as the bound is positive.
template <class BaseOf>
void SimilarityBounds::raise_column(const std::uint32_t* order, std::size_t n, std::size_t column, Cost best,
                                    BaseOf base_of) {
    Cost* const yes = yes_.data() + column * n_places_;
    Cost* const no = no_.data() + column * n_places_;
    // `left` is best(A) less the base of A that is missing from the side S of the cut.
    Cost left = best;
    for (std::size_t at = n, lacking = 0; at > 0 && left > 0 && lacking < kMostLacking; --at) {
        yes[at] = std::max(yes[at], left);
        const Cost base = base_of(order[at - 1]);
        left -= base;
        lacking += base > 0;
    }
    left = best;
    for (std::size_t at = 0, lacking = 0; at < n && left > 0 && lacking < kMostLacking; ++at) {
        no[at] = std::max(no[at], left);
        const Cost base = base_of(order[at]);
        left -= base;
        lacking += base > 0;
    }
}

OpenCuts SimilarityBounds::trimmed(std::size_t column, OpenCuts alive, Cost target) const noexcept {
    if (yes_.empty()) return alive;
    while (!alive.empty() && at(column, alive.first) >= target) ++alive.first;
    while (!alive.empty() && at(column, alive.last) >= target) --alive.last;
    return alive.empty() ? OpenCuts{} : alive;
}

}  // namespace exactree::ranks
