"""Which problems each solver is tested on: all that it takes, as long as it proves them quickly."""

from functools import cache

from exactree.problem import DiagramProblem, Problem
from exactree.solve import SOLVERS, ColumnGeneration, Solver, refusal
from exactree.solve.interface import DiagramSolver
from exactree.solve.refusal import diagram_refusal
from exactree.solve.registry import DIAGRAM_SOLVERS
from exactree.testing.diagram_problems import tiny_diagram_problems
from exactree.testing.problems import tiny_problems
from exactree.testing.worst_leaf_problems import tiny_worst_leaf_problems

# Over sampled questions a proof is not about all trees.
TESTED: dict[str, Solver] = {
    **SOLVERS,
    "column-generation": ColumnGeneration(sampling="all", finish="branch-and-price"),
}


def problems_for(solver: Solver) -> dict[str, Problem]:
    """Return the tiny problems, worst-leaf objectives included, that a tree solver takes and proves quickly."""
    return {
        name: problem
        for name, problem in (*tiny_problems(), *tiny_worst_leaf_problems())
        if refusal(solver, problem) is None
        and problem.data.n_points * problem.limits.most_leaves <= solver.handles.tiny
    }


def diagram_problems_for(solver: DiagramSolver) -> dict[str, DiagramProblem]:
    """Return the tiny problems of diagrams that a solver takes."""
    return {name: problem for name, problem in tiny_diagram_problems() if diagram_refusal(solver, problem) is None}


@cache
def n_problems_tested() -> dict[str, dict[str, int]]:
    """Count the problems that each solver is tested on: ``{"trees": {"search": 500, ...}, "diagrams": {...}}``."""
    return {
        "trees": {name: len(problems_for(solver)) for name, solver in TESTED.items()},
        "diagrams": {name: len(diagram_problems_for(solver)) for name, solver in DIAGRAM_SOLVERS.items()},
    }
