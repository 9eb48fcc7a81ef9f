#include "leaf_limits/leaf_costs.hpp"

#include <algorithm>

#include "core/also_avx2.hpp"

namespace exactree::leaf_limits {

namespace {

EXACTREE_ALSO_AVX2 void add_scaled(const double* amounts, double factor, std::size_t n, double* sums) {
    for (std::size_t i = 0; i < n; ++i) sums[i] += amounts[i] * factor;
}

// Adds the price of a limit where a label breaks it.
EXACTREE_ALSO_AVX2 void add_price(const double* right, const double* total, double costs, double earns, double noise,
                                  double price, std::size_t n, double* sums) {
    for (std::size_t i = 0; i < n; ++i)
        sums[i] += costs * (total[i] - right[i]) <= earns * right[i] + noise ? 0.0 : price;
}

EXACTREE_ALSO_AVX2 void add_price_of_small(const double* right, const double* total, const LeafLimit& limit,
                                           std::size_t n, double* sums) {
    for (std::size_t i = 0; i < n; ++i) {
        const double wrong = total[i] - right[i];
        const bool few_wrong = wrong <= limit.errors + limit.noise;
        const bool share = limit.costs * wrong <= limit.earns * right[i] + limit.noise;
        sums[i] += (total[i] < limit.small ? few_wrong : share) ? 0.0 : limit.price;
    }
}

EXACTREE_ALSO_AVX2 void take_lower(const double* other, std::size_t n, double* lowest) {
    for (std::size_t i = 0; i < n; ++i) lowest[i] = lowest[i] < other[i] ? lowest[i] : other[i];
}

EXACTREE_ALSO_AVX2 void refuse_small(const double* size, double least, std::size_t n, double* cost) {
    for (std::size_t i = 0; i < n; ++i) cost[i] = size[i] >= least ? cost[i] : kNever;
}

}  // namespace

void ManyLeaves::resize(std::size_t n_classes, std::size_t n) {
    amounts.resize(n_classes);
    for (auto& of_class : amounts) of_class.resize(n);
    for (auto* numbers : {&rows, &total, &weight, &cost, &of_label}) numbers->resize(n);
}

bool LeafCosts::large_enough(const double* all, double rows) const noexcept {
    if (rows < rules_.min_rows) return false;
    if (rules_.min_weight <= 0) return true;
    double weight = 0;
    for (std::size_t c = 0; c < n_; ++c) weight += all[c] * rules_.class_weight[c];
    return weight >= rules_.min_weight;
}

LabelledCost LeafCosts::lone_leaf(const double* sure, const double* all) const noexcept {
    double sure_total = 0, total = 0;
    for (std::size_t c = 0; c < n_; ++c) {
        sure_total += sure[c];
        total += all[c];
    }
    LabelledCost best;
    for (std::size_t k = 0; k < n_; ++k) {
        double cost = rules_.leaf_price;
        for (std::size_t c = 0; c < n_; ++c) cost += sure[c] * rules_.matrix[k * n_ + c];
        for (const LeafLimit& limit : rules_.limits)
            if (cost < best.cost && !limit.may_allow(sure[k], all[k], sure_total - sure[k], total - all[k]))
                cost += limit.price;
        if (cost < best.cost) best = {cost, static_cast<int>(k)};
    }
    return best;
}

void LeafCosts::price(ManyLeaves& leaves, std::size_t n) const {
    std::fill_n(leaves.total.begin(), n, 0.0);
    std::fill_n(leaves.cost.begin(), n, kNever);
    for (const auto& of_class : leaves.amounts) add_scaled(of_class.data(), 1.0, n, leaves.total.data());
    for (std::size_t k = 0; k < n_; ++k) {
        double* cost = leaves.of_label.data();
        std::fill_n(cost, n, rules_.leaf_price);
        for (std::size_t c = 0; c < n_; ++c)
            if (rules_.matrix[k * n_ + c] != 0)
                add_scaled(leaves.amounts[c].data(), rules_.matrix[k * n_ + c], n, cost);
        const double *right = leaves.amounts[k].data(), *total = leaves.total.data();
        for (const LeafLimit& limit : rules_.limits) {
            if (limit.small > 0)
                add_price_of_small(right, total, limit, n, cost);
            else
                add_price(right, total, limit.costs, limit.earns, limit.noise, limit.price, n, cost);
        }
        take_lower(cost, n, leaves.cost.data());
    }
    refuse_small(leaves.rows.data(), rules_.min_rows, n, leaves.cost.data());
    if (rules_.min_weight <= 0) return;
    std::fill_n(leaves.weight.begin(), n, 0.0);
    for (std::size_t c = 0; c < n_; ++c)
        add_scaled(leaves.amounts[c].data(), rules_.class_weight[c], n, leaves.weight.data());
    refuse_small(leaves.weight.data(), rules_.min_weight, n, leaves.cost.data());
}

}  // namespace exactree::leaf_limits
