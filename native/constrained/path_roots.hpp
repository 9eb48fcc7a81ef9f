// Root questions from sums over paths: for few questions and trees of depth three at most.
#pragma once

#include "constrained/path_bounds.hpp"
#include "constrained/roots.hpp"

namespace exactree::constrained {

class PathRoots final : public Roots {
 public:
    // `highest`: the relaxed cost of no tree is above it.
    PathRoots(const PathBounds& bounds, const ListingRules& rules, double highest, Watchdog& watchdog);

    Cost lowest() override;
    double highest() const override { return highest_; }
    std::vector<RootQuestion> questions(Cost most) override;
    void list_leaves(Cost most, Points& out) override { list({}, 0, most, out); }
    void open(const RootQuestion& root) override { opened_ = static_cast<std::uint32_t>(root.at); }
    void list_side(bool yes, Cost most, Points& out) override;
    Points no_points() const override { return Points::of(rules_); }
    Arena& arena() override { return arena_; }
    Counters counters() const override { return {{"listed", n_points_}}; }

 private:
    // Sums of channels over some rows, their planes, and all channels as integers.
    struct Rows {
        std::vector<double> sums, planes;
        std::vector<Cost> channels;
    };
    void list(const Path& path, int depth, Cost most, Points& out);
    void list_leaf(Cost most, Points& out);
    void list_stumps(const Path& path, Cost most, Points& out);
    void add_stumps(const ChainQuestion& question, Cost most, Points& out);
    void list_splits(const Path& path, int depth, Cost most, Points& out);
    void read(Rows& rows) const;    // planes
    void expand(Rows& rows) const;  // channels
    Rows no_rows() const;
    Cost relaxed_leaf(const Rows& rows, int label) const;

    const PathBounds& bounds_;
    const PathSums& sums_;
    const ListingRules& rules_;
    double highest_;
    Watchdog& watchdog_;
    Arena arena_;
    std::uint64_t n_points_ = 0;
    std::uint32_t opened_ = 0;
    Rows all_, inside_, outside_;
    std::vector<Cost> point_sums_;
};

}  // namespace exactree::constrained
