// Pseudo-random numbers that are the same on every platform.
#pragma once

#include <cstddef>
#include <cstdint>

namespace exactree {

// SplitMix64.
class Random {
 public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // An integer in 0..n-1; its bias of n / 2^64 does not matter here.
    std::size_t below(std::size_t n) noexcept { return static_cast<std::size_t>(next() % n); }

 private:
    std::uint64_t state_;
};

}  // namespace exactree
