#include "diagram_start.hpp"

#include <set>

#include "diagram_local.hpp"

namespace exactree {
namespace {

constexpr double kLeastRatio = 0.5;  // of columns that a node looks at

using Key = std::vector<std::int32_t>;

Key key_of(const Tree& tree) {
    Key key;
    for (const TreeNode& node : tree) key.insert(key.end(), {node.column, node.rank, node.yes, node.no, node.label});
    return key;
}

class Starter {
 public:
    Starter(const DiagramData& data, const DiagramLimits& limits, const StartSettings& settings, const Budget& budget)
        : data_(data),
          limits_(limits),
          settings_(settings),
          watchdog_(budget),
          sorted_(data),
          builder_(data, limits, sorted_),
          improver_(data, limits, sorted_) {}

    Started run(const Tree& given) {
        watchdog_.look_up();
        offer_leaves();
        if (!given.empty()) offer_given(given);
        const bool can_ask = data_.n_columns > 0 && limits_.max_nodes > 0;
        for (std::size_t i = 0; can_ask && i < settings_.starts && !done(); ++i) start(i);
        out_.interrupted = watchdog_.ending() == Ending::interrupted;
        return std::move(out_);
    }

 private:
    bool done() const { return watchdog_.stopped() || (!settings_.every && out_.cost <= data_.lowest); }

    void offer_leaves() {
        Diagram leaf(limits_.widths, data_.n_classes);
        for (std::size_t k = 0; k < data_.n_classes; ++k) {
            leaf.top = static_cast<Target>(k);
            offer(leaf);
        }
    }

    void offer_given(const Tree& given) {
        if (auto diagram = placed(given, limits_.widths, data_.n_classes)) {
            offer(*diagram);
            improver_.improve(*diagram, watchdog_);
            offer(*diagram);
        }
    }

    void start(std::size_t number) {
        Random random(settings_.seed);
        random = Random(random.next() + number);
        BuildSettings build;
        build.random = number > 0;
        if (build.random) build.ratio = kLeastRatio + (1 - kLeastRatio) * random.share();
        Diagram diagram = builder_.build(random, build, watchdog_);
        improver_.prune(diagram);
        ++out_.starts;
        // On small tables most diagrams come up again and again.
        if (!built_.insert(key_of(written(diagram))).second) return;
        offer(diagram);
        improver_.improve(diagram, watchdog_);
        offer(diagram);
    }

    void offer(const Diagram& diagram) {
        const Cost cost = cost_of(data_, limits_, diagram);
        const bool better = cost < out_.cost || (cost == out_.cost && diagram.n_used() < n_used_);
        if (better) {
            out_.cost = cost;
            n_used_ = diagram.n_used();
        }
        if (settings_.every) {
            Tree nodes = written(diagram);
            if (met_.insert(key_of(nodes)).second) out_.diagrams.push_back(std::move(nodes));
        } else if (better) {
            out_.diagrams.assign(1, written(diagram));
        }
    }

    const DiagramData& data_;
    const DiagramLimits& limits_;
    const StartSettings& settings_;
    Watchdog watchdog_;
    SortedColumns sorted_;
    DiagramBuilder builder_;
    DiagramImprover improver_;
    Started out_;
    std::size_t n_used_ = 0;
    std::set<Key> built_, met_;
};

}  // namespace

Started start_diagram(const DiagramData& data, const DiagramLimits& limits, const StartSettings& settings,
                      const Budget& budget, const Tree& given) {
    return Starter(data, limits, settings, budget).run(given);
}

}  // namespace exactree
