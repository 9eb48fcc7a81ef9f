"""What is found does not depend on the unit that weights and costs are counted in."""

import numpy as np
import pytest

from exactree import ColumnGeneration, Fairness, FalseNegatives, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.encode import Splits

SOLVERS = {
    "binoct": "binoct",
    "oct": "oct",
    "column-generation": ColumnGeneration(sampling="all"),
    "branch-and-price": ColumnGeneration(sampling="all", finish="branch-and-price", warm_start=None),
    "programmed pricing": ColumnGeneration(sampling="all", pricing="milp", finish="ilp", warm_start=None),
}
UNITS = [1e-7, 1.0 / 3, 1e7 / 3]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.each("name", [name for name in SOLVERS if name != "programmed pricing"])  # proves up to 1e-6
@pytest.mark.each("seed", range(4))
def test_trees_with_constraints(name, unit, seed):
    X, y, weights, groups = _table(seed)
    fair = [Fairness("demographic_parity", at_most=0.26, groups=groups), FalseNegatives(2.5)]
    best = _fitted(X, y, weights, SOLVERS[name], constraints=fair)
    in_units = [fair[0], FalseNegatives(2.5 * unit)]
    found = _fitted(X, y, weights * unit, SOLVERS[name], constraints=in_units)
    assert (best.status_, found.status_) == ("optimal", "optimal")
    assert found.cost_ / unit == pytest.approx(best.cost_, rel=1e-7)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.each("name", SOLVERS)
@pytest.mark.each("seed", range(4))
def test_trees_with_heavy_leaves(name, unit, seed):
    X, y, weights, _ = _table(seed)
    exact = _fitted(X, y, weights, "exhaustive", min_weight_fraction_leaf=0.25)
    found = _fitted(X, y, weights * unit, SOLVERS[name], min_weight_fraction_leaf=0.25)
    assert found.status_ == "optimal"
    assert found.cost_ / unit == pytest.approx(exact.cost_, rel=1e-7)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.each("seed", range(3))
def test_diagrams_with_constraints(unit, seed):
    X, y, weights, groups = _table(seed, n_rows=7)
    fair = Fairness("demographic_parity", ratio=0.7, groups=groups)
    exact, found = (
        OptimalDiagramClassifier((1, 2), fairness=fair, solver=solver).fit(X, y, weights * scale)
        for solver, scale in (("exhaustive", 1.0), ("odd", unit))
    )
    assert found.status_ == "optimal"
    assert found.cost_ / unit == pytest.approx(exact.cost_, rel=1e-7)


@pytest.mark.filterwarnings("ignore::exactree.estimators.graph_classifier.NotProvedWarning")
@pytest.mark.parametrize("solver", ["construct", "search"])
def test_one_mistake_counts_beside_a_billion(solver):
    X, y = [[3, 2], [2, 1], [1, 0], [0, 0], [0, 3], [2, 3], [2, 2], [3, 2]], [0, 1, 1, 1, 0, 1, 1, 0]
    dear = [[0, 1], [1e9, 0]]
    exact = OptimalDiagramClassifier((1,), ccp_alpha=0.0, cost_matrix=dear, solver="exhaustive").fit(X, y)
    found = OptimalDiagramClassifier((1,), ccp_alpha=0.0, cost_matrix=dear, solver=solver).fit(X, y)
    assert exact.cost_ == 1.0
    assert found.lower_bound_ <= exact.cost_ <= found.cost_
    assert not found.is_optimal_ or found.cost_ == exact.cost_


@pytest.mark.filterwarnings("ignore::exactree.estimators.graph_classifier.NotProvedWarning")
@pytest.mark.parametrize(("dear", "alpha"), [(1e7, 0.01), (1e9, 0.0)])
@pytest.mark.each("solver", ["binoct", "oct", "flow-oct", ColumnGeneration(sampling="all", finish="ilp"), "odd"])
@pytest.mark.each("seed", range(3))
def test_mips_claim_no_more_than_they_see(solver, dear, alpha, seed):
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, (8, 2)), np.append([0, 1], random.integers(0, 2, 6))
    shape = {"widths": (1, 2)} if solver == "odd" else {"max_depth": 2}
    of = OptimalDiagramClassifier if solver == "odd" else OptimalTreeClassifier
    exact, found = (
        of(**shape, ccp_alpha=alpha, cost_matrix=[[0, 1], [dear, 0]], solver=each).fit(X, y)
        for each in ("exhaustive", solver)
    )
    assert found.lower_bound_ <= exact.cost_ + 1e-6
    assert not found.is_optimal_ or found.cost_ == pytest.approx(exact.cost_)


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")  # proved over two questions
@pytest.mark.parametrize("pricing", ["exact", "milp"])
def test_a_branch_without_questions(pricing):
    lists = (np.array([[0, 0]]), np.array([[1, 0]]), np.empty((0, 2), dtype=int))
    solver = ColumnGeneration(sampling=Splits(2, lists), pricing=pricing, finish="ilp", warm_start=None)
    tree = OptimalTreeClassifier(max_depth=2, solver=solver).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert (tree.status_, tree.cost_) == ("optimal_over_sample", 1.0)


def _table(seed, n_rows=10):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n_rows, 2)).astype(float)
    y = np.arange(n_rows) % 2
    return X, y, np.round(random.random(n_rows) + 0.1, 6), np.array(list("aabb" * n_rows)[:n_rows])


def _fitted(X, y, weights, solver, **limits):
    return OptimalTreeClassifier(max_depth=2, solver=solver, **limits).fit(X, y, weights)
