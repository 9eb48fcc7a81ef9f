// DL8 and DL8.5 (Aglin, Nijssen and Schaus 2020) as published: one search over itemsets, with settings.
//
// An item is a question with one of its answers, an itemset the path to a node, its cover the rows that get there.
// Covers are bit sets; results are cached by itemset, so paths with the same items in another order share them. No I/O,
// no globals, no exceptions of its own.
#pragma once

#include "core/budget.hpp"
#include "core/data.hpp"
#include "core/outcome.hpp"

namespace exactree::dl85 {

// In which order the questions of a node are tried: as they come, or by information gain.
enum class Order { data, gain, gain_ascending };

struct Dl85Settings {
    bool bounds = true;           // pass upper bounds down (Algorithm 2), or solve every itemset (Algorithm 1)
    bool cache_partial = true;    // cache itemsets that have no tree within their bound
    Order order = Order::data;    // at the last level, where all sides are leaves, always as they come
    bool count_itemsets = false;  // count different itemsets, not only visits; memory for each of them
};

// `start` is a warm start and may be empty; its splits are used, its labels are not. There is no limit on leaves,
// whatever `limits` says.
Outcome search_itemsets(const Data& data, const Limits& limits, const Dl85Settings& settings, const Budget& budget,
                        const Tree& start);

}  // namespace exactree::dl85
