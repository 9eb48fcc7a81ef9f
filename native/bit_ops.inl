// Compiled once per instruction set, in a namespace of its own: EXACTREE_ISA. Written with fixed-size blocks that
// compilers turn into vector registers (GCC's and Clang's vector types where there are any).
#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include "bit_ops.hpp"

namespace exactree::EXACTREE_ISA {
namespace {

#if defined(__GNUC__)
using Bytes = std::int8_t __attribute__((vector_size(kColumnBlock)));

inline void add(Bytes& sum, const std::int8_t* cells) {
    Bytes loaded;
    std::memcpy(&loaded, cells, sizeof loaded);
    sum += loaded;
}
template <class Sum>
inline void carry(Bytes& bytes, Sum* sums) {
    for (std::size_t j = 0; j < kColumnBlock; ++j) sums[j] = static_cast<Sum>(sums[j] + bytes[j]);
    bytes = Bytes{};
}
#else
struct Bytes {
    std::int8_t at[kColumnBlock] = {};
};
inline void add(Bytes& sum, const std::int8_t* cells) {
    for (std::size_t j = 0; j < kColumnBlock; ++j) sum.at[j] = static_cast<std::int8_t>(sum.at[j] + cells[j]);
}
template <class Sum>
inline void carry(Bytes& bytes, Sum* sums) {
    for (std::size_t j = 0; j < kColumnBlock; ++j) sums[j] = static_cast<Sum>(sums[j] + bytes.at[j]);
    bytes = Bytes{};
}
#endif

// Sums of kBlocks blocks of columns: bytes are added as bytes, and carried over before they can overflow.
template <std::size_t kBlocks, class Sum>
void sum_blocks(const std::int8_t* cells, std::size_t stride, std::size_t rows_per_carry, const std::uint32_t* rows,
                std::size_t n_rows, Sum* out) {
    std::fill(out, out + kBlocks * kColumnBlock, Sum{0});
    for (std::size_t done = 0; done < n_rows;) {
        const std::size_t end = std::min(n_rows, done + rows_per_carry);
        Bytes bytes[kBlocks] = {};
        for (; done < end; ++done) {
            const std::int8_t* row = cells + rows[done] * stride;
#pragma GCC unroll 10
            for (std::size_t b = 0; b < kBlocks; ++b) add(bytes[b], row + b * kColumnBlock);
        }
#pragma GCC unroll 10
        for (std::size_t b = 0; b < kBlocks; ++b) carry(bytes[b], out + b * kColumnBlock);
    }
}

template <class Sum>
void sum_small(const std::int8_t* cells, std::size_t stride, std::size_t n_columns, std::int8_t largest,
               const std::uint32_t* rows, std::size_t n_rows, Sum* out) {
    const std::size_t per_carry = static_cast<std::size_t>(127 / std::max<std::int8_t>(1, largest));
    constexpr std::size_t kMost = 10;  // blocks that fit into sixteen vector registers with room to spare
    for (std::size_t at = 0; at < n_columns;) {
        const std::size_t blocks = std::min(kMost, (n_columns - at) / kColumnBlock);
        const std::int8_t* from = cells + at;
        switch (blocks) {
            case 1:
                sum_blocks<1>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 2:
                sum_blocks<2>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 3:
                sum_blocks<3>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 4:
                sum_blocks<4>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 5:
                sum_blocks<5>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 6:
                sum_blocks<6>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 7:
                sum_blocks<7>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 8:
                sum_blocks<8>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            case 9:
                sum_blocks<9>(from, stride, per_carry, rows, n_rows, out + at);
                break;
            default:
                sum_blocks<kMost>(from, stride, per_carry, rows, n_rows, out + at);
                break;
        }
        at += blocks * kColumnBlock;
    }
}

void sum_wide(const std::int64_t* cells, std::size_t stride, std::size_t n_columns, std::int64_t,
              const std::uint32_t* rows, std::size_t n_rows, std::int64_t* out) {
    std::fill(out, out + n_columns, 0);
    for (std::size_t r = 0; r < n_rows; ++r) {
        const std::int64_t* row = cells + rows[r] * stride;
        for (std::size_t j = 0; j < n_columns; ++j) out[j] += row[j];
    }
}

template <class Sum>
Extremes<Sum> extremes(const Sum* pairs, const Sum* singles, std::size_t stride) {
    Sum with_low = 0, with_high = 0, without_low = 0, without_high = 0;
    for (std::size_t j = 0; j < stride; ++j) {
        const Sum with = pairs[j], without = static_cast<Sum>(singles[j] - pairs[j]);
        with_low = std::min(with_low, with);
        with_high = std::max(with_high, with);
        without_low = std::min(without_low, without);
        without_high = std::max(without_high, without);
    }
    return {with_low, with_high, without_low, without_high};
}

template <class Sum>
Extremes<Sum> extremes_of_rest(const Sum* all_pairs, const Sum* all_singles, const Sum* part_pairs,
                               const Sum* part_singles, std::size_t stride) {
    Sum with_low = 0, with_high = 0, without_low = 0, without_high = 0;
    for (std::size_t j = 0; j < stride; ++j) {
        const Sum with = static_cast<Sum>(all_pairs[j] - part_pairs[j]);
        const Sum single = static_cast<Sum>(all_singles[j] - part_singles[j]);
        const Sum without = static_cast<Sum>(single - with);
        with_low = std::min(with_low, with);
        with_high = std::max(with_high, with);
        without_low = std::min(without_low, without);
        without_high = std::max(without_high, without);
    }
    return {with_low, with_high, without_low, without_high};
}

std::size_t list_rows(const Word* set, const Word* column, Word flip, std::size_t n_words, std::uint32_t* out) {
    std::uint32_t* next = out;
    for (std::size_t w = 0; w < n_words; ++w) {
        Word word = set[w] & (column[w] ^ flip);
        const int n = std::popcount(word);
        // Four at a time, whether they are there or not: cheaper than a branch per row that is hard to foresee.
        for (int done = 0; done < n; done += 4)
            for (int k = 0; k < 4; ++k, word &= word - 1)
                next[done + k] =
                    static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(word));
        next += n;
    }
    return static_cast<std::size_t>(next - out);
}

std::size_t count_difference(const Word* a, const Word* b, std::size_t n_words) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < n_words; ++i) total += static_cast<std::size_t>(std::popcount(a[i] & ~b[i]));
    return total;
}

