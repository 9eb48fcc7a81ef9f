"""Every registered solver of diagrams against every check on every tiny problem."""

import pytest

from exactree import DiagramSearch
from exactree.solve.registry import DIAGRAM_SOLVERS, diagram_refusal
from exactree.testing import (
    DIAGRAM_CHECKS,
    admits_when_stopped_with_diagrams,
    large_diagram_problem,
    tiny_diagram_problems,
)
from exactree.testing.conformance import finds_the_optimum

PROBLEMS = dict(tiny_diagram_problems())
WITHOUT_HELP = DiagramSearch(starts=0, beam=0)  # else a good start may hide a bound that is too high


@pytest.mark.parametrize("check", DIAGRAM_CHECKS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("solver", list(DIAGRAM_SOLVERS.values()), ids=lambda s: s.name)
@pytest.mark.parametrize("name", PROBLEMS)
def test_solver(solver, check, name):
    if (reason := diagram_refusal(solver, PROBLEMS[name])) is not None:
        pytest.skip(f"{solver.name} refuses: {reason}")
    check(solver, PROBLEMS[name])


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_yardstick_takes_every_tiny_problem_and_the_default_all_without_constraints(name):
    problem = PROBLEMS[name]
    assert diagram_refusal(DIAGRAM_SOLVERS["exhaustive"], problem) is None
    assert bool(problem.constraints) is (diagram_refusal(DIAGRAM_SOLVERS["search"], problem) is not None)


@pytest.mark.parametrize("name", [name for name, problem in PROBLEMS.items() if not problem.constraints])
def test_the_search_finds_the_optimum_without_a_start(name):
    finds_the_optimum(WITHOUT_HELP, PROBLEMS[name])


@pytest.mark.parametrize("solver", list(DIAGRAM_SOLVERS.values()), ids=lambda s: s.name)
def test_stopped_solver(solver):
    if (reason := diagram_refusal(solver, large_diagram_problem())) is not None:
        pytest.skip(f"{solver.name} refuses: {reason}")
    admits_when_stopped_with_diagrams(solver)
