// The rows of DL8 and DL8.5 as bit sets, one per item, and what covers add up to.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "bits/table.hpp"
#include "core/data.hpp"
#include "core/row_bits.hpp"

namespace exactree::dl85 {

// Words of rows that are equal in all that is summed, so that sums are bit counts times a constant.
struct Block {
    std::size_t begin, n_words;
    std::int32_t label;
    Cost gain, base;
    Size size;
};

inline double x_log_x(Cost x) { return x > 0 ? static_cast<double>(x) * std::log2(static_cast<double>(x)) : 0.0; }

// Sums over the rows on one side of a question, block by block in the order of labels.
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

// A bit set per question: the rows that answer yes. Rows are sorted into blocks that begin at a word.
class ItemTable {
 public:
    ItemTable(const Data& data, bool sizes) : ops_(bits::bit_ops<bits::WideOps>()), place_(sort_rows(data, sizes)) {
        zeros_.assign(n_words_, 0);
        all_.assign(n_words_, 0);
        for (const std::size_t at : place_) set(all_.data(), at);
    }
    // Allocates the bit sets; their size is known before.
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

}  // namespace exactree::dl85
