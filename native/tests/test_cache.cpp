// What is stored is found again by rows, depth and leaves; what is lost is lost quietly.
#undef NDEBUG
#include <cassert>

#include "core/cache.hpp"

using namespace exactree;

namespace {

SubtreeBounds bounds_of(Cost lower) {
    SubtreeBounds known;
    known.lower = lower;
    known.upper = lower + 1;
    return known;
}

void keys_tell_apart() {
    Cache cache(1 << 20);
    const Key rows = row_key(1), others = row_key(2);
    assert(cache.find(rows, 2, 4) == std::nullopt);
    cache.store(rows, 2, 4, bounds_of(10));
    assert(cache.find(rows, 2, 4)->lower == 10);
    assert(cache.find(rows, 3, 4) == std::nullopt && cache.find(rows, 2, 3) == std::nullopt);
    assert(cache.find(others, 2, 4) == std::nullopt);
    cache.store(rows, 3, 4, bounds_of(11));
    cache.store(rows, 2, 3, bounds_of(12));
    cache.store(others, 2, 4, bounds_of(13));
    assert(cache.find(rows, 2, 4)->lower == 10 && cache.find(rows, 3, 4)->lower == 11);
    assert(cache.find(rows, 2, 3)->lower == 12 && cache.find(others, 2, 4)->lower == 13);
    assert(cache.size() == 4);
}

void storing_again_replaces() {
    Cache cache(1 << 20);
    cache.store(row_key(1), 2, 4, bounds_of(1));
    cache.store(row_key(1), 2, 4, bounds_of(2));
    assert(cache.size() == 1 && cache.find(row_key(1), 2, 4)->lower == 2);
}

void proofs_are_kept() {
    SubtreeBounds solved = bounds_of(7);
    solved.upper = 7;
    Cache cache(1 << 20), learnt(1 << 20);
    cache.store(row_key(1), 2, 4, solved);
    cache.store(row_key(1), 2, 4, bounds_of(5));
    assert(cache.find(row_key(1), 2, 4)->solved());
    learnt.store(row_key(1), 2, 4, bounds_of(6));
    learnt.store(row_key(2), 2, 4, bounds_of(3));
    cache.absorb(learnt);
    assert(cache.find(row_key(1), 2, 4)->solved() && cache.find(row_key(2), 2, 4)->lower == 3);
    assert(cache.size() == 2 && learnt.size() == 0);
}

// With room to grow almost everything stays; with none the table stays small. Nothing wrong is ever found.
void growth_and_eviction() {
    constexpr std::uint64_t n = 20000;
    for (const std::size_t bytes : {std::size_t{0}, SIZE_MAX}) {
        Cache cache(bytes);
        for (std::uint64_t i = 0; i < n; ++i)
            cache.store(row_key(i), 1 + static_cast<int>(i % 3), 4, bounds_of(static_cast<Cost>(i)));
        std::uint64_t found = 0;
        for (std::uint64_t i = 0; i < n; ++i)
            if (const std::optional<SubtreeBounds> known = cache.find(row_key(i), 1 + static_cast<int>(i % 3), 4)) {
                assert(known->lower == static_cast<Cost>(i));
                ++found;
            }
        if (bytes == 0) {
            assert(cache.size() <= 1024 && found <= 1024 && found > 900);
        } else {
            assert(found > n - n / 100);
        }
    }
}

// Deep entries cost more work, so shallow ones do not push them out of a full table.
void deep_entries_stay() {
    Cache cache(0);
    for (std::uint64_t i = 0; i < 20000; ++i) cache.store(row_key(i), 5, 8, bounds_of(static_cast<Cost>(i)));
    std::vector<std::uint64_t> kept;
    for (std::uint64_t i = 0; i < 20000; ++i)
        if (cache.find(row_key(i), 5, 8)) kept.push_back(i);
    for (std::uint64_t i = 0; i < 20000; ++i) cache.store(row_key(i), 2, 4, bounds_of(0));
    for (const std::uint64_t i : kept) assert(cache.find(row_key(i), 5, 8)->lower == static_cast<Cost>(i));
}

void solved() {
    SubtreeBounds known = bounds_of(3);
    assert(!known.solved());
    known.upper = 3;
    assert(known.solved());
}

}  // namespace

int main() {
    keys_tell_apart();
    storing_again_replaces();
    proofs_are_kept();
    growth_and_eviction();
    deep_entries_stay();
    solved();
}
