// Root questions from branch and bound over ranks: for any number of thresholds.
#pragma once

#include "constrained/lister.hpp"
#include "constrained/roots.hpp"

namespace exactree::constrained {

class RankRoots final : public Roots {
 public:
    // `relaxed` has the relaxed costs as gains.
    RankRoots(const Data& relaxed, const ListingRules& rules, const Budget& budget, Watchdog& watchdog, bool portable);

    // The relaxed problem; its solution stays in the cache, which the listing reads.
    Cost lowest() override;
    double highest() const override;
    std::vector<RootQuestion> questions(Cost most) override;
    void list_leaves(Cost most, Points& out) override { lister_.list(root_, 0, most, out); }
    void open(const RootQuestion& root) override;
    void list_side(bool yes, Cost most, Points& out) override;
    Points no_points() const override { return lister_.no_points(); }
    Arena& arena() override { return lister_.arena; }
    Counters counters() const override;

 private:
    const Data& relaxed_;
    const ListingRules& rules_;
    ranks::RankSearcher searcher_;
    Lister lister_;
    ranks::Node root_;
    std::vector<OpenCut> cuts_;
};

}  // namespace exactree::constrained
