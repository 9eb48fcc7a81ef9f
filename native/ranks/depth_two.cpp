#include "ranks/depth_two.hpp"

#include <numeric>

#include "ranks/probe_table.hpp"

namespace exactree::ranks {
namespace {

// One subproblem while it is solved.
struct ProbeState {
    ProbeState(const Data& data, const Limits& limits, const Node& at, const SubproblemGoal& asked, bool similarity)
        : node(at), wanted(asked), bounds(data, limits, at, similarity, true) {}

    const Node& node;
    const SubproblemGoal& wanted;
    CutBounds bounds;
    SubtreeBounds best;
    int best_used = 1;                    // leaves that the best tree uses; fewer win a tie
    Cost lowest_relaxed = kInfiniteCost;  // over the closed cuts
    std::vector<Interval> queue;          // a heap
    std::vector<ScoredCut>* guesses = nullptr;

    Cost target() const noexcept { return std::min(wanted.below, best.upper); }
    bool done() const noexcept { return target() <= wanted.at_least; }
};

// Cuts to score in one pass, and the intervals they lie in.
struct ProbeRound {
    struct ProbedInterval {
        Interval open;
        OpenCuts alive;
        std::size_t first, last;  // its cuts are first .. last - 1
    };
    std::vector<ProbedInterval> parts;
    std::vector<Cut> cuts;
    std::vector<ProbedCut> scored;

    void clear() {
        parts.clear();
        cuts.clear();
    }
};

template <class Lane>
class ProbingSolver : public DepthTwoSolver {
 public:
    ProbingSolver(const Data& data, const Limits& limits, Cost unit, bool portable, bool similarity)
        : data_(data),
          limits_(limits),
          similarity_(similarity),
          table_(data, limits, unit, simd::probe_ops<Lane>(portable)) {}

    SubtreeBounds solve(const Node& node, const SubproblemGoal& wanted, Watchdog& watchdog,
                        std::vector<ScoredCut>* guesses) override {
        ProbeState state(data_, limits_, node, wanted, similarity_);
        state.guesses = guesses;
        if (guesses) guesses->assign(node.n_columns(), {});
        state.best.upper = node.leaf_error() + limits_.leaf_price;
        state.lowest_relaxed = state.best.upper;
        if (node.n_columns() > 0 && state.target() > 2 * limits_.leaf_price) {
            if (!table_.fill(node, watchdog)) return state.best;  // its lower bounds are 0
            open_columns(state);
            take_hints(state);
            while (!state.queue.empty() && !state.done() && !watchdog.stopped()) {
                choose(state);
                if (round_.cuts.empty()) continue;
                score(state);
                for (const ProbeRound::ProbedInterval& part : round_.parts) split_interval(state, part);
                watchdog.spend(table_.work());
            }
        }
        return finished(state, watchdog.stopped());
    }

 private:
    void open_columns(ProbeState& state) {
        const std::int64_t leaves = state.wanted.leaves;
        for (std::int64_t yes = std::max<std::int64_t>(1, leaves - 2); yes <= std::min<std::int64_t>(2, leaves - 1);
             ++yes)
            for (std::uint32_t column = 0; column < state.node.n_columns(); ++column)
                push(state, state.bounds.all(column, yes, 0, 0));
    }

    void push(ProbeState& state, Interval open) {
        if (state.bounds.update(open) >= state.target()) {
            state.lowest_relaxed = std::min(state.lowest_relaxed, open.bound);
            return;
        }
        state.queue.push_back(open);
        std::push_heap(state.queue.begin(), state.queue.end(), has_lower_priority);
    }

    // Cuts that were best for similar rows: a good incumbent from the start prunes more.
    void take_hints(ProbeState& state) {
        hinted_.clear();
        for (const Question& hint : state.wanted.hints) {
            if (hint.column < 0 || hinted_.size() >= kLanes<Lane> / 2) continue;
            const std::optional<Cut> cut = state.node.find_cut(hint);
            if (cut) hinted_.push_back(*cut);
        }
    }

    // The intervals with the lowest bounds; wide ones get the remaining lanes.
    void choose(ProbeState& state) {
        round_.clear();
        std::uint64_t width = 0;
        const std::size_t lanes = kLanes<Lane> - hinted_.size();
        while (!state.queue.empty() && round_.parts.size() < lanes) {
            std::pop_heap(state.queue.begin(), state.queue.end(), has_lower_priority);
            const Interval open = state.queue.back();
            state.queue.pop_back();
            const OpenCuts alive =
                open.bound >= state.target() ? OpenCuts{} : state.bounds.open_cuts(open, state.target());
            if (alive.empty()) {
                state.lowest_relaxed = std::min(state.lowest_relaxed, unsolved_bound(state, open));
                continue;
            }
            round_.parts.push_back({open, alive, 0, 0});
            width += alive.last - alive.first + 1;
        }
        const std::uint64_t spare = lanes - round_.parts.size();
        for (ProbeRound::ProbedInterval& part : round_.parts) spread_lanes(state, part, spare, width);
        round_.cuts.insert(round_.cuts.end(), hinted_.begin(), hinted_.end());
        hinted_.clear();
    }

