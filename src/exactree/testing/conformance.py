"""What it means to be a solver here, of trees or of diagrams."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from exactree.problem import DiagramProblem, Problem
from exactree.problem.diagram import n_parents
from exactree.solve import SOLVERS, Budget, Solution, Solver, Status
from exactree.solve.interface import DiagramSolver
from exactree.solve.registry import DIAGRAM_SOLVERS
from exactree.table import Test
from exactree.testing.diagram_problems import large_diagram_problem
from exactree.testing.problems import large_problem

AnyProblem = Problem | DiagramProblem
AnySolver = Solver | DiagramSolver  # each with problems of its own kind


def _exhaustive(problem: AnyProblem) -> AnySolver:
    return DIAGRAM_SOLVERS["exhaustive"] if isinstance(problem, DiagramProblem) else SOLVERS["exhaustive"]


def _run(solver: Any, problem: AnyProblem, budget: Budget = Budget(seconds=60)) -> Solution:  # noqa: B008 - frozen
    found: Solution = solver.solve(problem, budget)
    return found


@cache
def _yardstick(problem: AnyProblem) -> Solution:
    return _run(_exhaustive(problem), problem, Budget())


_LAST: dict[str, Any] = {}  # the last run: checks of one solver on one problem share it


def _solved(solver: AnySolver, problem: AnyProblem) -> Solution:
    if solver is _exhaustive(problem):
        return _yardstick(problem)
    if _LAST.get("solver") is not solver or _LAST.get("problem") is not problem:
        _LAST.update(solver=solver, problem=problem, solution=_run(solver, problem))
    found: Solution = _LAST["solution"]
    return found


def finds_the_optimum(solver: AnySolver, problem: AnyProblem) -> None:
    """The cost equals that of trying everything, and is claimed as proved.

    Who cannot always prove may miss it, but claims no more than is true.
    """
    best, found = _yardstick(problem), _solved(solver, problem)
    assert found.cost == problem.cost(found.model)
    if not solver.handles.proves and found.status is not Status.OPTIMAL:
        assert found.bound <= best.cost + problem.tolerance
        assert best.cost <= found.cost + problem.tolerance
        return
    assert abs(found.cost - best.cost) <= problem.tolerance, (found.cost, best.cost)
    assert found.status is Status.OPTIMAL
    assert found.bound == found.cost


def respects_limits(solver: AnySolver, problem: AnyProblem) -> None:
    """The model is allowed, and every one of its leaves is reached by a row."""
    model = _solved(solver, problem).model
    assert problem.violations(model) == []
    rows = np.bincount(model.apply(problem.data.table), minlength=model.n_nodes)
    assert (rows[model.leaves] > 0).all()


def answers_with_the_best_label(solver: AnySolver, problem: AnyProblem) -> None:
    """Each leaf says what costs least on its rows; of several such labels the first."""
    model = _solved(solver, problem).model
    at = model.apply(problem.data.table)
    for leaf in model.leaves:
        points = np.unique(problem.data.point_of[at == leaf])
        costs = problem.objective.leaf_costs(problem.data.class_weight(points))
        assert costs[model.label[leaf]] <= costs.min() + problem.tolerance
        if np.array_equal(costs, np.rint(costs)):
            assert model.label[leaf] == costs.argmin()


def asks_nothing_useless(solver: AnySolver, problem: AnyProblem) -> None:
    """No branch has two leaves that say the same, unless sides meet there that are too light to end one by one."""
    model = _solved(solver, problem).model
    asking = np.flatnonzero(model.test != Test.LEAF)
    if problem.min_leaf_weight > 0:
        asking = asking[n_parents(model)[asking] < 2]
    for node in asking:
        yes, no = int(model.yes[node]), int(model.no[node])
        both_leaves = model.test[yes] == Test.LEAF and model.test[no] == Test.LEAF
        assert not (both_leaves and model.label[yes] == model.label[no])


def repeats_itself(solver: AnySolver, problem: AnyProblem) -> None:
    """The same problem gives the same tree again."""
    assert _run(solver, problem).model.same_as(_solved(solver, problem).model)


def survives_no_time(solver: AnySolver, problem: AnyProblem) -> None:
    """With no time at all a solver still returns an allowed model and an honest bound."""
    found = _run(solver, problem, Budget(seconds=0.0))
    best = _yardstick(problem).cost
    assert problem.violations(found.model) == []
    assert found.bound <= best + problem.tolerance
    assert best <= found.cost + problem.tolerance
    assert found.cost == problem.cost(found.model)


def keeps_an_honest_history(solver: AnySolver, problem: AnyProblem) -> None:
    """Costs only fall, bounds only rise, and they never cross the optimum."""
    found, best = _solved(solver, problem), _yardstick(problem).cost
    seconds, cost, bound = found.history.T
    assert (np.diff(seconds) >= 0).all()
    assert (np.diff(cost) <= 0).all()
    assert (np.diff(bound) >= 0).all()
    assert (cost >= best - problem.tolerance).all()
    assert (bound <= best + problem.tolerance).all()


def answers_with_a_best_label(solver: AnySolver, problem: AnyProblem) -> None:
    """No leaf of a proved diagram would cost less if it gave another answer, unless a constraint forbids that."""
    found = _solved(solver, problem)
    if found.status is not Status.OPTIMAL or problem.constraints:
        return
    at = found.model.apply(problem.data.table)
    for leaf in found.model.leaves:
        points = np.unique(problem.data.point_of[at == leaf])
        costs = problem.objective.leaf_costs(problem.data.class_weight(points))
        assert costs[found.model.label[leaf]] <= costs.min() + problem.tolerance


def keeps_a_given_start(solver: Any, problem: AnyProblem) -> None:
    """With no time at all, what is returned is no worse than what was given."""
    best = _yardstick(problem)
    found = solver.solve(problem, Budget(seconds=0.0), start=best.model)
    assert found.cost <= best.cost + problem.tolerance


def admits_when_stopped(solver: Solver) -> None:
    """A search that was cut short does not claim a proof."""
    _check_stopped(_run(solver, large_problem(), Budget(seconds=0.0)))


def admits_when_stopped_with_diagrams(solver: DiagramSolver) -> None:
    """The same for diagrams."""
    _check_stopped(_run(solver, large_diagram_problem(), Budget(seconds=0.0)))


def _check_stopped(found: Solution) -> None:
    assert found.status is Status.TIME_LIMIT
    assert found.bound < found.cost


Check = Callable[[AnySolver, AnyProblem], None]
CHECKS: tuple[Check, ...] = (
    finds_the_optimum,
    respects_limits,
    answers_with_the_best_label,
    asks_nothing_useless,
    repeats_itself,
    survives_no_time,
    keeps_an_honest_history,
)
DIAGRAM_CHECKS: tuple[Check, ...] = (
    finds_the_optimum,
    respects_limits,
    answers_with_a_best_label,
    asks_nothing_useless,
    repeats_itself,
    survives_no_time,
    keeps_an_honest_history,
    keeps_a_given_start,
)


def conforms(solver: AnySolver, problem: AnyProblem) -> None:
    """Run all checks of a solver on a problem.

    Raises
    ------
    AssertionError
        That names the first check that failed.
    """
    for check in DIAGRAM_CHECKS if isinstance(problem, DiagramProblem) else CHECKS:
        try:
            check(solver, problem)
        except AssertionError as error:
            purpose = (check.__doc__ or "").splitlines()[0]
            raise AssertionError(f"{solver.name} fails {check.__name__} ({purpose}) {error}") from error
