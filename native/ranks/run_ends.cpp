#include "ranks/run_ends.hpp"

#include <algorithm>

namespace exactree::ranks {

void RunEnds::begin(const Node& node) {
    label_begins_.clear();
    const std::uint32_t *const first = node.labels(), *const last = first + node.n_rows();
    for (const std::uint32_t* at = first; (at = std::upper_bound(at, last, *at)) != last;)
        label_begins_.push_back(static_cast<std::uint32_t>(at - first));
}

const std::vector<RunEnd>& RunEnds::find(const Node& node, std::size_t column, bool every_rank) {
    const std::size_t n = node.n_rows(), n_words = words_for(n);
    const bool tied = node.tied(column);
    labels_.resize(n_words);
    ranks_.resize(n_words);
    const simd::RowLabels labels{node.labels(), label_begins_.data(), label_begins_.size()};
    changes_(node.order(column), labels, tied ? node.ranks(column) : nullptr, n, labels_.data(), ranks_.data());
    ends_ = labels_;
    if (every_rank)
        for (std::size_t w = 0; w < n_words; ++w) ends_[w] |= ranks_[w];
    else if (tied)
        keep_mixed_groups();
    found_.clear();
    for_each_row(ends_.data(), n_words,
                 [&](Place place) { found_.push_back({place, (ranks_[place / 64] >> place % 64 & 1) != 0}); });
    found_.push_back({static_cast<Place>(n), true});
    return found_;
}

// Ends runs at both ends of a group of several labels, even if the label continues there.
void RunEnds::keep_mixed_groups() {
    Place begin = 0;     // of the last group
    bool mixed = false;  // the last group, as far as it was seen
    const auto keep = [&](Place place) { ends_[place / 64] |= Word{1} << place % 64; };
    for (std::size_t w = 0; w < ranks_.size(); ++w) {
        // A label that changes inside a group carries over to the group's end: ones stand where no group ends.
        const Word inside = ~ranks_[w], changes = labels_[w] & inside;
        const Word sum = inside + changes, ends = (sum + mixed) & ranks_[w];
        mixed = sum < inside || sum + mixed < sum;
        for (Word word = ends; word; word &= word - 1) {
            const Word before = ranks_[w] & ((word & -word) - 1);
            const auto base = static_cast<Place>(64 * w);
            keep(base + static_cast<Place>(std::countr_zero(word)));
            keep(before ? base + static_cast<Place>(std::bit_width(before) - 1) : begin);
        }
        if (ranks_[w]) begin = static_cast<Place>(64 * w + std::bit_width(ranks_[w]) - 1);
    }
    if (mixed) keep(begin);
    ends_[0] &= ~Word{1};  // no run ends before the first row
}

}  // namespace exactree::ranks
