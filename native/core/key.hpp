// 128-bit hash keys of sets of rows, in the manner of Zobrist hashing: the sum of a random word per row, so that the
// key of a union or difference follows from the keys of its parts. Two different sets share a key with probability
// 2^-128.
#pragma once

#include <cstdint>

namespace exactree {

struct Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    Key& operator+=(const Key& other) noexcept {
        low += other.low;
        high += other.high;
        return *this;
    }
    friend Key operator-(const Key& a, const Key& b) noexcept { return {a.low - b.low, a.high - b.high}; }
    friend bool operator==(const Key& a, const Key& b) noexcept = default;
};

// splitmix64 (Steele, Lea and Flood 2014): a bijection whose outputs pass for random.
inline std::uint64_t splitmix64(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

inline Key row_key(std::uint64_t row) noexcept { return {splitmix64(2 * row + 1), splitmix64(~(2 * row))}; }

}  // namespace exactree
