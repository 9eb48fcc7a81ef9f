#include "table/ranking.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

namespace exactree::table {
namespace {

using Bits = std::uint64_t;

constexpr Bits kSign = Bits{1} << 63;
constexpr int kPrefixBits = 32, kDigitBits = 11;
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;
constexpr std::size_t kDigits = 3;      // they hold a prefix
constexpr std::size_t kFewRows = 1024;  // below, counting digits takes longer than comparing

// Unsigned integers in the order of the values.
Bits bits_of(double value) {
    const auto bits = std::bit_cast<Bits>(value + 0.0);  // -0.0 becomes 0.0
    return bits & kSign ? ~bits : bits | kSign;
}
double value_of(Bits bits) { return std::bit_cast<double>(bits & kSign ? bits & ~kSign : ~bits); }

// The rows of a column, sorted by a prefix of their bits: prefix in the upper half of an item, row in the lower.
class PrefixSort {
 public:
    // False if there is a NaN.
    bool read(Strided<double> column, std::size_t n_rows) {
        bits_.resize(n_rows);
        Bits low = ~Bits{0}, high = 0;
        bool is_number = true;
        for (std::size_t row = 0; row < n_rows; ++row) {
            const double value = column[static_cast<std::ptrdiff_t>(row)];
            is_number &= value == value;
            bits_[row] = bits_of(value);
            low = std::min(low, bits_[row]);
            high = std::max(high, bits_[row]);
        }
        if (!is_number) return false;
        const int dropped = std::max(0, static_cast<int>(std::bit_width(high - low)) - kPrefixBits);
        items_.resize(n_rows);
        for (std::size_t row = 0; row < n_rows; ++row) items_[row] = (bits_[row] - low) >> dropped << kPrefixBits | row;
        exact_ = dropped == 0;
        return true;
    }

    void sort() {
        items_.size() < kFewRows ? std::sort(items_.begin(), items_.end()) : sort_by_digits();
        if (!exact_) sort_equal_prefixes();
    }

    std::size_t size() const { return items_.size(); }
    std::uint32_t row(std::size_t place) const { return static_cast<std::uint32_t>(items_[place]); }
    Bits bits(std::size_t place) const { return bits_[row(place)]; }

 private:
    static std::size_t digit(Bits item, std::size_t number) {
        return item >> (kPrefixBits + number * kDigitBits) & (kDigitValues - 1);
    }

    // Least significant digit first; a digit that is the same everywhere is skipped.
    void sort_by_digits() {
        std::vector<std::array<std::uint32_t, kDigitValues>> counts(kDigits);
        for (const Bits item : items_)
            for (std::size_t number = 0; number < kDigits; ++number) ++counts[number][digit(item, number)];
        std::vector<Bits> sorted(items_.size());
        for (std::size_t number = 0; number < kDigits; ++number) {
            auto& next = counts[number];
            if (next[digit(items_[0], number)] == items_.size()) continue;
            std::uint32_t before = 0;
            for (std::uint32_t& count : next) before += std::exchange(count, before);
            for (const Bits item : items_) sorted[next[digit(item, number)]++] = item;
            items_.swap(sorted);
        }
    }

    void sort_equal_prefixes() {
        for (std::size_t begin = 0, end; begin < items_.size(); begin = end) {
            const Bits prefix = items_[begin] >> kPrefixBits;
            for (end = begin + 1; end < items_.size() && items_[end] >> kPrefixBits == prefix;) ++end;
            if (end - begin > 1)
                std::sort(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                          items_.begin() + static_cast<std::ptrdiff_t>(end), [this](Bits a, Bits b) {
                              return bits_[static_cast<std::uint32_t>(a)] < bits_[static_cast<std::uint32_t>(b)];
                          });
        }
    }

    std::vector<Bits> bits_, items_;
    bool exact_ = true;  // whether prefixes tell all values apart
};

}  // namespace

std::optional<RankedNumbers> rank_numbers(Strided<double> column, std::size_t n_rows, std::uint32_t* ranks) {
    PrefixSort rows;
    if (!rows.read(column, n_rows)) return std::nullopt;
    rows.sort();
    RankedNumbers out;
    out.ordered.resize(n_rows);
    std::uint32_t rank = 0;
    for (std::size_t place = 0; place < n_rows; ++place) {
        out.ordered[place] = value_of(rows.bits(place));
        rank += place > 0 && out.ordered[place] != out.ordered[place - 1];
        ranks[rows.row(place)] = rank;
    }
    if (rank + std::size_t{1} >= n_rows) return out;
    out.distinct.reserve(rank + std::size_t{1});
    std::unique_copy(out.ordered.begin(), out.ordered.end(), std::back_inserter(out.distinct));
    return out;
}

}  // namespace exactree::table
