"""The one interface every solver of diagrams has."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

from exactree.model import Graph
from exactree.problem import DiagramProblem
from exactree.solve.interface import Budget, Solution, Watch


@dataclass(frozen=True, slots=True)
class DiagramCapabilities:
    """What a solver of diagrams can do, as data."""

    proves: bool  # whether it can prove optimality
    constraints: bool = False  # whether it can hold constraints on the answers
    multivariate: bool = False  # whether it can ask about sums of columns
    most_points: float = float("inf")  # refuses problems with more points
    most_depth: float = float("inf")  # refuses problems with more layers


class DiagramSolver(Protocol):
    """A way to solve a :class:`~exactree.problem.DiagramProblem`."""

    name: ClassVar[str]
    handles: ClassVar[DiagramCapabilities]

    def solve(
        self, problem: DiagramProblem, budget: Budget, *, start: Graph | None = None, watch: Watch | None = None
    ) -> Solution:
        """Return the best diagram found within the budget."""
        ...


def diagram_refusal(solver: DiagramSolver, problem: DiagramProblem) -> str | None:
    """Say why a solver cannot take a problem, or return ``None`` if it can."""
    handles, limits = solver.handles, problem.limits
    if problem.objective.z is not None:
        return f"diagrams are scored by sums over rows, not by the worst leaf (objective {problem.objective.name!r})"
    if problem.constraints and not handles.constraints:
        return f"it cannot hold constraints on the answers, such as the {problem.constraints[0].text}"
    if limits.multivariate and not handles.multivariate:
        return "it cannot ask about sums of columns (multivariate=True)"
    if problem.data.n_points > handles.most_points:
        return f"there are {problem.data.n_points} rows, more than {handles.most_points:.0f}"
    if limits.depth > handles.most_depth:
        return f"there are {limits.depth} layers, more than {handles.most_depth:.0f}"
    return None
