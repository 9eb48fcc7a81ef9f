"""Limits on every leaf by the search: against trying everything and plain enumeration; what it says without a tree."""

import time

import numpy as np
import pytest

from exactree import Exhaustive, LeafAccuracy, OptimalTreeClassifier, datasets, pareto_front
from exactree.encode import encode
from exactree.errors import Infeasible, InputError
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status, solve
from exactree.solve.search import leaf_limits
from exactree.solve.search.coarse import CoarseRanks
from exactree.table import Table
from exactree.testing.leaf_limit_problems import leaf_limit_problem

NO_PAIR_SUMS = 500  # bytes: no room for sums over pairs, so that cuts are bounded in intervals


def cost_of(solver, problem, **budget):
    """Cost of a proved tree; infinite if it is proved that there is none."""
    try:
        found = solver.solve(problem, Budget(**budget))
    except Infeasible:
        return np.inf
    assert found.status is Status.OPTIMAL
    assert found.bound == found.cost == problem.cost(found.model)
    assert problem.violations(found.model) == []
    seconds, cost, bound = found.history.T
    assert (np.diff(seconds) >= 0).all()
    assert (np.diff(cost) <= 0).all()
    assert (np.diff(bound) >= 0).all()
    return found.cost


def equal(a, b, problem):
    return a == b or abs(a - b) <= problem.tolerance


@pytest.mark.parametrize("part", range(4))
@pytest.mark.each("seed", range(250))
def test_as_good_as_trying_everything(part, seed):
    problem = leaf_limit_problem(250 * part + seed)
    assert equal(cost_of(Search(), problem), cost_of(Exhaustive(), problem), problem)


@pytest.mark.each("seed", range(2000, 2300))
def test_the_same_without_sums_over_pairs(seed):
    problem = leaf_limit_problem(seed)
    assert equal(cost_of(Search(), problem, memory=NO_PAIR_SUMS), cost_of(Exhaustive(), problem), problem)


@pytest.mark.each("seed", range(3000, 3150))
def test_the_same_with_a_start_of_fewer_thresholds(seed, monkeypatch):
    monkeypatch.setattr(leaf_limits, "MANY_RANKS", 0)
    monkeypatch.setattr(leaf_limits, "FEW_RANKS", 3)
    problem = leaf_limit_problem(seed)
    assert equal(cost_of(Search(), problem, memory=NO_PAIR_SUMS), cost_of(Exhaustive(), problem), problem)


def test_fewer_thresholds_are_a_start(monkeypatch):
    X, y = hard_table(300)
    data = encode(Table.of(X), y)
    problem = Problem(data, accuracy(data), Limits(2), tuple(LeafAccuracy(0.52).limits(data)))
    coarse = CoarseRanks.of(data.ranks, leaf_limits.FEW_RANKS)
    fewer = coarse.ranks(data.ranks)
    assert fewer.max() == leaf_limits.FEW_RANKS - 1
    for column, cuts, few in zip(data.ranks, coarse.cuts, fewer, strict=True):
        for at, cut in enumerate(cuts):
            assert ((column <= cut) == (few <= at)).all()
    assert problem.violations(solve(problem, budget=Budget(seconds=5.0)).model) == []


