"""Solvers of diagrams by name, and how one is chosen."""

from exactree.errors import InputError, Unsupported
from exactree.model import Graph
from exactree.problem import DiagramProblem
from exactree.solve.construct import DiagramStart
from exactree.solve.diagram_interface import DiagramCapabilities, DiagramSolver, diagram_refusal
from exactree.solve.diagram_search import DiagramSearch
from exactree.solve.exhaustive_diagram import ExhaustiveDiagram
from exactree.solve.interface import Budget, Solution, Watch
from exactree.solve.odd import ODD

_ALL: tuple[DiagramSolver, ...] = (DiagramSearch(), ODD(), DiagramStart(), ExhaustiveDiagram())
DIAGRAM_SOLVERS: dict[str, DiagramSolver] = {solver.name: solver for solver in _ALL}
PREFERRED = ("search", "odd")  # of "auto": the first that takes the problem


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
    watch: Watch | None = None,
) -> Solution:
    """Solve ``problem`` with a solver given by name or as an object."""
    chosen = diagram_solver_for(problem, solver)
    if (reason := diagram_refusal(chosen, problem)) is not None:
        able = [s.name for s in DIAGRAM_SOLVERS.values() if diagram_refusal(s, problem) is None]
        raise Unsupported(f"{chosen.name!r} cannot solve this problem: {reason}. Able: {', '.join(able) or 'none'}.")
    return chosen.solve(problem, budget or Budget(), start=start, watch=watch)
