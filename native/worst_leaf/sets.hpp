// Sets of rows with sure and possible members, and the relaxed leaves of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/data.hpp"
#include "core/key.hpp"
#include "worst_leaf/rule.hpp"

namespace exactree::worst_leaf {

// The rows before `sure` are in every set represented, those behind it in some. Without possible rows it is one set.
struct RowSet {
    std::vector<RowId> rows;
    std::size_t sure = 0;

    bool exact() const noexcept { return sure == rows.size(); }
};

RowSet all_rows(std::size_t n_rows);

// A subproblem of exact rows, by the key of its rows.
struct SetKey {
    Key rows;
    int depth;
    std::int64_t leaves;

    static SetKey of(const RowSet& set, int depth, std::int64_t leaves);
    friend bool operator==(const SetKey&, const SetKey&) noexcept = default;
};
struct SetHash {
    std::size_t operator()(const SetKey& key) const noexcept {
        return key.rows.low ^
               splitmix64(static_cast<std::uint64_t>(key.depth) * 1000003u + static_cast<std::uint64_t>(key.leaves));
    }
};

// Rows as this search reads them. Each set of rows has `channels` numbers: weight of each class, and the number of rows
// where that differs from the weight.
struct LeafData {
    const Data& data;
    std::vector<double> weight;  // of each row
    std::vector<double> count;   // rows of the user's table that each row stands for
    bool counts_apart = false;   // whether any count differs from its weight
    int channels = 0;

    explicit LeafData(const Data& given, double unit);

    std::size_t n_classes() const noexcept { return static_cast<std::size_t>(data.n_classes); }
    std::size_t n_channels() const noexcept { return static_cast<std::size_t>(channels); }
    // Rows of the user's table in some channels.
    double rows(const double* channel) const noexcept {
        if (counts_apart) return channel[n_classes()];
        double sum = 0;
        for (std::size_t k = 0; k < n_classes(); ++k) sum += channel[k];
        return sum;
    }
    void add(double* channel, RowId row) const noexcept {
        channel[data.label[row]] += weight[row];
        if (counts_apart) channel[n_classes()] += count[row];
    }
};

// Requirements of a leaf: minimum size and score.
struct LeafRequirements {
    const LeafData& data;
    LeafTest test;
    double min_rows = 1;
    double min_weight = 0;

    // A label with which some set between the sure and all rows is a feasible leaf; -1 if there is none. The relaxed
    // leaf has all rows of the label and only the sure ones of the others.
    int label(const double* sure, const double* all) const noexcept {
        const std::size_t n = data.n_classes();
        double sure_total = 0, total = 0;
        for (std::size_t k = 0; k < n; ++k) {
            sure_total += sure[k];
            total += all[k];
        }
        if ((data.counts_apart ? all[n] : total) < min_rows || total < min_weight) return -1;
        int best = -1;
        for (std::size_t k = 0; k < n; ++k)
            if ((best < 0 || all[k] > all[best]) && test.passes(all[k], sure_total - sure[k]))
                best = static_cast<int>(k);
        return best;
    }
    // Whether there is such a label, for two classes and counts equal to weights.
    bool any_of_two(const double* sure, const double* all) const noexcept {
        const double total = all[0] + all[1];
        const bool first = test.passes(all[0], sure[1]), second = test.passes(all[1], sure[0]);
        return (total >= min_rows) & (total >= min_weight) & (first | second);
    }
    bool feasible(const double* sure, const double* all) const noexcept { return label(sure, all) >= 0; }

    // Whether further questions can help where one leaf is infeasible. If only one label is possible, a tree scores no
    // higher than a leaf. A leaf of a label has at most the right weight that exists, and at least the wrong weight
    // that it takes to be large enough.
    bool can_split(const double* all) const noexcept {
        if (data.rows(all) < 2 * min_rows) return false;
        int able = 0;
        for (std::size_t k = 0; k < data.n_classes(); ++k)
            able += test.passes(all[k], data.counts_apart ? 0 : std::max(0.0, min_rows - all[k]));
        return able > 1;
    }
};

// Sure and all rows by channel.
struct Tally {
    std::vector<double> sure, all;

    Tally(const LeafData& data, const RowSet& set);
};

// The two sides of the cuts first..last of a column, taken together: rows on a side of all of them are sure.
struct CutSides {
    RowSet yes, no;
};
CutSides sides_of(const Data& data, const RowSet& set, std::size_t column, Rank first, Rank last);

}  // namespace exactree::worst_leaf
