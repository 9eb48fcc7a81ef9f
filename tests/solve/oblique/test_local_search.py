"""The local search for oblique splits: against the MIP's proved optimum, and never worse than it starts."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from exactree import OCT, ODD, Fairness, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import InputError
from exactree.estimators import NotProvedWarning
from exactree.model import dumps, loads
from exactree.problem import DiagramLimits, DiagramProblem, Limits, Problem, accuracy
from exactree.problem.split_columns import n_further_columns
from exactree.solve import Budget, Status
from exactree.solve.oblique import Diagrams, Trees, as_tree, improve_with_oblique_splits
from exactree.solve.run_state import RunState
from exactree.solve.search import DiagramSearch, Search
from exactree.solve.trees.ranked_diagram import diagram_from_graph, in_order
from exactree.solve.trees.ranked_tree import from_graph, nodes_of, with_columns
from exactree.table import Table, Test


def points_of(seed, n_rows, n_columns=2, n_classes=2, high=4):
    rng = np.random.default_rng(seed)
    return rng.integers(0, high, (n_rows, n_columns)).astype(float), rng.integers(0, n_classes, n_rows)


def tree_problem(X, y, depth, weights=None, **limits):
    data = encode(Table.of(X), y, sample_weight=weights)
    return Problem(data, accuracy(data), Limits(depth, **limits))


def diagram_problem(X, y, widths=(1, 2, 2), **limits):
    data = encode(Table.of(X), y)
    return DiagramProblem(data, accuracy(data), DiagramLimits(widths, multivariate=True, **limits))


def improved(problem, seconds=None, callback=None, seed=0):
    """Run the local search alone, from the best univariate model: the run, that model's cost, and what is returned."""
    state = RunState(problem, Budget(seconds=seconds), callback)
    if isinstance(problem, DiagramProblem):
        univariate = replace(problem, limits=replace(problem.limits, multivariate=False))
        start, kind = DiagramSearch().solve(univariate, Budget()).model, Diagrams()
        nodes = diagram_from_graph(problem, start)
    else:
        start, kind = Search().solve(problem, Budget()).model, Trees()
        nodes = in_order(
            [n._replace(label=int(k)) for n, k in zip(nodes_of(from_graph(problem, start)), start.label, strict=True)]
        )
    state.begin(start, 0.0)
    found = improve_with_oblique_splits(state, problem, kind, nodes, share=1.0, seed=seed, margin=0.001, counters={})
    return state, problem.cost(start), found


def test_trees_against_proved_optima():
    equal = 0
    for seed in range(30):
        X, y = points_of(seed, 8, n_columns=2 + seed % 2, n_classes=2 + seed % 2)
        problem = tree_problem(X, y, 2 if seed % 6 == 0 else 1, ccp_alpha=(0.0, 0.05)[seed % 2])
        proved = OCT(multivariate=True, warm_start=None, max_split_columns=None).solve(problem, Budget())
        assert proved.status is Status.OPTIMAL
        state, before, _ = improved(problem)
        assert proved.cost - 1e-9 <= state.cost <= before
        assert problem.cost(state.model) == state.cost
        equal += state.cost <= proved.cost + 1e-9
    assert equal >= 27


def test_diagrams_against_proved_optima():
    equal = 0
    for seed in range(12):
        X, y = points_of(seed + 100, 7, high=3)
        problem = diagram_problem(X, y, (1, 2), ccp_alpha=0.1 * (seed % 3))
        proved = ODD(warm_start=False).solve(problem, Budget())
        assert proved.status is Status.OPTIMAL
        state, before, _ = improved(problem)
        assert proved.cost - 1e-9 <= state.cost <= before
        equal += state.cost <= proved.cost + 1e-9
    assert equal >= 11


