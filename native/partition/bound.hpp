// A lower bound from disjoint sets of rows: their optima together cost no more than the best tree of all rows.
//
// The rows are halved again and again at random. The bound begins with small parts and goes on with larger ones; a part
// that is not solved yet counts with the bounds of the smaller ones that it is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/budget.hpp"
#include "core/data.hpp"

namespace exactree::partition {

// A lower bound of the cost of all trees for a part within the limits: it need not exceed this share of the cost of a
// tree at hand. A bound that is lower because the watchdog stopped is right, too.
using PartBound = std::function<Cost(const Data&, const Limits&, double share, Watchdog&)>;

// How large parts are, and how much of their cost is proved.
struct Schedule {
    std::size_t smallest;  // groups of rows that a part has at least, and fewer than twice as many in the first round
    int doublings;         // of their size from one round to the next
    double share;          // in the first round; each leaves less than half of the rest

    // What measured best.
    static Schedule of_depth(int depth);
};

class PartitionBound {
 public:
    PartitionBound(const Data& data, const Limits& limits, Schedule schedule, std::uint64_t seed, PartBound solve);

    // Solves parts, at least one, until so much work is done or the watchdog stops; returns the work done. A part works
    // with a watchdog of its own, for which `leader` polls.
    std::uint64_t advance(std::uint64_t work, Watchdog& leader);

    // No tree within the limits costs less. It never falls.
    Cost bound() const noexcept { return bound_; }
    // Nothing is left to do: there are too few rows, or larger parts would take too long.
    bool ended() const noexcept { return ended_; }
    std::size_t n_parts() const noexcept { return lowest_.size(); }  // in this round

 private:
    std::uint64_t solve_next(Watchdog& leader);
    void end_round();
    std::size_t begin_of(std::size_t part) const noexcept;
    Cost price_of(std::size_t part) const noexcept;

    const Data& data_;
    Limits limits_;
    Schedule schedule_;
    PartBound solve_;
    std::vector<RowId> groups_;  // the first row of each, in random order
    int halvings_ = 0;           // of the rows, in this round
    double share_;
    std::vector<Cost> lowest_;  // bound of each part
    std::size_t next_ = 0;      // the part to solve
    Cost bound_ = 0;            // the sum of them
    bool ended_ = false;
    // of this round; of one part in the round before
    std::size_t n_stopped_ = 0;
    std::uint64_t work_ = 0, mean_ = 0;
};

}  // namespace exactree::partition
