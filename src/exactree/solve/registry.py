"""Which solvers there are, how one is chosen by name, seeded and run."""

from dataclasses import fields, is_dataclass, replace
from math import inf
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from exactree.encode import CartSampling
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.model import Graph
from exactree.names import canonical
from exactree.problem import DiagramProblem, Problem
from exactree.solve.brute_force import Exhaustive, ExhaustiveDiagram
from exactree.solve.column_generation import ColumnGeneration
from exactree.solve.diagram_heuristic import DiagramHeuristic
from exactree.solve.dl85 import DL8, DL85
from exactree.solve.formulations.binoct import BinOCT
from exactree.solve.formulations.flow_oct import FlowOCT
from exactree.solve.formulations.oct import OCT
from exactree.solve.formulations.odd import ODD
from exactree.solve.formulations.xct import XCT
from exactree.solve.interface import (
    Budget,
    Callback,
    DiagramCapabilities,
    DiagramSolver,
    Progress,
    Solution,
    Solver,
    Status,
)
from exactree.solve.refusal import diagram_refusal, refusal
from exactree.solve.search import DiagramSearch, Search
from exactree.solve.unranked import lone_leaf

SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (Search(), DL85(), DL8(), BinOCT(), OCT(), FlowOCT(), XCT(), ColumnGeneration(), Exhaustive())
}
_ALL: tuple[DiagramSolver, ...] = (DiagramSearch(), ODD(), DiagramHeuristic(), ExhaustiveDiagram())
DIAGRAM_SOLVERS: dict[str, DiagramSolver] = {solver.name: solver for solver in _ALL}
PREFERRED = ("search", "odd")  # of "auto": the first that takes the problem
STAGES = {  # of the progress reports of solvers that do not name a stage themselves
    "binoct": "MIP",
    "column-generation": "pricing",
    "construct": "heuristic",
    "exhaustive": "enumeration",
    "flow-oct": "MIP",
    "oct": "MIP",
    "odd": "MIP",
    "xct": "MIP",
}
STOPPED = "the callback stopped the search"

AnySolver = TypeVar("AnySolver")


def solver_named(solver: str | Solver) -> Solver:
    """Return the solver that a name or a solver object stands for; ``"auto"`` is the search.

    Examples
    --------
    >>> solver_named("column_generation").name
    'column-generation'
    """
    if not isinstance(solver, str):
        if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
            raise InputError(f"solver must be a name or a solver object such as Search(); got {solver!r}.")
        return solver
    if solver == "auto":
        return SOLVERS["search"]
    name = canonical(solver, SOLVERS)
    if name not in SOLVERS:
        raise InputError(f"Unknown solver {solver!r}; choose one of auto, {', '.join(sorted(SOLVERS))}.")
    return SOLVERS[name]


def solve(
    problem: Problem,
    solver: str | Solver = "auto",
    budget: Budget | None = None,
    *,
    start: Graph | None = None,
    callback: Callback | None = None,
    seed: int | None = None,
) -> Solution:
    """Solve a problem with a solver given by name or as an object.

    Parameters
    ----------
    problem : Problem
        Data, objective, limits and constraints.
    solver : str or Solver, default="auto"
        A key of :data:`SOLVERS`, ``"auto"`` or a solver object.
    budget : Budget or None, default=None
        Limits on time, memory, threads and gap; ``None`` is no limit and one thread.
    start : Graph or None, default=None
        Model to start from.
    callback : callable or None, default=None
        Called with a :class:`Progress`; if it returns True, the solver stops and the best model is returned.
    seed : int or None, default=None
        See :func:`seeded`.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.problem import Limits, accuracy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0], [1], [2]]), ["a", "b", "a"])
    >>> solve(Problem(data, accuracy(data), Limits(max_depth=2)), "exhaustive").cost
    0.0
    """
    chosen = solver_named(solver)
    if (reason := refusal(chosen, problem)) is not None:
        able = [s.name for s in SOLVERS.values() if refusal(s, problem) is None]
        raise Unsupported(f"{chosen.name!r} cannot solve this problem: {reason}. Able: {', '.join(able) or 'none'}.")
    if not problem.data.in_time:
        return lone_leaf(problem)
    return _run(seeded(chosen, seed), problem, budget or Budget(), start, callback)


