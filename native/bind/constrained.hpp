// Shared by the bindings of the constrained searches: channels, limits on sums and on leaves.
#pragma once

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <vector>

#include "bind/arrays.hpp"
#include "constrained/search.hpp"

namespace exactree::bind {

using ChannelArray = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using SoftSide = std::tuple<std::size_t, double, double, double>;         // sum, sign, at_most, unit
using Soft = std::tuple<double, std::vector<SoftSide>>;                   // price, sides
using Leaf = std::tuple<double, double, double, double, double, double>;  // costs, earns, noise, small, errors, price

inline constrained::Channels make_layout(int n_classes, std::size_t n_sums, std::size_t n_leaf_limits,
                                         Cost leaf_price) {
    const std::size_t width = static_cast<std::size_t>(n_classes) * (1 + n_sums + n_leaf_limits);
    return {n_classes, n_sums, width, leaf_price, {}};
}

inline constrained::SumLimits make_sum_limits(const Numbers& least, const Numbers& most,
                                              const std::vector<Soft>& soft) {
    if (least.size() != most.size()) throw std::invalid_argument("least and most must be of one length");
    constrained::SumLimits limits;
    limits.least.assign(least.data(), least.data() + least.size());
    limits.most.assign(most.data(), most.data() + most.size());
    for (const auto& [price, sides] : soft) {
        limits.soft.push_back({price, {}});
        for (const auto& [sum, sign, at_most, unit] : sides) {
            if (sum >= limits.least.size() || !(unit > 0)) throw std::invalid_argument("soft: no such sum, or unit");
            limits.soft.back().sides.push_back({sum, sign, at_most, unit});
        }
    }
    return limits;
}

inline std::vector<LeafLimit> make_leaf_limits(const std::vector<Leaf>& leaves) {
    std::vector<LeafLimit> limits;
    for (const auto& [costs, earns, noise, small, errors, price] : leaves)
        limits.push_back({costs, earns, noise, small, errors, price});
    return limits;
}

}  // namespace exactree::bind
