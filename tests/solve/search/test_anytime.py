"""The search with its primal heuristic, stopped at any moment: an allowed tree, and bound <= optimum <= cost."""

import numpy as np
import pytest

from exactree.encode import encode
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.table import Table

LIMITS = (
    {},
    {"ccp_alpha": 0.02},
    {"min_samples_leaf": 3},
    {"max_leaf_nodes": 5},
    {"ccp_alpha": 0.01, "min_samples_leaf": 2, "max_leaf_nodes": 7},
)


def random_problem(seed, depth, n_rows=70, n_columns=4, n_values=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, size=(n_rows, n_columns)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.integers(0, 2, size=n_rows)).astype(int) % (2 + seed % 3)
    weights = rng.integers(1, 4, size=n_rows) if seed % 2 else None
    data = encode(Table.of(X), y, sample_weight=weights)
    return Problem(data, accuracy(data), Limits(depth, **LIMITS[seed % len(LIMITS)]))


def hard_problem(depth=5, **limits):
    rng = np.random.default_rng(5)
    X = rng.random((400, 6))
    data = encode(Table.of(X), (X[:, 0] * X[:, 1] + 0.3 * rng.random(400) > 0.4).astype(int))
    return Problem(data, accuracy(data), Limits(depth, **limits))


@pytest.mark.each("seed", range(40))
def test_a_stopped_search_is_honest_with_every_limit(seed):
    problem = random_problem(seed, depth=2 + seed % 3)
    optimum = Search(without=("anytime",)).solve(problem, Budget()).cost
    assert Search(engine="ranks").solve(problem, Budget()).cost == pytest.approx(optimum)
    for seconds in (0.0, 1e-4, 1e-3, 5e-3):
        found = Search(engine="ranks", seed=seed).solve(problem, Budget(seconds=seconds))
        assert found.bound <= optimum + 1e-9
        assert optimum <= found.cost + 1e-9
        assert found.cost == pytest.approx(problem.cost(found.model))
        assert not problem.violations(found.model)


@pytest.mark.parametrize("depth", [5, 6, 8, 60])
@pytest.mark.parametrize("engine", ["ranks", "bits"])
def test_deep_trees_obey_their_limits(depth, engine):
    problem = random_problem(3 + depth, depth, n_rows=200, n_columns=6)
    found = Search(engine=engine).solve(problem, Budget(seconds=0.3))
    assert not problem.violations(found.model)
    assert found.bound <= found.cost == pytest.approx(problem.cost(found.model))


@pytest.mark.parametrize("leaves", [3, 9, 20])
def test_max_leaf_nodes_is_obeyed_and_used(leaves):
    problem = hard_problem(depth=6, max_leaf_nodes=leaves)
    found = Search().solve(problem, Budget(seconds=0.5))
    assert found.model.n_leaves <= leaves
    assert found.cost < Search(without=("anytime",)).solve(hard_problem(depth=1), Budget()).cost


def test_the_first_tree_is_as_deep_as_allowed():
    found = Search().solve(hard_problem(depth=6), Budget(seconds=0.5))
    assert found.status is not Status.OPTIMAL or found.cost == 0
    assert found.model.depth > 4


@pytest.mark.parametrize("threads", [1, 2])
def test_a_proof_gives_the_same_tree_for_any_seed_and_threads(threads):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 6, size=(150, 4)).astype(float)
    data = encode(Table.of(X), (X.sum(axis=1) + rng.integers(0, 3, size=150) > 11).astype(int))
    problem = Problem(data, accuracy(data), Limits(4))
    for engine in ("ranks", "bits"):
        one = Search(engine=engine).solve(problem, Budget())
        other = Search(engine=engine, seed=9).solve(problem, Budget(threads=threads))
        assert one.status is other.status is Status.OPTIMAL
        assert one.cost == other.cost


def test_a_tree_without_errors_ends_the_search():
    rng = np.random.default_rng(6)
    X = rng.random((300, 5))
    y = (X[:, 0] > 0.5).astype(int) ^ (X[:, 1] > 0.3).astype(int) ^ (X[:, 2] > 0.6).astype(int)
    data = encode(Table.of(X), y)
    found = Search().solve(Problem(data, accuracy(data), Limits(9)), Budget(seconds=60))
    assert found.status is Status.OPTIMAL
    assert found.cost == found.bound == 0
