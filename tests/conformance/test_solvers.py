"""Every registered tree solver on every tiny problem that it takes: one item runs all checks.

Those of the search are in test_engines.py, where one item runs them with every engine.
"""

from pathlib import Path

import pytest

from exactree.solve import SOLVERS, refusal
from exactree.testing import (
    admits_when_stopped,
    conforms,
    large_problem,
    n_problems_tested,
    problems_for,
    tiny_problems,
    tiny_worst_leaf_problems,
)
from exactree.testing.selection import TESTED

PROBLEMS = dict((*tiny_problems(), *tiny_worst_leaf_problems()))
QUICK = set([*PROBLEMS][::4])
STOPPED = [solver for solver in SOLVERS.values() if refusal(solver, large_problem()) is None]


def cases():
    for solver in TESTED.values():
        if solver.name == "search":
            continue
        for name in problems_for(solver):
            marks = [] if name in QUICK else [pytest.mark.slow]
            yield pytest.param(solver, name, id=f"{name}/{solver.name}", marks=marks)


@pytest.mark.parametrize(("solver", "name"), cases())
def test_solver(solver, name):
    conforms(solver, PROBLEMS[name])


def test_readme_states_how_many_problems_each_solver_is_tested_on():
    readme = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    trees, diagrams = (
        ", ".join(f"`{name}` {count}" for name, count in tested.items() if name != "exhaustive")
        for tested in n_problems_tested().values()
    )
    expected = f"tested against `exhaustive` on tiny problems: trees by {trees}; diagrams by {diagrams}."
    assert expected in readme, f"README.md must say: {expected}"


def test_names_are_unique():
    assert len(PROBLEMS) == len(tiny_problems()) + len(tiny_worst_leaf_problems())


def test_there_are_enough_problems():
    tested = n_problems_tested()["trees"]
    assert set(tested) == set(SOLVERS)
    assert min(tested.values()) >= 50
    assert tested["search"] == tested["exhaustive"] == len(PROBLEMS) >= 500
    assert all(PROBLEMS[name].objective.is_worst_leaf for name in problems_for(SOLVERS["xct"]))


def test_the_large_problem_is_refused_by_those_alone_that_say_why():
    assert {*SOLVERS} - {solver.name for solver in STOPPED} == {"xct", "exhaustive"}


@pytest.mark.parametrize("solver", STOPPED, ids=lambda s: s.name)
def test_stopped_solver(solver):
    admits_when_stopped(solver)
