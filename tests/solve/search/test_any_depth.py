"""Trees of any depth: a price of leaves or a limit of leaves keeps the search finite."""

from functools import cache

import numpy as np
import pytest

from exactree import OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import Unsupported
from exactree.problem import Limits, Problem, accuracy, balanced_accuracy
from exactree.solve import Budget, Search, Status, solve
from exactree.table import Table

ENGINES = ("bits", "portable-bits", "ranks", "portable-ranks", "auto")


def tiny(seed: int, **limits: object) -> Problem:
    """Few points; two classes and more, with weights."""
    rng = np.random.default_rng(seed)
    binary = seed % 2
    n_rows = int(rng.integers(4, 40))
    X = rng.integers(0, 2 if binary else 4, size=(n_rows, 5 if binary else 2)).astype(float)
    y = rng.integers(0, 2 + seed % 3, size=n_rows)
    weights = (None, rng.integers(1, 4, size=n_rows), rng.random(n_rows) + 0.1)[seed // 2 % 3]
    data = encode(Table.of(X), y, sample_weight=weights)
    given = {"max_depth": None, "ccp_alpha": (0.005, 0.02, 0.05, 0.11)[seed % 4]} | limits
    objective = balanced_accuracy(data) if seed % 5 == 4 else accuracy(data)
    return Problem(data, objective, Limits(**given))  # type: ignore[arg-type]


def lowest_cost(problem: Problem) -> float:
    """Try every question on every set of rows that arises, whatever the depth."""
    data, least = problem.data, problem.limits.min_samples_leaf
    costs = data.point_weights[:, None] * problem.objective.matrix[data.point_labels]

    @cache
    def best(points: tuple[int, ...], depth: int) -> float:
        at = np.array(points)
        found = float(costs[at].sum(axis=0).min()) + problem.leaf_price
        if depth == 0:
            return found
        for ranks in data.ranks:
            for rank in np.unique(ranks[at])[:-1]:
                yes, no = at[ranks[at] <= rank], at[ranks[at] > rank]
                if min(data.point_counts[yes].sum(), data.point_counts[no].sum()) >= least:
                    found = min(found, best(tuple(yes), depth - 1) + best(tuple(no), depth - 1))
        return found

    depth = min(problem.limits.deepest, data.n_points)
    if problem.limits.max_depth is None:
        depth = data.n_points
    return best(tuple(range(data.n_points)), depth)


def engine_for(problem: Problem, seed: int) -> str:
    return ENGINES[seed % len(ENGINES)]


@pytest.mark.each("seed", range(120))
def test_finds_the_optimum_of_any_depth(seed: int) -> None:
    problem = tiny(seed)
    found = solve(problem, Search(engine=engine_for(problem, seed)))
    assert found.status is Status.OPTIMAL
    assert abs(found.cost - lowest_cost(problem)) <= problem.tolerance


@pytest.mark.each("seed", range(60))
def test_obeys_the_least_size_of_leaves(seed: int) -> None:
    problem = tiny(seed, min_samples_leaf=2 + seed % 4)
    found = solve(problem, Search(engine=engine_for(problem, seed)))
    assert found.status is Status.OPTIMAL
    assert abs(found.cost - lowest_cost(problem)) <= problem.tolerance


@pytest.mark.each("seed", range(60))
def test_prices_with_a_limit_of_depth(seed: int) -> None:
    problem = tiny(seed, max_depth=3 + seed % 6)
    found = solve(problem, Search(engine=engine_for(problem, seed)))
    assert found.status is Status.OPTIMAL
    assert abs(found.cost - lowest_cost(problem)) <= problem.tolerance


@pytest.mark.each("seed", range(24))
def test_leaves_alone_limit_the_depth(seed: int) -> None:
    limits = {"max_leaf_nodes": 3 + seed % 3, "ccp_alpha": 0.02 * (seed % 2)}
    found = solve(tiny(seed, **limits), Search(engine=engine_for(tiny(seed), seed)))
    same = solve(tiny(seed, max_depth=2 + seed % 3, **limits), Search())
    assert found.status is Status.OPTIMAL
    assert abs(found.cost - same.cost) <= 1e-9


@pytest.mark.each("seed", range(40))
def test_bounds_hold_when_it_is_stopped(seed: int) -> None:
    """After so many reports; bound and cost enclose the optimum."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(60, 7)).astype(float) if seed % 2 else rng.integers(0, 9, size=(30, 2)).astype(float)
    data = encode(Table.of(X), rng.integers(0, 2 + seed % 2, size=len(X)))
    problem = Problem(data, accuracy(data), Limits(None, ccp_alpha=0.01))
    best = solve(problem, Search())
    stopped = solve(problem, Search(), Budget(seconds=0.0005 * (seed % 7)))
    assert stopped.bound <= best.cost + problem.tolerance
    assert best.cost <= stopped.cost + problem.tolerance
    assert stopped.cost == problem.cost(stopped.model)


def test_without_price_or_leaves_it_returns_a_tree_and_an_honest_bound() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, size=(300, 9)).astype(float), rng.integers(0, 2, size=300)
    tree = OptimalTreeClassifier(max_depth=None, time_limit=1).fit(X, y)
    assert tree.lower_bound_ <= tree.cost_
    assert tree.scope_.startswith("trees of any depth; ")
    unavoidable = sum(min((y[group] == 0).sum(), (y[group] == 1).sum()) for group in _groups(X))
    assert tree.lower_bound_ <= unavoidable <= tree.cost_


def _groups(X: np.ndarray) -> list[np.ndarray]:
    _, group = np.unique(X, axis=0, return_inverse=True)
    return [np.flatnonzero(group.ravel() == number) for number in range(group.max() + 1)]


def test_a_deep_chain_is_found() -> None:
    """A row of alternating labels needs a question between any two: far deeper than a limit would allow."""
    X = np.repeat(np.arange(9.0), 3)[:, None]
    y = np.repeat(np.arange(9) % 2, 3)
    tree = OptimalTreeClassifier(max_depth=None, ccp_alpha=0.01).fit(X, y)
    assert tree.tree_.n_leaves == 9
    assert tree.status_ == "optimal"


@pytest.mark.parametrize("solver", ["binoct", "oct", "dl85", "exhaustive"])
def test_solvers_that_need_a_depth_say_so(solver: str) -> None:
    with pytest.raises(Unsupported, match="it needs a limit of depth"):
        OptimalTreeClassifier(max_depth=None, ccp_alpha=0.1, solver=solver).fit([[0], [1], [2]], [0, 1, 0])


def test_worst_leaf_objectives_need_a_depth() -> None:
    with pytest.raises(Unsupported, match="with worst-leaf objectives it needs a limit of depth"):
        OptimalTreeClassifier(max_depth=None, objective="leaf_accuracy").fit([[0], [1], [2]], [0, 1, 0])
