// Scratch arrays that are rewritten for every subproblem: they only grow, because resizing back and forth would clear
// them.
#pragma once

#include <cstddef>
#include <vector>

namespace exactree {

template <class T>
void ensure_size(std::size_t n, std::vector<T>& in) {
    if (in.size() < n) in.resize(n);
}

}  // namespace exactree
