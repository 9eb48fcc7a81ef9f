"""XCT as a MIP: tested against trying everything, on every back end that takes fractions."""

import numpy as np
import pytest

from exactree import XCT, OptimalTreeClassifier
from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.mip import Mip, installed
from exactree.problem import Limits, Problem, accuracy, leaf_accuracy, leaf_confidence
from exactree.solve import SOLVERS, Budget, Search, Status, solve
from exactree.solve.formulations.xct.model import XctModel
from exactree.solve.mip_runs.costs import mip_costs
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.solve.trees.complete_tree import Shape, embedded
from exactree.table import Table

SIX = ([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0])
BACKENDS = [name for name in installed() if name not in ("cp-sat", "gurobi")]


def problem_of(X, y, limits, **options):
    data = encode(Table.of(X), y, **options)
    return Problem(data, leaf_accuracy(data), limits)


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(4, 10)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
    X = rng.integers(0, 4, size=(n, p)).astype(float)
    weights = (None, rng.integers(1, 4, size=n), rng.random(n) + 0.1)[seed % 3]
    limits = Limits(int(rng.integers(1, 3)), min_samples_leaf=int(rng.integers(1, 4)))
    return problem_of(X, rng.integers(0, k, size=n), limits, sample_weight=weights)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.each("seed", range(40))
def test_as_good_as_trying_everything(seed, backend):
    problem = random_problem(seed)
    best = SOLVERS["exhaustive"].solve(problem, Budget())
    found = XCT(("warm", "direct", "gradual")[seed % 3], backend=backend).solve(problem, Budget(seconds=60))
    assert found.status is Status.OPTIMAL
    assert found.cost == pytest.approx(best.cost, abs=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.each(("depth", "least", "worth"), [(1, 1, 4 / 6), (2, 1, 1.0), (2, 2, 1.0), (2, 3, 4 / 6)])
def test_six_points(depth, least, worth, backend):
    found = XCT(backend=backend).solve(problem_of(*SIX, Limits(depth, min_samples_leaf=least)), Budget())
    assert 1 - found.cost == pytest.approx(worth, abs=1e-6)


@pytest.mark.each("seed", range(20))
def test_a_tree_satisfies_the_mip_and_has_its_objective(seed):
    problem = random_problem(seed)
    nodes = find_warm_start(problem, Budget(), "cart", None).nodes
    shape = Shape(problem.limits.max_depth)
    assert problem.data.columns
    model = XctModel(Mip(), problem, mip_costs(problem), shape)
    model.set_start(embedded(nodes, shape))
    program = model.mip.program()
    x = program.start
    assert np.isfinite(x).all()
    sums = np.add.reduceat(np.append(program.value * x[program.index], 0.0), program.begin[:-1])
    assert (sums >= program.row_low - 1e-9).all()
    assert (sums <= program.row_high + 1e-9).all()
    assert (program.low - 1e-9 <= x).all()
    assert (x <= program.high + 1e-9).all()


def test_never_better_than_the_search():
    rng = np.random.default_rng(1)
    X = rng.random((40, 3))
    y = (X[:, 0] > 0.5).astype(int) ^ (rng.random(40) < 0.2)
    problem = problem_of(X, y, Limits(2, min_samples_leaf=4))
    best, found = Search().solve(problem, Budget()), XCT().solve(problem, Budget(seconds=3))
    assert found.bound <= best.cost + 1e-6
    assert best.cost <= found.cost + 1e-9


def test_what_it_does_not_take():
    X, y = SIX
    data = encode(Table.of(X), y)
    with pytest.raises(Unsupported, match=r"'xct' cannot .*: it supports worst-leaf objectives only"):
        solve(Problem(data, accuracy(data), Limits(1)), "xct")
    with pytest.raises(Unsupported, match=r"'xct' cannot .*: it supports objective='leaf_accuracy' only"):
        solve(Problem(data, leaf_confidence(data), Limits(1)), "xct")
    with pytest.raises(InputError, match="strategy must be one of warm, direct, gradual, halving; got 'hot'"):
        XCT("hot")


def test_through_the_estimator():
    tree = OptimalTreeClassifier(2, objective="leaf_accuracy", min_samples_leaf=2, solver="xct").fit(*SIX)
    assert tree.status_ == "optimal"
    assert 1 - tree.cost_ == pytest.approx(1.0)
