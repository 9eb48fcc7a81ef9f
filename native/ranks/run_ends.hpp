// Where the runs of a column end: stretches of its order without a place where a split can be best.
//
// The rows of a run have one label. Rows of one rank are a group that no split separates; groups that follow each other
// and have the same label only are one run. A group of several labels has a run for each.
#pragma once

#include <vector>

#include "core/row_bits.hpp"
#include "ranks/node.hpp"
#include "ranks/simd/probes.hpp"

namespace exactree::ranks {

struct RunEnd {
    Place place;     // behind the last row of the run
    bool may_split;  // a split may lie there: the next row has another rank
};

class RunEnds {
 public:
    explicit RunEnds(simd::FindChanges changes) : changes_(changes) {}

    // Call before the columns of a node.
    void begin(const Node& node);
    // `every_rank` lets each group be a run of its own.
    const std::vector<RunEnd>& find(const Node& node, std::size_t column, bool every_rank);

 private:
    void keep_mixed_groups();

    simd::FindChanges changes_;
    std::vector<std::uint32_t> label_begins_;
    RowBits labels_, ranks_, ends_;  // by place: set where the label, the rank, the run differs from the one before
    std::vector<RunEnd> found_;
};

}  // namespace exactree::ranks
