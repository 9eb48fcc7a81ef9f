#include "dl85/itemset_search.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "bits/table.hpp"
#include "core/cache.hpp"
#include "core/key.hpp"
#include "search/warm_start.hpp"

namespace exactree::dl85 {
namespace {

// Words of rows that are alike in all that is summed, so that sums are counts of bits times a number.
struct Block {
    std::size_t begin, n_words;
    std::int32_t label;
    Cost gain, base;
    Size size;
};

double x_log_x(Cost x) { return x > 0 ? static_cast<double>(x) * std::log2(static_cast<double>(x)) : 0.0; }

// What the rows on one side of a question add up to, block by block in the order of labels.
class SideSum {
 public:
    void add(const Block& block, Cost n) noexcept {
        gain_ += n * block.gain;
        base_ += n * block.base;
        n_ += n;
        size_.rows += n * block.size.rows;
        size_.weight += n * block.size.weight;
    }
    void end_label(bool entropy) {
        best_ = std::max(best_, gain_);
        total_ += gain_;
        if (entropy) sum_x_log_x_ += x_log_x(gain_);
        gain_ = 0;
    }
    bool empty() const noexcept { return n_ == 0; }
    const Size& size() const noexcept { return size_; }
    Cost leaf() const noexcept { return base_ - best_; }
    double entropy() const { return x_log_x(total_) - sum_x_log_x_; }  // times the weight of the side

 private:
    Cost gain_ = 0, best_ = 0, base_ = 0, n_ = 0, total_ = 0;
    double sum_x_log_x_ = 0;
    Size size_;
};

struct ItemCovers {
    SideSum no, yes;
};

// The rows in bits: for every question those that answer yes. Rows are sorted into blocks, each begins a word.
class Items {
 public:
    Items(const Data& data, bool sizes) : ops_(bits::bit_ops<bits::WideOps>()), place_(sort_rows(data, sizes)) {
        zeros_.assign(n_words_, 0);
        all_.assign(n_words_, 0);
        for (const std::size_t at : place_) set(all_.data(), at);
    }
    // The large part; how large is known before.
    void fill(const Data& data) {
        bits_.reserve(bits::count_questions(data) * n_words_);
        for (std::size_t column = 0; column < data.n_columns(); ++column) add_questions(data, column);
    }

    std::size_t n_words() const noexcept { return n_words_; }
    std::size_t n_questions() const noexcept { return questions_.size(); }
    Question question(std::size_t q) const noexcept { return questions_[q]; }
    std::size_t index(Question question) const noexcept { return first_of_[question.column] + question.rank; }
    const RowBits& all() const noexcept { return all_; }
    const Word* answers(std::size_t q) const noexcept { return bits_.data() + q * n_words_; }

    void cover(const RowBits& rows, std::size_t q, bool yes, RowBits& out) const {
        const Word* says_yes = answers(q);
        const Word flip = yes ? 0 : ~Word{0};  // rows has zeros where there is no row, so flipping invents none
        out.resize(n_words_);
        for (std::size_t w = 0; w < n_words_; ++w) out[w] = rows[w] & (says_yes[w] ^ flip);
    }
    void count(const RowBits& rows, std::vector<Cost>& out) const {
        out.clear();
        for (const Block& block : blocks_) out.push_back(count_no(rows, zeros_.data(), block));
    }
    // `counts` are those of the rows, per block.
    ItemCovers sides(const RowBits& rows, const std::vector<Cost>& counts, const Word* says_yes, bool entropy) const {
        ItemCovers out;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const Block& block = blocks_[b];
            if (counts[b] > 0) {
                const Cost n = count_no(rows, says_yes, block);
                out.no.add(block, n);
                out.yes.add(block, counts[b] - n);
            }
            if (b + 1 == blocks_.size() || blocks_[b + 1].label != block.label) {
                out.no.end_label(entropy);
                out.yes.end_label(entropy);
            }
        }
        return out;
    }
    Cost leaf(const RowBits& rows, const std::vector<Cost>& counts) const {
        return sides(rows, counts, zeros_.data(), false).no.leaf();
    }

 private:
    static void set(Word* words, std::size_t at) noexcept { words[at / 64] |= Word{1} << (at % 64); }

    // Makes the blocks and returns the place of each row.
    std::vector<std::size_t> sort_rows(const Data& data, bool sizes) {
        const auto kind = [&data, sizes](RowId row) {
            const Size size = sizes ? data.size[row] : Size{};
            return std::tuple(data.label[row], data.gain[row], data.base[row], size.rows, size.weight);
        };
        std::vector<RowId> order(data.n_rows);
        std::iota(order.begin(), order.end(), RowId{0});
        std::stable_sort(order.begin(), order.end(), [&kind](RowId a, RowId b) { return kind(a) < kind(b); });
        std::vector<std::size_t> place(data.n_rows);
        std::size_t next = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const RowId row = order[i];
            if (i == 0 || kind(row) != kind(order[i - 1])) {
                next = 64 * words_for(next);
                blocks_.push_back(
                    {next / 64, 0, data.label[row], data.gain[row], data.base[row], sizes ? data.size[row] : Size{}});
            }
            place[row] = next++;
            blocks_.back().n_words = words_for(next) - blocks_.back().begin;
        }
        n_words_ = words_for(next);
        return place;
    }

