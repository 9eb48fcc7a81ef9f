"""Every registered solver of diagrams on every tiny problem that it takes: one item runs all checks."""

import pytest

from exactree import DiagramSearch
from exactree.solve.registry import DIAGRAM_SOLVERS, diagram_refusal
from exactree.testing import (
    admits_when_stopped_with_diagrams,
    conforms,
    diagram_problems_for,
    large_diagram_problem,
    n_problems_tested,
    tiny_diagram_problems,
)
from exactree.testing.conformance import finds_the_optimum

PROBLEMS = dict(tiny_diagram_problems())
WITHOUT_HELP = DiagramSearch(starts=0, beam=0)  # else a good start may hide a bound that is too high
QUICK = set([*PROBLEMS][::4])
STOPPED = [solver for solver in DIAGRAM_SOLVERS.values() if diagram_refusal(solver, large_diagram_problem()) is None]


def cases():
    for solver in DIAGRAM_SOLVERS.values():
        for name in diagram_problems_for(solver):
            marks = [] if name in QUICK else [pytest.mark.slow]
            yield pytest.param(solver, name, id=f"{name}/{solver.name}", marks=marks)


@pytest.mark.parametrize(("solver", "name"), cases())
def test_solver(solver, name):
    conforms(solver, PROBLEMS[name])
    if solver is DIAGRAM_SOLVERS["search"]:
        finds_the_optimum(WITHOUT_HELP, PROBLEMS[name])


def test_the_yardstick_and_the_default_take_every_tiny_problem():
    tested = n_problems_tested()["diagrams"]
    assert set(tested) == set(DIAGRAM_SOLVERS)
    assert min(tested.values()) >= 50
    assert tested["exhaustive"] == len(PROBLEMS)
    assert tested["search"] == len(PROBLEMS)


def test_the_large_problem_is_refused_by_those_alone_that_say_why():
    assert {*DIAGRAM_SOLVERS} - {solver.name for solver in STOPPED} == {"exhaustive"}


@pytest.mark.parametrize("solver", STOPPED, ids=lambda s: s.name)
def test_stopped_solver(solver):
    admits_when_stopped_with_diagrams(solver)
