#include "constrained/path_bounds.hpp"

#include <algorithm>
#include <limits>

#include "core/also_avx2.hpp"

namespace exactree::constrained {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 64;  // third questions at a time
constexpr std::size_t kOctants = 8;

double lower(double a, double b) { return b < a ? b : a; }

// A plane at two questions and all third ones: what is inside of all three, of the third and one, of the third.
struct Slice {
    const double *three, *first, *second, *third;
    double both, only_first, only_second, none;  // inside both questions; one of them; the rest of the rows
};

// Values in the eight octants: bits 4, 2 and 1 are set outside the first, second and third question.
template <class Take>
inline void take_octants(const Slice& slice, std::size_t n, const Take& take) {
    for (std::size_t k = 0; k < n; ++k) {
        const double inside = slice.three[k];
        const double first = slice.first[k] - inside, second = slice.second[k] - inside;
        const double rest = slice.third[k] - slice.first[k] - second;
        take(k, 0, inside);
        take(k, 1, slice.both - inside);
        take(k, 2, first);
        take(k, 3, slice.only_first - first);
        take(k, 4, second);
        take(k, 5, slice.only_second - second);
        take(k, 6, rest);
        take(k, 7, slice.none - rest);
    }
}

EXACTREE_ALSO_AVX2 void start_octants(const Slice& slice, std::size_t n, double (*values)[kBlock]) {
    take_octants(slice, n, [&](std::size_t k, std::size_t octant, double value) { values[octant][k] = value; });
}

EXACTREE_ALSO_AVX2 void lower_octants(const Slice& slice, std::size_t n, double (*values)[kBlock]) {
    take_octants(slice, n, [&](std::size_t k, std::size_t octant, double value) {
        values[octant][k] = value < values[octant][k] ? value : values[octant][k];
    });
}

EXACTREE_ALSO_AVX2 void refuse_small(const Slice& slice, std::size_t n, double least, double (*values)[kBlock]) {
    take_octants(slice, n, [&](std::size_t k, std::size_t octant, double size) {
        values[octant][k] = size < least ? kInfinite : values[octant][k];
    });
}

// Stumps: two octants that differ in one question are the leaves of its split.
EXACTREE_ALSO_AVX2 void lower_stumps(double (*values)[kBlock], std::size_t n, double price, double* both,
                                     double* const* with_first, double* const* with_second) {
    for (std::size_t side = 0; side < 4; ++side) {
        const double *inside = values[2 * side], *outside = values[2 * side + 1];
        double lowest = both[side] - price;
        for (std::size_t k = 0; k < n; ++k) {
            const double cost = inside[k] + outside[k];
            lowest = cost < lowest ? cost : lowest;
        }
        both[side] = lowest + price;
    }
    for (std::size_t side = 0; side < 4; ++side) {
        const std::size_t apart = 4 * (side / 2) + side % 2;  // sides of the first and the third question
        const double *inside = values[apart], *outside = values[apart + 2];
        double* out = with_first[side];
        for (std::size_t k = 0; k < n; ++k) {
            const double cost = inside[k] + outside[k] + price;
            out[k] = cost < out[k] ? cost : out[k];
        }
        inside = values[side], outside = values[side + 4];  // sides of the second and the third
        out = with_second[side];
        for (std::size_t k = 0; k < n; ++k) {
            const double cost = inside[k] + outside[k] + price;
            out[k] = cost < out[k] ? cost : out[k];
        }
    }
}

std::size_t side_of(const Path& path) { return (path.inside[0] ? 0 : 2) + (path.inside[1] ? 0 : 1); }

}  // namespace

void Planes::read(const double* sums, std::size_t width, double* out) const noexcept {
    for (std::size_t p = 0; p < size(); ++p) {
        double total = 0;
        for (std::size_t c = 0; c < width; ++c) total += weights[p * width + c] * sums[c];
        out[p] = total;
    }
}

double Planes::leaf(const double* planes) const noexcept {
    for (std::size_t s = 0; s < n_sizes; ++s)
        if (planes[n_labels + s] < least[s]) return kInfinite;
    return *std::min_element(planes, planes + n_labels) + leaf_price;
}

