// Sums of channels over the rows inside of up to three questions: from them follows what every leaf of every tree of
// depth three costs, and adds to the sums that constraints limit.
#pragma once

#include <span>
#include <vector>

#include "constrained/chains.hpp"
#include "core/budget.hpp"

namespace exactree::constrained {

// The rows on one side of each of up to two questions.
struct Path {
    int length = 0;
    std::uint32_t at[2] = {0, 0};  // ascending
    bool inside[2] = {true, true};

    Path with(std::uint32_t question, bool within) const noexcept {
        if (length == 0) return {1, {question, 0}, {within, true}};
        if (question < at[0]) return {2, {question, at[0]}, {within, inside[0]}};
        return {2, {at[0], question}, {inside[0], within}};
    }
    bool asks(std::uint32_t question) const noexcept {
        return (length > 0 && at[0] == question) || (length > 1 && at[1] == question);
    }
};

// Sums are integers below 2^53 in size, kept as doubles: all of this is exact.
class PathSums {
 public:
    // `channels` has one row per group; paths are as long as trees of this depth, up to three, ask.
    PathSums(const Chains& chains, std::span<const Cost> channels, std::size_t n_channels, int depth);

    // What it takes: bytes, and numbers that are added.
    static std::size_t memory(std::size_t n_questions, std::size_t n_channels, int depth);
    // False if the watchdog stopped it.
    bool fill(Watchdog& watchdog);

    int depth() const noexcept { return depth_; }
    std::size_t n_questions() const noexcept { return n_; }
    std::size_t width() const noexcept { return kept_.size(); }
    const ChainQuestion& question(std::size_t at) const noexcept { return chains_[at]; }
    // Channels that are not zero everywhere, by their number among all; sums below are of these.
    const std::vector<std::size_t>& kept() const noexcept { return kept_; }
    // Largest sum of the absolute values of a channel.
    double largest(std::size_t channel) const noexcept { return largest_[channel]; }

    // Sums over the rows inside all of the given questions, which ascend.
    const double* none() const noexcept { return none_.data(); }
    const double* one(std::size_t i) const noexcept { return one_.data() + i * width(); }
    const double* two(std::size_t i, std::size_t j) const noexcept { return two_.data() + pair(i, j) * width(); }
    const double* three(std::size_t i, std::size_t j, std::size_t k) const noexcept {
        return three_.data() + (starts_[pair(i, j)] + k) * width();
    }
    // Number of a pair of questions, the first of which comes earlier.
    std::size_t pair(std::size_t i, std::size_t j) const noexcept { return i * (2 * n_ - i - 1) / 2 + (j - i - 1); }
    std::size_t n_pairs() const noexcept { return n_ * (n_ - 1) / 2; }

    // Sums over the rows of a path, and over those of them that are inside one more question that it does not ask.
    void whole(const Path& path, double* out) const;
    void part(const Path& path, std::uint32_t question, double* out) const;

 private:
    template <std::size_t kWidth>
    bool add_groups(Watchdog& watchdog);
    void add_up_ones();
    void add_up_twos();
    void add_up_threes();
    void fill_chains_of_two();
    void fill_chains_of_three();
    void add(double* to, const double* from, std::size_t n) const;
    // Whether the inside of a question contains that of the one before it, or of the one after it.
    bool contains_previous(std::size_t i) const { return chains_[i].low && i > 0 && same_piece(i - 1, i); }
    bool contains_next(std::size_t i) const { return !chains_[i].low && i + 1 < n_ && same_piece(i, i + 1); }
    bool same_chain(std::size_t a, std::size_t b) const { return chains_[a].chain == chains_[b].chain; }
    bool same_piece(std::size_t a, std::size_t b) const { return same_chain(a, b) && chains_[a].low == chains_[b].low; }
    // First question of a later chain.
    std::size_t after(std::size_t i) const { return ends_[i]; }

    const Chains& chains_;
    std::size_t n_;
    int depth_;
    std::vector<std::size_t> kept_;
    std::vector<double> channels_, largest_;  // groups x kept channels, kept channels
    std::vector<double> none_, one_, two_, three_;
    std::vector<std::size_t> starts_;  // of the third questions of a pair; its second question's number is left out
    std::vector<std::size_t> ends_;    // of the chain of each question
};

}  // namespace exactree::constrained
