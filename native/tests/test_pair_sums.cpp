// Sums over pairs of columns and the trees of depth two made of them, against counting row by row.
#undef NDEBUG
#include <cassert>

#include "bits/pair_trees.hpp"
#include "tests/table.hpp"

using namespace exactree;
using namespace exactree::bits;
using testing::Table;

namespace {

bool has(const Word* set, std::size_t row) { return set[row / 64] >> (row % 64) & 1; }

// About one row in `one_in` left out.
RowBits some_rows(std::mt19937& random, std::size_t n_rows, unsigned one_in) {
    RowBits out = all_rows(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row)
        if (random() % one_in == 0) out[row / 64] &= ~(Word{1} << (row % 64));
    return out;
}

// Over the rows of a run that are in the set and have both columns, negative for all columns.
template <class Ops>
Cost naive_sum(const BitTable<Ops>& table, const RowBits& set, const RowRun& run, int i, int j) {
    Cost out = 0;
    for (std::size_t row = run.begin; row < run.end; ++row)
        if (has(set.data(), row) && (i < 0 || has(table.column(static_cast<std::size_t>(i)), row)) &&
            (j < 0 || has(table.column(static_cast<std::size_t>(j)), row)))
            out += table.gain(static_cast<std::uint32_t>(row));
    return out;
}

template <class Ops>
Cost naive_base(const BitTable<Ops>& table, const RowBits& set, int i) {
    Cost out = 0;
    for (std::size_t row = 0; row < table.n_rows(); ++row)
        if (has(set.data(), row) && (i < 0 || has(table.column(static_cast<std::size_t>(i)), row)))
            out += table.base(static_cast<std::uint32_t>(row));
    return out;
}

template <class Ops>
void check_sizes(const BitTable<Ops>& table, const RowBits& set, const PairSums<Ops>& sums, bool with_pairs) {
    const auto naive = [&](int i, int j) {
        Cost out = 0;
        for (std::size_t row = 0; row < table.n_rows(); ++row)
            if (has(set.data(), row) && (i < 0 || has(table.column(static_cast<std::size_t>(i)), row)) &&
                (j < 0 || has(table.column(static_cast<std::size_t>(j)), row)))
                out += table.size(static_cast<std::uint32_t>(row));
        return out;
    };
    if (!table.sized()) return;
    assert(sums.size() == naive(-1, -1));
    const int n_columns = static_cast<int>(table.n_columns());
    for (int i = 0; i < n_columns; ++i) {
        assert(sums.size_singles()[i] == naive(i, -1));
        for (int j = 0; j < n_columns && with_pairs; ++j)
            assert(sums.size_pairs(static_cast<std::size_t>(i))[j] == naive(i, j));
    }
}

template <class Ops>
void check_sums(const BitTable<Ops>& table, const RowBits& set, const PairSums<Ops>& sums, bool with_pairs) {
    const int n_columns = static_cast<int>(table.n_columns());
    for (std::size_t run = 0; run < table.runs().size(); ++run) {
        const RowRun& rows = table.runs()[run];
        assert(sums.sum(run) == naive_sum(table, set, rows, -1, -1));
        for (int i = 0; i < n_columns; ++i) {
            assert(sums.singles(run)[i] == naive_sum(table, set, rows, i, -1));
            for (int j = 0; j < n_columns && with_pairs; ++j)
                assert(sums.pairs(run, static_cast<std::size_t>(i))[j] == naive_sum(table, set, rows, i, j));
        }
    }
    check_sizes(table, set, sums, with_pairs);
    assert(sums.base() == naive_base(table, set, -1));
    for (int i = 0; i < n_columns; ++i) assert(sums.base(static_cast<std::size_t>(i)) == naive_base(table, set, i));
}

// The whole table holds what the data say, class by class.
template <class Ops>
void check_totals(const Data& data, Cost unit, const BitTable<Ops>& table) {
    Cost base = 0, found = 0;
    std::vector<Cost> gains(static_cast<std::size_t>(std::max(2, data.n_classes)), 0);
    for (RowId row = 0; row < data.n_rows; ++row) {
        base += data.base[row];
        gains[static_cast<std::size_t>(data.label[row])] += data.gain[row];
    }
    for (std::uint32_t row = 0; row < table.n_rows(); ++row) found += table.base(row);
    assert(unit * found == base);
    const RowBits all = all_rows(table.n_rows());
    if (table.has_signs()) {
        assert(unit * naive_sum(table, all, table.runs()[0], -1, -1) == gains[1] - gains[0]);
        return;
    }
    for (const RowRun& run : table.runs()) {
        Cost& left = gains[static_cast<std::size_t>(run.label)];
        assert(unit * naive_sum(table, all, run, -1, -1) == left);
        left = 0;
    }
    assert(std::all_of(gains.begin(), gains.end(), [](Cost left) { return left == 0; }));
}

// Sums and trees of a part of the rows; what is left must do as well by subtraction as by sums of its own.
template <class Ops>
void check_part(std::mt19937& random, const BitTable<Ops>& table, const Prices& prices, const Ops& ops) {
    const RowBits all = all_rows(table.n_rows()), part = some_rows(random, table.n_rows(), 1 + random() % 4);
    RowBits rest = all;
    for (std::size_t w = 0; w < rest.size(); ++w) rest[w] &= ~part[w];
    PairSums<Ops> all_sums, part_sums, rest_sums;
    all_sums.fill(table, all, ops, true);
    part_sums.fill(table, part, ops, true);
    rest_sums.fill(table, rest, ops, false);
    check_sums(table, rest, rest_sums, false);
    rest_sums.fill(table, rest, ops, true);
    check_sums(table, all, all_sums, true);
    check_sums(table, part, part_sums, true);
    for (std::int64_t leaves = 1; leaves <= 4; ++leaves) {
        const SubtreeBounds own = solve_pairs(table, rest_sums, leaves, prices, ops);
        const SubtreeBounds left = solve_complement(table, all_sums, part_sums, leaves, prices, ops);
        assert(own.upper == left.upper && own.question == left.question && own.lower == left.lower);
        assert(own.relaxed == left.relaxed);
        assert(own.yes_leaves == left.yes_leaves && own.no_leaves == left.no_leaves);
    }
    BitTable<Ops> smaller;
    smaller.fill(table, part, ops, true);
    PairSums<Ops> smaller_sums;
    smaller_sums.fill(smaller, all_rows(smaller.n_rows()), ops, true);
    check_sums(smaller, all_rows(smaller.n_rows()), smaller_sums, true);
    assert(smaller_sums.base() == part_sums.base() &&
           smaller.best_label(all_rows(smaller.n_rows())) == table.best_label(part));
    assert(solve_pairs(smaller, smaller_sums, 4, prices, ops).upper ==
           solve_pairs(table, part_sums, 4, prices, ops).upper);
}

// Sums that turn from one set to another that differs in few rows; returns whether they did.
template <class Ops>
bool check_turn(std::mt19937& random, BitTable<Ops>& table, const Ops& ops) {
    const RowBits from = some_rows(random, table.n_rows(), 8);
    RowBits to = from, far = from;
    for (std::size_t row = 0; row < table.n_rows(); ++row) {
        if (random() % 12 == 0) to[row / 64] ^= Word{1} << (row % 64);
        if (random() % 2 == 0) far[row / 64] ^= Word{1} << (row % 64);
    }
    PairSums<Ops> sums;
    assert(!sums.update_to(table, to, ops));  // from nothing
    sums.fill(table, from, ops, false);
    assert(!sums.update_to(table, to, ops));  // from no pairs
    sums.fill(table, from, ops, true);
    assert(!sums.update_to(table, far, ops));
    const bool turned = sums.update_to(table, to, ops);
    check_sums(table, turned ? to : from, sums, true);
    if (turned && sums.update_to(table, from, ops)) check_sums(table, from, sums, true);
    const BitTable<Ops> whole = table;
    table.fill(whole, all_rows(whole.n_rows()), ops, true);
    assert(!sums.update_to(table, to, ops));  // the table is another one
    return turned;
}

int n_turned = 0;

template <class Ops>
void check(std::mt19937& random, Table& rows, bool portable, bool try_everything) {
    const Data data = rows.data();
    const Ops ops = bit_ops<Ops>(portable);
    Limits limits;
    limits.leaf_price = static_cast<Cost>(random() % 4);
    limits.least.rows = 1 + static_cast<std::int64_t>(random() % 5);
    const Prices prices{gain_unit(data), limits.leaf_price, limits.least.rows};
    BitTable<Ops> table;
    table.fill(data, prices.unit, ops, limits.limits_leaf_size());
    check_totals(data, prices.unit, table);
    check_part(random, table, prices, ops);
    if (!try_everything) {
        n_turned += check_turn(random, table, ops);
        return;
    }
    PairSums<Ops> sums;
    sums.fill(table, all_rows(table.n_rows()), ops, true);
    Limits relaxed = limits;
    relaxed.least = {0, 0};
    for (std::int64_t leaves = 1; leaves <= 4; ++leaves) {
        const SubtreeBounds known = solve_pairs(table, sums, leaves, prices, ops);
        assert(known.upper == testing::best_cost(data, limits, testing::all_rows(data), 2, leaves));
        assert(known.relaxed == testing::best_cost(data, relaxed, testing::all_rows(data), 2, leaves));
        assert(known.lower == known.upper);
    }
}

template <class Ops>
void check_both(std::mt19937& random, Table& rows, bool try_everything) {
    check<Ops>(random, rows, false, try_everything);
    check<Ops>(random, rows, true, try_everything);
}

void any_number_of_classes() {
    std::mt19937 random(14);
    for (int trial = 0; trial < 120; ++trial) {
        Table rows = testing::groups(random, 1 + trial % 6, 1 + random() % 80, 3, 3);
        check_both<SmallOps>(random, rows, true);
        check_both<MediumOps>(random, rows, true);
        check_both<WideOps>(random, rows, true);
    }
}

// Rows of one answer each: counted where all weigh the same, and a class may end anywhere in a word.
void rows_of_one_answer() {
    std::mt19937 random(15);
    for (int trial = 0; trial < 40; ++trial) {
        const auto heaviest = static_cast<unsigned>(trial % 2 == 0 ? 1 : kSmallGain);
        Table rows(2 + trial % 4);
        for (std::size_t row = 0; row < 100 + random() % 60; ++row) {
            std::vector<Rank> at(trial % 4 == 0 ? 70 : 5);  // more columns than one block
            for (Rank& rank : at) rank = static_cast<Rank>(random() % 2);
            rows.add(at, static_cast<int>(random() % static_cast<unsigned>(rows.n_classes)),
                     static_cast<Cost>(1 + random() % heaviest));
        }
        check_both<SmallOps>(random, rows, false);
        check_both<WideOps>(random, rows, false);
    }
    assert(n_turned >= 10);
}

// Columns that few rows have, or few have not: sums come from the rare cells alone.
template <class Ops>
void check_sparse(std::mt19937& random, Table& rows, const Ops& ops) {
    const Data data = rows.data();
    const Prices prices{gain_unit(data), static_cast<Cost>(random() % 3), 1};
    BitTable<Ops> table;
    table.fill(data, prices.unit, ops, false);
    table.index_rare_cells(ops);
    assert(table.sparse());
    check_part(random, table, prices, ops);
    PairSums<Ops> sums;
    sums.fill(table, all_rows(table.n_rows()), ops, true);
    assert(!sums.update_to(table, all_rows(table.n_rows()), ops));
    BitTable<Ops> sized;
    sized.fill(data, prices.unit, ops, true);
    sized.index_rare_cells(ops);
    assert(!sized.sparse());
}

void sparse_tables() {
    std::mt19937 random(16);
    for (int trial = 0; trial < 40; ++trial) {
        Table rows(2 + trial % 4);
        for (std::size_t row = 0; row < 80 + random() % 60; ++row) {
            std::vector<Rank> at(trial % 3 == 0 ? 70 : 12);
            for (std::size_t j = 0; j < at.size(); ++j) at[j] = (random() % 40 == 0) == (j % 2 == 0);
            rows.add(at, static_cast<int>(random() % static_cast<unsigned>(rows.n_classes)),
                     static_cast<Cost>(1 + random() % (trial % 2 == 0 ? 1 : kSmallGain)));
        }
        for (const bool portable : {false, true}) {
            check_sparse(random, rows, bit_ops<SmallOps>(portable));
            check_sparse(random, rows, bit_ops<WideOps>(portable));
        }
    }
}

}  // namespace

int main() {
    any_number_of_classes();
    rows_of_one_answer();
    sparse_tables();
}
