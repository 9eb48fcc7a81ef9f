// Sums of gains over the rows of a set, per column and per pair of columns: all that trees of depth two need. A run of
// rows (see table.hpp) has sums of its own: with two classes one of signed gains, else one per class. Sizes are summed
// up over all rows, where the table has them.
#pragma once

#include "bits/table.hpp"

namespace exactree::bits {

template <class Ops>
class PairSums {
 public:
    using Sum = typename Ops::Sum;

    // Sums over the rows of `set`, O(columns x columns x rows); without pairs, O(columns x rows) only.
    void fill(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs);
    // The same with pairs, from the current sums, if they are over a set of the same table that differs in few rows;
    // false if they are not.
    bool update_to(const BitTable<Ops>& table, const RowBits& set, const Ops& ops);
    // Sums over the rows of `all` that are not in `part`.
    void fill_difference(const PairSums& all, const PairSums& part);

    const Sum* pairs(std::size_t run, std::size_t column) const noexcept {
        return pairs_.data() + (run * rows_.size() + column) * stride_;
    }
    const Sum* singles(std::size_t run) const noexcept { return singles_.data() + run * stride_; }
    Cost sum(std::size_t run) const noexcept { return sums_[run]; }
    const Sum* size_pairs(std::size_t column) const noexcept { return size_pairs_.data() + column * stride_; }
    const Sum* size_singles() const noexcept { return size_singles_.data(); }
    Cost size() const noexcept { return size_all_; }
    Cost base(std::size_t column) const noexcept { return base_[column]; }  // of the rows that have it, in units
    Cost base() const noexcept { return base_all_; }
    std::size_t n_rows() const noexcept { return n_rows_; }
    std::size_t n_rows(std::size_t column) const noexcept { return rows_[column]; }

 private:
    // Rows that an update must save over a full computation. From 16 to 256 it makes little difference.
    static constexpr std::size_t kFew = 64;

    void add_rows(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs, bool minus);
    void scatter(const BitTable<Ops>& table, std::size_t run);
    void gather(const BitTable<Ops>& table, std::size_t run);
    void finish(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs);
    void add_sizes(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs);
    void list_run(const BitTable<Ops>& table, const RowBits& set, const RowRun& run, const Ops& ops);
    void sum_run(const BitTable<Ops>& table, std::size_t run, const Ops& ops, int sign);
    void count_bases(const BitTable<Ops>& table, const RowBits& set, const Ops& ops);

    std::size_t stride_ = 0, n_rows_ = 0;
    std::vector<Sum> pairs_, singles_;  // runs x columns x stride, runs x stride
    std::vector<Sum> size_pairs_, size_singles_;
    Cost size_all_ = 0;
    std::vector<Cost> sums_;         // per run
    std::vector<Cost> base_;         // per column
    std::vector<std::size_t> rows_;  // per column
    Cost base_all_ = 0;
    // the table and set that the sums belong to, with pairs
    const BitTable<Ops>* table_ = nullptr;
    std::uint64_t version_ = 0;
    RowBits set_;
    // scratch: the rows of a run that are in the set, and which of them have each column
    std::size_t n_listed_ = 0;
    std::vector<std::uint32_t> list_;
    std::vector<Word> bits_;
    std::vector<Sum> rare_;  // per column, over the rows that are rare in it
    RowBits part_, gone_, come_;
};

extern template class PairSums<SmallOps>;
extern template class PairSums<MediumOps>;
extern template class PairSums<WideOps>;

}  // namespace exactree::bits
