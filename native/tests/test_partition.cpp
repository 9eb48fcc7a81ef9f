// Values and rows handed out to two sides: in order, each to its side, and nothing beyond the room that is given.
#undef NDEBUG
#include <cassert>
#include <random>
#include <vector>

#include "ranks/simd/partition.hpp"

using namespace exactree;
using namespace exactree::ranks::simd;

namespace {

using Values = std::vector<std::uint32_t>;

constexpr std::uint32_t kUntouched = 0xdeadbeef;

// Hands out `from`, and checks that both sides hold what they should and nothing further behind was written to.
template <class Deal>
void check(Deal deal, const Values& from, const Values& target_of, const Values& yes, const Values& no) {
    Values got_yes(yes.size() + kPartitionPadding + 1, kUntouched),
        got_no(no.size() + kPartitionPadding + 1, kUntouched);
    deal(from.data(), target_of.data(), from.size(), got_yes.data(), got_no.data());
    assert(std::equal(yes.begin(), yes.end(), got_yes.begin()) && got_yes.back() == kUntouched);
    assert(std::equal(no.begin(), no.end(), got_no.begin()) && got_no.back() == kUntouched);
}

void random_sides(bool portable) {
    const PartitionOps deal = partition_ops(portable);
    std::mt19937 random(3);
    for (std::size_t n = 0; n < 70; ++n)
        for (const unsigned share : {0u, 1u, 5u, 10u}) {  // tenths that answer no
            Values target_of(n), order(n), values(n), yes, no, yes_rows, no_rows;
            for (std::size_t row = 0; row < n; ++row) {
                const bool is_no = random() % 10 < share;
                target_of[row] = static_cast<std::uint32_t>(row * 7) | (is_no ? kNoSide : 0);
                order[row] = static_cast<std::uint32_t>(random() % n);
                values[row] = static_cast<std::uint32_t>(random());
                (is_no ? no : yes).push_back(values[row]);
            }
            for (const std::uint32_t row : order) (target_of[row] >> 31 ? no_rows : yes_rows).push_back(row * 7);
            check(deal.values, values, target_of, yes, no);
            check(deal.rows, order, target_of, yes_rows, no_rows);
        }
}

}  // namespace

int main() {
    random_sides(false);
    random_sides(true);
}
