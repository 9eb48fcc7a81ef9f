// Compiled once per instruction set, in a namespace of its own: EXACTREE_ISA.
#include <array>
#include <bit>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "ranks/simd/partition.hpp"

namespace exactree::ranks::simd::EXACTREE_ISA {
namespace {

// Where the next values of both sides go.
struct PartitionOutput {
    std::uint32_t *yes, *no;

    // Without a branch, which would be hard to predict: the value is written to both, and one of them moves on.
    void take(std::uint32_t value, std::uint32_t target) {
        const std::uint32_t is_no = target >> 31;
        *yes = *no = value;
        yes += 1 - is_no;
        no += is_no;
    }

#if defined(__AVX2__)
    static constexpr std::size_t kAtOnce = 8;
    static_assert(kAtOnce <= kPartitionPadding);

    void take_all(__m256i values, __m256i targets) {
        const auto of_no = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(targets)));
        yes += put(values, ~of_no & 255u, yes);
        no += put(values, of_no, no);
    }

 private:
    // For every set of lanes, these lanes in order.
    static constexpr auto make_fronts() {
        std::array<std::array<std::uint32_t, kAtOnce>, 256> out{};
        for (std::uint32_t lanes = 0; lanes < 256; ++lanes)
            for (std::uint32_t lane = 0, at = 0; lane < kAtOnce; ++lane)
                if (lanes >> lane & 1) out[lanes][at++] = lane;
        return out;
    }
    // Compresses the selected lanes to the front; the rest is undefined.
    static std::size_t put(__m256i values, unsigned lanes, std::uint32_t* to) {
        static constexpr auto fronts = make_fronts();
        const auto front = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(fronts[lanes].data()));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(values, front));
        return static_cast<std::size_t>(std::popcount(lanes));
    }
#endif
};

void partition_values(const std::uint32_t* from, const std::uint32_t* target_of, std::size_t n, std::uint32_t* yes,
                      std::uint32_t* no) {
    PartitionOutput sides{yes, no};
    std::size_t at = 0;
#if defined(__AVX2__)
    for (; at + PartitionOutput::kAtOnce <= n; at += PartitionOutput::kAtOnce)
        sides.take_all(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at)),
                       _mm256_loadu_si256(reinterpret_cast<const __m256i*>(target_of + at)));
#endif
    for (; at < n; ++at) sides.take(from[at], target_of[at]);
}

void partition_rows(const std::uint32_t* from, const std::uint32_t* target_of, std::size_t n, std::uint32_t* yes,
                    std::uint32_t* no) {
    PartitionOutput sides{yes, no};
    std::size_t at = 0;
#if defined(__AVX2__)
    const __m256i local = _mm256_set1_epi32(static_cast<int>(~kNoSide));
    for (; at + PartitionOutput::kAtOnce <= n; at += PartitionOutput::kAtOnce) {
        const auto rows = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
        const auto targets = _mm256_i32gather_epi32(reinterpret_cast<const int*>(target_of), rows, 4);
        sides.take_all(_mm256_and_si256(targets, local), targets);
    }
#endif
    for (; at < n; ++at) {
        const std::uint32_t target = target_of[from[at]];
        sides.take(target & ~kNoSide, target);
    }
}

}  // namespace

PartitionOps make_partition_ops() { return {&partition_values, &partition_rows}; }

}  // namespace exactree::ranks::simd::EXACTREE_ISA
