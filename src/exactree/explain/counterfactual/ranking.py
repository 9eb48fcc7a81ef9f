"""Boxes in the order of what it costs to bring a row into them: cheapest first.

In a tree every leaf is one box, and the nearest point of a box is found column by column: it has the least cost and the
fewest changes at once. All rows are held against all boxes as arrays. A diagram can have more ways than anybody wants
to count, so there ways are followed from the root, cheapest first: a longer way never costs less.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.explain.counterfactual.action import Move, Mover
from exactree.explain.counterfactual.leaf_regions import Box, beyond, leaf_boxes, values_of
from exactree.explain.counterfactual.value_sets import Values
from exactree.model import Graph
from exactree.table import Table, Test

SAME = 1e-12  # costs that differ by less than this share are equal but for rounding
Row = Callable[[int], Any]  # from the number of a column to the row's value
Key = tuple[float, int, float, int]


@dataclass(frozen=True, slots=True)
class Candidate:
    """The nearest point of a box."""

    box: Box
    moves: Mapping[int, Move]  # by column; only those that change
    accuracy: float  # of the leaf; below 0 if it is not known
    proved: bool = True  # whether no point of the box costs less
    label: int | None = None  # what the model of a leaf says; None: the leaf has none, and its label is said
    bound: float | None = None  # if it is not proved: what none can cost less than

    @property
    def cost(self) -> float:
        """Cost of all changes."""
        return fsum(move.cost for move in self.moves.values())

    @property
    def key(self) -> Key:
        """What to sort by: cost, fewer changes, higher accuracy."""
        return float(f"{self.cost:.12g}"), len(self.moves), -self.accuracy, self.box.node


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """All rows of a table and all leaves of a tree."""

    graph: Graph
    movers: Mapping[int, Mover]
    boxes: Sequence[Box]
    costs: NDArray[np.float64]  # (n_rows, n_boxes) inf where a row may not go
    accuracy: NDArray[np.float64]  # (n_nodes,)

    @classmethod
    def of(cls, graph: Graph, movers: Mapping[int, Mover], table: Table) -> "Ranking":
        """Hold all rows against all leaves."""
        boxes = leaf_boxes(graph)
        costs = np.zeros((table.n_rows, len(boxes)))
        for column in sorted({column for box in boxes for column in box.values}):
            wanted = [values_of(graph, box, column) for box in boxes]
            number = {values: at for at, values in enumerate(dict.fromkeys(wanted))}
            moved = movers[column].costs(list(number), table.columns[column].values)
            costs += moved[:, [number[values] for values in wanted]]
        return cls(graph, movers, boxes, costs, accuracies(graph))

    def candidates(self, at: int, row: Row, wanted: NDArray[np.bool_]) -> Iterator[Candidate]:
        """Return the points of the wanted leaves (a mask over nodes) that are nearest to a row."""
        costs = self.costs[at]
        usable = wanted[[box.node for box in self.boxes]] & np.isfinite(costs)
        order = [int(b) for b in np.argsort(costs, kind="stable") if usable[b]]
        while order:
            limit = costs[order[0]] * (1 + SAME)
            n_equal = int(np.searchsorted(costs[order], limit, side="right"))
            group = [self._candidate(self.boxes[b], row) for b in order[:n_equal]]
            yield from sorted(group, key=lambda candidate: candidate.key)
            del order[:n_equal]

    def _candidate(self, box: Box, row: Row) -> Candidate:
        moves = {j: self.movers[j].move(values, row(j)) for j, values in box.values.items()}
        changed = {j: move for j, move in moves.items() if move is not None and move.changes}
        return Candidate(box, changed, float(self.accuracy[box.node]))


def cheapest_first(
    graph: Graph,
    movers: Mapping[int, Mover],
    row: Row,
    wanted: NDArray[np.bool_],
    beaten: Callable[[set[int]], bool],
    *,
    tied: bool,
) -> Iterator[Candidate]:
    """Follow the ways through a graph, cheapest first, to the wanted leaves (a mask over nodes).

    ``beaten`` tells of a set of changed columns that no answer with them is of interest any more. ``tied`` says that
    columns are tied to each other by rules or sums, so that ways must not be compared before they end.
    """
    met = Crossings(graph)
    leads = _leads(graph, wanted)
    accuracy = accuracies(graph)
    turn = count()
    waiting: list[tuple[float, int, bool, float, int, Candidate]] = []

    def add(candidate: Candidate) -> None:
        cost, n_changes, worse, node = candidate.key
        leaf = graph.is_leaf(node)
        heapq.heappush(waiting, (cost, n_changes, leaf, worse if leaf else 0.0, next(turn), candidate))

    if leads[0]:
        add(Candidate(Box(0), {}, float(accuracy[0])))
    while waiting:
        candidate = heapq.heappop(waiting)[-1]
        if beaten(set(candidate.moves)) or (not tied and met.is_detour(candidate)):
            continue
        if graph.is_leaf(candidate.box.node):
            yield candidate
            continue
        for yes in (True, False):
            box = beyond(graph, candidate.box, yes=yes)
            if box is not None and leads[box.node]:
                moves = _moved(graph, movers, row, candidate, box)
                if moves is not None:
                    add(Candidate(box, moves, float(accuracy[box.node])))


class Crossings:
    """Where ways met: of two that go on alike, the one that changes more columns at no lower cost is a detour.

    Without this a diagram of thirty questions would have to be followed along a billion ways.
    """

    def __init__(self, graph: Graph) -> None:
        self._below: list[set[int]] = [set() for _ in range(graph.n_nodes)]  # columns asked from a node on
        for node in reversed(range(graph.n_nodes)):
            if not graph.is_leaf(node):
                later = self._below[graph.yes[node]] | self._below[graph.no[node]]
                self._below[node] = later | {int(graph.column[node])}
        self._met: dict[tuple[int, frozenset[tuple[int, Values]]], list[set[int]]] = {}

    def is_detour(self, candidate: Candidate) -> bool:
        """Whether an earlier candidate, which costs no more, goes on alike with no other changes; else remember it."""
        box, changes = candidate.box, set(candidate.moves)
        ahead = frozenset((j, values) for j, values in box.values.items() if j in self._below[box.node])
        earlier = self._met.setdefault((box.node, ahead), [])
        if any(some <= changes for some in earlier):
            return True
        earlier.append(changes)
        return False


def _moved(
    graph: Graph, movers: Mapping[int, Mover], row: Row, candidate: Candidate, box: Box
) -> Mapping[int, Move] | None:
    """Return the changes that a box asks for, one question further than a candidate; None if one is forbidden."""
    moves = dict(candidate.moves)
    node = candidate.box.node
    linear = graph.test[node] == Test.LINEAR
    for column in [j for j, _ in graph.sum_at(node)] if linear else [int(graph.column[node])]:
        if column not in box.values:
            continue
        move = movers[column].move(box.values[column], row(column))
        if move is None:
            return None
        moves.pop(column, None)
        if move.changes:
            moves[column] = move
    return moves


def _leads(graph: Graph, wanted: NDArray[np.bool_]) -> list[bool]:
    """Whether a wanted leaf (a mask over nodes) can be reached from each node."""
    leads = [False] * graph.n_nodes
    for node in reversed(range(graph.n_nodes)):
        leaf = graph.is_leaf(node)
        leads[node] = bool(wanted[node]) if leaf else leads[graph.yes[node]] or leads[graph.no[node]]
    return leads


def accuracies(graph: Graph) -> NDArray[np.float64]:
    """Share of its own label at each node, by weight; -1 where there is no weight."""
    total = graph.weight.sum(axis=1)
    right = graph.weight[np.arange(graph.n_nodes), graph.label]
    return np.asarray(np.divide(right, total, out=np.full(graph.n_nodes, -1.0), where=total > 0))
