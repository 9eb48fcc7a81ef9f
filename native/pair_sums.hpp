// Sums of signed gains over the rows of a set, per column and per pair of columns: all that trees of depth two need.
//
// With d the sum over a set (class 1 minus class 0) and b its base, a leaf errs (b - |d|) / 2. A split by column j
// turns d into p and d - p; the best split has the smallest or the largest p, see depth_one.cpp. So a root i needs the
// extremes over j of pairs[i][j] and of singles[j] - pairs[i][j] only.
#pragma once

#include "bit_table.hpp"
#include "cache.hpp"

namespace exactree {

struct Prices {
    Cost unit;  // of a unit of gain
    Cost leaf;
};

template <class Ops>
class PairSums {
 public:
    using Sum = typename Ops::Sum;

    // Sums over the rows of `set`, O(columns x columns x rows); without pairs, O(columns x rows) only.
    void fill(const BitTable<Ops>& table, const RowBits& set, const Ops& ops, bool with_pairs);

    const Sum* pairs(std::size_t column) const noexcept { return pairs_.data() + column * stride_; }
    const Sum* singles() const noexcept { return singles_.data(); }
    Cost base(std::size_t column) const noexcept { return base_[column]; }  // of the rows that have it, in units
    Cost base() const noexcept { return base_all_; }
    Cost sum() const noexcept { return sum_all_; }
    // Whether some rows have the column and some have not.
    bool parts(std::size_t column) const noexcept { return rows_[column] > 0 && rows_[column] < n_rows_; }
    std::size_t n_rows() const noexcept { return n_rows_; }
    std::size_t n_rows(std::size_t column) const noexcept { return rows_[column]; }

 private:
    void weigh_columns(const BitTable<Ops>& table, const Ops& ops);

    std::size_t stride_ = 0, n_rows_ = 0;
    std::vector<Sum> pairs_, singles_;
    std::vector<Cost> base_;
    std::vector<std::size_t> rows_;
    Cost base_all_ = 0, sum_all_ = 0;
    // scratch: the rows of the set, and which of them have each column
    std::vector<std::uint32_t> list_;
    std::vector<Word> bits_;
};

// Best tree with at most `leaves` leaves and depth two. `guesses`, if given, receives the cost of each root.
template <class Ops>
Known solve_pairs(const BitTable<Ops>& table, const PairSums<Ops>& sums, std::int64_t leaves, const Prices& prices,
                  const Ops& ops, std::vector<Cost>* guesses = nullptr);

// The same for the rows of `all` that are not in `part`, without writing their sums down.
template <class Ops>
Known solve_rest(const BitTable<Ops>& table, const PairSums<Ops>& all, const PairSums<Ops>& part, std::int64_t leaves,
                 const Prices& prices, const Ops& ops);

}  // namespace exactree
