"""Worst-leaf objectives, tested against trying everything, and known results for some trees."""

import numpy as np
import pytest

from exactree import OptimalTreeClassifier
from exactree.encode import encode
from exactree.problem import Limits, Problem, leaf_accuracy, leaf_confidence
from exactree.solve import SOLVERS, Budget, Search, Status
from exactree.table import Table

SIX = ([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0])
WAYS = ("accuracy", "confidence")


def problem_of(X, y, limits, way="accuracy", **options):
    data = encode(Table.of(X), y, **options)
    return Problem(data, leaf_accuracy(data) if way == "accuracy" else leaf_confidence(data), limits)


def random_problem(seed, way):
    """Ties, equal rows, two to four classes, few and many values, weights, leaves of a least size or weight."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(4, 15)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.integers(0, int(rng.integers(2, 6)), size=(n, p)).astype(float)
    y = rng.integers(0, k, size=n)
    depth = int(rng.integers(1, 4)) if p * len(np.unique(X)) <= 8 else int(rng.integers(1, 3))
    limits = Limits(
        depth,
        max_leaf_nodes=None if rng.random() < 0.7 else int(rng.integers(1, 2**depth + 1)),
        min_samples_leaf=int(rng.integers(1, 4)),
        min_weight_fraction_leaf=0.0 if rng.random() < 0.8 else 0.15,
    )
    weights = (None, rng.integers(1, 4, size=n), rng.random(n) + 0.1)[seed % 3]
    return problem_of(X, y, limits, way, sample_weight=weights)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.each("seed", range(200))
def test_as_good_as_trying_everything(seed, way):
    problem = random_problem(seed, way)
    best, found = SOLVERS["exhaustive"].solve(problem, Budget()), Search().solve(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(best.cost, abs=1e-9)
    assert problem.order(found.model) == pytest.approx(problem.order(best.model), abs=1e-9)
    assert found.counters["ties_settled"] == 1
    cost, bound = found.history.T[1:]
    assert (np.diff(cost) <= 0).all()
    assert (np.diff(bound) >= 0).all()
    assert (bound <= found.cost + 1e-9).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.each("seed", range(40))
def test_many_ranks_are_searched_in_intervals(seed, way):
    rng = np.random.default_rng(1000 + seed)
    X = rng.random((90, 2))  # more ranks than sums over pairs take
    y = (X[:, 0] + rng.normal(0, 0.3, 90) > 0.5).astype(int) + (rng.random(90) < 0.1)
    limits = Limits(2, min_samples_leaf=int(rng.integers(1, 25)))
    problem = problem_of(X, y, limits, way)
    ours = Search().solve(problem, Budget())
    # The same by a plain loop over all pairs of cuts.
    order = [column.ranks for column in problem.data.columns]
    best = max(
        min(_one(problem, order, yes), _one(problem, order, ~yes))
        for ranks in order
        for cut in range(90)
        if limits.min_samples_leaf <= (yes := ranks <= cut).sum() <= 90 - limits.min_samples_leaf
    )
    whole = _worth(problem, np.ones(90, dtype=bool))
    assert 1 - ours.cost == pytest.approx(max(best, whole), abs=1e-9)


def _worth(problem, rows):
    weight = problem.data.class_weight(np.flatnonzero(rows))
    label = np.array([weight.argmax()], dtype=np.int32)
    return float(problem.objective.leaf_scores(weight[None, :], label)[0])


def _one(problem, order, rows):
    """Best worth with one more question, or none; worths of all cuts of a column at once."""
    labels, least = problem.data.point_labels, problem.limits.min_samples_leaf
    best = _worth(problem, rows)
    for ranks in order:
        chosen = np.flatnonzero(rows)[np.argsort(ranks[rows])]
        left = np.cumsum(np.eye(problem.data.n_classes)[labels[chosen]], axis=0)
        right = left[-1] - left
        n = np.arange(1, len(chosen) + 1)
        legal = (n >= least) & (len(chosen) - n >= least)
        if legal.any():
            both = [
                problem.objective.leaf_scores(side[legal], side[legal].argmax(axis=1).astype(np.int32))
                for side in (left, right)
            ]
            best = max(best, float(np.minimum(*both).max()))
    return best


@pytest.mark.parametrize(("depth", "least", "worth"), [(1, 1, 4 / 6), (2, 1, 1.0), (2, 2, 1.0), (2, 3, 4 / 6)])
def test_six_points(depth, least, worth):
    found = Search().solve(problem_of(*SIX, Limits(depth, min_samples_leaf=least)), Budget())
    assert 1 - found.cost == pytest.approx(worth)


@pytest.mark.each("seed", range(60))
def test_what_decides_between_equals_is_decided_for_the_whole(seed):
    problem = random_problem(5000 + seed, "accuracy")
    best, found = SOLVERS["exhaustive"].solve(problem, Budget()), Search().solve(problem, Budget())
    assert problem.order(found.model) == pytest.approx(problem.order(best.model), abs=1e-9)


def test_through_the_estimator():
    rng = np.random.default_rng(0)
    X = rng.random((600, 3))
    y = np.where(X[:, 0] > 0.5, X[:, 1] > 0.3, X[:, 2] > 0.8).astype(int) ^ (rng.random(600) < 0.1)
    tree = OptimalTreeClassifier(max_depth=2, objective="leaf_accuracy").fit(X, y)
    leaf = tree.apply(X)
    shares = [np.mean(tree.predict(X)[leaf == at] == y[leaf == at]) for at in np.unique(leaf)]
    assert tree.status_ == "optimal"
    assert 1 - tree.cost_ == pytest.approx(min(shares))
    assert np.bincount(leaf)[np.unique(leaf)].min() >= 50
    sure = OptimalTreeClassifier(max_depth=2, objective="leaf_confidence", min_samples_leaf=5).fit(X, y)
    leaf = sure.apply(X)
    assert sure.cost_ > 1 - min(np.mean(sure.predict(X)[leaf == at] == y[leaf == at]) for at in np.unique(leaf))


def test_without_time_a_leaf_and_an_honest_bound():
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 6)), rng.integers(0, 2, 500)
    problem = problem_of(X, y, Limits(4, min_samples_leaf=10))
    found = Search().solve(problem, Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert found.bound < found.cost


def test_a_gap_is_enough_if_asked_for():
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    y = (X[:, 0] > 0.5).astype(int) ^ (rng.random(300) < 0.2)
    problem = problem_of(X, y, Limits(2, min_samples_leaf=20))
    proved, near = Search().solve(problem, Budget()), Search().solve(problem, Budget(gap=0.5))
    assert near.gap <= 0.5
    assert near.bound <= proved.cost <= near.cost


def test_an_interrupt_keeps_the_best():
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 8)), rng.integers(0, 2, 2000)
    problem = problem_of(X, y, Limits(4, min_samples_leaf=10))

    def interrupt(progress):
        raise KeyboardInterrupt

    found = Search().solve(problem, Budget(seconds=60), callback=interrupt)
    assert found.status is Status.INTERRUPTED
    assert found.bound <= found.cost


@pytest.mark.each("seed", range(12))
def test_little_memory_finds_the_same(seed):
    problem = random_problem(7000 + seed, "accuracy")
    ample, scarce = Search().solve(problem, Budget()), Search().solve(problem, Budget(memory=1))
    assert problem.order(scarce.model) == pytest.approx(problem.order(ample.model), abs=1e-9)
    assert scarce.status is Status.OPTIMAL


def test_without_time_not_worse_than_cart():
    rng = np.random.default_rng(2)
    X = rng.random((400, 4))
    y = (X[:, 0] > 0.5).astype(int) ^ (rng.random(400) < 0.1)
    problem = problem_of(X, y, Limits(3, min_samples_leaf=30))
    found = Search().solve(problem, Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert found.cost < 0.2  # a single leaf gets half of the rows wrong
    assert found.history[-1, 1] == found.cost
