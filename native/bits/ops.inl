// Compiled once per instruction set, in a namespace of its own: EXACTREE_ISA. Written with fixed-size blocks that
// compilers turn into vector registers (GCC's and Clang's vector types).
#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "bits/class_splits.inl"
#include "bits/ops.hpp"

namespace exactree::bits::EXACTREE_ISA {
namespace {

// Half a block of columns, a byte each.
constexpr std::size_t kBytes = kColumnBlock / 2;
using Bytes = std::int8_t __attribute__((vector_size(kBytes)));

template <class Sum>
inline void carry(const Bytes& bytes, Sum* sums) {
    typedef std::int8_t Half __attribute__((vector_size(kBytes / 2)));
    typedef Sum Wide __attribute__((vector_size(kBytes / 2 * sizeof(Sum))));
    Half halves[2];
    std::memcpy(halves, &bytes, sizeof bytes);
    for (const Half& half : halves) {
        Wide wide;
        std::memcpy(&wide, sums, sizeof wide);
        wide += __builtin_convertvector(half, Wide);
        std::memcpy(sums, &wide, sizeof wide);
        sums += kBytes / 2;
    }
}
#if defined(__AVX2__)
// GCC 12 makes four instructions of each of these two.
inline void carry(const Bytes& bytes, std::int16_t* sums) {
    const __m256i all = reinterpret_cast<__m256i>(bytes);
    auto* out = reinterpret_cast<__m256i*>(sums);
    const __m256i low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(all));
    const __m256i high = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(all, 1));
    _mm256_storeu_si256(out, _mm256_add_epi16(_mm256_loadu_si256(out), low));
    _mm256_storeu_si256(out + 1, _mm256_add_epi16(_mm256_loadu_si256(out + 1), high));
}
#endif

inline void load(const std::int8_t* from, Bytes& to) { std::memcpy(&to, from, sizeof to); }

template <class Sum>
void sum_small(const std::int8_t* cells, std::size_t stride, std::size_t n_columns, std::int8_t largest,
               const std::uint32_t* rows, std::size_t n_rows, Sum* out) {
    const std::size_t per_carry = static_cast<std::size_t>(127 / std::max<std::int8_t>(1, largest));
    std::fill(out, out + n_columns, Sum{0});
    for (std::size_t at = 0; at < n_columns; at += kBytes)
        for (std::size_t done = 0; done < n_rows;) {
            const std::size_t end = std::min(n_rows, done + per_carry);
            Bytes bytes{};
            for (Bytes row; done < end; ++done) {
                load(cells + rows[done] * stride + at, row);
                bytes += row;
            }
            carry(bytes, out + at);
        }
}

// A block of columns of the 64 rows of a word, four rows at a time: the sums of all sixteen subsets of the four are
// tabulated first, so that a column then adds one table entry instead of up to four rows (the method of the Four
// Russians). 16 KiB, which fits into the first-level cache.
class FourRussians {
 public:
    static constexpr std::size_t kGroups = 16;

    FourRussians() {
        for (auto& group : sums_) group[0][0] = group[0][1] = Bytes{};  // of the empty subset
    }

    // With `minus`, the rows are subtracted.
    void fill(const std::int8_t* cells, std::size_t stride, const std::uint32_t* rows, std::size_t n_rows, bool minus) {
        n_groups_ = (n_rows + 3) / 4;
        for (std::size_t group = 0; group < n_groups_; ++group)
            for (std::size_t k = 0; k < 4; ++k) {
                const std::size_t row = 4 * group + k, one = std::size_t{1} << k;
                for (std::size_t half = 0; half < 2; ++half) {
                    Bytes own{};
                    if (row < n_rows) load(cells + rows[row] * stride + half * kBytes, own);
                    for (std::size_t choice = 0; choice < one; ++choice) {
                        Bytes sum = sums_[group][choice][half];
                        if (minus)
                            sum -= own;
                        else
                            sum += own;
                        sums_[group][one + choice][half] = sum;
                    }
                }
            }
    }

    // Adds the rows of the word to `out`, carrying the bytes over after so many groups.
    template <class Sum>
    void add(Word word, std::size_t groups_per_carry, Sum* out) const {
        for (std::size_t group = 0; group < n_groups_;) {
            Bytes low{}, high{};
            if (groups_per_carry >= kGroups) {
#pragma GCC unroll 16
                for (; group < kGroups; ++group, word >>= 4) add_group(group, word & 15, low, high);
            } else {
                const std::size_t end = std::min(n_groups_, group + groups_per_carry);
                for (; group < end; ++group, word >>= 4) add_group(group, word & 15, low, high);
            }
            carry(low, out);
            carry(high, out + kBytes);
        }
    }

 private:
    void add_group(std::size_t group, std::size_t choice, Bytes& low, Bytes& high) const {
        const Bytes* sums = sums_[group][choice];
        low += sums[0];
        high += sums[1];
    }

    Bytes sums_[kGroups][16][2];
    std::size_t n_groups_ = 0;
};

