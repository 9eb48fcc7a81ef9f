"""Stage 4. Problem -> Solution. One file per method, all of the same shape."""

import math

from exactree.errors import InputError, Unsupported
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.binoct import BinOCT
from exactree.solve.column_generation import ColumnGeneration
from exactree.solve.diagram_search import DiagramSearch
from exactree.solve.dl85 import DL8, DL85
from exactree.solve.exhaustive import Exhaustive
from exactree.solve.flow_oct import FlowOCT
from exactree.solve.interface import Budget, Capabilities, Progress, Solution, Solver, Status, Watch, relative_gap
from exactree.solve.oct import OCT
from exactree.solve.odd import ODD
from exactree.solve.search import Search
from exactree.solve.xct import XCT

__all__ = [
    "DL8",
    "DL85",
    "OCT",
    "ODD",
    "SOLVERS",
    "XCT",
    "BinOCT",
    "Budget",
    "Capabilities",
    "ColumnGeneration",
    "DiagramSearch",
    "Exhaustive",
    "FlowOCT",
    "Progress",
    "Search",
    "Solution",
    "Solver",
    "Status",
    "Watch",
    "refusal",
    "relative_gap",
    "solve",
    "solver_for",
    "solver_named",
]

SOLVERS: dict[str, Solver] = {
    solver.name: solver
    for solver in (Search(), DL85(), DL8(), BinOCT(), OCT(), FlowOCT(), XCT(), ColumnGeneration(), Exhaustive())
}


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


def refusal(solver: Solver, problem: Problem) -> str | None:
    """Say why a solver cannot take a problem, or return ``None`` if it can."""
    handles, limits, n_questions = solver.handles, problem.limits, problem.data.n_questions
    if not handles.leaf_limit and limits.most_leaves < 2**limits.max_depth:
        return f"it cannot limit the number of leaves (max_leaf_nodes={limits.max_leaf_nodes})"
    if limits.max_depth > handles.deepest:
        return f"trees deeper than {handles.deepest:.0f} are beyond it (max_depth={limits.max_depth})"
    if not handles.leaf_sizes and (limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0):
        return "it cannot hold a least size of leaves"
    if not handles.any_costs and not problem.objective.one_cost_per_class:
        return "it takes no costs that depend on the wrong answer"
    if problem.objective.z is not None and not handles.worst_leaf:
        return f"it cannot make the worst leaf as good as possible (objective {problem.objective.name!r})"
    if problem.objective.z is None and not handles.sums:
        return f"it makes the worst leaf as good as possible and nothing else (objective {problem.objective.name!r})"
    if problem.objective.z is not None and limits.ccp_alpha > 0:
        return "where the worst leaf decides there is no price of leaves (ccp_alpha must be 0)"
    if problem.on_answers and not handles.constraints:
        return f"it cannot hold constraints on the answers, such as the {problem.on_answers[0].text}"
    if problem.on_leaves and not handles.leaf_limits:
        return f"it cannot hold constraints on each leaf, such as the {problem.on_leaves[0].text}"
    if problem.on_leaves and problem.objective.z is not None:
        return "where the worst leaf decides there is nothing more to demand of each leaf"
    if n_questions > handles.most_questions:
        return f"there are {n_questions} questions, more than {handles.most_questions:.0f}"
    # The logarithm, as the number itself may be beyond all bounds.
    leaves = limits.max_depth * math.log10(max(2 * n_questions, 1))
    if leaves > math.log10(handles.most_leaves_scored):
        return f"it would score 1e{leaves:.0f} leaves, more than {handles.most_leaves_scored:.0e}"
    return None


def solve(
    problem: Problem,
    solver: str | Solver = "auto",
    budget: Budget | None = None,
    *,
    start: Graph | None = None,
    watch: Watch | None = None,
) -> Solution:
    """Solve ``problem`` with a solver given by name or as an object."""
    chosen = solver_for(problem, solver)
    if (reason := refusal(chosen, problem)) is not None:
        able = [s.name for s in SOLVERS.values() if refusal(s, problem) is None]
        raise Unsupported(f"{chosen.name!r} cannot solve this problem: {reason}. Able: {', '.join(able) or 'none'}.")
    return chosen.solve(problem, budget or Budget(), start=start, watch=watch)
