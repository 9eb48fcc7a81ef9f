"""Every registered solver against every check on every tiny problem."""

import pytest

from exactree.solve import SOLVERS, ColumnGeneration, refusal
from exactree.testing import CHECKS, admits_when_stopped, large_problem, tiny_problems

PROBLEMS = dict(tiny_problems())
# Over sampled questions a proof is not about all trees.
COMPLETE = {**SOLVERS, "column-generation": ColumnGeneration(sampling="all", finish="branch-and-price")}


def test_there_are_enough_problems():
    assert len(PROBLEMS) >= 300


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("solver", list(COMPLETE.values()), ids=lambda s: s.name)
@pytest.mark.parametrize("name", PROBLEMS)
def test_solver(solver, check, name):
    problem = PROBLEMS[name]
    if (reason := refusal(solver, problem)) is not None:
        pytest.skip(f"{solver.name} refuses: {reason}")
    if problem.data.n_points * problem.limits.most_leaves > solver.handles.tiny:
        pytest.skip(f"{solver.name} would take too long")
    check(solver, problem)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_yardstick_and_the_default_take_every_tiny_problem(name):
    assert refusal(SOLVERS["exhaustive"], PROBLEMS[name]) is None
    assert refusal(SOLVERS["search"], PROBLEMS[name]) is None


@pytest.mark.parametrize("solver", list(SOLVERS.values()), ids=lambda s: s.name)
def test_stopped_solver(solver):
    if (reason := refusal(solver, large_problem())) is not None:
        pytest.skip(f"{solver.name} refuses: {reason}")
    admits_when_stopped(solver)
