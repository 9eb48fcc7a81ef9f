"""Searches that start from a tree."""

import warnings

import numpy as np
import pytest

from exactree import NotProvedWarning, OptimalTreeClassifier, kernel
from exactree.encode import encode
from exactree.errors import Unsupported
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget, Search, Status
from exactree.solve.gains import impurity_weights, shape_of, sizes_of
from exactree.solve.trees.ranked_tree import RankedNode, from_graph, relabelled, to_graph
from exactree.table import Table


def problem_of(X, y, limits, **options):
    data = encode(Table.of(X), y, **options)
    return Problem(data, accuracy(data), limits)


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    return rng.random((150, 4)), rng.integers(0, 2, size=150)


def test_starts_from_the_tree_given(table):
    problem = problem_of(*table, Limits(3))
    best = Search().solve(problem, Budget())
    again = Search().solve(problem, Budget(seconds=0.0), start=best.model)
    assert again.cost == best.cost
    assert again.status is Status.TIME_LIMIT


def test_warm_start_begins_at_the_last_tree(table):
    X, y = table
    tree = OptimalTreeClassifier(max_depth=3, warm_start=True).fit(X, y)
    flipped = np.where(np.arange(len(y)) % 20 == 0, 1 - y, y)
    before = np.count_nonzero(tree.predict(X) != flipped)
    with pytest.warns(NotProvedWarning):
        tree.set_params(time_limit=0).fit(X, flipped)
    assert tree.cost_ <= before


def test_without_warm_start_the_last_tree_is_forgotten(table):
    tree = OptimalTreeClassifier(max_depth=3).fit(*table)
    fresh = OptimalTreeClassifier(max_depth=3, time_limit=0)
    with pytest.warns(NotProvedWarning):
        fresh.fit(*table)
    with pytest.warns(NotProvedWarning):
        tree.set_params(time_limit=0).fit(*table)
    assert tree.tree_.same_as(fresh.tree_)


NARROW = [Limits(1), Limits(2), Limits(3, max_leaf_nodes=3), Limits(3, min_samples_leaf=30), Limits(3, ccp_alpha=0.1)]


@pytest.mark.parametrize("limits", NARROW, ids=str)
def test_the_kernel_prunes_a_start_beyond_the_limits(table, limits):
    # As many leaves as depth two allows, but on one side: only the limit on depth forbids it there.
    wide = problem_of(*table, Limits(3, max_leaf_nodes=4 if limits == Limits(2) else None))
    start = Search().solve(wide, Budget()).model
    problem = problem_of(*table, limits)
    assert problem.violations(start) or limits.ccp_alpha > 0
    # Not pruned it would be cheaper than the greedy tree, and raise SolverBug since it is not allowed.
    found = Search().solve(problem, Budget(seconds=0.0), start=start)
    assert problem.violations(found.model) == []
    assert found.cost <= Search().solve(problem, Budget(seconds=0.0)).cost


@pytest.mark.parametrize("engine", ["ranks", "bits"])
def test_every_engine_starts_from_the_tree_given(table, engine):
    problem = problem_of(*table, Limits(3))
    best = Search(engine).solve(problem, Budget())
    assert Search(engine).solve(problem, Budget(seconds=0.0), start=best.model).cost == best.cost


@pytest.mark.parametrize("limits", NARROW, ids=str)
def test_a_start_beyond_the_limits_does_no_harm(table, limits):
    start = Search().solve(problem_of(*table, Limits(3)), Budget()).model
    problem = problem_of(*table, limits)
    for seconds in (0.0, None):
        with_start = Search().solve(problem, Budget(seconds=seconds), start=start)
        without = Search().solve(problem, Budget(seconds=seconds))
        assert problem.violations(with_start.model) == []
        assert with_start.cost <= without.cost
    assert with_start.cost == without.cost


def cart(problem):
    """Return CART's tree, grown outside the search, with the labels that cost least."""
    data, limits = problem.data, problem.limits
    sizes, min_weight = sizes_of(problem)
    max_depth, max_leaves = shape_of(problem)
    size = {"max_depth": max_depth, "max_leaves": max_leaves, "min_rows": limits.min_samples_leaf}
    weights = impurity_weights(problem)
    ranked = data.ranks, data.point_labels, weights, sizes
    nodes = kernel.grow(*ranked, n_classes=data.n_classes, min_weight=min_weight, **size).nodes
    return to_graph(problem, relabelled(problem, [RankedNode(*node) for node in nodes.tolist()]))


