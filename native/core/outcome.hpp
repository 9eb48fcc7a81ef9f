// The result of a search: the best tree found, the lower bound proved, and the history of both.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/budget.hpp"
#include "core/data.hpp"

namespace exactree {

struct Outcome {
    Tree tree;
    Cost cost = 0;
    Cost bound = 0;  // equal to the cost once proved
    Status status = Status::proved;
    std::vector<Progress> history;  // whenever cost or bound changed
    std::vector<std::pair<std::string, std::uint64_t>> counters;
};

}  // namespace exactree
