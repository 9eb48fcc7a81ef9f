"""Constraints that no answers satisfy are told as such, by every solver; those that some answers satisfy are not."""

from itertools import product

import numpy as np
import pytest

from exactree import (
    ColumnGeneration,
    Fairness,
    FalseNegatives,
    OptimalDiagramClassifier,
    OptimalTreeClassifier,
)
from exactree.encode import encode
from exactree.errors import Infeasible
from exactree.problem import Limits, LinearLimit, Problem, accuracy
from exactree.solve.feasibility import any_answers, check_answers
from exactree.table import Table


def random_problem(seed):
    """Few groups of rows that no question separates, and limits that some of their answers may satisfy."""
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 2, (14, 2)).astype(float), random.integers(0, 2, 14)
    data = encode(Table.of(X), y, sample_weight=random.integers(1, 4, 14))
    limits = [
        LinearLimit.of(f"limit {m}", random.integers(-2, 3, (14, 2)).astype(float), float(random.integers(-12, 2)))
        for m in range(2)
    ]
    return Problem(data, accuracy(data), Limits(2), tuple(limits))


@pytest.mark.each("seed", range(300))
def test_only_what_is_impossible_is_refused(seed):
    problem = random_problem(seed)
    data = problem.data
    group = data.point_groups[data.point_of]
    answers = [np.array(labels)[group] for labels in product(range(2), repeat=int(group.max()) + 1)]
    possible = any(all(limit.excess(each) <= 1e-6 for limit in problem.on_answers) for each in answers)
    if possible:
        assert any_answers(problem, list(problem.on_answers))
        check_answers(problem)


def test_many_impossible_ones_are_seen():
    refused = sum(not any_answers(p, list(p.on_answers)) for p in map(random_problem, range(300)))
    assert refused > 50


X = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 5, axis=0)
Y = np.tile([0, 1, 0, 1, 1], 4)
NO_ERRORS = [FalseNegatives(0, positive) for positive in (0, 1)]


@pytest.mark.each(
    "estimator",
    [
        OptimalDiagramClassifier((1, 2), constraints=NO_ERRORS),
        OptimalDiagramClassifier((1, 2), constraints=NO_ERRORS, solver="construct"),
        OptimalTreeClassifier(2, constraints=NO_ERRORS, solver="binoct"),
        OptimalTreeClassifier(2, constraints=NO_ERRORS, solver="oct"),
        OptimalTreeClassifier(2, constraints=NO_ERRORS, solver=ColumnGeneration(warm_start=None)),
    ],
)
def test_every_solver_says_so(estimator):
    with pytest.raises(Infeasible, match=r"satisf.* all constraints.* Allow more of any of these: false negatives of"):
        estimator.fit(X, Y)


def test_a_diagram_that_is_too_large_for_its_mip_says_so(monkeypatch):
    monkeypatch.setattr("exactree.solve.formulations.odd.solver.MOST_ENTRIES", 0)
    with pytest.raises(
        Infeasible, match=r"^No diagram satisfies all constraints, whatever it asks: rows that no question"
    ):
        OptimalDiagramClassifier((1, 2), constraints=NO_ERRORS, solver="odd").fit(X, Y)


def test_fair_answers_are_always_possible():
    fair = Fairness("demographic_parity", at_most=0.0, groups=X[:, 0])
    tree = OptimalTreeClassifier(2, constraints=[fair], solver="binoct").fit(X, Y)
    assert tree.is_optimal_
