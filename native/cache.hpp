// What is known about subproblems met before, by set of rows, depth and leaves. Bounded: when the table is full, a
// new entry replaces the one in its place that cost less work. Losing an entry costs time, never exactness. A table
// grows by copying, so that for a moment it takes half as much again: two thirds of the bytes are for the entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "data.hpp"
#include "key.hpp"

namespace exactree {

// Bounds on the best cost of a subproblem, and the first step of the best tree known.
struct Known {
    Cost lower = 0;                              // no allowed subtree costs less
    Cost upper = kNoCost;                        // a subtree of this cost exists; equal to `lower` once solved
    Cost relaxed = 0;                            // no subtree costs less, even if leaves may be smaller than allowed
    Question question;                           // root of the subtree of cost `upper`; none if it is a leaf
    std::int64_t yes_leaves = 0, no_leaves = 0;  // at most so many on either side

    bool solved() const noexcept { return lower >= upper; }
};

class Cache {
 public:
    explicit Cache(std::size_t max_bytes)
        : max_entries_(std::max<std::size_t>(kSmallest, max_bytes / 3 * 2 / sizeof(Entry))) {
        entries_.resize(kSmallest);
    }

    std::optional<Known> find(Key key, int depth, std::int64_t leaves) const {
        const std::lock_guard lock(mutex_);
        const Key name = named(key, depth, leaves);
        for (std::size_t step = 0; step < kProbes; ++step) {
            const Entry& entry = entries_[(name.low + step) & (entries_.size() - 1)];
            if (entry.depth != 0 && entry.name == name) return entry.known();
        }
        return std::nullopt;
    }

    void store(Key key, int depth, std::int64_t leaves, const Known& known) {
        const std::lock_guard lock(mutex_);
        if (full() && entries_.size() * 2 <= max_entries_) grow();
        place({named(key, depth, leaves), depth, known});
    }

    std::size_t size() const noexcept { return size_; }

    // Takes over what another cache knows, and empties it.
    void absorb(Cache& other) {
        for (Entry& entry : other.entries_) {
            if (entry.depth == 0) continue;
            const std::lock_guard lock(mutex_);
            if (full() && entries_.size() * 2 <= max_entries_) grow();
            place(entry);
            entry.depth = 0;
        }
        other.size_ = 0;
    }

 private:
    // As small as can be: most of the memory of a long search is here.
    struct Entry {
        Entry() = default;
        Entry(Key its_name, int its_depth, const Known& known)
            : name(its_name),
              lower(known.lower),
              upper(known.upper),
              relaxed(known.relaxed),
              question(known.question),
              yes_leaves(narrow(known.yes_leaves)),
              no_leaves(narrow(known.no_leaves)),
              depth(its_depth) {}

        Key name;
        Cost lower = 0, upper = 0, relaxed = 0;
        Question question;
        std::uint32_t yes_leaves = 0, no_leaves = 0;
        int depth = 0;  // 0 marks a free place

        bool solved() const noexcept { return lower >= upper; }
        Known known() const noexcept { return {lower, upper, relaxed, question, yes_leaves, no_leaves}; }
        // There are fewer rows than this, so a limit beyond it is none.
        static std::uint32_t narrow(std::int64_t leaves) noexcept {
            return static_cast<std::uint32_t>(std::min<std::int64_t>(leaves, UINT32_MAX));
        }
    };
    static_assert(sizeof(Entry) == 64);
    static constexpr std::size_t kSmallest = 1024, kProbes = 16;

    bool full() const noexcept { return size_ * 8 >= entries_.size() * 5; }

    static Key named(Key key, int depth, std::int64_t leaves) noexcept {
        key += {scramble(static_cast<std::uint64_t>(depth)), scramble(static_cast<std::uint64_t>(leaves) << 8)};
        return key;
    }

    void place(const Entry& fresh) {
        Entry* victim = nullptr;
        for (std::size_t step = 0; step < kProbes; ++step) {
            Entry& entry = entries_[(fresh.name.low + step) & (entries_.size() - 1)];
            if (entry.depth == 0 || entry.name == fresh.name) {
                // Threads learn apart: one may come with less than another has proved.
                if (entry.depth != 0 && entry.solved() && !fresh.solved()) return;
                size_ += entry.depth == 0;
                entry = fresh;
                return;
            }
            // Deeper subproblems cost more work to solve again.
            if (!victim || entry.depth < victim->depth) victim = &entry;
        }
        if (victim->depth <= fresh.depth) *victim = fresh;
    }

    void grow() {
        std::vector<Entry> old(entries_.size() * 2);
        old.swap(entries_);
        size_ = 0;
        for (const Entry& entry : old)
            if (entry.depth != 0) place(entry);
    }

    // One lock for all: a look-up takes a hundredth of the time of the smallest subproblem, so threads hardly meet.
    mutable std::mutex mutex_;
    std::size_t max_entries_;
    std::size_t size_ = 0;
    std::vector<Entry> entries_;  // a power of two
};

}  // namespace exactree
