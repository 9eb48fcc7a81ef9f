#include "constrained/path_sums.hpp"

#include <algorithm>
#include <cmath>

namespace exactree::constrained {

PathSums::PathSums(const Chains& chains, std::span<const Cost> channels, std::size_t n_channels, int depth)
    : chains_(chains), n_(chains.size()), depth_(std::min(depth, 3)) {
    const std::size_t n_groups = chains.n_groups();
    for (std::size_t c = 0; c < n_channels; ++c) {
        double largest = 0;
        for (std::size_t group = 0; group < n_groups; ++group)
            largest += std::abs(static_cast<double>(channels[group * n_channels + c]));
        if (largest == 0) continue;
        kept_.push_back(c);
        largest_.push_back(largest);
    }
    channels_.reserve(n_groups * width());
    for (std::size_t group = 0; group < n_groups; ++group)
        for (const std::size_t c : kept_) channels_.push_back(static_cast<double>(channels[group * n_channels + c]));
    ends_.resize(n_);
    for (std::size_t i = n_; i-- > 0;) ends_[i] = i + 1 < n_ && same_chain(i, i + 1) ? ends_[i + 1] : i + 1;
}

std::size_t PathSums::memory(std::size_t n_questions, std::size_t n_channels, int depth) {
    const double n = static_cast<double>(n_questions);
    const double paths = depth >= 3 ? n * n * (n + 3) / 6 : depth == 2 ? n * n / 2 : n;
    const double bytes = 8 * (paths * static_cast<double>(n_channels) + n * n * 4);
    return bytes < 1e18 ? static_cast<std::size_t>(bytes) : SIZE_MAX;
}

bool PathSums::fill(Watchdog& watchdog) {
    none_.assign(width(), 0);
    one_.assign(n_ * width(), 0);
    if (depth_ >= 2) two_.assign(n_pairs() * width(), 0);
    if (depth_ >= 3) {
        std::size_t n_triples = 0;
        starts_.resize(n_pairs());
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = i + 1; j < n_; ++j) {
                starts_[pair(i, j)] = n_triples - (j + 1);  // wraps around, and back once k is added
                n_triples += n_ - j - 1;
            }
        three_.assign(n_triples * width(), 0);
    }
    const auto add_all = [&] {
        switch (width()) {
            case 3:
                return add_groups<3>(watchdog);
            case 4:
                return add_groups<4>(watchdog);
            case 5:
                return add_groups<5>(watchdog);
            case 6:
                return add_groups<6>(watchdog);
            default:
                return add_groups<0>(watchdog);
        }
    };
    if (!add_all()) return false;
    add_up_ones();
    if (depth_ >= 2) add_up_twos();
    if (depth_ >= 3) add_up_threes();
    return !watchdog.spend(three_.size() + two_.size());
}

// Adds each group to the sets of its innermost questions. A width that is known in advance makes for quicker loops.
template <std::size_t kWidth>
bool PathSums::add_groups(Watchdog& watchdog) {
    const std::size_t n_channels = kWidth == 0 ? width() : kWidth;
    const auto add_to = [&](double* to, const double* from) {
        for (std::size_t c = 0; c < n_channels; ++c) to[c] += from[c];
    };
    for (std::size_t group = 0; group < chains_.n_groups(); ++group) {
        const std::span<const std::uint32_t> in = chains_.innermost(group);
        const double* own = channels_.data() + group * n_channels;
        add_to(none_.data(), own);
        for (std::size_t x = 0; x < in.size(); ++x) {
            add_to(one_.data() + in[x] * n_channels, own);
            for (std::size_t y = x + 1; depth_ >= 2 && y < in.size(); ++y) {
                const std::size_t both = pair(in[x], in[y]);
                add_to(two_.data() + both * n_channels, own);
                if (depth_ < 3) continue;
                const std::size_t start = starts_[both];
                for (std::size_t z = y + 1; z < in.size(); ++z)
                    add_to(three_.data() + (start + in[z]) * n_channels, own);
            }
        }
        const std::uint64_t n = in.size();
        if (watchdog.spend((depth_ < 3 ? n * n : n * n * n / 3 + n) + 1)) return false;
    }
    return true;
}

void PathSums::add(double* to, const double* from, std::size_t n) const {
    for (std::size_t x = 0; x < n * width(); ++x) to[x] += from[x];
}

// From sums over innermost questions to sums over all questions that a group is inside of.
void PathSums::add_up_ones() {
    for (std::size_t i = 0; i < n_; ++i)
        if (contains_previous(i)) add(one_.data() + i * width(), one(i - 1), 1);
    for (std::size_t i = n_; i-- > 0;)
        if (contains_next(i)) add(one_.data() + i * width(), one(i + 1), 1);
}

