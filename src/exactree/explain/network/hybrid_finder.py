"""Counterfactuals of hybrid trees: the nearest rows over all leaves, where models in the leaves decide.

Boxes of leaves wait in the order of what it costs at least to get into them. A leaf is solved when its turn comes, and
what is found there waits among the others: when it is first in line, no leaf that was not solved can hold a nearer row.
A leaf that gave an answer comes back, with the answer's set of changed columns forbidden.
"""

import heapq
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from math import inf, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import Unsupported
from exactree.explain.counterfactual.actionability import Freedom
from exactree.explain.counterfactual.column_actions import asked_columns, movers
from exactree.explain.counterfactual.finder import Finder, Found
from exactree.explain.counterfactual.leaf_regions import Box, leaf_boxes
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.repair import Settler
from exactree.explain.facts import LeafFacts, plain_label, wilson
from exactree.explain.network.nearest import SAME, NetSolver, Outcome
from exactree.explain.network.network import Network, constant, network_of
from exactree.model import Graph
from exactree.table import Frame, Kind, Table

CODED = (Kind.CATEGORY, Kind.ORDERED)


@dataclass(frozen=True, slots=True, eq=False)
class Hybrid:
    """A fitted hybrid tree: what its leaves say, and how often they are right."""

    model: Any
    graph: Graph
    networks: Mapping[int, Network]  # by leaf; one that keeps its class has a network that reads nothing
    rows: NDArray[np.intp]  # (n_nodes,) training rows of leaves
    accuracy: NDArray[np.float64]  # (n_nodes,) share of them that is right; -1 where nothing is known
    as_they_came: bool  # whether models read the caller's own table

    def labels(self, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Return what the model itself says of some rows, as indices of its classes."""
        known = self.graph.classes.tolist()
        return [known.index(label) for label in np.asarray(self.model.predict(self._table(rows))).tolist()]

    def leaf(self, row: Mapping[str, Any]) -> int:
        """Return the leaf in which a row ends."""
        return int(self.graph.apply(Table.of(self._frame([row])).conform(self.graph.schema))[0])

    def _frame(self, rows: Sequence[Mapping[str, Any]]) -> Frame:
        names = tuple(column.name for column in self.graph.schema.columns)
        return Frame(names, [[row[name] for row in rows] for name in names])

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        """Return rows in a form that the model takes: as it saw them in training, if it reads them as they came."""
        if not self.as_they_came:
            return self._frame(rows)
        columns = self.graph.schema.columns
        cells = {
            c.name: [nan if row[c.name] is None and c.kind not in CODED else row[c.name] for row in rows]
            for c in columns
        }
        if hasattr(self.model, "feature_names_in_"):
            if find_spec("pandas") is None:
                raise Unsupported(
                    "The leaf models read a data frame as it came, and to ask them about changed rows takes pandas: "
                    "pip install pandas, or fit them on an array."
                )
            return import_module("pandas").DataFrame(cells)
        mixed = any(column.kind in CODED for column in columns)
        return np.array(list(cells.values()), dtype=object if mixed else np.float64).T


def hybrid_of(model: Any) -> Hybrid | None:
    """Read a fitted hybrid tree; None if ``model`` is none, or if all its leaves keep their class."""
    leaf_models = getattr(model, "leaf_models_", {})
    graph = getattr(model, "tree_", None)
    if not isinstance(graph, Graph) or all(found is None for found in leaf_models.values()):
        return None
    as_they_came = bool(getattr(model, "_as_they_came", False))
    networks = {
        node: constant(int(graph.label[node]))
        if found is None
        else network_of(found, graph.schema, graph.classes.tolist(), as_they_came=as_they_came)
        for node, found in leaf_models.items()
    }
    rows, accuracy = np.zeros(graph.n_nodes, dtype=np.intp), np.full(graph.n_nodes, -1.0)
    for score in model.report_.leaves:
        rows[score.node], accuracy[score.node] = score.rows, score.accuracy if score.rows else -1.0
    return Hybrid(model, graph, networks, rows, accuracy, as_they_came)


@dataclass(frozen=True, slots=True, eq=False)
class HybridFinder(Finder):
    """Questions about rows, where models in the leaves answer."""

    hybrid: Hybrid
    seconds: float | None  # for each row

    def now(self, leaves: NDArray[np.int32]) -> list[int]:
        """Return what the models say of each row."""
        nothing = Candidate(Box(0), {}, -1.0)
        return self.hybrid.labels([self.changed_row(at, nothing) for at in range(len(leaves))])

    def facts(self, leaf: int, label: int) -> LeafFacts:
        """Return how often a leaf's model, or its class, was right in training."""
        rows, share = int(self.hybrid.rows[leaf]), float(self.hybrid.accuracy[leaf])
        known = share >= 0
        interval = wilson(share, rows) if known else (0.0, 1.0)
        return LeafFacts(leaf, plain_label(self.graph, label), rows, share if known else None, interval)

    def can_say(self) -> NDArray[np.bool_]:
        """Return which labels some leaf can say."""
        told = {int(label) for network in self.hybrid.networks.values() for label in network.labels}
        return np.isin(np.arange(self.graph.n_classes), sorted(told))

    def used(self) -> set[int]:
        """Return the columns that the tree or a model reads."""
        return asked_columns(self.graph) | {j for net in self.hybrid.networks.values() for j in net.readings}

    def found(self, freedom: Freedom, at: Sequence[int], wanted: Sequence[NDArray[np.bool_]], k: int) -> list[Found]:
        """Return the best candidates for some rows, each of them predicted by the model itself."""
        if not at:
            return []
        moving = movers(self.graph, freedom, self.costs, self.data, frozenset(self.used()))
        settler = Settler(self.graph, moving, freedom.rules)
        trusted = freedom.trusted(self.hybrid.accuracy, self.hybrid.rows)
        boxes = [box for box in leaf_boxes(self.graph) if trusted[box.node]]
        return [self._found_for(number, settler, boxes, wanted[number], k) for number in at]

    def _found_for(self, at: int, settler: Settler, boxes: list[Box], wanted: NDArray[np.bool_], k: int) -> Found:
        def says(candidate: Candidate) -> int | None:
            row = self.changed_row(at, candidate)
            return self.hybrid.labels([row])[0] if self.hybrid.leaf(row) == candidate.box.node else None

        solver = NetSolver(settler, self.hybrid.networks, says)
        deadline = None if self.seconds is None else time.monotonic() + self.seconds
        return _Line(solver, self.reader(at), wanted, self.hybrid.accuracy, deadline).first(boxes, k)


@dataclass(slots=True, eq=False)
class _Line:
    """Boxes and candidates in line for one row, the cheapest first; boxes before candidates that cost the same."""

    solver: NetSolver
    row: Row
    wanted: NDArray[np.bool_]
    accuracy: NDArray[np.float64]
    deadline: float | None
    waiting: list[tuple[float, bool, tuple[Any, ...], int, Box, Candidate | None]] = field(default_factory=list)
    kept: list[Candidate] = field(default_factory=list)
    missed: float = inf  # what nothing costs less than that was not searched in time
    turn: Iterator[int] = field(default_factory=count)

    def first(self, boxes: Sequence[Box], k: int) -> Found:
        """Return the ``k`` cheapest candidates of which none changes all that a cheaper one does."""
        for box in boxes:
            if self.wanted[self.solver.networks[box.node].labels].any():
                self._wait(box, self.solver.floor(box, self.row))
        while self.waiting and len(self.kept) < k:
            cost, _, _, _, box, candidate = heapq.heappop(self.waiting)
            if candidate is None:
                self._solve(box, cost, k)
                continue
            if not any(candidate.moves.keys() >= earlier.moves.keys() for earlier in self.kept):
                self._keep(candidate)
            self._wait(box, candidate.cost)
        short = isfinite(self.missed) and len(self.kept) < k
        return Found(self.kept, self.missed if short else None)

    def _keep(self, candidate: Candidate) -> None:
        lowest = min(self.missed, candidate.cost)
        proved = candidate.cost <= lowest * (1 + 2 * SAME) + SAME
        self.kept.append(replace(candidate, proved=proved, bound=None if proved else lowest))

    def _wait(self, box: Box, cost: float, candidate: Candidate | None = None) -> None:
        if isfinite(cost):
            key = () if candidate is None else candidate.key
            place = float(f"{cost:.12g}")
            heapq.heappush(self.waiting, (place, candidate is not None, key, next(self.turn), box, candidate))

    def _solve(self, box: Box, floor: float, k: int) -> None:
        """Find the nearest candidate of a box, and let it wait for its turn."""
        limit = self._limit(k)
        outcome = self._outcome(box, floor, limit)
        bound = max(outcome.bound, floor)
        candidate = outcome.candidate
        if candidate is None and limit <= bound:  # not now: perhaps when those that set the limit have been beaten
            self._wait(box, bound)
            return
        if candidate is None:
            self.missed = min(self.missed, bound)
            return
        if not candidate.proved:
            self.missed = min(self.missed, bound)
        known = replace(candidate, accuracy=float(self.accuracy[box.node]))
        self._wait(box, max(candidate.cost, floor), known)

    def _limit(self, k: int) -> float:
        """Return what answers may cost that are of interest: no more than those that wait, if these are enough."""
        costs = sorted(cost for cost, _, _, _, _, candidate in self.waiting if candidate is not None)
        lacking = k - len(self.kept)
        return costs[lacking - 1] * (1 + 2 * SAME) + 2 * SAME if len(costs) >= lacking else inf

    def _outcome(self, box: Box, floor: float, limit: float) -> Outcome:
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return Outcome(None, floor)
        patterns = [frozenset(candidate.moves) for candidate in self.kept]
        return self.solver.nearest(box, self.row, self.wanted, patterns, limit=limit, deadline=self.deadline)
