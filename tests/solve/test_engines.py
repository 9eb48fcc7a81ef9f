"""Engines of the search: other ways to keep sets of rows, the same answers. Conformance tests the automatic choice."""

import pytest

from exactree.errors import InputError, Unsupported
from exactree.problem import Limits
from exactree.solve import Budget, Search, Status
from exactree.solve.search import ENGINES
from exactree.testing import tiny_problems

PROBLEMS = dict(tiny_problems())


def solved(problem, engine):
    """The solution of an engine, or None if it does not take the problem."""
    try:
        return Search(engine=engine).solve(problem, Budget(seconds=60))
    except Unsupported:
        return None


@pytest.mark.parametrize("name", PROBLEMS)
def test_engines_agree(name):
    problem = PROBLEMS[name]
    found = {engine: solved(problem, engine) for engine in ENGINES}
    assert found["ranks"] is not None, "ranks take every problem"
    simple = problem.data.n_classes == 2 and problem.limits.min_samples_leaf == 1 and problem.min_leaf_weight == 0
    assert simple == (found["bits"] is not None) == (found["portable-bits"] is not None)
    for solution in filter(None, found.values()):
        assert solution.status is Status.OPTIMAL
        assert solution.cost == pytest.approx(found["auto"].cost, abs=problem.tolerance)
    if simple:
        assert found["bits"].model.same_as(found["portable-bits"].model)


@pytest.mark.parametrize("engine", ["ranks", "bits", "portable-bits"])
def test_engines_agree_on_a_larger_problem(binary_problem, engine):
    assert solved(binary_problem, engine).cost == solved(binary_problem, "auto").cost


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seconds", [0.0, 1e-3, 3e-3, 0.01])
def test_every_engine_is_honest_when_stopped(binary_problem, engine, seconds):
    optimum = solved(binary_problem, "auto").cost
    found = Search(engine=engine).solve(binary_problem, Budget(seconds=seconds))
    assert found.bound <= optimum <= found.cost
    assert (found.status is Status.OPTIMAL) == (found.bound == found.cost)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_starts_from_the_greedy_tree(binary_problem, engine):
    found = Search(engine=engine).solve(binary_problem, Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert found.model.n_leaves > 1


def test_an_engine_refuses_what_it_cannot_do(medium_problem):
    limited = type(medium_problem)(medium_problem.data, medium_problem.objective, Limits(2, min_samples_leaf=5))
    with pytest.raises(Unsupported, match=r"Search\(engine='bits'\) cannot take this problem: bit sets are for two cl"):
        Search(engine="bits").solve(limited, Budget())


def test_unknown_engines():
    with pytest.raises(InputError) as caught:
        Search(engine="steam")
    assert str(caught.value) == "Unknown engine 'steam'; choose one of auto, bits, portable-bits, ranks."