void PathSums::add_up_twos() {
    const auto row = [&](std::size_t i, std::size_t j) { return two_.data() + pair(i, j) * width(); };
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = after(i); j < n_; ++j)
            if (contains_previous(j)) add(row(i, j), row(i, j - 1), 1);
        for (std::size_t j = n_; j-- > after(i);)
            if (contains_next(j)) add(row(i, j), row(i, j + 1), 1);
    }
    for (std::size_t i = 0; i < n_; ++i)
        if (contains_previous(i) && after(i) < n_) add(row(i, after(i)), row(i - 1, after(i)), n_ - after(i));
    for (std::size_t i = n_; i-- > 0;)
        if (contains_next(i) && after(i) < n_) add(row(i, after(i)), row(i + 1, after(i)), n_ - after(i));
    fill_chains_of_two();
}

// Two questions of one chain.
void PathSums::fill_chains_of_two() {
    for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = i + 1; j < after(i); ++j)
            if (const std::int64_t both = chains_.within_both(i, j); both >= 0)
                add(two_.data() + pair(i, j) * width(), one(static_cast<std::size_t>(both)), 1);
}

void PathSums::add_up_threes() {
    const auto row = [&](std::size_t i, std::size_t j, std::size_t k) {
        return three_.data() + (starts_[pair(i, j)] + k) * width();
    };
    for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = after(i); j < n_; ++j) {
            for (std::size_t k = after(j) + 1; k < n_; ++k)
                if (contains_previous(k)) add(row(i, j, k), row(i, j, k - 1), 1);
            for (std::size_t k = n_; k-- > after(j);)
                if (contains_next(k)) add(row(i, j, k), row(i, j, k + 1), 1);
        }
        const auto add_row = [&](std::size_t j, std::size_t from) {
            if (after(j) < n_) add(row(i, j, after(j)), row(i, from, after(j)), n_ - after(j));
        };
        for (std::size_t j = after(i) + 1; j < n_; ++j)
            if (contains_previous(j)) add_row(j, j - 1);
        for (std::size_t j = n_; j-- > after(i);)
            if (contains_next(j)) add_row(j, j + 1);
    }
    const auto add_plane = [&](std::size_t i, std::size_t from) {
        for (std::size_t j = after(i); j < n_; ++j)
            if (after(j) < n_) add(row(i, j, after(j)), row(from, j, after(j)), n_ - after(j));
    };
    for (std::size_t i = 0; i < n_; ++i)
        if (contains_previous(i)) add_plane(i, i - 1);
    for (std::size_t i = n_; i-- > 0;)
        if (contains_next(i)) add_plane(i, i + 1);
    fill_chains_of_three();
}

// Three questions of which two or three are of one chain.
void PathSums::fill_chains_of_three() {
    for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = i + 1; j < n_; ++j)
            for (std::size_t k = j + 1; k < (same_chain(i, j) ? n_ : after(j)); ++k) {
                const bool first = same_chain(i, j);
                const std::int64_t both = first ? chains_.within_both(i, j) : chains_.within_both(j, k);
                if (both < 0) continue;
                const auto kept = static_cast<std::size_t>(both);
                add(three_.data() + (starts_[pair(i, j)] + k) * width(), first ? two(kept, k) : two(i, kept), 1);
            }
}

void PathSums::whole(const Path& path, double* out) const {
    const double* all = none();
    const double* first = path.length > 0 ? one(path.at[0]) : nullptr;
    const double* second = path.length > 1 ? one(path.at[1]) : nullptr;
    const double* both = path.length > 1 ? two(path.at[0], path.at[1]) : nullptr;
    for (std::size_t c = 0; c < width(); ++c) {
        if (path.length == 0) {
            out[c] = all[c];
        } else if (path.length == 1) {
            out[c] = path.inside[0] ? first[c] : all[c] - first[c];
        } else if (path.inside[0]) {
            out[c] = path.inside[1] ? both[c] : first[c] - both[c];
        } else {
            out[c] = path.inside[1] ? second[c] - both[c] : all[c] - first[c] - second[c] + both[c];
        }
    }
}

void PathSums::part(const Path& path, std::uint32_t question, double* out) const {
    const double* all = one(question);
    if (path.length == 0) {
        std::copy_n(all, width(), out);
        return;
    }
    const auto with = [&](std::uint32_t other) { return two(std::min(other, question), std::max(other, question)); };
    const double* first = with(path.at[0]);
    if (path.length == 1) {
        for (std::size_t c = 0; c < width(); ++c) out[c] = path.inside[0] ? first[c] : all[c] - first[c];
        return;
    }
    const double* second = with(path.at[1]);
    std::uint32_t at[3] = {path.at[0], path.at[1], question};
    std::sort(at, at + 3);
    const double* both = three(at[0], at[1], at[2]);
    for (std::size_t c = 0; c < width(); ++c) {
        if (path.inside[0])
            out[c] = path.inside[1] ? both[c] : first[c] - both[c];
        else
            out[c] = path.inside[1] ? second[c] - both[c] : all[c] - first[c] - second[c] + both[c];
    }
}

}  // namespace exactree::constrained
