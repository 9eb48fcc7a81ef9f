"""The Pareto front of worst leaf and errors, tested against trying everything, complete and stopped."""

import numpy as np
import pytest

from exactree.encode import encode
from exactree.errors import SolverBug
from exactree.model import Graph
from exactree.problem import Limits, Problem, leaf_accuracy, leaf_confidence
from exactree.solve import Budget, Status
from exactree.solve.brute_force.trees import _front
from exactree.solve.search import pareto
from exactree.solve.search.pareto import search_front
from exactree.table import Table

WAYS = ("accuracy", "confidence")


def problem_of(X, y, limits, way="accuracy", **options):
    data = encode(Table.of(X), y, **options)
    return Problem(data, leaf_accuracy(data) if way == "accuracy" else leaf_confidence(data), limits)


def random_problem(seed, way):
    """Ties, equal rows, two to four classes, few and many values, weights, leaves of a least size or weight."""
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(4, 45)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    X = rng.integers(0, int(rng.integers(2, 6)), size=(n, p)).astype(float)
    y = np.where(rng.random(n) < 0.6, X.sum(axis=1) % k, rng.integers(0, k, size=n)).astype(int)
    depth = int(rng.integers(1, 4)) if p * len(np.unique(X)) <= 8 else int(rng.integers(1, 3))
    limits = Limits(
        depth,
        max_leaf_nodes=None if rng.random() < 0.7 else int(rng.integers(1, 2**depth + 1)),
        min_samples_leaf=int(rng.integers(1, 6)),
        min_weight_fraction_leaf=0.0 if rng.random() < 0.8 else 0.15,
    )
    weights = (None, rng.integers(1, 4, size=n), rng.random(n) + 0.1)[seed % 3]
    return problem_of(X, y, limits, way, sample_weight=weights)


def by_trying_everything(problem):
    """Pairs (worst leaf, errors) of which none is beaten, by rising errors."""
    limits = problem.limits
    trees = _front(problem, np.arange(problem.data.n_points), limits.max_depth, limits.most_leaves, lambda: None)
    found = []
    for tree in sorted(trees, key=lambda tree: (round(tree.wrong, 9), -tree.score)):
        if not found or tree.score > found[-1][0] + 1e-9:
            found.append((tree.score, tree.wrong))
    return found


def pairs(front):
    return [(tree.worst, tree.wrong) for tree in front.trees]


def noisy(n=400, columns=4, values=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, size=(n, columns)).astype(float)
    y = (X[:, 0] + X[:, 1] > values).astype(int) ^ (rng.random(n) < 0.25)
    return X, y


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.each("seed", range(120))
def test_the_front_is_that_of_trying_everything(seed, way):
    problem = random_problem(seed, way)
    found = search_front(problem, Budget())
    assert found.status is Status.OPTIMAL
    assert np.array(pairs(found)) == pytest.approx(np.array(by_trying_everything(problem)), abs=1e-9)
    assert all(tree.proved for tree in found.trees)


@pytest.mark.each("seed", range(60))
def test_without_room_for_sums_over_pairs_the_front_is_the_same(seed):
    problem = random_problem(2000 + seed, WAYS[seed % 2])
    found = search_front(problem, Budget(memory=1))
    assert np.array(pairs(found)) == pytest.approx(np.array(by_trying_everything(problem)), abs=1e-9)


def test_fronts_of_these_tests_have_several_points():
    lengths = [len(by_trying_everything(random_problem(seed, WAYS[0]))) for seed in range(120)]
    assert sum(length > 1 for length in lengths) >= 30


@pytest.mark.each(("depth", "seed"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)])
def test_many_ranks_and_few_agree(depth, seed):
    """Cuts in intervals, with passes from the accurate end on, against sums over pairs."""
    X, y = noisy(250, 2, 30, seed)
    problem = problem_of(X, y, Limits(depth, min_samples_leaf=15))
    few, many = search_front(problem, Budget()), search_front(problem, Budget(memory=1))
    assert len(few.trees) > 1
    assert np.array(pairs(many)) == pytest.approx(np.array(pairs(few)), abs=1e-9)


@pytest.mark.each("seed", range(4))
def test_trees_to_start_from_change_nothing(seed):
    X, y = noisy(200, 2, 90, seed)  # so many ranks that the ends come first
    problem = problem_of(X, y, Limits(2, min_samples_leaf=12))
    found, alone = search_front(problem, Budget()), pareto._run(problem, [], Budget())
    assert not pareto._quick(problem)
    assert np.array(pairs(found)) == pytest.approx(np.array([(p.score, p.wrong) for p in alone.points]), abs=1e-9)


def test_trees_are_what_they_are_said_to_be():
    X, y = noisy()
    problem = problem_of(X, y, Limits(3, min_samples_leaf=15))
    found = search_front(problem, Budget())
    assert len(found.trees) > 2
    for tree in found.trees:
        leaf = tree.model.apply(problem.data.table)
        right = tree.model.label[leaf] == problem.data.labels
        assert tree.wrong == np.count_nonzero(~right)
        assert tree.worst == pytest.approx(min(right[leaf == at].mean() for at in np.unique(leaf)))
        assert np.bincount(leaf)[np.unique(leaf)].min() >= 15


@pytest.mark.parametrize("memory", [None, 1])
def test_without_time_nothing_is_proved_and_the_ends_are_no_worse_than_cart(memory):
    X, y = noisy(600, 6, 20)
    problem = problem_of(X, y, Limits(3, min_samples_leaf=20))
    found = search_front(problem, Budget(seconds=0.0, memory=memory))
    assert found.status is Status.TIME_LIMIT
    assert not any(tree.proved for tree in found.trees)
    assert found.trees[0].wrong < 0.4 * len(y)  # a single leaf gets nearly half of the rows wrong


@pytest.mark.each("seconds", [0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("memory", [None, 1])
def test_what_a_stopped_search_calls_proved_is_on_the_front(seconds, memory):
    X, y = noisy(300, 3, 30)
    problem = problem_of(X, y, Limits(2, min_samples_leaf=20))
    whole = pairs(search_front(problem, Budget()))
    for tree in search_front(problem, Budget(seconds=seconds, memory=memory)).trees:
        near = [pair for pair in whole if pair == pytest.approx((tree.worst, tree.wrong), abs=1e-9)]
        assert near or not tree.proved
        assert any(worst >= tree.worst - 1e-9 and wrong <= tree.wrong for worst, wrong in whole)


def test_a_model_that_is_not_what_was_claimed_is_a_bug(monkeypatch):
    problem = problem_of([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], Limits(1))
    wrong = Graph.leaf(problem.data.table.schema, problem.data.classes, 0, [2.0, 2.0], 4)
    monkeypatch.setattr(pareto, "to_graph", lambda *_: wrong)
    with pytest.raises(SolverBug, match=r"claimed a worst leaf of 1 and errors of 0; .* has 0\.5 and 2"):
        search_front(problem, Budget())
