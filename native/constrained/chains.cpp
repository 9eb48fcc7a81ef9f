#include "constrained/chains.hpp"

#include <algorithm>

namespace exactree::constrained {
namespace {

bool all_at_most(std::span<const Rank> a, std::span<const Rank> b) {
    bool all = true;
    for (std::size_t group = 0; group < a.size(); ++group) all &= a[group] <= b[group];
    return all;
}

}  // namespace

Chains::Chains(std::span<const Rank> ranks, std::size_t n_columns, std::size_t n_groups) {
    std::vector<std::vector<std::uint32_t>> innermost(n_groups);
    Chain chain;
    for (std::size_t column = 0; column < n_columns; ++column) {
        const std::span<const Rank> of_column = ranks.subspan(column * n_groups, n_groups);
        const Rank last = *std::max_element(of_column.begin(), of_column.end());
        const auto number = static_cast<std::int32_t>(column);
        if (last == 0 || (last == 1 && extend(chain, of_column, number))) continue;
        add(chain, innermost);
        chain = {{}, {of_column.begin(), of_column.end()}, true, last == 1 ? of_column : std::span<const Rank>{}};
        for (Rank rank = 0; rank < last; ++rank) chain.questions.push_back({number, rank});
    }
    add(chain, innermost);
    ends_.push_back(0);
    for (const std::vector<std::uint32_t>& of_group : innermost) {
        innermost_.insert(innermost_.end(), of_group.begin(), of_group.end());
        ends_.push_back(innermost_.size());
    }
}

// Adds a column of two values to a chain of such, if its set contains all others.
bool Chains::extend(Chain& chain, std::span<const Rank> column, std::int32_t number) {
    if (chain.last.empty()) return false;
    const bool first = chain.questions.size() == 1;
    const bool yes = (first || chain.of_yes) && all_at_most(column, chain.last);
    const bool no = !yes && (first || !chain.of_yes) && all_at_most(chain.last, column);
    if (!yes && !no) return false;
    if (first && no) {
        for (Rank& rank : chain.rank) rank = 1 - rank;
    }
    chain.of_yes = yes;
    for (std::size_t group = 0; group < column.size(); ++group)
        chain.rank[group] += yes ? column[group] : 1 - column[group];
    chain.questions.push_back({number, 0});
    chain.last = column;
    return true;
}

void Chains::add(const Chain& chain, std::vector<std::vector<std::uint32_t>>& innermost) {
    if (chain.questions.empty()) return;
    std::vector<std::size_t> count(chain.questions.size() + 1);
    for (const Rank rank : chain.rank) ++count[rank];
    const auto usual = static_cast<Rank>(std::max_element(count.begin(), count.end()) - count.begin());
    const auto first = static_cast<std::uint32_t>(questions_.size());
    for (Rank rank = 0; rank < chain.questions.size(); ++rank) {
        const bool low = rank < usual;
        questions_.push_back({chain.questions[rank], low == chain.of_yes, n_chains_, low});
    }
    for (std::size_t group = 0; group < chain.rank.size(); ++group) {
        const Rank rank = chain.rank[group];
        if (rank != usual) innermost[group].push_back(first + rank - (rank < usual ? 0 : 1));
    }
    ++n_chains_;
}

std::uint64_t Chains::n_sets(int depth) const {
    std::uint64_t total = 0;
    for (std::size_t group = 0; group < n_groups(); ++group) {
        const std::uint64_t n = innermost(group).size();
        total += depth <= 1 ? n : depth == 2 ? n * (n - 1) / 2 : n < 3 ? 0 : n * (n - 1) * (n - 2) / 6;
    }
    return total;
}

}  // namespace exactree::constrained
