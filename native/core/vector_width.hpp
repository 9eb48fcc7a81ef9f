// How many numbers the vectorised loops work on at once, whatever the instruction set.
#pragma once

#include <cstddef>

namespace exactree {

constexpr std::size_t kVectorBytes = 32;

template <class Lane>
constexpr std::size_t kLanes = kVectorBytes / sizeof(Lane);

}  // namespace exactree
