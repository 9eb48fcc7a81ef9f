"""Solvers that take limits on every leaf, on tiny problems with such limits: what of conformance applies."""

import numpy as np
import pytest

from exactree import BinOCT
from exactree.errors import Infeasible, InputError
from exactree.solve import Budget, Search, refusal
from exactree.testing import conformance
from exactree.testing.leaf_limit_problems import leaf_limit_problem

CHECKS = (
    conformance.finds_the_optimum,
    conformance.respects_limits,
    conformance.repeats_itself,
    conformance.keeps_an_honest_history,
)


def feasible(problem):
    try:
        return np.isfinite(conformance.SOLVERS["exhaustive"].solve(problem, Budget()).cost)
    except Infeasible:
        return False


FEASIBLE = [problem for problem in map(leaf_limit_problem, range(5000, 5140)) if feasible(problem)]


@pytest.mark.each("problem", FEASIBLE)
def test_search(problem):
    for check in CHECKS:
        check(Search(), problem)
    if problem.constraints and not any(limit.small > 0 for limit in problem.constraints):
        conformance.asks_nothing_useless(Search(), problem)


@pytest.mark.each("problem", FEASIBLE)
def test_no_time(problem):
    # Of a single leaf that is good enough there is always a tree.
    if problem.allowed_answers(np.arange(problem.data.n_points)).any():
        conformance.survives_no_time(Search(), problem)
        return
    try:
        conformance.survives_no_time(Search(), problem)
    except Infeasible:
        raise
    except InputError:
        return


@pytest.mark.slow
@pytest.mark.each("problem", [p for p in FEASIBLE[::3] if refusal(BinOCT(), p) is None and p.limits.max_depth < 3])
def test_binoct(problem):
    conformance.finds_the_optimum(BinOCT(backend="highs"), problem)
