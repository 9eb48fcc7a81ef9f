// Bounds of solved subproblems, by set of rows, depth and leaves. Memory is bounded: when a shard is full, a new entry
// replaces one that took less work. Losing an entry costs time, never exactness. Sixteen shards with a lock each keep
// threads from waiting for each other. A shard grows by copying; shards of one size fill up at about the same time, so
// two thirds of the bytes are for the entries.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/data.hpp"
#include "core/key.hpp"

namespace exactree {

// Bounds on the optimal cost of a subproblem, and the root of the best subtree known.
struct SubtreeBounds {
    Cost lower = 0;                              // no allowed subtree costs less
    Cost upper = kInfiniteCost;                  // a subtree of this cost exists; equal to `lower` once solved
    Cost relaxed = 0;                            // no subtree costs less, even if leaves may be smaller than allowed
    Question question;                           // root of the subtree of cost `upper`; none if it is a leaf
    std::int64_t yes_leaves = 0, no_leaves = 0;  // at most so many on either side

    bool solved() const noexcept { return lower >= upper; }
};

class Cache {
 public:
    explicit Cache(std::size_t max_bytes)
        : max_entries_(std::max<std::size_t>(kSmallest, max_bytes / 3 * 2 / sizeof(Entry) / kShards)) {}

    std::optional<SubtreeBounds> find(Key rows, int depth, std::int64_t leaves) const {
        const Key key = subproblem_key(rows, depth, leaves);
        const Shard& shard = shards_[shard_of(key)];
        const std::lock_guard lock(shard.mutex);
        if (shard.entries.empty()) return std::nullopt;
        for (std::size_t step = 0; step < kProbes; ++step) {
            const Entry& entry = shard.entries[(key.low + step) & (shard.entries.size() - 1)];
            if (entry.depth != 0 && entry.key == key) return entry.known();
        }
        return std::nullopt;
    }

    void store(Key rows, int depth, std::int64_t leaves, const SubtreeBounds& known) {
        store({subproblem_key(rows, depth, leaves), depth, known});
    }

    std::size_t size() const {
        std::size_t total = 0;
        for (const Shard& shard : shards_) {
            const std::lock_guard lock(shard.mutex);
            total += shard.size;
        }
        return total;
    }

    // Moves the entries of another cache into this one.
    void absorb(Cache& other) {
        for (Shard& shard : other.shards_) {
            for (Entry& entry : shard.entries) {
                if (entry.depth != 0) store(entry);
                entry.depth = 0;
            }
            shard.size = 0;
        }
    }

 private:
    // Kept small: most of the memory of a long search is here.
    struct Entry {
        Entry() = default;
        Entry(Key its_key, int its_depth, const SubtreeBounds& known)
            : key(its_key),
              lower(known.lower),
              upper(known.upper),
              relaxed(known.relaxed),
              question(known.question),
              yes_leaves(narrow(known.yes_leaves)),
              no_leaves(narrow(known.no_leaves)),
              depth(its_depth) {}

        Key key;
        Cost lower = 0, upper = 0, relaxed = 0;
        Question question;
        std::uint32_t yes_leaves = 0, no_leaves = 0;
        int depth = 0;  // 0 marks a free slot

        bool solved() const noexcept { return lower >= upper; }
        SubtreeBounds known() const noexcept { return {lower, upper, relaxed, question, yes_leaves, no_leaves}; }
        // There are fewer rows than this, so a larger limit is no limit.
        static std::uint32_t narrow(std::int64_t leaves) noexcept {
            return static_cast<std::uint32_t>(std::min<std::int64_t>(leaves, UINT32_MAX));
        }
    };
    static_assert(sizeof(Entry) == 64);
    static constexpr std::size_t kShards = 16, kSmallest = 64, kProbes = 16;

    // A hash table of a power of two of entries, empty at first.
    struct alignas(64) Shard {
        mutable std::mutex mutex;
        std::size_t size = 0;
        std::vector<Entry> entries;

        bool full() const noexcept { return size * 8 >= entries.size() * 5; }
        void grow() {
            std::vector<Entry> old(std::max(kSmallest, entries.size() * 2));
            old.swap(entries);
            size = 0;
            for (const Entry& entry : old)
                if (entry.depth != 0) insert(entry);
        }
        void insert(const Entry& fresh) {
            Entry* victim = nullptr;
            for (std::size_t step = 0; step < kProbes; ++step) {
                Entry& entry = entries[(fresh.key.low + step) & (entries.size() - 1)];
                if (entry.depth == 0 || entry.key == fresh.key) {
                    // Another thread may have proved more.
                    if (entry.depth != 0 && entry.solved() && !fresh.solved()) return;
                    size += entry.depth == 0;
                    entry = fresh;
                    return;
                }
                // Deeper subproblems cost more work to solve again.
                if (!victim || entry.depth < victim->depth) victim = &entry;
            }
            if (victim->depth <= fresh.depth) *victim = fresh;
        }
    };

    static Key subproblem_key(Key key, int depth, std::int64_t leaves) noexcept {
        key += {splitmix64(static_cast<std::uint64_t>(depth)), splitmix64(static_cast<std::uint64_t>(leaves) << 8)};
        return key;
    }
    static std::size_t shard_of(const Key& key) noexcept { return key.high % kShards; }

    void store(const Entry& entry) {
        Shard& shard = shards_[shard_of(entry.key)];
        const std::lock_guard lock(shard.mutex);
        if (shard.full() && shard.entries.size() * 2 <= max_entries_) shard.grow();
        shard.insert(entry);
    }

    std::size_t max_entries_;  // per table
    std::array<Shard, kShards> shards_;
};

}  // namespace exactree
