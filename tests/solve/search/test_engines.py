"""Engines of the search on problems larger than the tiny ones of tests/conformance/test_engines.py."""

import pytest

from exactree.solve import Budget, Search, Status
from exactree.solve.search.trees import ENGINES


def solved(problem, engine):
    return Search(engine=engine).solve(problem, Budget(seconds=60))


@pytest.mark.parametrize("engine", ["ranks", "bits", "portable-bits"])
def test_engines_agree_on_a_larger_problem(binary_problem, engine):
    assert solved(binary_problem, engine).cost == solved(binary_problem, "auto").cost


@pytest.mark.each("engine", ENGINES)
@pytest.mark.parametrize("seconds", [0.0, 1e-3, 3e-3, 0.01])
def test_every_engine_is_honest_when_stopped(binary_problem, engine, seconds):
    optimum = solved(binary_problem, "auto").cost
    found = Search(engine=engine).solve(binary_problem, Budget(seconds=seconds))
    assert found.bound <= optimum <= found.cost
    assert (found.status is Status.OPTIMAL) == (found.bound == found.cost)


@pytest.mark.each("engine", ENGINES)
def test_every_engine_starts_from_the_greedy_tree(binary_problem, engine):
    found = Search(engine=engine).solve(binary_problem, Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert found.model.n_leaves > 1
