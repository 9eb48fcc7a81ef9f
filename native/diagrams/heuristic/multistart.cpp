#include "diagrams/heuristic/multistart.hpp"

#include <unordered_set>

#include "diagrams/heuristic/improver.hpp"

namespace exactree::diagrams::heuristic {
namespace {

constexpr double kLeastRatio = 0.5;  // of columns that a node considers
// One of so many diagrams is built as a tree: where layers have free nodes, that is often better than merging too
// early.
constexpr std::size_t kTreeEvery = 3;

// Hash key of a diagram; after a collision, which is very rare, one diagram is skipped.
std::uint64_t key_of(const Tree& tree) {
    std::uint64_t key = tree.size();
    for (const TreeNode& node : tree)
        for (const std::int32_t part : {node.column, node.rank, node.yes, node.no, node.label})
            key = Random(key ^ static_cast<std::uint32_t>(part)).next();
    return key;
}

class Multistart {
 public:
    Multistart(const DiagramData& data, const DiagramLimits& limits, const MultistartSettings& settings,
               const Budget& budget)
        : data_(data),
          limits_(limits),
          settings_(settings),
          watchdog_(budget),
          sorted_(data),
          builder_(data, limits, sorted_),
          improver_(data, limits, sorted_) {}

    ConstructedDiagrams run(const Tree& given) {
        watchdog_.check_now();
        offer_leaves();
        if (!given.empty()) offer_given(given);
        const bool can_ask = data_.n_columns > 0 && limits_.max_nodes > 0;
        for (std::size_t i = 0; can_ask && i < settings_.starts && !done(); ++i) start(i);
        out_.interrupted = watchdog_.status() == Status::interrupted;
        return std::move(out_);
    }

 private:
    bool done() const { return watchdog_.stopped() || (!settings_.every && out_.cost <= data_.lowest); }

    void offer_leaves() {
        Diagram leaf(limits_.widths, data_.n_classes);
        for (std::size_t k = 0; k < data_.n_classes; ++k) {
            leaf.top = static_cast<Target>(k);
            offer(leaf, cost_of(data_, limits_, leaf));
        }
    }

    void offer_given(const Tree& given) {
        if (auto diagram = from_nodes(given, limits_.widths, data_.n_classes)) {
            const Cost cost = cost_of(data_, limits_, *diagram);
            offer(*diagram, cost);
            const Cost improved = improver_.improve(*diagram, cost, watchdog_);
            offer(*diagram, improved);
        }
    }

    void start(std::size_t number) {
        Random random(settings_.seed);
        random = Random(random.next() + number);
        BuildSettings build;
        build.random = number > 0;
        if (build.random) build.ratio = kLeastRatio + (1 - kLeastRatio) * random.uniform();
        build.as_tree = number % kTreeEvery == 1;
        Diagram diagram = builder_.build(random, build, watchdog_);
        const Cost pruned = improver_.prune(diagram);
        ++out_.starts;
        // On small tables most diagrams are built several times.
        if (!built_.insert(key_of(to_nodes(diagram))).second) return;
        offer(diagram, pruned);
        const Cost improved = improver_.improve(diagram, pruned, watchdog_);
        offer(diagram, improved);
    }

    void offer(const Diagram& diagram, Cost cost) {
        const bool better = cost < out_.cost || (cost == out_.cost && diagram.n_used() < n_used_);
        if (better) {
            out_.cost = cost;
            n_used_ = diagram.n_used();
        }
        if (settings_.every) {
            Tree nodes = to_nodes(diagram);
            if (met_.insert(key_of(nodes)).second) out_.diagrams.push_back(std::move(nodes));
        } else if (better) {
            out_.diagrams.assign(1, to_nodes(diagram));
        }
    }

    const DiagramData& data_;
    const DiagramLimits& limits_;
    const MultistartSettings& settings_;
    Watchdog watchdog_;
    SortedColumns sorted_;
    DiagramBuilder builder_;
    DiagramImprover improver_;
    ConstructedDiagrams out_;
    std::size_t n_used_ = 0;
    std::unordered_set<std::uint64_t> built_, met_;
};

}  // namespace

ConstructedDiagrams run_multistart(const DiagramData& data, const DiagramLimits& limits,
                                   const MultistartSettings& settings, const Budget& budget, const Tree& given) {
    return Multistart(data, limits, settings, budget).run(given);
}

}  // namespace exactree::diagrams::heuristic