@pytest.mark.each("seed", range(12))
def test_every_limit_of_trees_is_kept(seed):
    X, y = points_of(seed, 60, n_columns=4, n_classes=3, high=6)
    weights = np.random.default_rng(seed).integers(1, 4, 60).astype(float)
    limits = {"min_samples_leaf": 1 + 4 * (seed % 3), "max_leaf_nodes": 3 + seed % 4, "ccp_alpha": 0.02 * (seed % 2)}
    most, price = 2 + seed % 2, 0.01 * (seed % 3)
    problem = tree_problem(X, y, 3, weights, **limits, max_split_columns=most, column_price=price)
    state, before, found = improved(problem, seconds=2.0)
    assert not problem.violations(state.model)
    assert state.cost <= before
    graph = Trees().graph(with_columns(problem, found.columns), found.nodes)
    assert problem.cost(graph) == pytest.approx(state.cost)


@pytest.mark.each("seed", range(12))
def test_every_limit_of_diagrams_is_kept(seed):
    X, y = points_of(seed + 50, 60, n_columns=4, n_classes=2 + seed % 2, high=6)
    limits = {"min_samples_node": 1 + 5 * (seed % 3), "max_nodes": 3 + seed % 3, "tree": seed % 4 == 0}
    limits |= {
        "min_weight_fraction_leaf": 0.05 * (seed % 2),
        "max_split_columns": 2,
        "column_price": 0.005 * (seed % 3),
    }
    problem = diagram_problem(X, y, **limits)
    state, before, _ = improved(problem, seconds=2.0)
    assert not problem.violations(state.model)
    assert state.cost <= before


def test_the_same_seed_gives_the_same_model():
    X, y = points_of(1, 40, n_columns=3, high=9)
    first, second = (improved(diagram_problem(X, y), seed=5)[0] for _ in range(2))
    assert dumps(first.model) == dumps(second.model)
    assert first.model.is_linear


def test_coefficients_have_few_digits_and_the_rows_stay_on_their_sides():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3)) * [1.0, 1000.0, 0.001]
    y = (X[:, 0] + X[:, 1] / 1000 > 0.2).astype(int)
    problem = tree_problem(X, y, 1, max_split_columns=2)
    state, _, _ = improved(problem)
    assert state.cost == 0
    ((_, a), (_, b)) = state.model.sum_at(0)
    assert all(len(f"{abs(c):g}".replace(".", "").strip("0")) <= 3 for c in (a, b))
    again = loads(dumps(state.model))
    assert problem.cost(again) == state.cost


def test_a_high_price_of_columns_leaves_univariate_splits():
    X, y = points_of(4, 40, n_columns=3, high=9)
    free, dear = (tree_problem(X, y, 2, column_price=price) for price in (0.0, 1.0))
    assert improved(free)[0].model.is_linear
    assert not improved(dear)[0].model.is_linear


def test_the_price_of_columns_is_part_of_the_cost():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]
    tree = OptimalTreeClassifier(max_depth=1, solver=OCT(multivariate=True, column_price=0.1)).fit(X, y)
    assert n_further_columns(tree.tree_) == 1
    assert (tree.cost_, tree.status_) == (pytest.approx(0.4), "optimal")
    diagram = OptimalDiagramClassifier((1,), multivariate=True, column_price=0.1, max_split_columns=2).fit(X, y)
    assert (diagram.cost_, diagram.status_) == (pytest.approx(0.4), "optimal")
    diagram = OptimalDiagramClassifier((1,), multivariate=True, column_price=0.3).fit(X, y)
    assert (diagram.cost_, diagram.status_, diagram.diagram_.is_linear) == (1.0, "optimal", False)


def test_a_limit_of_columns_holds_in_the_mip_too():
    rng = np.random.default_rng(0)
    X = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)])
    y = (X.sum(axis=1) >= 2).astype(int)  # the majority of three: a plane over three columns
    assert rng is not None
    three = OptimalTreeClassifier(max_depth=1, solver=OCT(multivariate=True, warm_start=None)).fit(X, y)
    two = OptimalTreeClassifier(max_depth=1, solver=OCT(multivariate=True, warm_start=None, max_split_columns=2))
    two = two.fit(X, y)
    assert (three.cost_, two.cost_, two.status_) == (0.0, 2.0, "optimal")
    assert np.count_nonzero(two.tree_.factors, axis=1).max() <= 2


