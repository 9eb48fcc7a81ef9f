"""The diagram heuristic as a solver: the warm start of the MIPs, without a proof.

The bound is the cost that no diagram avoids: of rows with different labels that no question separates.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np

from exactree.errors import InputError
from exactree.model import Graph
from exactree.problem import DiagramProblem
from exactree.solve.diagram_heuristic.construction import Construction, construct_diagrams
from exactree.solve.feasibility import check_answers
from exactree.solve.gains import unavoidable_cost
from exactree.solve.interface import Budget, Callback, DiagramCapabilities, Progress, Solution, Status, relative_gap
from exactree.solve.trees.ranked_diagram import diagram_from_graph, diagram_to_graph


@dataclass(frozen=True, slots=True)
class DiagramHeuristic:
    """Build diagrams layer by layer, improve each by local search, and keep the best.

    Parameters
    ----------
    starts : int, default=1000
        Number of diagrams to build; fewer if time is up or the best is optimal.

    Examples
    --------
    >>> from exactree import OptimalDiagramClassifier
    >>> X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    >>> y = [sum(row) % 2 for row in X]
    >>> diagram = OptimalDiagramClassifier(widths=(1, 2, 2), ccp_alpha=0.0, solver=DiagramHeuristic()).fit(X, y)
    >>> diagram.cost_, diagram.status_
    (0.0, 'optimal')
    """

    name: ClassVar[str] = "construct"
    handles: ClassVar[DiagramCapabilities] = DiagramCapabilities(proves=False, constraints=True, soft_limits=True)
    starts: int = 1000

    def __post_init__(self) -> None:
        if isinstance(self.starts, bool) or not isinstance(self.starts, Integral) or self.starts < 1:
            raise InputError(f"starts must be an integer, 1 or more; got {self.starts!r}.")
        object.__setattr__(self, "starts", int(self.starts))

    def solve(
        self, problem: DiagramProblem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Return the best diagram found within the budget; proved only if it has the unavoidable cost."""
        started_at = time.monotonic()
        given = None if start is None else diagram_from_graph(problem, start)
        found = construct_diagrams(problem, budget.seconds, starts=self.starts, given=given)
        if found.nodes is None:
            if found.interrupted:
                raise KeyboardInterrupt
            check_answers(problem, noun="diagram")
            built = f"None of the {found.starts} diagrams built" if found.starts else "No diagram built in time"
            raise InputError(
                f"{built} satisfies all constraints, though others may. Allow more time or more diagrams, or use "
                f"solver='odd', which proves whether there is any."
            )
        bound = unavoidable_cost(problem)
        seconds = time.monotonic() - started_at
        if callback is not None:
            with suppress(KeyboardInterrupt):  # nothing is left to stop
                callback(Progress(seconds, found.cost, bound))
        return Solution.checked(
            problem,
            diagram_to_graph(problem, found.nodes),
            status=self._status(problem, budget, found, bound),
            claimed=found.cost,
            bound=bound,
            history=np.array([[seconds, found.cost, bound]]),
            counters={"start_cost": found.cost, "starts": float(found.starts), "start_seconds": found.seconds},
        )

    def _status(self, problem: DiagramProblem, budget: Budget, found: Construction, bound: float) -> Status:
        if found.cost <= bound + problem.tolerance:
            return Status.OPTIMAL
        if found.interrupted:
            return Status.INTERRUPTED
        if relative_gap(found.cost, bound) <= budget.gap:
            return Status.GAP_REACHED
        return Status.ENDED if found.starts >= self.starts else Status.TIME_LIMIT