def diagram_solver_for(problem: DiagramProblem, solver: str | DiagramSolver) -> DiagramSolver:
    """Return the solver that a name or a solver object stands for; ``"auto"`` is the first that takes the problem.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.problem import DiagramLimits, accuracy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0], [1]]), ["a", "b"])
    >>> diagram_solver_for(DiagramProblem(data, accuracy(data), DiagramLimits((1,))), "auto").name
    'search'
    """
    if not isinstance(solver, str):
        if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
            raise InputError(f"solver must be a name or a solver object such as ODD(); got {solver!r}.")
        if not isinstance(getattr(solver, "handles", None), DiagramCapabilities):
            raise InputError(f"solver must be one of diagrams, such as ODD(); {solver!r} is one of trees.")
        return solver
    if solver == "auto":
        able = [name for name in PREFERRED if diagram_refusal(DIAGRAM_SOLVERS[name], problem) is None]
        return DIAGRAM_SOLVERS[(able or PREFERRED)[0]]
    name = canonical(solver, DIAGRAM_SOLVERS)
    if name not in DIAGRAM_SOLVERS:
        raise InputError(f"Unknown solver {solver!r}; choose one of auto, {', '.join(sorted(DIAGRAM_SOLVERS))}.")
    return DIAGRAM_SOLVERS[name]


def solve_diagram(
    problem: DiagramProblem,
    solver: str | DiagramSolver = "auto",
    budget: Budget | None = None,
    *,
    start: Graph | None = None,
    callback: Callback | None = None,
    seed: int | None = None,
) -> Solution:
    """Solve a problem of diagrams with a solver given by name or as an object; parameters as for :func:`solve`.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.problem import DiagramLimits, accuracy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0])
    >>> solve_diagram(DiagramProblem(data, accuracy(data), DiagramLimits((1, 2), ccp_alpha=0.0))).cost
    0.0
    """
    chosen = diagram_solver_for(problem, solver)
    if (reason := diagram_refusal(chosen, problem)) is not None:
        able = [s.name for s in DIAGRAM_SOLVERS.values() if diagram_refusal(s, problem) is None]
        raise Unsupported(f"{chosen.name!r} cannot solve this problem: {reason}. Able: {', '.join(able) or 'none'}.")
    return _run(seeded(chosen, seed), problem, budget or Budget(), start, callback)


def seeded(solver: AnySolver, seed: int | None) -> AnySolver:
    """Return the solver with a seed for all that it draws at random.

    A solver without random choices, and one that has a seed other than the default 0, stay as they are.

    Examples
    --------
    >>> seeded(BinOCT(), 7).seed, seeded(BinOCT(seed=3), 7).seed, seeded(ColumnGeneration(), 7).sampling.seed
    (7, 3, 7)
    """
    if seed is None or not is_dataclass(solver) or isinstance(solver, type):
        return solver
    options = {each.name: getattr(solver, each.name) for each in fields(solver)}
    changed: dict[str, Any] = {}
    if options.get("seed") == 0:
        changed["seed"] = seed
    if isinstance(sampling := options.get("sampling"), CartSampling) and sampling.seed == 0:
        changed["sampling"] = replace(sampling, seed=seed)
    return replace(solver, **changed) if changed else solver


def is_stop(answer: Any) -> bool:
    """Whether a callback asks to stop: it returned True, not just something.

    Examples
    --------
    >>> is_stop(True), is_stop(None), is_stop(3.5)
    (True, False, False)
    """
    return isinstance(answer, bool | np.bool_) and bool(answer)


def _interrupted(solution: Solution) -> Solution:
    """Return the solution of a run that a callback stopped; a proof stays a proof."""
    if solution.status not in (Status.INTERRUPTED, Status.TIME_LIMIT):
        return solution
    return replace(solution, status=Status.INTERRUPTED, reason=STOPPED)


class _Watch:
    """A callback as solvers take it: every report names a stage, and a stop request is raised as Ctrl-C would be."""

    def __init__(self, callback: Callback, stage: str) -> None:
        self.callback, self.stage, self.stopped = callback, stage, False

    def __call__(self, progress: Progress) -> None:
        if not self.stopped:
            self.stopped = is_stop(self.callback(replace(progress, stage=progress.stage or self.stage)))
        if self.stopped:
            raise KeyboardInterrupt


def _run(solver: Any, problem: Any, budget: Budget, start: Graph | None, callback: Callback | None) -> Solution:
    solution: Solution
    if callback is None:
        solution = solver.solve(problem, budget, start=start, callback=None)
        return solution
    watch, began = _Watch(callback, STAGES.get(solver.name, "search")), monotonic()
    try:
        watch(Progress(0.0, inf, 0.0))
        solution = solver.solve(problem, budget, start=start, callback=watch)
    except KeyboardInterrupt:
        if not watch.stopped:
            raise
        solution = _without_time(solver, problem, budget, start)
    if watch.stopped:
        return _interrupted(solution)
    callback(Progress(monotonic() - began, solution.cost, solution.bound, stage=watch.stage))
    return solution


def _without_time(solver: Any, problem: Any, budget: Budget, start: Graph | None) -> Solution:
    """Return what a solver finds in no time, such as a greedy tree: the run was stopped before it had a model."""
    try:
        found: Solution = solver.solve(problem, replace(budget, seconds=0.0), start=start, callback=None)
    except Infeasible:
        raise
    except InputError:
        raise InputError(
            "The callback stopped the search before it found a model that satisfies all constraints."
        ) from None
    return found