bool PathBounds::fill(int depth, Watchdog& watchdog) {
    depth_ = depth;
    read_singles();
    const std::size_t n = sums_.n_questions();
    sides_.assign(2 * n, kInfinite);
    fill_ones();
    if (depth_ >= 2) {
        fill_pairs();
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                if (depth_ >= 3) add_triples(i, j);
                if (watchdog.spend(depth_ >= 3 ? 40 * (n - j) : 40)) return false;
            }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) add_pair(i, j);
    }
    lowest_ = planes_.leaf(all_.data());
    for (std::size_t i = 0; i < n && depth_ >= 1; ++i) lowest_ = lower(lowest_, sides_[2 * i] + sides_[2 * i + 1]);
    return true;
}

void PathBounds::read_singles() {
    const std::size_t n = sums_.n_questions();
    all_.resize(planes_.size());
    planes_.read(sums_.none(), sums_.width(), all_.data());
    one_.assign(planes_.size(), std::vector<double>(n));
    std::vector<double> read(planes_.size());
    for (std::size_t i = 0; i < n; ++i) {
        planes_.read(sums_.one(i), sums_.width(), read.data());
        for (std::size_t p = 0; p < read.size(); ++p) one_[p][i] = read[p];
    }
    two_.assign(planes_.size(), std::vector<double>(depth_ >= 2 ? sums_.n_pairs() : 0));
    for (std::size_t i = 0; i < n && depth_ >= 2; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            planes_.read(sums_.two(i, j), sums_.width(), read.data());
            for (std::size_t p = 0; p < read.size(); ++p) two_[p][sums_.pair(i, j)] = read[p];
        }
}

double PathBounds::leaf_of(const Path& path) const {
    std::vector<double> sums(sums_.width()), read(planes_.size());
    sums_.whole(path, sums.data());
    planes_.read(sums.data(), sums.size(), read.data());
    return planes_.leaf(read.data());
}

void PathBounds::fill_ones() {
    for (std::uint32_t i = 0; i < sums_.n_questions() && depth_ >= 1; ++i)
        for (const bool inside : {true, false}) sides_[2 * i + (inside ? 0 : 1)] = leaf_of(Path{}.with(i, inside));
}

// Leaves below two questions.
void PathBounds::fill_pairs() {
    std::vector<double> read(planes_.size());
    for (std::vector<double>& part : below_) part.resize(sums_.n_pairs());
    for (std::size_t i = 0; i < sums_.n_questions(); ++i)
        for (std::size_t j = i + 1; j < sums_.n_questions(); ++j) {
            const std::size_t at = sums_.pair(i, j);
            for (std::size_t side = 0; side < 4; ++side) {
                for (std::size_t p = 0; p < read.size(); ++p) {
                    const double both = two_[p][at], first = one_[p][i] - both, second = one_[p][j] - both;
                    const double cells[4] = {both, first, second, all_[p] - one_[p][i] - second};
                    read[p] = cells[side];
                }
                below_[side][at] = planes_.leaf(read.data());
            }
        }
}

// Splits by one question below the other.
void PathBounds::add_pair(std::size_t i, std::size_t j) {
    const std::size_t at = sums_.pair(i, j);
    for (std::size_t s = 0; s < 2; ++s) {
        sides_[2 * i + s] = lower(sides_[2 * i + s], below_[2 * s][at] + below_[2 * s + 1][at]);
        sides_[2 * j + s] = lower(sides_[2 * j + s], below_[s][at] + below_[2 + s][at]);
    }
}

// Planes of the rows inside of i, j and each later question.
void PathBounds::read_thirds(std::size_t i, std::size_t j) {
    const std::size_t n = sums_.n_questions() - j - 1, width = sums_.width();
    third_.resize(planes_.size() * n);
    for (std::size_t k = 0; k < n; ++k) {
        const double* sums = sums_.three(i, j, j + 1 + k);
        for (std::size_t p = 0; p < planes_.size(); ++p) {
            double total = 0;
            for (std::size_t c = 0; c < width; ++c) total += planes_.weights[p * width + c] * sums[c];
            third_[p * n + k] = total;
        }
    }
}

