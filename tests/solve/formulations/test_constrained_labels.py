"""Labels of leaves that satisfy constraints, tested against trying all of them."""

from itertools import product

import numpy as np
import pytest

from exactree import ColumnGeneration, Fairness, FalseNegatives, OptimalTreeClassifier
from exactree.encode import encode
from exactree.problem import Limits, Problem, accuracy
from exactree.solve import Budget
from exactree.solve.mip_runs import constrained_labels
from exactree.solve.mip_runs.constrained_labels import cheapest_feasible_labels
from exactree.solve.mip_runs.warm_starts import find_warm_start
from exactree.table import Table


@pytest.mark.each("seed", range(40))
def test_labels_are_the_cheapest_of_all(seed):
    random = np.random.default_rng(seed)
    n_leaves, n_classes, n_limits = random.integers(1, 6), random.integers(2, 4), random.integers(1, 4)
    cost = random.integers(0, 9, (n_leaves, n_classes)).astype(float)
    sides = random.integers(-4, 5, (n_limits, n_leaves, n_classes)).astype(float)
    at_most = random.integers(-4, 5, n_limits).astype(float)
    leaves = np.arange(n_leaves)
    allowed = [
        cost[leaves, labels].sum()
        for labels in map(np.array, product(range(n_classes), repeat=n_leaves))
        if (sides[:, leaves, labels].sum(axis=1) <= at_most).all()
    ]
    found = cheapest_feasible_labels(cost, sides, at_most)
    assert (found is None) == (not allowed)
    if found is not None:
        assert (sides[:, leaves, found].sum(axis=1) <= at_most).all()
        assert cost[leaves, found].sum() == min(allowed)


def test_a_start_keeps_its_questions_under_constraints():
    X, y = [[v] for v in range(12)], [0, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1]
    data = encode(Table.of(X), y)
    problem = Problem(
        data, accuracy(data), Limits(max_depth=1), tuple(FalseNegatives(at_most=0, positive=1).limits(data))
    )
    nodes = find_warm_start(problem, Budget(), "cart", None).nodes
    assert nodes is not None
    assert len(nodes) == 3


@pytest.mark.filterwarnings("ignore::exactree.estimators.graph_classifier.NotProvedWarning")
@pytest.mark.each("seed", [2, 3])  # 196 and 89 with the answers of the relaxation
def test_column_generation_has_good_answers_before_its_proof(seed, monkeypatch):
    monkeypatch.setattr(constrained_labels, "SECONDS", 3600.0)  # else a busy machine ends a MIP before its best answer
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 4))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=300) > 0.5).astype(int)
    fair = Fairness("demographic_parity", at_most=0.02, groups=X[:, 3] > 0)
    solver = ColumnGeneration(finish="none", warm_start=None)
    constraints = [FalseNegatives(20), fair]
    tree = OptimalTreeClassifier(3, solver=solver, constraints=constraints, time_limit=None).fit(X, y)
    assert tree.cost_ <= 1.15 * tree.sample_lower_bound_