    // Cuts outside the open range of an interval are either pruned by the target or too small on one side.
    Cost unsolved_bound(const ProbeState& state, const Interval& open) const {
        return limits_.limits_leaf_size() ? std::min(open.bound, state.target()) : std::max(open.bound, state.target());
    }

    void spread_lanes(ProbeState& state, ProbeRound::ProbedInterval& part, std::uint64_t spare, std::uint64_t width) {
        const std::uint64_t mine = part.alive.last - part.alive.first + 1;
        const std::uint64_t lanes = 1 + std::min(mine - 1, spare * mine / width);
        part.first = round_.cuts.size();
        OpenCuts rest = part.alive;
        for (std::uint64_t lane = 1; lane <= lanes && !rest.empty(); ++lane) {
            const auto wanted = static_cast<Place>(part.alive.first + mine * lane / (lanes + 1));
            const Place cut = state.bounds.nearest(part.open, wanted, rest);
            if (cut == 0) break;
            round_.cuts.push_back({part.open.column, cut});
            rest.first = cut + 1;
        }
        part.last = round_.cuts.size();
    }

    void score(ProbeState& state) {
        round_.scored.resize(round_.cuts.size());
        table_.score(state.node, round_.cuts, round_.scored.data());
        ++n_passes_;
        n_probes_ += round_.cuts.size();
        for (std::size_t x = 0; x < round_.cuts.size(); ++x) {
            const Cut cut = round_.cuts[x];
            const ProbedSides &relaxed = round_.scored[x].relaxed, &allowed = round_.scored[x].allowed;
            const Cost bound = combine_sides(relaxed.yes, relaxed.no, state.wanted.leaves).cost;
            state.lowest_relaxed = std::min(state.lowest_relaxed, bound);
            if (state.guesses && bound < (*state.guesses)[cut.column].cost)
                (*state.guesses)[cut.column] = {bound, cut.place};
            if (!state.bounds.allowed(cut.column, cut.place)) continue;
            const SplitCost found = combine_sides(allowed.yes, allowed.no, state.wanted.leaves);
            if (found.cost > state.best.upper || (found.cost == state.best.upper && found.used >= state.best_used))
                continue;
            state.best_used = found.used;
            state.best.upper = found.cost;
            state.best.question = state.node.question(cut);
            state.best.yes_leaves = found.yes_leaves;
            state.best.no_leaves = found.no_leaves;
        }
    }

    // Puts the intervals between the scored cuts back into the queue.
    void split_interval(ProbeState& state, const ProbeRound::ProbedInterval& part) {
        Interval open = part.open;
        for (std::size_t x = part.first; x < part.last; ++x) {
            const ProbedSides& sides = round_.scored[x].relaxed;
            const SideBounds ends =
                state.bounds.for_others({open.yes_leaves == 1 ? sides.yes.one : sides.yes.two,
                                         state.wanted.leaves - open.yes_leaves == 1 ? sides.no.one : sides.no.two,
                                         {},
                                         {}});
            open.high = round_.cuts[x].place;
            open.at_high = ends;
            if (open.high - open.low > 1) push(state, open);
            open.low = open.high;
            open.at_low = ends;
        }
        open.high = part.open.high;
        open.at_high = part.open.at_high;
        if (open.high - open.low > 1) push(state, open);
    }

    SubtreeBounds finished(ProbeState& state, bool stopped) const {
        SubtreeBounds& best = state.best;
        Cost open = kInfiniteCost;
        for (const Interval& interval : state.queue) open = std::min(open, interval.bound);
        if (!stopped && state.done()) open = std::max(open, state.target());
        best.lower = std::min({best.upper, state.wanted.below, open});
        best.relaxed = limits_.limits_leaf_size() ? std::min({best.lower, state.lowest_relaxed, open}) : best.lower;
        return best;
    }

    const Data& data_;
    const Limits& limits_;
    bool similarity_;
    ProbeTable<Lane> table_;
    ProbeRound round_;
    std::vector<Cut> hinted_;  // for the first round
};

}  // namespace

std::unique_ptr<DepthTwoSolver> make_depth_two_solver(const Data& data, const Limits& limits, bool portable,
                                                      bool similarity) {
    Cost unit = 0, largest = 0, total = 0;
    for (const Cost gain : data.gain) unit = std::gcd(unit, gain);
    unit = std::max<Cost>(unit, 1);
    for (const Cost gain : data.gain) total += gain / unit;
    if (limits.limits_leaf_size()) {
        Size all = limits.least;
        for (const Size& size : data.size) all += size;
        largest = std::max(all.rows, all.weight);
    }
    largest = std::max(largest, total);
    if (largest <= INT16_MAX)
        return std::make_unique<ProbingSolver<std::int16_t>>(data, limits, unit, portable, similarity);
    if (largest <= INT32_MAX)
        return std::make_unique<ProbingSolver<std::int32_t>>(data, limits, unit, portable, similarity);
    return std::make_unique<ProbingSolver<std::int64_t>>(data, limits, unit, portable, similarity);
}

}  // namespace exactree::ranks
