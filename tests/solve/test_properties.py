"""Whatever the table: search equals trying everything, and equivalent tables cost the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactree.encode import encode
from exactree.errors import InputError
from exactree.problem import Limits, Problem, accuracy, balanced_accuracy, cost_sensitive
from exactree.solve import Budget, Exhaustive, Search, Status
from exactree.table import Table

quick = settings(deadline=None, max_examples=150, derandomize=True)
quicker = settings(deadline=None, max_examples=50, derandomize=True)


@st.composite
def tables(draw, max_rows=24):
    """Cells, labels and weights, with duplicates and contradictions."""
    n_rows = draw(st.integers(1, max_rows))
    n_columns = draw(st.integers(1, 2))
    cell = st.integers(0, draw(st.integers(1, 5))).map(float)
    X = draw(st.lists(st.lists(cell, min_size=n_columns, max_size=n_columns), min_size=n_rows, max_size=n_rows))
    y = draw(st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=n_rows, max_size=n_rows))
    return np.array(X), np.array(y)


@st.composite
def limits(draw, deepest=3):
    return Limits(
        draw(st.integers(0, deepest)),
        max_leaf_nodes=draw(st.none() | st.integers(1, 6)),
        min_samples_leaf=draw(st.integers(1, 5)),
        min_weight_fraction_leaf=draw(st.sampled_from([0.0, 0.0, 0.1, 0.3])),
        ccp_alpha=draw(st.sampled_from([0.0, 0.0, 0.01, 0.1])),
    )


def problem_of(X, y, limits, objective=accuracy, **options):
    data = encode(Table.of(X), y, **options)
    return Problem(data, objective(data), limits)


def best(problem, engine="auto"):
    found = Search(engine=engine).solve(problem, Budget(seconds=60))
    assert found.status is Status.OPTIMAL
    return found.cost


def same(problem):
    """Each engine that takes the problem finds what trying everything finds."""
    optimum = Exhaustive().solve(problem, Budget()).cost
    bits = problem.data.n_classes == 2 and problem.limits.min_samples_leaf == 1 and problem.min_leaf_weight == 0
    for engine in ("auto", "ranks", *(["bits", "portable-bits"] if bits else [])):
        assert best(problem, engine) == pytest.approx(optimum, abs=problem.tolerance), engine


@quick
@given(tables(), limits(), st.data())
def test_search_equals_trying_everything(table, limits, data):
    X, y = table
    weight = data.draw(
        st.none()
        | st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y))
        | st.lists(st.floats(1e-3, 1e3), min_size=len(y), max_size=len(y))
    )
    same(problem_of(X, y, limits, sample_weight=weight))


@quick
@given(tables(), limits(), st.data())
def test_search_equals_trying_everything_with_costs(table, limits, data):
    k = len(np.unique(table[1]))
    cells = st.integers(0, 5).map(float) | st.floats(1e-280, 10)
    matrix = data.draw(st.lists(st.lists(cells, min_size=k, max_size=k), min_size=k, max_size=k))
    same(problem_of(*table, limits, lambda encoded: cost_sensitive(encoded, matrix)))


@quicker
@given(tables(), limits())
def test_search_equals_trying_everything_balanced(table, limits):
    same(problem_of(*table, limits, balanced_accuracy))


@quicker
@given(tables(max_rows=16), limits(deepest=2), st.data())
def test_search_equals_trying_everything_with_missing_values(table, limits, data):
    X, y = table
    X[np.array(data.draw(st.lists(st.booleans(), min_size=X.size, max_size=X.size))).reshape(X.shape)] = np.nan
    X[0] = 1.0  # no column without a value
    same(problem_of(X, y, limits))


# One column of values that all differ: the bounds between solved cuts matter only where there are many cuts.
@settings(quicker, max_examples=12)
@given(st.permutations(range(12)), st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=12, max_size=12))
def test_search_equals_trying_everything_with_many_cuts(order, rest):
    X = np.array([[float(value), float(other)] for value, (other, _) in zip(order, rest, strict=True)])
    y = [label for _, label in rest]
    same(problem_of(X, y, Limits(3, max_leaf_nodes=5)))


@quicker
@given(tables(), limits(), st.integers(-9, 12), st.integers(-100, 100))
def test_scaling_and_shifting_columns_changes_nothing(table, limits, power, shift):
    X, y = table
    assert best(problem_of((X + shift) * 10.0**power, y, limits)) == best(problem_of(X, y, limits))


@quicker
@given(tables(), limits(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_changes_nothing(table, limits, random):
    X, y = table
    rows, columns = list(range(len(y))), list(range(X.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    plain = best(problem_of(X, y, limits))
    assert best(problem_of(X[rows], y[rows], limits)) == pytest.approx(plain, abs=1e-9)
    assert best(problem_of(X[:, columns], y, limits)) == plain
    assert best(problem_of(-X, y, limits)) == plain


@quicker
@given(tables(max_rows=12), st.integers(0, 3), st.data())
def test_copies_of_a_row_are_an_integer_weight(table, depth, data):
    X, y = table
    times = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y))))
    copied = problem_of(np.repeat(X, times, axis=0), np.repeat(y, times), Limits(depth, ccp_alpha=0.02))
    weighted = problem_of(X, y, Limits(depth, ccp_alpha=0.02), sample_weight=times)
    assert best(copied) == best(weighted)


@quicker
@given(tables(), limits(), st.sampled_from(["class-changes", "quantiles(2)"]))
def test_fewer_thresholds_are_optimal_over_those_left(table, limits, policy):
    fewer = problem_of(*table, limits, thresholds=policy)
    same(fewer)
    assert best(fewer) >= best(problem_of(*table, limits)) - fewer.tolerance


@quicker
@given(tables(), st.integers(0, 2), st.integers(0, 4))
def test_wider_limits_never_cost_more(table, depth, leaves):
    costs = [best(problem_of(*table, Limits(d))) for d in (depth, depth + 1)]
    assert costs[1] <= costs[0]
    some = [best(problem_of(*table, Limits(3, max_leaf_nodes=1 + leaves + more))) for more in (0, 1)]
    assert some[1] <= some[0]


@pytest.mark.each("scale", [1e-9, 1e-3, 1.0, 1e6, 1e12])
def test_the_scale_of_weights_scales_the_cost(scale):
    rng = np.random.default_rng(1)
    X, y, w = rng.integers(0, 6, (60, 3)).astype(float), rng.integers(0, 3, 60), rng.integers(1, 5, 60)
    plain = best(problem_of(X, y, Limits(3, ccp_alpha=0.01), sample_weight=w))
    scaled = best(problem_of(X, y, Limits(3, ccp_alpha=0.01), sample_weight=w * scale))
    assert scaled == pytest.approx(plain * scale, rel=1e-9)


@pytest.mark.parametrize("cost", [2.2e-313, 1e-300])
def test_costs_too_small_to_compare_are_refused(cost):
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    problem = problem_of(X, y, Limits(1), lambda data: cost_sensitive(data, [[0, cost], [cost, 0]]))
    with pytest.raises(
        InputError, match=r"All weights and costs together are \S+, too small to compare costs; expected"
    ):
        Search().solve(problem, Budget())


def test_small_costs_are_compared():
    X, y = np.array([[0.0], [1.0]]), np.array([0, 1])
    same(problem_of(X, y, Limits(1), lambda data: cost_sensitive(data, [[0, 1e-280], [1e-281, 0]])))
