"""Enumeration of all diagrams, for problems of a few rows: the reference of the other solvers' tests.

What is below a layer depends only on which rows are together at its nodes. For every such state all possible labellings
of its rows are listed, each with the fewest nodes; costs and constraints are applied at the end only, so the
enumeration does not depend on the objective.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np

from exactree.errors import Infeasible
from exactree.model import Graph
from exactree.problem import DiagramProblem
from exactree.problem.linear_limit import LIMIT_NOISE
from exactree.solve.interface import Budget, Callback, DiagramCapabilities, Solution, Status
from exactree.solve.run_state import Exhausted, RunState, stop_status
from exactree.solve.trees.ranked_diagram import PASS, diagram_to_graph, tidied
from exactree.solve.trees.ranked_tree import RankedNode

Rows = frozenset[int]  # points
State = tuple[Rows, ...]  # points at each node of a layer, smallest point first
Labelling = tuple[tuple[int, int], ...]  # (point, label) in the order of points


class _Split(NamedTuple):
    """A split of the rows of a node."""

    column: int
    rank: int
    yes: Rows
    no: Rows


class _Plan(NamedTuple):
    """A layer: the split of each node, the targets of its two sides, and what is below."""

    n_nodes: int  # in this layer and below
    splits: tuple[_Split, ...]
    targets: tuple[int, ...]  # of yes and no of each: a label, or n_classes + position in the next layer
    below: State
    labelling: Labelling  # of the rows below


@dataclass(frozen=True, slots=True)
class ExhaustiveDiagram:
    """Enumerate enumeration. Takes univariate questions only, and a few rows.

    Examples
    --------
    >>> from exactree import OptimalDiagramClassifier
    >>> X = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    >>> y = [sum(row) % 2 for row in X]
    >>> diagram = OptimalDiagramClassifier(widths=(1, 2, 2), solver="exhaustive").fit(X, y)
    >>> round(diagram.cost_ / 8, 6), diagram.n_nodes_
    (0.1, 5)
    """

    name: ClassVar[str] = "exhaustive"
    handles: ClassVar[DiagramCapabilities] = DiagramCapabilities(
        proves=True, constraints=True, soft_limits=True, most_points=16, most_depth=4
    )

    def solve(
        self, problem: DiagramProblem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Enumerate all labellings that a diagram can produce, and return the cheapest feasible one."""
        run = RunState(problem, budget, callback, "diagram")
        try:
            return self._solved(problem, _Enumeration(problem, run))
        except (Exhausted, KeyboardInterrupt) as stop:
            leaves = [[RankedNode(-1, 0, -1, -1, label)] for label in range(problem.data.n_classes)]
            for model in (*([] if start is None else [start]), *(diagram_to_graph(problem, leaf) for leaf in leaves)):
                run.offer(model)
            return run.end(stop_status(stop), {})

    def _solved(self, problem: DiagramProblem, enumeration: "_Enumeration") -> Solution:
        root: State = (frozenset(range(problem.data.n_points)),)
        best: tuple[float, Labelling] | None = None
        for labelling, plan in enumeration.of(0, root).items():
            if plan.n_nodes <= problem.limits.most_nodes and _feasible(problem, labelling):
                cost = _error_cost(problem, labelling) + problem.node_price * (plan.n_nodes - 1)
                best = min(best or (np.inf, ()), (cost, labelling))
        if best is None:
            raise Infeasible("No diagram within the limits satisfies all constraints. Relax some of them.")
        model = diagram_to_graph(problem, tidied(problem, enumeration.nodes(root, best[1])))
        return Solution.checked(
            problem, model, status=Status.OPTIMAL, claimed=best[0], bound=min(best[0], problem.cost(model))
        )


