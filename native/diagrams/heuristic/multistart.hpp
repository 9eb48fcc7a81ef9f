// Many diagrams, each built with other columns at hand and made better, and the best of them.
#pragma once

#include "diagrams/heuristic/builder.hpp"

namespace exactree::diagrams::heuristic {

struct MultistartSettings {
    std::uint64_t seed = 0;
    std::size_t starts = 1;
    bool every = false;  // whether to return all diagrams met, for a caller who will not take each of them
};

struct Started {
    std::vector<Tree> diagrams;  // the best one, or all that differ in the order in which they were met
    Cost cost = kInfiniteCost;   // of the best
    std::size_t starts = 0;      // diagrams built
    bool interrupted = false;
};

// The same for the same seed, on every machine, unless the time ends first. The best single leaf is always among the
// diagrams, and `given` if it is not empty.
Started run_multistart(const DiagramData& data, const DiagramLimits& limits, const MultistartSettings& settings,
                       const Budget& budget, const Tree& given);

}  // namespace exactree::diagrams::heuristic