    void add_questions(const Data& data, std::size_t column) {
        const std::size_t first = questions_.size();
        first_of_.push_back(first);
        for (Rank rank = 0; rank + 1 < data.n_ranks[column]; ++rank)
            questions_.push_back({static_cast<std::int32_t>(column), rank});
        bits_.resize(questions_.size() * n_words_, 0);
        for (RowId row = 0; row < data.n_rows; ++row)
            if (const Rank rank = data.rank(column, row); rank + 1 < data.n_ranks[column])
                set(bits_.data() + (first + rank) * n_words_, place_[row]);
        // "At most this rank" holds for all rows of lower rank as well.
        for (std::size_t w = (first + 1) * n_words_; w < bits_.size(); ++w) bits_[w] |= bits_[w - n_words_];
    }

    Cost count_no(const RowBits& rows, const Word* says_yes, const Block& block) const {
        return static_cast<Cost>(ops_.count_difference(&rows[block.begin], says_yes + block.begin, block.n_words));
    }

    bits::WideOps ops_;
    std::size_t n_words_ = 0;
    std::vector<Block> blocks_;       // sorted by label
    std::vector<std::size_t> place_;  // bit of each row
    std::vector<Question> questions_;
    std::vector<std::size_t> first_of_;  // question of each column
    std::vector<Word> bits_;             // n_questions x n_words: who answers yes
    RowBits all_, zeros_;
};

struct Itemset {
    Key key;  // sum of random words per item: the same in whatever order the items were added
    int size = 0;
    Cost leaf = 0;  // cost of its cover as a single leaf
};

// A question that parts a cover into two sides, each large enough.
struct ItemSplit {
    std::size_t question;
    Cost no_leaf, yes_leaf;
    double entropy;  // what remains of it after the question; the less, the more information was gained
};

// One level of the recursion; kept so that its memory is used again.
struct Frame {
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
          items_(data, limits.limits_size()),
          cache_(cache_bytes(budget)) {}

    void offer(search::Scored found) {
        if (found.cost >= watchdog_.cost) return;
        best_ = std::move(found.tree);
        watchdog_.cost = found.cost;
        note();
    }

    // Costs of more than `most` are of no interest.
    void run(Cost most) {
        if (watchdog_.ending() == Ending::out_of_memory) return;
        items_.fill(data_);
        Frame& root = frame(0);
        root.rows = items_.all();
        items_.count(root.rows, root.counts);
        const Itemset empty{{}, 0, items_.leaf(root.rows, root.counts) + limits_.leaf_price};
        visited(empty.key);
        if (!is_leaf(empty)) offer(written(expand(root, empty, most)));
        const Cost cost = watchdog_.cost;
        if (!is_leaf(empty) && watchdog_.stopped() && cost > 0) return;
        watchdog_.bound = cost;
        note();
    }

    Outcome outcome() {
        const Ending ending = watchdog_.bound >= watchdog_.cost ? Ending::proved : watchdog_.ending().value();
        Outcome out{std::move(best_), watchdog_.cost, watchdog_.bound, ending, std::move(history_), {}};
        out.counters = {{"visits", n_visits_}, {"cache_hits", n_hits_}, {"cache_size", cache_.size()}};
        if (settings_.count_itemsets) out.counters.emplace_back("itemsets", seen_.size());
        return out;
    }

