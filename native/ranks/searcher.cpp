#include "ranks/searcher.hpp"

#include <algorithm>

#include "ranks/depth_one.hpp"
#include "ranks/exploration.hpp"

namespace exactree::ranks {

RankSearcher::RankSearcher(const Data& data, const Limits& limits, Watchdog& watchdog, std::size_t cache_bytes,
                           const Settings& settings, bool portable)
    : data_(data),
      limits_(limits),
      watchdog_(watchdog),
      settings_(settings),
      portable_(portable),
      cache_(std::make_shared<Cache>(cache_bytes / 2)),
      own_bytes_(cache_bytes / 2 / kMaxUnmerged),
      depth_two_(make_depth_two_solver(data, limits, portable, settings.similarity)) {
    twice_least_ += limits.least;
    twice_least_ += limits.least;
    root_.fill(data, portable, &watchdog);
}

RankSearcher::RankSearcher(const RankSearcher& leader, Watchdog& watchdog, const Limits& limits,
                           std::shared_ptr<Cache> cache)
    : data_(leader.data_),
      limits_(limits),
      watchdog_(watchdog),
      settings_(leader.settings_),
      portable_(leader.portable_),
      twice_least_(leader.twice_least_),
      cache_(std::move(cache)),
      own_bytes_(leader.own_bytes_),
      depth_two_(make_depth_two_solver(data_, limits_, portable_, settings_.similarity)) {}

RankSearcher::NodeFrame& RankSearcher::frame(int depth) {
    while (frames_.size() <= static_cast<std::size_t>(depth)) frames_.emplace_back();
    return frames_[static_cast<std::size_t>(depth)];
}

std::optional<SubtreeBounds> RankSearcher::lookup(Key key, Shape shape) const {
    if (!settings_.cache) return std::nullopt;
    std::optional<SubtreeBounds> known;
    if (own_) known = own_->find(key, shape.depth, shape.leaves);
    for (std::size_t at = n_earlier_; at-- > 0 && !known;)
        known = earlier_[at].learnt->find(key, shape.depth, shape.leaves);
    return known ? known : cache_->find(key, shape.depth, shape.leaves);
}

void RankSearcher::store_bounds(Key key, Shape shape, const SubtreeBounds& known) {
    if (settings_.cache) (own_ ? *own_ : *cache_).store(key, shape.depth, shape.leaves, known);
}

namespace {

// The root may be searched at a lesser depth than was asked for: trees that are deeper cost no less than the cutoff.
class AskedDepth : public ProgressListener {
 public:
    AskedDepth(ProgressListener& listener, int depth) : listener_(listener), depth_(depth) {}
    void improved(const SubtreeBounds& root, int depth) override { listener_.improved(root, depth); }
    void bounded(Cost bound, int) override { listener_.bounded(bound, depth_); }