// kWords words per column, or n_words if kWords is 0.
template <std::size_t kWords, class Sum>
void count_pairs_of(const Word* columns, std::size_t n_columns, std::size_t n_words, std::size_t stride, int sign,
                    Sum* sums) {
    const std::size_t n = kWords == 0 ? n_words : kWords;
    for (std::size_t i = 0; i < n_columns; ++i) {
        const Word* a = columns + i * n;
        for (std::size_t j = i; j < n_columns; ++j) {
            const Word* b = columns + j * n;
            int both = 0;
            for (std::size_t w = 0; w < n; ++w) both += std::popcount(a[w] & b[w]);
            const Sum sum = static_cast<Sum>(sums[i * stride + j] + sign * both);
            sums[i * stride + j] = sums[j * stride + i] = sum;
        }
    }
}

template <class Sum>
void count_pairs(const Word* columns, std::size_t n_columns, std::size_t n_words, std::size_t stride, int sign,
                 Sum* sums) {
    switch (n_words) {
        case 0:
            break;
        case 1:
            count_pairs_of<1>(columns, n_columns, n_words, stride, sign, sums);
            break;
        case 2:
            count_pairs_of<2>(columns, n_columns, n_words, stride, sign, sums);
            break;
        case 3:
            count_pairs_of<3>(columns, n_columns, n_words, stride, sign, sums);
            break;
        case 4:
            count_pairs_of<4>(columns, n_columns, n_words, stride, sign, sums);
            break;
        case 5:
            count_pairs_of<5>(columns, n_columns, n_words, stride, sign, sums);
            break;
        case 6:
            count_pairs_of<6>(columns, n_columns, n_words, stride, sign, sums);
            break;
        case 7:
            count_pairs_of<7>(columns, n_columns, n_words, stride, sign, sums);
            break;
        case 8:
            count_pairs_of<8>(columns, n_columns, n_words, stride, sign, sums);
            break;
        default:
            count_pairs_of<0>(columns, n_columns, n_words, stride, sign, sums);
            break;
    }
}

inline Word extract(Word from, Word mask) {
#if defined(__BMI2__)
    return _pext_u64(from, mask);
#else
    Word out = 0;
    for (Word bit = 1; mask; mask &= mask - 1, bit <<= 1)
        if (from & mask & (~mask + 1)) out |= bit;
    return out;
#endif
}

void compress(const Word* from, const Word* mask, std::size_t n_words, Word* out) {
    Word pending = 0;
    int filled = 0;  // bits of `pending`
    for (std::size_t w = 0; w < n_words; ++w) {
        const Word bits = extract(from[w], mask[w]);
        const int n_bits = std::popcount(mask[w]);
        pending |= bits << filled;
        if (filled + n_bits >= 64) {
            *out++ = pending;
            pending = filled == 0 ? 0 : bits >> (64 - filled);
            filled += n_bits - 64;
        } else {
            filled += n_bits;
        }
    }
    *out = pending;
}

template <class Sum>
BitOps<std::int8_t, Sum> byte_ops() {
    return {sum_small<Sum>, extremes<Sum>, extremes_of_rest<Sum>, count_pairs<Sum>,
            compress,       list_rows,     count_difference};
}

}  // namespace

SmallOps small_ops() { return byte_ops<std::int16_t>(); }
MediumOps medium_ops() { return byte_ops<std::int32_t>(); }
WideOps wide_ops() {
    return {sum_wide,  extremes<std::int64_t>, extremes_of_rest<std::int64_t>, count_pairs<std::int64_t>, compress,
            list_rows, count_difference};
}

}  // namespace exactree::EXACTREE_ISA