class _Enumeration:
    """All labellings that diagrams can produce, state by state."""

    def __init__(self, problem: DiagramProblem, run: RunState) -> None:
        self.problem, self.run, self.n_classes = problem, run, problem.data.n_classes
        self.known: dict[tuple[int, State], dict[Labelling, _Plan]] = {}

    def of(self, layer: int, state: State) -> dict[Labelling, _Plan]:
        """Return all labellings of the rows of a state, each with a plan of the fewest nodes."""
        if not state:
            return {(): _Plan(0, (), (), (), ())}
        if (layer, state) not in self.known:
            found: dict[Labelling, _Plan] = {}
            for splits in product(*(list(self._splits(rows)) for rows in state)):
                for targets, below in self._routings(layer, splits):
                    self._add(found, layer, splits, targets, below)
            self.known[layer, state] = found
        return self.known[layer, state]

    def _add(
        self,
        found: dict[Labelling, _Plan],
        layer: int,
        splits: tuple[_Split, ...],
        targets: tuple[int, ...],
        below: State,
    ) -> None:
        sides = [side for split in splits for side in (split.yes, split.no)]
        here = [(row, at) for side, at in zip(sides, targets, strict=True) if at < self.n_classes for row in side]
        for labelling, plan in self.of(layer + 1, below).items():
            key = tuple(sorted([*here, *labelling]))
            n_nodes = plan.n_nodes + len(splits)
            if key not in found or n_nodes < found[key].n_nodes:
                found[key] = _Plan(n_nodes, splits, targets, below, labelling)

    def _splits(self, rows: Rows) -> Iterator[_Split]:
        """All splits of some rows, including that which sends all to one side."""
        yield _Split(0, PASS, frozenset(), rows)
        met = set()
        for c, column in enumerate(self.problem.data.columns):
            for rank in range(column.n_ranks - 1):
                yes = frozenset(row for row in rows if column.ranks[row] <= rank)
                if yes and yes != rows and yes not in met:
                    met |= {yes, rows - yes}
                    yield _Split(c, rank, yes, rows - yes)

    def _routings(self, layer: int, splits: tuple[_Split, ...]) -> Iterator[tuple[tuple[int, ...], State]]:
        """All assignments of the sides to leaves or to nodes of the next layer."""
        limits, n_classes = self.problem.limits, self.n_classes
        width = limits.widths[layer + 1] if layer + 1 < limits.depth else 0
        sides = [side for split in splits for side in (split.yes, split.no)]
        choices = [range(self._first_target(side), n_classes + width) if side else (0,) for side in sides]
        for targets in product(*choices):
            self.run.poll()
            groups: dict[int, list[int]] = {}
            for at, target in enumerate(targets):
                if target >= n_classes:
                    groups.setdefault(target, []).append(at)
            first = [members[0] for _, members in sorted(groups.items())]
            # Nodes of a layer are interchangeable, so they are numbered in the order in which sides use them.
            if sorted(groups) != list(range(n_classes, n_classes + len(groups))) or first != sorted(first):
                continue
            if any(len({at // 2 for at in members}) < len(members) for members in groups.values()):
                continue  # both sides of one node
            if limits.tree and any(len(members) > 1 for members in groups.values()):
                continue
            state = [frozenset[int]().union(*(sides[at] for at in groups[target])) for target in sorted(groups)]
            if all(self._rows(rows) >= limits.min_samples_node for rows in state):
                order = sorted(range(len(state)), key=lambda at: min(state[at]))
                place = {n_classes + old: n_classes + new for new, old in enumerate(order)}
                yield tuple(place.get(at, at) for at in targets), tuple(state[at] for at in order)

    def _first_target(self, side: Rows) -> int:
        """First possible target: leaves come before nodes; a side too light for a leaf starts with the nodes."""
        light = self.problem.min_leaf_weight > 0 and not self.problem.may_end(np.array(list(side)))
        return self.n_classes if light else 0

    def _rows(self, points: Rows) -> int:
        return int(self.problem.data.point_counts[list(points)].sum())

    def nodes(self, state: State, labelling: Labelling) -> list[RankedNode]:
        """Return the diagram that produces a labelling."""
        leaves = [RankedNode(-1, 0, -1, -1, label) for label in range(self.n_classes)]
        layers: list[_Plan] = []
        while state:
            layers.append(self.of(len(layers), state)[labelling])
            state, labelling = layers[-1].below, layers[-1].labelling
        n_nodes, nodes = sum(len(plan.splits) for plan in layers), list[RankedNode]()
        for plan in layers:
            after = len(nodes) + len(plan.splits)
            place = [n_nodes + t if t < self.n_classes else after + t - self.n_classes for t in plan.targets]
            for at, split in enumerate(plan.splits):
                nodes.append(RankedNode(split.column, split.rank, place[2 * at], place[2 * at + 1], 0))
        return [*nodes, *leaves]


def _error_cost(problem: DiagramProblem, labelling: Labelling) -> float:
    data = problem.data
    predicted = np.array([label for _, label in labelling])
    mistakes = float((data.point_weights * problem.objective.matrix[data.point_labels, predicted]).sum())
    return mistakes + sum(soft.penalty(predicted[data.point_of]) for soft in problem.soft)


def _feasible(problem: DiagramProblem, labelling: Labelling) -> bool:
    predicted = np.array([label for _, label in labelling])[problem.data.point_of]
    return all(limit.excess(predicted) <= LIMIT_NOISE for limit in problem.on_answers)
