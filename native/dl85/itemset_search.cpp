#include "dl85/itemset_search.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "core/cache.hpp"
#include "core/key.hpp"
#include "dl85/item_table.hpp"
#include "search/warm_start.hpp"

namespace exactree::dl85 {
namespace {

struct Itemset {
    Key key;  // sum of random words per item: the same in whatever order the items were added
    int size = 0;
    Cost leaf = 0;  // cost of its cover as a single leaf
};

// A question that splits a cover into two sides, each large enough.
struct ItemSplit {
    std::size_t question;
    Cost no_leaf, yes_leaf;
    double entropy;  // what remains of it after the question; the less, the more information was gained
};

// One level of the recursion; kept so that its memory is used again.
struct ItemsetFrame {
    RowBits rows;
    std::vector<Cost> counts;
    std::vector<ItemSplit> splits;
};

class ItemsetSearch {
 public:
    ItemsetSearch(const Data& data, const Limits& limits, const Dl85Settings& settings, const Budget& budget,
                  Watchdog& watchdog)
        : data_(data),
          limits_(limits),
          settings_(settings),
          watchdog_(watchdog),
          items_(data, limits.limits_leaf_size()),
          cache_(cache_bytes(budget)) {}

    void update_incumbent(search::ScoredTree found) {
        if (found.cost >= watchdog_.cost) return;
        best_ = std::move(found.tree);
        watchdog_.cost = found.cost;
        note();
    }

    // `most` is the upper bound of the paper: costlier trees are pruned.
    void run(Cost most) {
        if (watchdog_.status() == Status::out_of_memory) return;
        items_.fill(data_);
        ItemsetFrame& root = frame(0);
        root.rows = items_.all();
        items_.count(root.rows, root.counts);
        const Itemset empty{{}, 0, items_.leaf(root.rows, root.counts) + limits_.leaf_price};
        visited(empty.key);
        if (!is_leaf(empty)) update_incumbent(reconstruct_scored(expand(root, empty, most)));
        const Cost cost = watchdog_.cost;
        if (!is_leaf(empty) && watchdog_.stopped() && cost > 0) return;
        watchdog_.bound = cost;
        note();
    }

    Outcome outcome() {
        const Status status = watchdog_.bound >= watchdog_.cost ? Status::proved : watchdog_.status().value();
        Outcome out{std::move(best_), watchdog_.cost, watchdog_.bound, status, std::move(history_), {}};
        out.counters = {{"visits", n_visits_}, {"cache_hits", n_hits_}, {"cache_size", cache_.size()}};
        if (settings_.count_itemsets) out.counters.emplace_back("itemsets", seen_.size());
        return out;
    }

 private:
    // Memory left for the cache; the search does not begin if the rest does not fit.
    std::size_t cache_bytes(const Budget& budget) {
        if (!budget.memory) return SIZE_MAX;
        const std::size_t n_questions = bits::count_questions(data_);
        const std::size_t n_frames = std::min(static_cast<std::size_t>(limits_.max_depth), data_.n_rows);
        const std::size_t bits = (n_questions + n_frames) * items_.n_words() * sizeof(Word);
        const std::size_t needed = bits + n_frames * n_questions * sizeof(ItemSplit);
        if (needed > *budget.memory) watchdog_.stop(Status::out_of_memory);
        // While the cache grows, the table of half the size is there as well: two thirds keep both within the limit.
        return needed < *budget.memory ? (*budget.memory - needed) / 3 * 2 : 0;
    }
    void note() { history_.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound}); }
    void visited(Key key) {
        ++n_visits_;
        if (settings_.count_itemsets) seen_.insert(key.low);
    }
    ItemsetFrame& frame(int level) {
        while (frames_.size() <= static_cast<std::size_t>(level)) frames_.emplace_back();
        return frames_[static_cast<std::size_t>(level)];
    }
    Itemset with(const Itemset& itemset, std::size_t question, bool yes, Cost leaf) const {
        Itemset out{row_key(2 * question + yes), itemset.size + 1, leaf};
        out.key += itemset.key;
        return out;
    }
    bool is_leaf(const Itemset& i) const { return i.leaf == limits_.leaf_price || i.size == limits_.max_depth; }
    auto find(const Itemset& i) const { return cache_.find(i.key, limits_.max_depth - i.size, 0); }

    // Lines 5 to 10 of Algorithm 2: cost of the best tree for one side of a question, kInfiniteCost for NO_TREE.
    Cost visit(const ItemsetFrame& parent, const Itemset& itemset, std::size_t question, bool yes, Cost most) {
        visited(itemset.key);
        if (is_leaf(itemset)) return itemset.leaf;
        if (const auto known = find(itemset); known && (known->solved() || known->lower > most)) {
            ++n_hits_;
            return known->upper;
        }
        if (watchdog_.stopped()) return itemset.leaf;
        ItemsetFrame& here = frame(itemset.size);
        items_.cover(parent.rows, question, yes, here.rows);
        items_.count(here.rows, here.counts);
        return expand(here, itemset, most).upper;
    }

    // Lines 11 to 30: tries all questions.
    SubtreeBounds expand(ItemsetFrame& here, const Itemset& itemset, const Cost most) {
        SubtreeBounds best;  // NO_TREE
        Cost limit = settings_.bounds ? most : itemset.leaf;
        list_splits(here, limits_.max_depth - itemset.size > 1);
        for (const ItemSplit& split : here.splits) {
            if (limit < 2 * limits_.leaf_price) break;  // any split has two leaves; without a price: when all is right
            const Cost cost = try_split(here, itemset, split, limit);
            if (cost > limit) continue;
            best.upper = cost;
            best.question = items_.question(split.question);
            limit = settings_.bounds ? cost - 1 : cost;
            if (itemset.size == 0) update_incumbent(reconstruct_scored(best));
        }
        // Algorithm 2 leaves this out: where no split is allowed, or pays for its leaves, the leaf is the tree.
        if (itemset.leaf <= limit) {
            best.upper = itemset.leaf;
            best.question = {};
        }
        store(itemset, best, most);
        return best;
    }

