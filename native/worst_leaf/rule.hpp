// What a leaf is worth when its worst one decides about a tree.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace exactree::worst_leaf {

// The share of a leaf's weight that its label gets right (z = 0), or the lower end of Wilson's score interval for that
// share. Both grow with what is right and fall with what is wrong.
struct LeafRule {
    double z = 0;

    double score(double right, double wrong) const {
        const double n = right + wrong;
        if (n <= 0) return 0;
        const double share = right / n;
        if (z == 0) return share;
        const double z2 = z * z;
        const double spread = z * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
        return (share + z2 / (2 * n) - spread) / (1 + z2 / n);
    }
};

// Whether leaves are worth more than some value. Wilson's lower end exceeds q if and only if the share lies more than
// z standard deviations, taken at q, above q: no root and no division for each leaf.
class LeafTest {
 public:
    LeafTest(const LeafRule& rule, double q) : q_(q), spread_(rule.z * rule.z * q * (1 - q)) {}

    bool passes(double right, double wrong) const noexcept {
        const double surplus = right - q_ * (right + wrong);
        return surplus > 0 && surplus * surplus > spread_ * (right + wrong);
    }
    double q() const noexcept { return q_; }
    double spread() const noexcept { return spread_; }

 private:
    double q_, spread_;
};

}  // namespace exactree::worst_leaf
