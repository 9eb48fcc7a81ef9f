"""Which solvers there are, and how one is chosen by name."""

from exactree.errors import InputError, Unsupported
from exactree.model import Graph
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
from exactree.solve.interface import Budget, Callback, DiagramCapabilities, DiagramSolver, Solution, Solver
from exactree.solve.refusal import diagram_refusal, refusal
from exactree.solve.search import DiagramSearch, Search

SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (Search(), DL85(), DL8(), BinOCT(), OCT(), FlowOCT(), XCT(), ColumnGeneration(), Exhaustive())
}
_ALL: tuple[DiagramSolver, ...] = (DiagramSearch(), ODD(), DiagramHeuristic(), ExhaustiveDiagram())
DIAGRAM_SOLVERS: dict[str, DiagramSolver] = {solver.name: solver for solver in _ALL}
PREFERRED = ("search", "odd")  # of "auto": the first that takes the problem


def solver_named(solver: str | Solver) -> Solver:
    """Return the solver that a name or a solver object stands for; ``"auto"`` is the fastest that can prove."""
    if not isinstance(solver, str):
        if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
            raise InputError(f"solver must be a name or a solver object such as Search(); got {solver!r}.")
        return solver
    if solver == "auto":
        return SOLVERS["search"]
    if solver not in SOLVERS:
        raise InputError(f"Unknown solver {solver!r}; choose one of auto, {', '.join(sorted(SOLVERS))}.")
    return SOLVERS[solver]


def solver_for(problem: Problem, solver: str | Solver) -> Solver:
    """Return the solver that a name or a solver object stands for, where ``"auto"`` looks at the problem.

    The search takes no constraints; the best it finds without them bounds a program's answer with them.
    """
    if isinstance(solver, str) and solver == "auto" and problem.constraints:
        return BinOCT(warm_start="search")
    return solver_named(solver)


def solve(
    problem: Problem,
    solver: str | Solver = "auto",
    budget: Budget | None = None,
    *,
    start: Graph | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Solve ``problem`` with a solver given by name or as an object."""
    chosen = solver_for(problem, solver)
    if (reason := refusal(chosen, problem)) is not None:
        able = [s.name for s in SOLVERS.values() if refusal(s, problem) is None]
        raise Unsupported(f"{chosen.name!r} cannot solve this problem: {reason}. Able: {', '.join(able) or 'none'}.")
    return chosen.solve(problem, budget or Budget(), start=start, callback=callback)


def diagram_solver_for(problem: DiagramProblem, solver: str | DiagramSolver) -> DiagramSolver:
    """Return the solver that a name or a solver object stands for; ``"auto"`` is the first that can take it."""
    if not isinstance(solver, str):
        if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
            raise InputError(f"solver must be a name or a solver object such as ODD(); got {solver!r}.")
        if not isinstance(getattr(solver, "handles", None), DiagramCapabilities):
            raise InputError(f"solver must be one of diagrams, such as ODD(); {solver!r} is one of trees.")
        return solver
    if solver == "auto":
        able = [name for name in PREFERRED if diagram_refusal(DIAGRAM_SOLVERS[name], problem) is None]
        return DIAGRAM_SOLVERS[(able or PREFERRED)[0]]
    if solver not in DIAGRAM_SOLVERS:
        raise InputError(f"Unknown solver {solver!r}; choose one of auto, {', '.join(sorted(DIAGRAM_SOLVERS))}.")
    return DIAGRAM_SOLVERS[solver]


def solve_diagram(
    problem: DiagramProblem,
    solver: str | DiagramSolver = "auto",
    budget: Budget | None = None,
    *,
    start: Graph | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Solve ``problem`` with a solver given by name or as an object."""
    chosen = diagram_solver_for(problem, solver)
    if (reason := diagram_refusal(chosen, problem)) is not None:
        able = [s.name for s in DIAGRAM_SOLVERS.values() if diagram_refusal(s, problem) is None]
        raise Unsupported(f"{chosen.name!r} cannot solve this problem: {reason}. Able: {', '.join(able) or 'none'}.")
    return chosen.solve(problem, budget or Budget(), start=start, callback=callback)