// Stumps below any two of the questions i, j and a later one.
void PathBounds::add_triples(std::size_t i, std::size_t j) {
    const std::size_t n = sums_.n_questions() - j - 1, n_planes = planes_.size(), at = sums_.pair(i, j);
    if (n == 0) return;
    read_thirds(i, j);
    const std::size_t with_i = sums_.pair(i, j + 1), with_j = sums_.pair(j, j + 1);
    double both[4] = {below_[0][at], below_[1][at], below_[2][at], below_[3][at]};
    double values[kOctants][kBlock];
    for (std::size_t from = 0; from < n; from += kBlock) {
        const std::size_t here = std::min(kBlock, n - from);
        for (std::size_t p = 0; p < n_planes; ++p) {
            const double pair = two_[p][at];
            const Slice slice{third_.data() + p * n + from,
                              two_[p].data() + with_i + from,
                              two_[p].data() + with_j + from,
                              one_[p].data() + j + 1 + from,
                              pair,
                              one_[p][i] - pair,
                              one_[p][j] - pair,
                              all_[p] - one_[p][i] - one_[p][j] + pair};
            if (p == 0) start_octants(slice, here, values);
            if (p > 0 && p < planes_.n_labels) lower_octants(slice, here, values);
            if (p >= planes_.n_labels) refuse_small(slice, here, planes_.least[p - planes_.n_labels], values);
        }
        double* first[4];
        double* second[4];
        for (std::size_t side = 0; side < 4; ++side) {
            first[side] = below_[side].data() + with_i + from;
            second[side] = below_[side].data() + with_j + from;
        }
        lower_stumps(values, here, 2 * planes_.leaf_price, both, first, second);
    }
    for (std::size_t side = 0; side < 4; ++side) below_[side][at] = both[side];
}

double PathBounds::below(const Path& path) const noexcept {
    return below_[side_of(path)][sums_.pair(path.at[0], path.at[1])];
}

// The best split of the rows of a path into subtrees of one level less, whose costs are known, or a leaf.
PathBounds::Stump PathBounds::best_below(const Path& path, int depth) const {
    Stump best{leaf_of(path), -1};
    for (std::uint32_t i = 0; i < sums_.n_questions() && depth >= 1; ++i) {
        if (path.asks(i)) continue;
        double cost;
        if (path.length == 0) {
            cost = sides_[2 * i] + sides_[2 * i + 1];
        } else if (path.length == 1) {
            cost = below(path.with(i, true)) + below(path.with(i, false));
        } else {
            std::vector<double> whole(sums_.width()), part(sums_.width()), planes(planes_.size());
            sums_.whole(path, whole.data());
            sums_.part(path, i, part.data());
            planes_.read(part.data(), part.size(), planes.data());
            cost = planes_.leaf(planes.data());
            for (std::size_t c = 0; c < whole.size(); ++c) whole[c] -= part[c];
            planes_.read(whole.data(), whole.size(), planes.data());
            cost += planes_.leaf(planes.data());
        }
        if (cost < best.cost) best = {cost, i};
    }
    return best;
}

Tree PathBounds::tree() const {
    Tree tree;
    tree.push_back({-1, -1, -1, -1, 0});
    grow(tree, 0, {}, depth_);
    return tree;
}

std::int32_t PathBounds::best_label(const std::vector<double>& sums) const {
    std::vector<double> read(planes_.size());
    planes_.read(sums.data(), sums.size(), read.data());
    const auto first = read.begin(), end = first + static_cast<std::ptrdiff_t>(planes_.n_labels);
    return static_cast<std::int32_t>(std::min_element(first, end) - first);
}

void PathBounds::grow(Tree& tree, std::size_t node, const Path& path, int depth) const {
    const Stump best = best_below(path, depth);
    std::vector<double> sums(sums_.width()), part(sums_.width());
    sums_.whole(path, sums.data());
    if (best.question < 0) {
        tree[node].label = best_label(sums);
        return;
    }
    const auto asked = static_cast<std::uint32_t>(best.question);
    const ChainQuestion& question = sums_.question(asked);
    const auto yes = tree.size();
    tree.resize(yes + 2, {-1, -1, -1, -1, 0});
    tree[node] = {question.question.column, static_cast<std::int32_t>(question.question.rank),
                  static_cast<std::int32_t>(yes), static_cast<std::int32_t>(yes + 1), -1};
    const std::size_t inside = question.yes_inside ? yes : yes + 1, outside = question.yes_inside ? yes + 1 : yes;
    if (path.length < 2) {
        grow(tree, inside, path.with(asked, true), depth - 1);
        grow(tree, outside, path.with(asked, false), depth - 1);
        return;
    }
    // Below a third question are leaves.
    sums_.part(path, asked, part.data());
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] -= part[c];
    tree[inside].label = best_label(part);
    tree[outside].label = best_label(sums);
}

}  // namespace exactree::constrained