    // A 0/1 column asks "at most 0?": the yes side is the paper's negative item, which comes first.
    Cost try_split(const ItemsetFrame& here, const Itemset& itemset, const ItemSplit& split, Cost limit) {
        const std::size_t q = split.question;
        const Itemset yes = with(itemset, q, true, split.yes_leaf), no = with(itemset, q, false, split.no_leaf);
        const Cost first = visit(here, yes, q, true, settings_.bounds ? limit : kInfiniteCost);
        if (first > limit) return kInfiniteCost;
        return first + visit(here, no, q, false, settings_.bounds ? limit - first : kInfiniteCost);
    }

    void list_splits(ItemsetFrame& here, bool ordered) {
        ordered = ordered && settings_.order != Order::data;
        here.splits.clear();
        for (std::size_t q = 0; q < items_.n_questions(); ++q) {
            const ItemCovers sides = items_.sides(here.rows, here.counts, items_.answers(q), ordered);
            if (sides.no.empty() || sides.yes.empty()) continue;
            if (limits_.limits_leaf_size() && !limits_.allows(sides.yes.size(), sides.no.size())) continue;
            here.splits.push_back({q, sides.no.leaf() + limits_.leaf_price, sides.yes.leaf() + limits_.leaf_price,
                                   ordered ? sides.no.entropy() + sides.yes.entropy() : 0.0});
        }
        watchdog_.spend(items_.n_questions() * (items_.n_words() + 16));
        if (!ordered) return;
        const double sign = settings_.order == Order::gain ? 1.0 : -1.0;
        std::stable_sort(here.splits.begin(), here.splits.end(), [sign](const ItemSplit& a, const ItemSplit& b) {
            return sign * a.entropy < sign * b.entropy;
        });
    }

    void store(const Itemset& itemset, SubtreeBounds& best, Cost most) {
        if (watchdog_.stopped()) {  // not all questions were tried: a feasible tree, but no proof
            unfinished_.emplace_back(itemset.key, best);
            return;
        }
        best.lower = best.upper < kInfiniteCost ? best.upper : most + 1;
        if (best.solved() || settings_.cache_partial)
            cache_.store(itemset.key, limits_.max_depth - itemset.size, 0, best);
    }

    // The tree with the given root, with its actual cost.
    search::ScoredTree reconstruct_scored(const SubtreeBounds& root) {
        Tree tree;
        write(items_.all(), {}, root.question, tree);
        return search::prune_to_limits(data_, limits_, tree);
    }

    std::int32_t write(const RowBits& rows, const Itemset& itemset, Question question, Tree& out) {
        const auto here = static_cast<std::int32_t>(out.size());
        out.push_back({-1, -1, -1, -1, 0});
        if (question.column < 0) return here;
        out[here].column = question.column;
        out[here].rank = static_cast<std::int32_t>(question.rank);
        for (const bool yes : {true, false}) {
            RowBits side;
            const std::size_t q = items_.index(question);
            items_.cover(rows, q, yes, side);
            std::vector<Cost> counts;
            items_.count(side, counts);
            const Itemset child = with(itemset, q, yes, items_.leaf(side, counts) + limits_.leaf_price);
            const std::int32_t at = write(side, child, first_question(side, counts, child), out);
            (yes ? out[here].yes : out[here].no) = at;
        }
        return here;
    }

    Question first_question(const RowBits& rows, const std::vector<Cost>& counts, const Itemset& itemset) {
        if (is_leaf(itemset)) return {};
        for (const auto& [key, known] : unfinished_)
            if (key == itemset.key) return known.question;
        if (const auto known = find(itemset); known && known->solved()) return known->question;
        if (watchdog_.stopped()) return {};
        ItemsetFrame& here = frame(itemset.size);  // a full cache has lost it: solve it again
        here.rows = rows;
        here.counts = counts;
        return expand(here, itemset, kInfiniteCost).question;
    }

    const Data& data_;
    const Limits& limits_;
    const Dl85Settings& settings_;
    Watchdog& watchdog_;
    ItemTable items_;
    Cache cache_;
    std::deque<ItemsetFrame> frames_;                        // by level; a deque so that frames stay where they are
    std::vector<std::pair<Key, SubtreeBounds>> unfinished_;  // what was being worked on when the search was stopped
    Tree best_;
    std::vector<Progress> history_;
    std::unordered_set<std::uint64_t> seen_;  // keys of visited itemsets
    std::uint64_t n_visits_ = 0, n_hits_ = 0;
};

}  // namespace

Outcome search_itemsets(const Data& data, const Limits& limits, const Dl85Settings& settings, const Budget& budget,
                        const Tree& start) {
    Watchdog watchdog(budget);
    Limits any_leaves = limits;
    any_leaves.max_leaves = std::numeric_limits<std::int64_t>::max();
    ItemsetSearch itemsets(data, any_leaves, settings, budget, watchdog);
    itemsets.update_incumbent(search::single_leaf(data, any_leaves));
    if (!start.empty()) itemsets.update_incumbent(search::prune_to_limits(data, any_leaves, start));
    if (budget.seconds && watchdog.seconds() >= *budget.seconds) watchdog.stop(Status::out_of_time);
    // Without a warm start no upper bound is known, and the published search begins without one.
    itemsets.run(start.empty() ? kInfiniteCost : watchdog.cost - 1);
    return itemsets.outcome();
}

}  // namespace exactree::dl85
