// Diagrams built layer by layer, by entropy.
#pragma once

#include "budget.hpp"
#include "diagram.hpp"

namespace exactree {

// Small and alike on every machine (SplitMix64).
class Random {
 public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double share() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    // One of 0..n-1; that some come up more often by n / 2^64 does not matter here.
    std::size_t below(std::size_t n) noexcept { return static_cast<std::size_t>(next() % n); }

 private:
    std::uint64_t state_;
};

// Entropies of weights that are whole numbers, as whole numbers: sums are exact, and ties are ties.
class EntropyTable {
 public:
    explicit EntropyTable(std::uint64_t largest);
    // n log n
    std::int64_t operator[](std::uint64_t n) const noexcept { return values_[n]; }

 private:
    std::vector<std::int64_t> values_;
};

// How one diagram is built.
struct BuildSettings {
    double ratio = 1;     // share of the columns that each node looks at
    bool random = false;  // whether anything is left to chance
};

// Keeps its arrays from one diagram to the next.
class DiagramBuilder {
 public:
    DiagramBuilder(const DiagramData& data, const DiagramLimits& limits, const SortedColumns& sorted);

    // A diagram within the limits. If the time is over, what is not built yet becomes leaves.
    Diagram build(Random& random, const BuildSettings& settings, Watchdog& watchdog);

 private:
    static constexpr std::uint16_t kNowhere = 0xffff;
    struct Split {
        std::int64_t entropy;
        std::uint64_t balance;  // weight of the smaller side
        std::int32_t column;    // -1: none
        RowId last;             // of those that say yes
    };
    // A pass over one column, as one node sees it.
    struct Sweep {
        std::uint32_t rank;   // of the last row met, counted from 1
        bool looks;           // whether the node looks at this column
        RowId last;           // row met
        std::uint64_t yes;    // weight
        std::int64_t of_yes;  // sum of n log n over the classes
        std::int64_t of_no;
    };

    void begin();
    void draw_columns(Random& random, const BuildSettings& settings);
    void find_splits(Watchdog& watchdog);
    void sum_up_nodes();
    void sweep(std::size_t column);
    void weigh(std::size_t node, std::int32_t column, const Sweep& at);
    void give_up_unsplit(Diagram& diagram, std::size_t layer);
    void part_rows(Diagram& diagram, std::size_t layer);
    std::size_t choose_flows(const Diagram& diagram, std::size_t layer, bool ended, Random& random, bool is_random);
    void keep_largest_losses(std::size_t room);
    void merge_flows(std::size_t room, Random& random, bool is_random);
    bool merge_best_pair(bool valid, Random* chance);
    bool share_parent(std::size_t a, std::size_t b) const;
    std::int64_t mixing(std::size_t a, std::size_t b);
    void end_cheapest();
    void merge(std::size_t into, std::size_t from);
    std::int64_t entropy(const std::uint64_t* weights) const;
    Cost loss(std::size_t flow) const;
    void send_on(Diagram& diagram, std::size_t layer);
    std::int32_t cheapest(const Cost* costs) const;

    const DiagramData& data_;
    const DiagramLimits& limits_;
    const SortedColumns& sorted_;
    EntropyTable table_;
    std::vector<Cost> least_;  // cheapest answer of each row

    // of the layer at hand
    std::size_t n_here_ = 0, n_built_ = 0;
    std::vector<std::uint16_t> node_of_;  // of each row: its node in the layer
    std::vector<std::uint32_t> side_of_;  // of each row: the side it came by, 2 * place + side
    std::vector<std::uint8_t> looks_;     // node x column
    std::vector<std::uint64_t> weights_;  // node x class
    std::vector<std::uint64_t> total_;    // node
    std::vector<Split> splits_;
    std::vector<Sweep> sweeps_;
    std::vector<std::uint64_t> yes_;  // node x class
    // flows: the rows of one side, or of several that are merged; 2 * node + side, of the layer at hand
    std::vector<std::uint64_t> flow_weights_;  // flow x class
    std::vector<Cost> flow_costs_;             // flow x class: of each answer
    std::vector<Cost> flow_least_;
    std::vector<std::int64_t> flow_rows_;
    std::vector<std::uint8_t> flow_parents_;  // flow x node
    std::vector<std::size_t> flow_into_;      // the flow that it was merged into, or itself
    std::vector<std::size_t> live_;           // flows that go on, in order
    std::vector<Target> flow_target_;
    std::vector<std::size_t> shuffled_;
    std::vector<Cost> side_costs_;
};

}  // namespace exactree
