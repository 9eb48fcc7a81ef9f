// Scans the columns of a set of rows cut by cut, for cuts whose sides may both be leaves.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "worst_leaf/sets.hpp"

namespace exactree::worst_leaf {

// The two sides of a cut, by channel, with the label of each.
struct LabelledSides {
    const double* yes;
    const double* no;
    int label_yes, label_no;
};

class LeafScan {
 public:
    explicit LeafScan(const LeafData& data);

    // Sets the rows that the following scans read.
    void take(const RowSet& set, const Tally& tally);

    // Calls visit(rank, sides) for each cut whose sides may both be leaves, lowest first, until it returns true.
    // Equivalent cuts may be visited one after the other.
    template <class Visit>
    bool cuts(std::size_t column, const LeafRequirements& needs, Visit visit) {
        return data_.n_channels() == 2 ? walk_two(column, needs, visit) : walk(column, needs, visit);
    }

 private:
    static constexpr std::uint32_t kLast = std::uint32_t{1} << 31;  // marks the last row of a rank

    struct Member {
        double all = 0, sure = 0;  // weight, if the row is in the set
        double count = 0;
        std::size_t label = 0;
    };
    struct MemberOfTwo {
        double all[2], sure[2];  // by class: 0 for the one that the row is not of
    };

    // Two classes: all sums stay in registers.
    template <class Visit>
    bool walk_two(std::size_t column, const LeafRequirements& needs, Visit visit) {
        double all[2] = {0, 0}, sure[2] = {0, 0};
        const std::span<const std::uint32_t> order = order_of(column);
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            const MemberOfTwo& member = members_of_two_[order[i] & ~kLast];
            for (const int c : {0, 1}) {
                all[c] += member.all[c];
                sure[c] += member.sure[c];
            }
            if (!(order[i] & kLast) || !needs.any_of_two(sure, all)) continue;
            const double no[2] = {tally_->all[0] - all[0], tally_->all[1] - all[1]};
            const double no_sure[2] = {tally_->sure[0] - sure[0], tally_->sure[1] - sure[1]};
            if (!needs.any_of_two(no_sure, no)) continue;
            const LabelledSides sides{all, no, needs.label(sure, all), needs.label(no_sure, no)};
            if (visit(data_.data.rank(column, order[i] & ~kLast), sides)) return true;
        }
        return false;
    }

    template <class Visit>
    bool walk(std::size_t column, const LeafRequirements& needs, Visit visit) {
        const std::size_t width = data_.n_channels();
        double *all = sums_.data(), *sure = all + width, *no = sure + width, *no_sure = no + width;
        std::fill(sums_.begin(), sums_.end(), 0.0);
        const std::span<const std::uint32_t> order = order_of(column);
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            const RowId row = order[i] & ~kLast;
            const Member& member = members_[row];
            all[member.label] += member.all;
            sure[member.label] += member.sure;
            if (data_.counts_apart) all[data_.n_classes()] += member.count;
            if (!(order[i] & kLast)) continue;
            const int label_yes = needs.label(sure, all);
            if (label_yes < 0) continue;
            for (std::size_t c = 0; c < width; ++c) {
                no[c] = tally_->all[c] - all[c];
                no_sure[c] = tally_->sure[c] - sure[c];
            }
            const int label_no = needs.label(no_sure, no);
            if (label_no >= 0 && visit(data_.data.rank(column, row), LabelledSides{all, no, label_yes, label_no}))
                return true;
        }
        return false;
    }

    std::span<const std::uint32_t> order_of(std::size_t column);

    const LeafData& data_;
    std::vector<std::uint32_t> order_;         // all rows by column, sorted
    std::vector<Member> members_;              // of all rows
    std::vector<MemberOfTwo> members_of_two_;  // the same with two channels
    const RowSet* set_ = nullptr;
    const Tally* tally_ = nullptr;
    std::vector<RowId> taken_;           // rows of the last set
    std::vector<std::uint32_t> sorted_;  // rows of a small set
    std::vector<double> sums_;
};

}  // namespace exactree::worst_leaf