def test_a_callback_stops_it_and_the_best_model_is_kept():
    X, y = points_of(2, 80, n_columns=5, high=9)
    stages = []

    def stop(now):
        stages.append(now.stage)
        return stages.count("local search") >= 5

    for estimator in (
        OptimalDiagramClassifier("I", multivariate=True, time_limit=20),
        OptimalTreeClassifier(max_depth=3, solver=OCT(multivariate=True), time_limit=20),
    ):
        stages.clear()
        with pytest.warns(match="stopped"):
            estimator.fit(X, y, callback=stop)
        assert estimator.status_ == "interrupted"
        assert estimator.lower_bound_ <= estimator.cost_
        assert stages.count("local search") == 5


def test_no_time_at_all_still_gives_a_model():
    X, y = points_of(2, 50, n_columns=3)
    for found in (
        OCT(multivariate=True).solve(tree_problem(X, y, 2), Budget(seconds=0.0)),
        ODD().solve(diagram_problem(X, y), Budget(seconds=0.0)),
    ):
        assert (found.status, found.bound <= found.cost) == (Status.TIME_LIMIT, True)


@pytest.mark.each("seed", range(3))
def test_constraints_on_predictions_are_satisfied(seed):
    X, y = points_of(seed, 40, n_columns=3)
    fair = Fairness("demographic_parity", 0.1, groups=np.arange(40) % 2)
    diagram = OptimalDiagramClassifier((1, 2), multivariate=True, fairness=fair, time_limit=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)
        diagram.fit(X, y)
    rates = [diagram.predict(X)[np.arange(40) % 2 == g].mean() for g in (0, 1)]
    assert abs(rates[0] - rates[1]) <= 0.1 + 1e-9


def test_categories_and_columns_with_empty_cells_are_asked_one_at_a_time():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"u": rng.normal(size=80), "v": rng.normal(size=80), "kind": rng.choice(list("abc"), 80)})
    frame["gap"] = np.where(rng.random(80) < 0.3, np.nan, rng.normal(size=80))
    y = np.where((frame["u"] + frame["v"] > 0) & (frame["kind"] != "a"), "yes", "no")
    tree = OptimalTreeClassifier(max_depth=2, solver=OCT(multivariate=True), time_limit=10).fit(frame, y)
    assert (tree.cost_, tree.status_) == (0.0, "optimal")
    linear = [n for n in range(tree.tree_.n_nodes) if tree.tree_.test[n] == Test.LINEAR]
    assert {j for n in linear for j, _ in tree.tree_.sum_at(n)} == {0, 1}
    # a new row without a value goes where most training rows went
    new = frame.iloc[:5].assign(u=None)
    assert set(tree.predict(new)) <= {"yes", "no"}


def test_univariate_splits_beside_oblique_ones_are_in_the_middle_of_their_gap():
    X = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 8.0], [1.0, 1.0, 8.0]]
    X += [[0.0, 1.0, 8.0]]
    y = [0, 0, 0, 1, 2, 2, 2]
    tree = OptimalTreeClassifier(max_depth=2, solver=OCT(multivariate=True)).fit(X, y)
    assert tree.cost_ == 0
    for node in np.flatnonzero(tree.tree_.test == Test.AT_MOST):
        if tree.tree_.column[node] == 2:
            assert tree.tree_.threshold[node] == 4.0


def test_a_tree_without_splits_that_do_nothing():
    problem = tree_problem([[0.0, 0.0], [1.0, 1.0]], [0, 1], 2)
    start = Search().solve(problem, Budget()).model
    nodes = nodes_of(from_graph(problem, start))
    nodes = in_order([n._replace(label=int(k)) for n, k in zip(nodes, start.label, strict=True)])
    assert len(as_tree(problem, nodes)) == 3
    assert json.loads(dumps(Trees().graph(problem, nodes)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_split_columns": 1}, r"max_split_columns must be 2 or more, or None for no limit; got 1\."),
        ({"column_price": -0.5}, r"column_price must lie in 0\.\.1e\+09; got -0\.5\."),
    ],
)
def test_limits_and_prices_that_make_no_sense(options, message):
    with pytest.raises(InputError, match=message):
        OCT(multivariate=True, **options)
    with pytest.raises(InputError, match=next(iter(options))):
        OptimalDiagramClassifier("I", multivariate=True, **options).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