# Depth two, and few questions at depth three: the greedy tree is the last one. Depths four and five: it is the first.
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("n_values", [2, 5, 1000])
def test_a_search_that_ends_early_is_as_good_as_cart(depth, n_values):
    rng = np.random.default_rng(depth + n_values)
    X, y = rng.integers(0, n_values, (300, 5)), rng.integers(0, 3, 300)
    data = encode(Table.of(X), y, sample_weight=rng.integers(1, 4, 300))
    problem = Problem(data, accuracy(data), Limits(depth, min_samples_leaf=3))
    budgets = Budget(seconds=0.0), Budget(memory=1), Budget(seconds=1e-4), Budget(gap=0.9)
    for found in (Search().solve(problem, budget) for budget in budgets):
        assert found.cost <= problem.cost(cart(problem))
        assert found.history[-1, 1] == pytest.approx(found.cost)
        assert (np.diff(found.history, axis=0)[:, [0, 2]] >= 0).all()
        assert (np.diff(found.history[:, 1]) <= 0).all()


def test_one_search_whether_or_not_it_ends_early(table, monkeypatch):
    calls = []
    search = kernel.search
    monkeypatch.setattr(kernel, "search", lambda *data, **options: calls.append(1) or search(*data, **options))
    monkeypatch.setattr(kernel, "grow", lambda *_, **__: pytest.fail("the greedy tree is grown inside the search"))
    for depth, seconds in ((2, 0.0), (2, None), (4, 0.0)):
        Search().solve(problem_of(*table, Limits(depth)), Budget(seconds=seconds))
    assert len(calls) == 3


def test_points_must_have_the_columns_of_the_rows(table, monkeypatch):
    search = kernel.search
    fewer = np.zeros((3, 150), np.uint32)
    monkeypatch.setattr(kernel, "search", lambda *data, **options: search(*data, **options | {"point_ranks": fewer}))
    with pytest.raises(Unsupported, match="point_ranks must have the columns of ranks"):
        Search().solve(problem_of(*table, Limits(2)), Budget())


@pytest.mark.parametrize(
    "other",
    [
        [["red", 1.0], ["blue", 2.0], ["red", 3.0], ["blue", 4.0]],
        np.arange(8.0).reshape(4, 2),
        np.array([[1.0, np.nan, 2.0, 3.0]] * 2 + [[2.0, 1.0, 2.0, 3.0]] * 2),
    ],
    ids=["strings", "fewer columns", "missing values"],
)
def test_a_start_for_another_table_is_ignored(table, other):
    start = Search().solve(problem_of(*table, Limits(2)), Budget()).model
    problem = problem_of(other, [0, 1, 0, 1], Limits(2))
    found = Search().solve(problem, Budget(), start=start)
    assert found.cost == Search().solve(problem, Budget()).cost


@pytest.mark.parametrize("thresholds", ["all", "class-changes", "quantiles(5)"])
def test_a_start_under_any_threshold_policy_does_no_harm(table, thresholds):
    start = Search().solve(problem_of(*table, Limits(3)), Budget()).model
    problem = problem_of(*table, Limits(3), thresholds=thresholds)
    assert Search().solve(problem, Budget(), start=start).cost == Search().solve(problem, Budget()).cost


def test_a_start_with_categories_and_missing_values():
    rng = np.random.default_rng(8)
    colour = rng.choice(["red", "green", "blue", None], size=80)
    size = np.where(rng.random(80) < 0.2, np.nan, rng.integers(0, 9, size=80))
    X = np.column_stack([colour.astype(object), size.astype(object)])
    problem = problem_of(X, rng.integers(0, 2, size=80), Limits(3))
    best = Search().solve(problem, Budget())
    assert Search().solve(problem, Budget(seconds=0.0), start=best.model).cost == best.cost


def test_warm_start_with_other_columns_starts_afresh(table):
    tree = OptimalTreeClassifier(max_depth=2, warm_start=True).fit(*table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree.fit([["a"], ["b"], ["a"]], [0, 1, 0])
    assert tree.cost_ == 0


def test_a_start_whose_thresholds_were_kept_is_taken_up():
    rng = np.random.default_rng(2)
    X, y = rng.random((60, 3)), rng.integers(0, 2, 60)
    data = encode(Table.of(X), y, thresholds="quantiles(5)")
    problem = Problem(data, accuracy(data), Limits(2))
    best = Search().solve(problem, Budget())
    assert from_graph(problem, best.model) is not None
    other = encode(Table.of(X), y, thresholds="quantiles(4)")
    assert from_graph(Problem(other, accuracy(other), Limits(2)), best.model) is None
