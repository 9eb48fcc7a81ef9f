// Sums of gains per cell (column, rank) of a node, for some of its rows.
//
// Two classes need one number per cell, gain of class 1 minus gain of class 0: the best answer on each side of a cut
// follows from it. More classes need one number per class.
#pragma once

#include <vector>

#include "node.hpp"

namespace exactree {

class Tally {
 public:
    // Forget everything; get ready for the cells of `node`.
    void clear(const Data& data, const Node& node, bool with_sizes) {
        width_ = data.n_classes == 2 ? 1 : static_cast<std::size_t>(data.n_classes);
        with_sizes_ = with_sizes;
        sums_.assign(node.n_cells() * width_, 0);
        if (with_sizes) sizes_.assign(node.n_cells(), {});
        gains_.assign(static_cast<std::size_t>(data.n_classes), 0);
        base_ = 0;
        size_ = {};
    }

    void add(const Data& data, const Node& node, std::uint32_t local) {
        const RowId row = node.row(local);
        const Cost gain = data.gain[row];
        const auto label = static_cast<std::size_t>(data.label[row]);
        gains_[label] += gain;
        base_ += data.base[row];
        size_ += data.size[row];
        const std::uint32_t* cells = node.cells(local);
        const std::size_t n_columns = node.columns().size();
        if (width_ == 1) {
            const Cost signed_gain = label == 1 ? gain : -gain;
            for (std::size_t j = 0; j < n_columns; ++j) sums_[cells[j]] += signed_gain;
        } else {
            for (std::size_t j = 0; j < n_columns; ++j) sums_[cells[j] * width_ + label] += gain;
        }
        if (with_sizes_)
            for (std::size_t j = 0; j < n_columns; ++j) sizes_[cells[j]] += data.size[row];
    }

    void add_all(const Data& data, const Node& node) {
        for (std::uint32_t local = 0; local < node.n_rows(); ++local) add(data, node, local);
    }

    std::size_t width() const noexcept { return width_; }
    const Cost* sums() const noexcept { return sums_.data(); }
    const Size* sizes() const noexcept { return sizes_.data(); }
    const std::vector<Cost>& gains() const noexcept { return gains_; }
    Cost base() const noexcept { return base_; }
    Size size() const noexcept { return size_; }
    Cost best_gain() const { return *std::max_element(gains_.begin(), gains_.end()); }

 private:
    std::size_t width_ = 1;
    bool with_sizes_ = false;
    std::vector<Cost> sums_;
    std::vector<Size> sizes_;
    std::vector<Cost> gains_;
    Cost base_ = 0;
    Size size_;
};

}  // namespace exactree
