"""Every registered solver against every check on every tiny problem."""

import pytest

from exactree.solve import SOLVERS, refusal
from exactree.testing import CHECKS, admits_when_stopped, large_problem, tiny_problems

PROBLEMS = dict(tiny_problems())


def test_there_are_enough_problems():
    assert len(PROBLEMS) >= 300


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("solver", list(SOLVERS.values()), ids=lambda s: s.name)
@pytest.mark.parametrize("name", PROBLEMS)
def test_solver(solver, check, name):
    assert refusal(solver, PROBLEMS[name]) is None, "tiny problems are for every solver"
    check(solver, PROBLEMS[name])


@pytest.mark.parametrize("solver", list(SOLVERS.values()), ids=lambda s: s.name)
def test_stopped_solver(solver):
    if (reason := refusal(solver, large_problem())) is not None:
        pytest.skip(f"{solver.name} refuses: {reason}")
    admits_when_stopped(solver)
