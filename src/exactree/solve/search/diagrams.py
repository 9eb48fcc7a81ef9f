"""Exact search for decision diagrams in the native kernel: branch and bound over layers, with tree optima as bounds.

What is proved: no diagram within the limits costs less, over all questions of the encoded data. The search starts from
the diagram of a heuristic, looks for better ones among few questions per node (a beam search), and then enumerates
diagrams by their number of nodes. It keeps an incumbent and a valid lower bound at any moment.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import numpy as np

from exactree import kernel
from exactree.errors import InputError, Unsupported
from exactree.model import Graph
from exactree.problem import DiagramProblem
from exactree.solve.callback import memory_for, native_callback
from exactree.solve.diagram_heuristic.construction import Construction, construct_diagrams, improve_diagram
from exactree.solve.gains import DEEPEST, Gains, gains_of, group_costs
from exactree.solve.interface import Budget, Callback, DiagramCapabilities, Solution, Status
from exactree.solve.search.constrained.diagrams import search_constrained_diagrams
from exactree.solve.trees.ranked_diagram import diagram_from_graph, diagram_to_graph, reached_in_diagram, tidied
from exactree.solve.trees.ranked_tree import RankedNode, nodes_of

START_SHARE = 0.1  # of the time, for the heuristic


@dataclass(frozen=True, slots=True)
class DiagramSearch:
    """Exact and anytime, for diagrams whose questions are about one column each; the default for these.

    ``beam`` is the number of splits of each set of rows that are tried for good diagrams before the proof begins,
    ``effort`` the number of sets of rows that are visited for them (each counts four times as much for every layer that
    follows), ``reach`` the number of layers that bounds look ahead, by trees of one layer more, and ``starts`` the
    number of diagrams that the heuristic builds. The optimum does not depend on them. Under constraints on the answers
    a Lagrangian relaxation bounds the cost; skeletons of a few nodes are proved, others get a bound.

    Examples
    --------
    >>> from exactree import DiagramSearch, OptimalDiagramClassifier
    >>> X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    >>> y = [sum(row) % 2 for row in X]
    >>> diagram = OptimalDiagramClassifier(widths=(1, 2, 2), solver=DiagramSearch()).fit(X, y)
    >>> diagram.status_, round(diagram.objective_, 6), diagram.n_nodes_
    ('optimal', 0.1, 5)
    """

    name: ClassVar[str] = "search"
    handles: ClassVar[DiagramCapabilities] = DiagramCapabilities(
        proves=True, constraints=True, soft_limits=True, most_depth=DEEPEST
    )
    beam: int = 3
    effort: int = 100_000
    reach: int = 4
    starts: int = 1000

    def __post_init__(self) -> None:
        for name in ("beam", "effort", "reach", "starts"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
                raise InputError(f"{name} must be an integer, 0 or more; got {value!r}.")
            object.__setattr__(self, name, int(value))

    def solve(
        self, problem: DiagramProblem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Run the kernel; it releases the GIL and reacts to Ctrl-C."""
        if problem.constraints:
            settings = {"beam": self.beam, "effort": self.effort, "reach": self.reach}
            return search_constrained_diagrams(problem, budget, start, callback, settings, self.starts)
        begin = time.monotonic()
        gains = gains_of(problem)
        given = None if start is None else diagram_from_graph(problem, start)
        share = None if budget.seconds is None else START_SHARE * budget.seconds
        first = construct_diagrams(problem, share, starts=self.starts, given=given)
        nodes = _usable(problem, first.nodes)
        outcome = self._run(problem, gains, budget, nodes, begin, first.interrupted, callback)
        found = nodes_of(outcome.nodes)
        if found:
            nodes = tidied(problem, found)
            if outcome.status != Status.OPTIMAL.value:
                nodes = _better(problem, nodes, improve_diagram(problem, nodes))
        history = outcome.history
        history[:, 1:] = (history[:, 1:] + gains.offset) / gains.scale
        return Solution.checked(
            problem,
            diagram_to_graph(problem, nodes),
            status=_status(outcome, first),
            claimed=gains.cost(outcome.cost),
            bound=gains.cost(outcome.bound),
            history=history,
            counters=_counters(outcome.counters, first),
        )

    def _run(
        self,
        problem: DiagramProblem,
        gains: Gains,
        budget: Budget,
        start: Sequence[RankedNode],
        begin: float,
        interrupted: bool,
        callback: Callback | None,
    ) -> kernel.Outcome:
        limits = problem.limits
        left = None if budget.seconds is None else max(budget.seconds - (time.monotonic() - begin), 0.0)
        try:
            return kernel.search_diagram(
                gains.ranks,
                gains.labels,
                gains.gains,
                gains.bases,
                gains.sizes,
                n_classes=problem.data.n_classes,
                widths=list(limits.widths),
                max_nodes=limits.most_nodes,
                min_rows=limits.min_samples_node,
                min_weight=gains.min_weight,
                node_price=gains.price,
                tree=limits.tree,
                offset=gains.offset,
                start_cost=_integer_cost(problem, gains, start),
                seconds=0.0 if interrupted else left,
                memory=memory_for(budget.memory),
                gap=budget.gap,
                callback=native_callback(callback, gains.cost),
                beam=self.beam,
                effort=self.effort,
                reach=self.reach,
            )
        except ValueError as refused:
            raise Unsupported(f"DiagramSearch() cannot take this problem: {refused}.") from None


def _usable(problem: DiagramProblem, nodes: Sequence[RankedNode] | None) -> list[RankedNode]:
    """Return a diagram to start from: the given one if it is allowed, or else the best single leaf."""
    if nodes is not None:
        tidy = tidied(problem, nodes)
        if not problem.violations(diagram_to_graph(problem, tidy)):
            return tidy
    leaves = [[RankedNode(-1, 0, -1, -1, label)] for label in range(problem.data.n_classes)]
    return min(leaves, key=lambda leaf: problem.cost(diagram_to_graph(problem, leaf)))


def _better(problem: DiagramProblem, ours: list[RankedNode], other: Sequence[RankedNode]) -> list[RankedNode]:
    graph, theirs = diagram_to_graph(problem, ours), diagram_to_graph(problem, other)
    return list(other) if not problem.violations(theirs) and problem.cost(theirs) < problem.cost(graph) else ours


def _integer_cost(problem: DiagramProblem, gains: Gains, nodes: Sequence[RankedNode]) -> int:
    """Cost of a diagram in the kernel's integers, which are sums of rounded costs."""
    answers = np.zeros(problem.data.n_points, dtype=np.int64)
    for node, points in zip(nodes, reached_in_diagram(problem, nodes), strict=True):
        if node.column < 0:
            answers[points] = node.label
    costs = np.rint(group_costs(problem) * gains.scale).astype(np.int64)
    by_group = np.zeros(len(costs), dtype=np.int64)
    by_group[problem.data.point_groups] = answers
    errors = int(costs[np.arange(len(costs)), by_group].sum()) - gains.offset
    return errors + gains.price * max(sum(node.column >= 0 for node in nodes) - 1, 0)


def _status(outcome: kernel.Outcome, first: Construction) -> Status:
    """Status of the search; if Ctrl-C ended the heuristic, the search had no time left."""
    status = Status(outcome.status)
    return Status.INTERRUPTED if first.interrupted and status is Status.TIME_LIMIT else status


def _counters(found: Mapping[str, float], first: Construction) -> dict[str, float]:
    begun = {"start_cost": first.cost, "start_nodes": float(sum(n.column >= 0 for n in first.nodes or ()))}
    return {**found, **begun, "starts": float(first.starts), "start_seconds": first.seconds}
