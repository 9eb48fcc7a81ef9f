// The relaxed problem at given multipliers, solved for all trees of depth three at once: its cost for every leaf is a
// weighted sum of channels.
#pragma once

#include <vector>

#include "constrained/path_sums.hpp"

namespace exactree::constrained {

// What sums of channels say: relaxed cost of each label, then rows and, where leaves have a least weight, weight.
struct Planes {
    std::size_t n_labels = 0;
    std::size_t n_sizes = 0;
    std::vector<double> weights;  // planes x width of the sums
    double leaf_price = 0;        // in units of the relaxed cost
    double least[2] = {1, 0};     // of the sizes of a leaf

    std::size_t size() const noexcept { return n_labels + n_sizes; }
    void read(const double* sums, std::size_t width, double* out) const noexcept;
    // Relaxed cost of a leaf with its best label; infinite where it is too small.
    double leaf(const double* planes) const noexcept;
};

class PathBounds {
 public:
    PathBounds(const PathSums& sums, Planes planes) : sums_(sums), planes_(std::move(planes)) {}

    // Solves the relaxed problem for trees of this depth, at most that of the sums; false if the watchdog stopped it.
    bool fill(int depth, Watchdog& watchdog);

    // Lowest relaxed cost of all trees of the depth, of the subtrees on a side of the root, and below two questions.
    double lowest() const noexcept { return lowest_; }
    double side(std::uint32_t i, bool inside) const noexcept { return sides_[2 * i + (inside ? 0 : 1)]; }
    double below(const Path& path) const noexcept;
    // A tree of lowest relaxed cost.
    Tree tree() const;

    const Planes& planes() const noexcept { return planes_; }
    const PathSums& sums() const noexcept { return sums_; }
    int depth() const noexcept { return depth_; }

 private:
    struct Stump {
        double cost = 0;  // of the leaf, or of two
        std::int64_t question = -1;
    };

    void read_singles();
    void fill_ones();
    void fill_pairs();
    void add_pair(std::size_t i, std::size_t j);
    void read_thirds(std::size_t i, std::size_t j);
    void add_triples(std::size_t i, std::size_t j);
    double leaf_of(const Path& path) const;
    Stump best_below(const Path& path, int depth) const;
    std::int32_t best_label(const std::vector<double>& sums) const;
    void grow(Tree& tree, std::size_t node, const Path& path, int depth) const;

    const PathSums& sums_;
    Planes planes_;
    int depth_ = 0;
    double lowest_ = 0;
    std::vector<double> all_;               // planes
    std::vector<std::vector<double>> one_;  // planes x questions
    std::vector<std::vector<double>> two_;  // planes x pairs
    std::vector<double> sides_;             // questions x 2
    std::vector<double> below_[4];          // both inside, first, second, none: pairs
    std::vector<double> third_;             // planes x third questions: scratch
};

}  // namespace exactree::constrained
