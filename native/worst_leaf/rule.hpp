// The score of a leaf for worst-leaf objectives.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace exactree::worst_leaf {

// The score is the accuracy of a leaf (z = 0), or the lower end of Wilson's score interval for it. Both rise with the
// right weight and fall with the wrong one.
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

// Whether the score of leaves exceeds a threshold q. Wilson's lower end exceeds q if and only if the accuracy lies more
// than z standard deviations, taken at q, above q: no square root and no division per leaf.
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