 private:
    ProgressListener& listener_;
    int depth_;
};

// Most leaves of a tree that costs less than `below`.
std::int64_t affordable_leaves(Cost below, Cost price) { return price == 0 ? kInfiniteCost : (below - 1) / price; }

// The bounds of trees of any depth, where those with up to `leaves` leaves were searched: others cost a price more
// each.
SubtreeBounds capped(SubtreeBounds known, std::int64_t leaves, Cost price) {
    const Cost cap = price == 0 ? kInfiniteCost : (leaves + 1) * price;
    known.lower = std::min(known.lower, cap);
    known.relaxed = std::min(known.relaxed, cap);
    return known;
}

}  // namespace

SubtreeBounds RankSearcher::solve_root(int depth, std::int64_t leaves, Cost below, ProgressListener& listener) {
    AskedDepth told(listener, depth);
    return solve(root_, depth, {leaves, below}, &told);
}

SubtreeBounds RankSearcher::solve(const Node& node, int depth, const SubproblemGoal& asked,
                                  ProgressListener* listener) {
    ++counters_.subproblems;
    SubtreeBounds leaf;
    leaf.lower = leaf.upper = node.leaf_error() + limits_.leaf_price;
    leaf.relaxed = limits_.leaf_price;
    Shape shape(depth, asked.leaves);
    if (shape.depth <= 0 || leaf.upper <= 2 * limits_.leaf_price) {  // a split costs at least two leaves
        leaf.relaxed = leaf.upper;
        return leaf;
    }
    if (!node.size().reaches(twice_least_)) return leaf;
    // More leaves than a single leaf pays for are no use, nor is the depth that they need: results are the same for all
    // limits beyond.
    const std::int64_t most = affordable_leaves(leaf.upper, limits_.leaf_price);
    if (most < full_tree_leaves(shape.depth) && most <= asked.leaves) {
        const int useful = static_cast<int>(std::min<std::int64_t>(shape.depth, most - 1));
        shape = Shape(useful, full_tree_leaves(useful));
    }
    const std::optional<SubtreeBounds> cached = lookup(node.key(), shape);
    if (cached && (cached->solved() || cached->lower >= asked.below)) {
        ++counters_.cache_hits;
        return *cached;
    }
    SubtreeBounds known = solve_shape(node, shape, asked, listener);
    if (cached) {  // keep the better of the two proofs
        known.lower = std::max(known.lower, cached->lower);
        known.relaxed = std::max(known.relaxed, cached->relaxed);
    }
    store_bounds(node.key(), shape, known);
    return known;
}

SubtreeBounds RankSearcher::solve_shape(const Node& node, Shape shape, const SubproblemGoal& asked,
                                        ProgressListener* listener) {
    SubproblemGoal wanted = asked;
    wanted.leaves = shape.leaves;
    if (shape.depth == 1) return solve_depth_one(data_, limits_, node);
    if (shape.depth == 2) return depth_two_->solve(node, wanted, watchdog_, nullptr);
    return explore(node, shape.depth, wanted, listener);
}

SubtreeBounds RankSearcher::explore(const Node& node, int depth, const SubproblemGoal& wanted,
                                    ProgressListener* listener) {
    std::vector<ScoredCut>& guesses = frame(depth).guesses;
    // The best tree of depth two is the first incumbent, and its scored cuts give the branching order.
    SubproblemGoal shallow = wanted;
    shallow.leaves = std::min<std::int64_t>(wanted.leaves, 4);
    const SubtreeBounds first = depth_two_->solve(node, shallow, watchdog_, &guesses);
    if (listener && first.upper < wanted.below) listener->improved(first, depth);
    const std::int64_t most = affordable_leaves(std::min(wanted.below, first.upper), limits_.leaf_price);
    if (most <= 3) return capped(first, 3, limits_.leaf_price);  // other trees have four leaves or more
    if (most > depth || wanted.leaves < full_tree_leaves(depth)) return branch(node, depth, wanted, first, listener);
    SubproblemGoal useful = wanted;
    useful.leaves = full_tree_leaves(static_cast<int>(most - 1));
    frame(static_cast<int>(most - 1)).guesses = guesses;
    return capped(branch(node, static_cast<int>(most - 1), useful, first, listener), most, limits_.leaf_price);
}

SubtreeBounds RankSearcher::branch(const Node& node, int depth, const SubproblemGoal& wanted,
                                   const SubtreeBounds& of_depth_two, ProgressListener* listener) {
    std::vector<ScoredCut>& guesses = frame(depth).guesses;
    CutBounds bounds(data_, limits_, node, settings_.similarity, true);
    CutExploration state(std::move(bounds), node, guesses, depth, wanted, listener);
    state.best = of_depth_two;
    if (!settings_.look_ahead) guesses.assign(guesses.size(), {});
    state.lowest_relaxed = node.leaf_error() + limits_.leaf_price;
    take_hints(node, wanted, guesses);
    open_columns(state);
    listener ? try_cuts_in_parallel(state) : try_cuts(state);
    state.best.lower = state.bound();
    for (const Interval& open : state.columns) state.lowest_relaxed = std::min(state.lowest_relaxed, open.bound);
    for (const Interval& open : state.queue) state.lowest_relaxed = std::min(state.lowest_relaxed, open.bound);
    if (state.done() && !watchdog_.stopped()) state.lowest_relaxed = std::max(state.lowest_relaxed, state.target());
    state.best.relaxed =
        limits_.limits_leaf_size() ? std::min(state.lowest_relaxed, state.best.lower) : state.best.lower;
    return state.best;
}

// A lower bound of the cost of all rows as one side of a split.
Cost RankSearcher::bound_of_whole(const CutExploration& state, std::int64_t leaves) const {
    if (state.depth == 3) return state.best.relaxed;  // still that of depth two
    const Shape shape(state.depth - 1, leaves);
    const std::optional<SubtreeBounds> known = lookup(state.node.key(), shape);
    return known ? known->relaxed : 0;
}

// Hinted cuts are tried first.
void RankSearcher::take_hints(const Node& node, const SubproblemGoal& wanted, std::vector<ScoredCut>& guesses) {
    for (const Question& hint : wanted.hints) {
        const std::optional<Cut> cut = node.find_cut(hint);
        if (cut) guesses[cut->column] = {0, cut->place};
    }
}

void RankSearcher::open_columns(CutExploration& state) const {
    const std::int64_t leaves = state.wanted.leaves, half = full_tree_leaves(state.depth - 1);
    for (std::int64_t yes = std::max<std::int64_t>(1, leaves - half); yes <= std::min(half, leaves - 1); ++yes) {
        const Cost whole_yes = bound_of_whole(state, yes), whole_no = bound_of_whole(state, leaves - yes);
        for (std::uint32_t column = 0; column < state.node.n_columns(); ++column)
            state.columns.push_back(state.bounds.all(column, yes, whole_yes, whole_no));
    }
    const auto worse = [&](const Interval& a, const Interval& b) {
        return state.guesses[a.column].cost > state.guesses[b.column].cost;
    };
    std::stable_sort(state.columns.begin(), state.columns.end(), worse);
}

void RankSearcher::push(CutExploration& state, Interval open) const {
    if (open.high - open.low <= 1) return;
    state.bounds.update(open);
    state.queue.push_back(open);
    std::push_heap(state.queue.begin(), state.queue.end(), has_lower_priority);
}

// Chooses the cut `guess` of an interval, or one in the middle of those that may still be good; false if there is none.
bool RankSearcher::choose(CutExploration& state, const Interval& open, Place guess, CutJob& job) const {
    const OpenCuts alive = open.bound >= state.target() ? OpenCuts{} : state.bounds.open_cuts(open, state.target());
    if (alive.empty()) {  // the cuts inside are pruned by the target, or too small on one side
        state.lowest_relaxed = std::min(state.lowest_relaxed, open.bound);
        return false;
    }
    job.open = open;
    const bool use_guess = alive.first <= guess && guess <= alive.last;
    job.cut = use_guess ? guess : state.bounds.middle(open, alive);
    job.target = state.target();
    job.ends = state.bounds.at(open, job.cut);
    job.lower = job.ends.cost();
    job.slack = settings_.slack ? state.bounds.reach(open, job.cut, alive) : 0;
    return true;
}

// The cut to try next; false if none is left. At the root all columns come first, to find good trees soon; below it,
// where there are good ones, only the best scored cut; then the intervals with the lowest bounds.
bool RankSearcher::next_job(CutExploration& state, CutJob& job) const {
    while (!state.columns.empty()) {
        const Interval open = state.columns.back();
        state.columns.pop_back();
        const bool found = choose(state, open, state.guesses[open.column].cut, job);
        if (!state.listener) {
            for (const Interval& other : state.columns) push(state, other);
            state.columns.clear();
        }
        if (found) return true;
    }
    while (!state.queue.empty()) {
        std::pop_heap(state.queue.begin(), state.queue.end(), has_lower_priority);
        const Interval open = state.queue.back();
        state.queue.pop_back();
        if (choose(state, open, 0, job)) return true;
    }
    return false;
}

void RankSearcher::try_cuts(CutExploration& state) {
    CutJob job{};
    while (!state.done() && !watchdog_.stopped() && next_job(state, job)) {
        try_cut(state, job);
        accept(state, job);
        job = {};
    }
}

SubtreeBounds RankSearcher::solve_side(const CutExploration& state, const Interval& open, Side side, Cost below,
                                       Cost at_least) {
    const bool yes = side == Side::yes;
    const Question hints[] = {yes ? open.at_low.yes_asks : open.at_low.no_asks,
                              yes ? open.at_high.yes_asks : open.at_high.no_asks};
    const std::span<const Question> given =
        settings_.hints ? std::span<const Question>(hints) : std::span<const Question>();
    const SubproblemGoal wanted{yes ? open.yes_leaves : state.no_leaves(open), below, at_least, given};
    return solve(yes ? frame(state.depth).yes : frame(state.depth).no, state.depth - 1, wanted, nullptr);
}

void RankSearcher::try_cut(const CutExploration& state, CutJob& job) {
    ++counters_.cuts_tried;
    const Interval& open = job.open;
    if (job.lower >= job.target) return;  // pruned by the bounds from other columns
    Node::split(data_, state.node, {open.column, job.cut}, frame(state.depth).yes, frame(state.depth).no);
    watchdog_.spend(4 * state.node.n_rows() * state.node.n_columns());
    const bool yes_first = 2 * state.bounds.base(open, job.cut) >= state.node.base();
    const Side first_side = yes_first ? Side::yes : Side::no, second_side = yes_first ? Side::no : Side::yes;
    Cost& first_end = yes_first ? job.ends.yes : job.ends.no;
    Cost& second_end = yes_first ? job.ends.no : job.ends.yes;

    const SubtreeBounds first = solve_side(state, open, first_side, job.target - second_end + job.slack, first_end);
    first_end = std::max(first_end, first.relaxed);
    (yes_first ? job.ends.yes_asks : job.ends.no_asks) = first.question;
    const Cost first_lower = std::max(first.lower, first_end);
    job.lower = first_lower + second_end;
    const Cost left = job.target - first_lower + job.slack;
    if (left <= second_end || watchdog_.stopped()) return;
    const SubtreeBounds second = solve_side(state, open, second_side, left, second_end);
    second_end = std::max(second_end, second.relaxed);
    (yes_first ? job.ends.no_asks : job.ends.yes_asks) = second.question;
    job.lower = first_lower + std::max(second.lower, second_end);
    // An unsolved side (the search was stopped) would have to be searched again to reconstruct the tree.
    if (first.solved() && second.solved()) job.upper = first.upper + second.upper;
}

// Takes over the result of a job, and puts the intervals on both sides of its cut into the queue.
void RankSearcher::accept(CutExploration& state, const CutJob& job) const {
    if (job.upper < state.best.upper) {
        state.best.upper = job.upper;
        state.best.question = state.node.question({job.open.column, job.cut});
        state.best.yes_leaves = job.open.yes_leaves;
        state.best.no_leaves = state.no_leaves(job.open);
        if (state.listener && job.upper < state.wanted.below) state.listener->improved(state.best, state.depth);
    }
    if (job.lower < state.target()) state.lowest = std::min(state.lowest, job.lower);
    state.lowest_relaxed = std::min(state.lowest_relaxed, job.ends.cost());
    // Not if a side may have more leaves with another cut than it has with this one.
    if (state.wanted.leaves == full_tree_leaves(state.depth)) state.bounds.learn({job.open.column, job.cut}, job.ends);
    Interval under = job.open, over = job.open;
    under.high = over.low = job.cut;
    under.at_high = over.at_low = state.bounds.for_others(job.ends);
    push(state, under);
    push(state, over);
}

Tree RankSearcher::reconstruct(const SubtreeBounds& root, int depth) {
    watchdog_.hold(true);
    Tree out;
    write(root_, root, depth, out);
    watchdog_.hold(false);
    return out;
}

std::int32_t RankSearcher::write(const Node& node, const SubtreeBounds& known, int depth, Tree& out) {
    const auto here = static_cast<std::int32_t>(out.size());
    out.push_back({-1, -1, -1, -1, node.best_label()});
    const std::optional<Cut> cut = node.find_cut(known.question);
    if (!cut) return here;
    out[here].column = known.question.column;
    out[here].rank = static_cast<std::int32_t>(known.question.rank);
    Node yes, no;
    Node::split(data_, node, *cut, yes, no);
    for (const Side side : {Side::yes, Side::no}) {
        const Node& child = side == Side::yes ? yes : no;
        const std::int64_t share = side == Side::yes ? known.yes_leaves : known.no_leaves;
        const SubtreeBounds best = solve(child, depth - 1, {share, known.upper + 1}, nullptr);
        const std::int32_t at = write(child, best, depth - 1, out);
        (side == Side::yes ? out[here].yes : out[here].no) = at;
    }
    return here;
}

std::vector<std::pair<std::string, std::uint64_t>> RankSearcher::counters() const {
    RankCounters sum = counters_;
    std::uint64_t passes = depth_two_->n_passes(), probes = depth_two_->n_probes();
    for (const auto& helper : helpers_) {
        sum.subproblems += helper->counters_.subproblems;
        sum.cache_hits += helper->counters_.cache_hits;
        sum.cuts_tried += helper->counters_.cuts_tried;
        passes += helper->depth_two_->n_passes();
        probes += helper->depth_two_->n_probes();
    }
    return {{"subproblems", sum.subproblems},
            {"cache_hits", sum.cache_hits},
            {"cache_entries", cache_->size()},
            {"cuts_tried", sum.cuts_tried},
            {"passes", passes},
            {"probes", probes}};
}

}  // namespace exactree::ranks
