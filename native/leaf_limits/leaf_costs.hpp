// What a leaf costs where every leaf has to obey limits, or pays for breaking them.
#pragma once

#include <limits>
#include <vector>

#include "core/leaf_limit.hpp"
#include "worst_leaf/sets.hpp"

namespace exactree::leaf_limits {

constexpr double kNever = std::numeric_limits<double>::infinity();  // cost of what is not allowed

struct CostRules {
    std::vector<double> matrix;        // by label and class: cost of one unit
    std::vector<double> class_weight;  // of one unit, for the least weight of a leaf
    double leaf_price = 0;
    double min_rows = 1;
    double min_weight = 0;
    double noise = 0;  // costs that differ by no more are equal
    std::vector<LeafLimit> limits;
};

struct LabelledCost {
    double cost = kNever;
    int label = -1;
};

// Amounts of many leaves, leaf by leaf, in each channel; of the leaf's rows last.
struct ManyLeaves {
    std::vector<std::vector<double>> amounts;  // by class
    std::vector<double> rows, total, weight, cost, of_label;

    void resize(std::size_t n_classes, std::size_t n);
};

class LeafCosts {
 public:
    LeafCosts(std::size_t n_classes, CostRules rules) : n_(n_classes), rules_(std::move(rules)) {}

    const CostRules& rules() const noexcept { return rules_; }
    // The cheapest label of a leaf, given its amounts by class. With fewer sure than possible rows, no leaf of the rows
    // between costs less.
    LabelledCost leaf(const double* sure, const double* all, double rows) const noexcept {
        return large_enough(all, rows) ? lone_leaf(sure, all) : LabelledCost{};
    }
    // The same for all rows, which may be one leaf however few they are.
    LabelledCost lone_leaf(const double* sure, const double* all) const noexcept;
    // Costs of many leaves of exact amounts.
    void price(ManyLeaves& leaves, std::size_t n) const;

 private:
    bool large_enough(const double* all, double rows) const noexcept;

    std::size_t n_;
    CostRules rules_;
};

}  // namespace exactree::leaf_limits