 private:
    // What is left for the cache; without room for the rest the search does not begin.
    std::size_t cache_bytes(const Budget& budget) {
        if (!budget.memory) return SIZE_MAX;
        const std::size_t n_questions = bits::count_questions(data_);
        const std::size_t n_frames = std::min(static_cast<std::size_t>(limits_.max_depth), data_.n_rows);
        const std::size_t bits = (n_questions + n_frames) * items_.n_words() * sizeof(Word);
        const std::size_t needed = bits + n_frames * n_questions * sizeof(ItemSplit);
        if (needed > *budget.memory) watchdog_.stop(Ending::out_of_memory);
        // While the cache grows, the table of half the size is there as well: two thirds keep both within the limit.
        return needed < *budget.memory ? (*budget.memory - needed) / 3 * 2 : 0;
    }
    void note() { history_.push_back({watchdog_.seconds(), watchdog_.cost, watchdog_.bound}); }
    void visited(Key key) {
        ++n_visits_;
        if (settings_.count_itemsets) seen_.insert(key.low);
    }
    Frame& frame(int level) {
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

    // Lines 5 to 10 of Algorithm 2: cost of the best tree for one side of a question, kNoCost for NO_TREE.
    Cost visit(const Frame& parent, const Itemset& itemset, std::size_t question, bool yes, Cost most) {
        visited(itemset.key);
        if (is_leaf(itemset)) return itemset.leaf;
        if (const auto known = find(itemset); known && (known->solved() || known->lower > most)) {
            ++n_hits_;
            return known->upper;
        }
        if (watchdog_.stopped()) return itemset.leaf;
        Frame& here = frame(itemset.size);
        items_.cover(parent.rows, question, yes, here.rows);
        items_.count(here.rows, here.counts);
        return expand(here, itemset, most).upper;
    }

    // Lines 11 to 30: tries all questions.
    Known expand(Frame& here, const Itemset& itemset, const Cost most) {
        Known best;  // NO_TREE
        Cost limit = settings_.bounds ? most : itemset.leaf;
        list_splits(here, limits_.max_depth - itemset.size > 1);
        for (const ItemSplit& split : here.splits) {
            if (limit < 2 * limits_.leaf_price) break;  // any split has two leaves; without a price: when all is right
            const Cost cost = try_split(here, itemset, split, limit);
            if (cost > limit) continue;
            best.upper = cost;
            best.question = items_.question(split.question);
            limit = settings_.bounds ? cost - 1 : cost;
            if (itemset.size == 0) offer(written(best));
        }
        // Algorithm 2 leaves this out: where no split is allowed, or worth its price, the leaf is the tree.
        if (itemset.leaf <= limit) {
            best.upper = itemset.leaf;
            best.question = {};
        }
        keep(itemset, best, most);
        return best;
    }

    // A 0/1 column asks "at most 0?": the yes side is the paper's negative item, which comes first.
    Cost try_split(const Frame& here, const Itemset& itemset, const ItemSplit& split, Cost limit) {
        const std::size_t q = split.question;
        const Itemset yes = with(itemset, q, true, split.yes_leaf), no = with(itemset, q, false, split.no_leaf);
        const Cost first = visit(here, yes, q, true, settings_.bounds ? limit : kNoCost);
        if (first > limit) return kNoCost;
        return first + visit(here, no, q, false, settings_.bounds ? limit - first : kNoCost);
    }

    void list_splits(Frame& here, bool ordered) {
        ordered = ordered && settings_.order != Order::data;
        here.splits.clear();
        for (std::size_t q = 0; q < items_.n_questions(); ++q) {
            const ItemCovers sides = items_.sides(here.rows, here.counts, items_.answers(q), ordered);
            if (sides.no.empty() || sides.yes.empty()) continue;
            if (limits_.limits_size() && !limits_.allows(sides.yes.size(), sides.no.size())) continue;
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

    void keep(const Itemset& itemset, Known& best, Cost most) {
        if (watchdog_.stopped()) {  // not all questions were tried to the end: good for a tree, proves nothing
            unfinished_.emplace_back(itemset.key, best);
            return;
        }
        best.lower = best.upper < kNoCost ? best.upper : most + 1;
        if (best.solved() || settings_.cache_partial)
            cache_.store(itemset.key, limits_.max_depth - itemset.size, 0, best);
    }

    // The tree whose first step is known, with the cost it really has.
    search::Scored written(const Known& root) {
        Tree tree;
        write(items_.all(), {}, root.question, tree);
        return search::adopt(data_, limits_, tree);
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
        Frame& here = frame(itemset.size);  // a full cache has lost it: solve it again
        here.rows = rows;
        here.counts = counts;
        return expand(here, itemset, kNoCost).question;
    }

    const Data& data_;
    const Limits& limits_;
    const Dl85Settings& settings_;
    Watchdog& watchdog_;
    Items items_;
    Cache cache_;
    std::deque<Frame> frames_;                       // by level; a deque so that frames stay where they are
    std::vector<std::pair<Key, Known>> unfinished_;  // what was being worked on when the search was stopped
    Tree best_;
    std::vector<Progress> history_;
    std::unordered_set<std::uint64_t> seen_;  // names of itemsets visited
    std::uint64_t n_visits_ = 0, n_hits_ = 0;
};

}  // namespace

Outcome search_itemsets(const Data& data, const Limits& limits, const Dl85Settings& settings, const Budget& budget,
                        const Tree& start) {
    Watchdog watchdog(budget);
    Limits any_leaves = limits;
    any_leaves.max_leaves = std::numeric_limits<std::int64_t>::max();
    ItemsetSearch itemsets(data, any_leaves, settings, budget, watchdog);
    itemsets.offer(search::lone_leaf(data, any_leaves));
    if (!start.empty()) itemsets.offer(search::adopt(data, any_leaves, start));
    if (budget.seconds && watchdog.seconds() >= *budget.seconds) watchdog.stop(Ending::out_of_time);
    // Without a start no bound is known, and the published search begins without one.
    itemsets.run(start.empty() ? kNoCost : watchdog.cost - 1);
    return itemsets.outcome();
}

}  // namespace exactree::dl85