@pytest.mark.parametrize("memory", [None, NO_PAIR_SUMS])
@pytest.mark.each("seed", range(12))
def test_deep_trees(memory, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, size=(14, 4)).astype(float), rng.integers(0, 2, size=14)
    data = encode(Table.of(X), y)
    limits = Limits(4, max_leaf_nodes=(None, 6)[seed % 2], min_samples_leaf=1 + seed % 2)
    constraints = LeafAccuracy(0.7, price=(None, 0.2)[seed // 2 % 2]).limits(data)
    problem = Problem(data, accuracy(data), limits, tuple(constraints))
    assert equal(cost_of(Search(), problem, memory=memory), cost_of(Exhaustive(), problem), problem)


def test_all_kinds_occur():
    problems = [leaf_limit_problem(seed) for seed in range(400)]
    costs = [cost_of(Search(), problem) for problem in problems]
    assert 80 < np.isinf(costs).sum() < 250
    assert sum(bool(p.priced_on_leaves) for p in problems) > 200
    assert sum(any(not limit.whole for limit in p.on_leaves) for p in problems) > 50
    bought = [p for p, c in zip(problems, costs, strict=True) if p.priced_on_leaves and 0 < c < np.inf]
    assert any(sum(1 for limit in p.priced_on_leaves if p.price_of(limit) > 0) > 1 for p in bought)


def enumerated(data, share, min_rows):
    """Fewest errors of all trees of depth two whose leaves are all so good, by plain enumeration; infinite if none."""
    masks = [column.ranks <= rank for column in data.columns for rank in range(column.n_ranks - 1)]
    masks = np.array(masks)[:, data.point_of]
    classes = np.eye(data.n_classes)[data.labels]
    both = np.einsum("ir,jr,rc->ijc", masks, masks, classes, optimize=True)  # rows that answer yes to i and to j
    yes, total = masks @ classes, classes.sum(axis=0)

    def cost(amounts):
        rows = amounts.sum(axis=-1)
        wrong = rows - amounts.max(axis=-1)
        good = (rows >= min_rows) & (wrong <= (1 - share) * rows + 1e-9)
        return np.where(good, wrong, np.inf)

    sides = cost(yes), cost(total - yes)
    split_yes = cost(both) + cost(yes[:, None] - both)
    split_no = cost(yes[None] - both) + cost(total - yes[:, None] - yes[None] + both)
    best = np.minimum(sides[0], split_yes.min(axis=1)) + np.minimum(sides[1], split_no.min(axis=1))
    return min(best.min(), cost(total))


@pytest.mark.parametrize("table", ["iris", "wine", "breast-cancer", "balance-scale", "tic-tac-toe", "monks-1"])
@pytest.mark.each("share", [0.5, 0.7, 0.8, 0.9, 0.97])
def test_plain_enumeration_of_real_tables(table, share):
    loaded = datasets.load(table)
    data = encode(Table.of(loaded.X), loaded.y, thresholds="quantiles(8)")
    problem = Problem(data, accuracy(data), Limits(2, min_samples_leaf=5), tuple(LeafAccuracy(share).limits(data)))
    assert cost_of(Search(), problem) == enumerated(data, share, 5)


def test_the_front_has_the_same_trees():
    data = datasets.load("breast-cancer")
    options = {"max_depth": 2, "min_samples_leaf": 20, "thresholds": "quantiles(16)"}
    front = pareto_front(data.X, data.y, **options)
    for point in front:
        limit = LeafAccuracy(at_least=np.floor(1000 * point.worst) / 1000)
        tree = OptimalTreeClassifier(constraints=[limit], **options).fit(data.X, data.y)
        assert tree.cost_ == pytest.approx((1 - point.accuracy) * len(data.y))


# Three of four rows on the left are right, two of three on the right; no cut does better on all sides.
SIX = [[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0]


def test_what_no_tree_reaches_is_named():
    with pytest.raises(
        Infeasible,
        match=r"^No tree of depth 1 has all leaves at least 90 % right; the best reachable is 66\.6 %, by "
        r"LeafAccuracy\(at_least=0\.666\)\.$",
    ):
        OptimalTreeClassifier(1, constraints=[LeafAccuracy(0.9)]).fit(*SIX)
    assert OptimalTreeClassifier(1, constraints=[LeafAccuracy(0.666)]).fit(*SIX).cost_ == 2
    options = {"max_depth": 2, "max_leaf_nodes": 3, "min_samples_leaf": 2, "thresholds": "quantiles(4)"}
    with pytest.raises(
        Infeasible, match=r"^No tree of depth 2 with at most 3 leaves with 2 rows or more in each leaf "
    ):
        OptimalTreeClassifier(constraints=[LeafAccuracy(1.0)], **options).fit(*SIX[:1], [0, 1, 0, 1, 0, 1])


def test_other_limits_that_no_tree_obeys_are_listed():
    message = (
        r"^No tree of depth 1 satisfies all constraints: share of wrong answers in a leaf \(at most 0\.1, or 0 rows in "
        r"leaves of less than 4\)\. Relax some of them\.$"
    )
    with pytest.raises(Infeasible, match=message):
        OptimalTreeClassifier(1, constraints=[LeafAccuracy(0.9, small=4, errors=0)]).fit(*SIX)


def hard_table(n_rows=3000):
    rng = np.random.default_rng(0)
    return rng.random((n_rows, 6)), rng.integers(0, 2, size=n_rows)


def test_time_that_runs_out_without_a_tree():
    X, y = hard_table()
    data = encode(Table.of(X), y)
    problem = Problem(data, accuracy(data), Limits(3, min_samples_leaf=50), tuple(LeafAccuracy(0.75).limits(data)))
    message = (
        r"^No tree with all leaves at least 75 % right was found in time; the best reached so far is 5\d.* %, by "
        r"LeafAccuracy\(at_least=0\.5\d*\), and none can have more than 100 %\. Allow more time\.$"
    )
    with pytest.raises(InputError, match=message) as raised:
        solve(problem, budget=Budget(seconds=0.5))
    assert not isinstance(raised.value, Infeasible)


def test_time_that_runs_out_with_a_tree():
    X, y = hard_table()
    data = encode(Table.of(X), y)
    problem = Problem(data, accuracy(data), Limits(4), tuple(LeafAccuracy(0.51).limits(data)))
    began = time.perf_counter()
    found = solve(problem, budget=Budget(seconds=1.0))
    assert time.perf_counter() - began < 30  # the machine may be busy
    assert found.status is Status.TIME_LIMIT
    assert problem.violations(found.model) == []
    assert 0 <= found.bound < found.cost
    no_time = solve(problem, budget=Budget(seconds=0.0))
    assert problem.violations(no_time.model) == []


def test_a_callback_sees_and_stops_it():
    X, y = hard_table()
    data = encode(Table.of(X), y)
    problem = Problem(data, accuracy(data), Limits(4), tuple(LeafAccuracy(0.51).limits(data)))
    seen = []
    found = solve(problem, callback=lambda progress: seen.append(progress) or len(seen) > 40)
    assert found.status is Status.INTERRUPTED
    assert problem.violations(found.model) == []
    costs = [progress.cost for progress in seen]
    assert costs[0] == np.inf
    assert all(progress.bound <= progress.cost for progress in seen)


def test_a_gap_is_enough():
    X, y = hard_table(300)
    data = encode(Table.of(X), y, thresholds="quantiles(6)")
    problem = Problem(data, accuracy(data), Limits(4), tuple(LeafAccuracy(0.55).limits(data)))
    found = solve(problem, budget=Budget(gap=0.5))
    assert found.status in (Status.GAP_REACHED, Status.OPTIMAL)
    assert found.gap <= 0.5


def test_a_start_is_used():
    X, y = hard_table(400)
    data = encode(Table.of(X), y)
    problem = Problem(data, accuracy(data), Limits(3), tuple(LeafAccuracy(0.6).limits(data)))
    best = solve(problem, budget=Budget(seconds=2.0))
    again = solve(problem, budget=Budget(seconds=0.0), start=best.model)
    assert again.cost <= best.cost


def test_labels_other_than_the_cheapest():
    # Errors on class 1 cost ten times as much, but four of five rows are of class 0: a leaf must answer that.
    X, y = [[0.0]] * 5 + [[1.0]] * 5, [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    data = encode(Table.of(X), y, class_weight={1: 10.0})
    problem = Problem(data, accuracy(data), Limits(1), tuple(LeafAccuracy(0.8).limits(data)))
    found = solve(problem)
    assert found.cost == 20
    assert set(found.model.label[found.model.leaves].tolist()) == {0}


def test_a_price_on_every_leaf_that_is_not_good_enough():
    X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 1, 0, 0]
    soft = [LeafAccuracy(0.7, price=0.5)]
    tree = OptimalTreeClassifier(max_depth=1, constraints=soft).fit(X, y)
    assert (tree.cost_, tree.lower_bound_, tree.status_) == (5.0, 5.0, "optimal")
    assert OptimalTreeClassifier(max_depth=2, constraints=soft).fit(X, y).cost_ == 0
    free = OptimalTreeClassifier(max_depth=1, constraints=[LeafAccuracy(0.7, price=0)]).fit(X, y)
    assert free.cost_ == 2
