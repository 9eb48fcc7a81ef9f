// Multistart heuristic: builds many diagrams, each from a random subset of columns, improves each by local search, and
// keeps the best.
#pragma once

#include "diagrams/heuristic/builder.hpp"

namespace exactree::diagrams::heuristic {

struct MultistartSettings {
    std::uint64_t seed = 0;
    std::size_t starts = 1;
    bool every = false;  // whether to return all distinct diagrams, for a caller with further constraints
};

struct ConstructedDiagrams {
    std::vector<Tree> diagrams;  // the best one, or all distinct ones in order of discovery
    Cost cost = kInfiniteCost;   // of the best
    std::size_t starts = 0;      // diagrams built
    bool interrupted = false;
};

// Deterministic for a given seed, on every platform, unless time runs out. The best single leaf is always among the
// diagrams, and `given` if it is not empty.
ConstructedDiagrams run_multistart(const DiagramData& data, const DiagramLimits& limits,
                                   const MultistartSettings& settings, const Budget& budget, const Tree& given);

}  // namespace exactree::diagrams::heuristic