template <class Sum>
void add_pairs_small(const std::int8_t* cells, std::size_t stride, std::int8_t largest, const std::uint32_t* rows,
                     std::size_t n_rows, const Word* columns, std::size_t n_columns, std::size_t n_words, bool minus,
                     Sum* pairs) {
    const std::size_t per_carry = static_cast<std::size_t>(127 / (4 * std::max<std::int8_t>(1, largest)));
    FourRussians table;
    for (std::size_t block = 0; block < stride; block += kColumnBlock) {
        const std::size_t end = std::min(n_columns, block + kColumnBlock);
        for (std::size_t w = 0; w < n_words; ++w) {
            table.fill(cells + block, stride, rows + 64 * w, std::min<std::size_t>(64, n_rows - 64 * w), minus);
            for (std::size_t i = 0; i < end; ++i)
                table.add(columns[i * n_words + w], per_carry, pairs + i * stride + block);
        }
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

void add_pairs_wide(const std::int64_t* cells, std::size_t stride, std::int64_t, const std::uint32_t* rows,
                    std::size_t n_rows, const Word* columns, std::size_t n_columns, std::size_t n_words, bool minus,
                    std::int64_t* pairs) {
    for (std::size_t i = 0; i < n_columns; ++i) {
        const std::size_t from = i / kColumnBlock * kColumnBlock;
        std::int64_t* out = pairs + i * stride;
        for (std::size_t r = 0; r < n_rows; ++r) {
            if ((columns[i * n_words + r / 64] >> (r % 64) & 1) == 0) continue;
            const std::int64_t* row = cells + rows[r] * stride;
            for (std::size_t j = from; j < stride; ++j) out[j] += minus ? -row[j] : row[j];
        }
    }
}

template <class Sum>
void mirror(Sum* pairs, std::size_t stride, std::size_t n_columns) {
    constexpr std::size_t kTile = 8;  // squares that are read and written in whole cache lines
    for (std::size_t i = kColumnBlock; i < n_columns; i += kTile)
        for (std::size_t j = 0; j < i / kColumnBlock * kColumnBlock; j += kTile)
            for (std::size_t k = i; k < std::min(n_columns, i + kTile); ++k)
#pragma GCC unroll 8
                for (std::size_t l = 0; l < kTile; ++l) pairs[k * stride + j + l] = pairs[(j + l) * stride + k];
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
        // Four at a time, whether they exist or not: cheaper than a branch per row that is hard to predict.
        for (int done = 0; done < n; done += 4)
            for (int k = 0; k < 4; ++k, word &= word - 1)
                next[done + k] =
                    static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(word));
        next += n;
    }
    return static_cast<std::size_t>(next - out);
}

std::size_t count_rows(const Word* set, std::size_t n_words) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < n_words; ++i) total += static_cast<std::size_t>(std::popcount(set[i]));
    return total;
}

std::size_t count_difference(const Word* a, const Word* b, std::size_t n_words) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < n_words; ++i) total += static_cast<std::size_t>(std::popcount(a[i] & ~b[i]));
    return total;
}

// Which of eight values are at most `most`, a bit each.
inline Word pack_eight(const std::uint32_t* values, std::uint32_t most) {
#if defined(__AVX2__)
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    const __m256i limit = _mm256_set1_epi32(static_cast<int>(most));
    const __m256i fits = _mm256_cmpeq_epi32(_mm256_min_epu32(eight, limit), eight);
    return static_cast<Word>(_mm256_movemask_ps(_mm256_castsi256_ps(fits)));
#else
    Word out = 0;
    for (std::size_t k = 0; k < 8; ++k) out |= Word{values[k] <= most} << k;
    return out;
#endif
}

void pack(const std::uint32_t* values, std::size_t n, std::uint32_t most, Word* out) {
    std::fill(out, out + words_for(n), Word{0});
    std::size_t row = 0;
    for (; row + 8 <= n; row += 8) out[row / 64] |= pack_eight(values + row, most) << (row % 64);
    for (; row < n; ++row) out[row / 64] |= Word{values[row] <= most} << (row % 64);
}

inline Word extract(Word from, Word mask) {
#if defined(__AVX2__)
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

template <std::size_t n>
void distances_of(const Word* bits, const Word* rows, std::size_t n_rows, std::uint16_t* out) {
    for (std::size_t row = 0; row < n_rows; ++row, rows += n) {
        int total = 0;
        for (std::size_t w = 0; w < n; ++w) total += std::popcount(bits[w] ^ rows[w]);
        out[row] = static_cast<std::uint16_t>(total);
    }
}

void distances(const Word* bits, const Word* rows, std::size_t n_rows, std::size_t n_words, std::uint16_t* out) {
    if (n_words == 1) return distances_of<1>(bits, rows, n_rows, out);
    if (n_words == 2) return distances_of<2>(bits, rows, n_rows, out);
    for (std::size_t row = 0; row < n_rows; ++row, rows += n_words) {
        int total = 0;
        for (std::size_t w = 0; w < n_words; ++w) total += std::popcount(bits[w] ^ rows[w]);
        out[row] = static_cast<std::uint16_t>(total);
    }
}

template <class Sum>
BitOps<std::int8_t, Sum> byte_ops() {
    return {sum_small<Sum>,
            extremes<Sum>,
            extremes_of_rest<Sum>,
            best_splits<Sum, false>,
            best_splits<Sum, true>,
            sized_splits<Sum>,
            add_pairs_small<Sum>,
            mirror<Sum>,
            pack,
            compress,
            list_rows,
            count_rows,
            distances,
            count_difference};
}

}  // namespace

SmallOps small_ops() { return byte_ops<std::int16_t>(); }
MediumOps medium_ops() { return byte_ops<std::int32_t>(); }
WideOps wide_ops() {
    return {sum_wide,
            extremes<std::int64_t>,
            extremes_of_rest<std::int64_t>,
            best_splits<std::int64_t, false>,
            best_splits<std::int64_t, true>,
            sized_splits<std::int64_t>,
            add_pairs_wide,
            mirror<std::int64_t>,
            pack,
            compress,
            list_rows,
            count_rows,
            distances,
            count_difference};
}

}  // namespace exactree::bits::EXACTREE_ISA
