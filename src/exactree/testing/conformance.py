"""What it means to be a solver here."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from exactree.problem import Problem
from exactree.solve import SOLVERS, Budget, Solution, Solver, Status
from exactree.table import Test
from exactree.testing.problems import large_problem


@lru_cache(maxsize=1024)
def _yardstick(problem: Problem) -> Solution:
    return SOLVERS["exhaustive"].solve(problem, Budget())


def _solved(solver: Solver, problem: Problem) -> Solution:
    return _remembered(solver.name, problem) if SOLVERS.get(solver.name) is solver else _run(solver, problem)


def _run(solver: Solver, problem: Problem) -> Solution:
    return solver.solve(problem, Budget(seconds=60))


@lru_cache(maxsize=1024)
def _remembered(name: str, problem: Problem) -> Solution:
    return _run(SOLVERS[name], problem)


def finds_the_optimum(solver: Solver, problem: Problem) -> None:
    """The cost equals that of trying everything, and is claimed as proved."""
    best, found = _yardstick(problem), _solved(solver, problem)
    assert abs(found.cost - best.cost) <= problem.tolerance, (found.cost, best.cost)
    assert found.status is Status.OPTIMAL
    assert found.bound == found.cost


def respects_limits(solver: Solver, problem: Problem) -> None:
    """The model is allowed, and every one of its leaves is reached by a row."""
    model = _solved(solver, problem).model
    assert problem.violations(model) == []
    rows = np.bincount(model.apply(problem.data.table), minlength=model.n_nodes)
    assert (rows[model.leaves] > 0).all()


def answers_with_the_best_label(solver: Solver, problem: Problem) -> None:
    """Each leaf says what costs least on its rows; of several such labels the first."""
    model = _solved(solver, problem).model
    at = model.apply(problem.data.table)
    for leaf in model.leaves:
        points = np.unique(problem.data.point_of[at == leaf])
        costs = problem.objective.leaf_costs(problem.data.class_weight(points))
        assert costs[model.label[leaf]] <= costs.min() + problem.tolerance
        if np.array_equal(costs, np.rint(costs)):
            assert model.label[leaf] == costs.argmin()


def asks_nothing_useless(solver: Solver, problem: Problem) -> None:
    """No branch has two leaves that say the same."""
    model = _solved(solver, problem).model
    for node in np.flatnonzero(model.test != Test.LEAF):
        yes, no = int(model.yes[node]), int(model.no[node])
        both_leaves = model.test[yes] == Test.LEAF and model.test[no] == Test.LEAF
        assert not (both_leaves and model.label[yes] == model.label[no])


def repeats_itself(solver: Solver, problem: Problem) -> None:
    """The same problem gives the same tree again."""
    assert _run(solver, problem).model.same_as(_solved(solver, problem).model)


def survives_no_time(solver: Solver, problem: Problem) -> None:
    """With no time at all a solver still returns an allowed model and an honest bound."""
    found = solver.solve(problem, Budget(seconds=0.0))
    best = _yardstick(problem).cost
    assert found.bound <= best + problem.tolerance
    assert best <= found.cost + problem.tolerance
    assert found.cost == problem.cost(found.model)


def keeps_an_honest_history(solver: Solver, problem: Problem) -> None:
    """Costs only fall, bounds only rise, and they never cross the optimum."""
    found, best = _solved(solver, problem), _yardstick(problem).cost
    seconds, cost, bound = found.history.T
    assert (np.diff(seconds) >= 0).all()
    assert (np.diff(cost) <= 0).all()
    assert (np.diff(bound) >= 0).all()
    assert (cost >= best - problem.tolerance).all()
    assert (bound <= best + problem.tolerance).all()


def admits_when_stopped(solver: Solver) -> None:
    """A search that was cut short does not claim a proof."""
    found = solver.solve(large_problem(), Budget(seconds=0.0))
    assert found.status is Status.TIME_LIMIT
    assert found.bound < found.cost


CHECKS: tuple[Callable[[Solver, Problem], None], ...] = (
    finds_the_optimum,
    respects_limits,
    answers_with_the_best_label,
    asks_nothing_useless,
    repeats_itself,
    survives_no_time,
    keeps_an_honest_history,
)
