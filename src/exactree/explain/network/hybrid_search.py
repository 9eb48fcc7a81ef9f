"""Counterfactuals of hybrid trees: the nearest rows over all leaves, where models in the leaves predict.

A best-first search: leaf regions wait in a queue by a lower bound on the cost of reaching them. A region is solved as a
MIP when it comes first, and its candidate joins the queue. When a candidate comes first, no unsolved leaf can hold a
nearer row. Its region then returns to the queue, with the candidate's set of changed columns excluded.
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

from exactree.arrays import Bools, Floats, Int32s
from exactree.errors import Unsupported
from exactree.explain.counterfactual.actionability import Actionability
from exactree.explain.counterfactual.column_actions import build_action_sets, columns_in_splits
from exactree.explain.counterfactual.leaf_regions import LeafRegion, leaf_regions
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.repair import Repair
from exactree.explain.counterfactual.search import CounterfactualSearch, SearchResult
from exactree.explain.leaf_facts import LeafFacts, plain_label, wilson
from exactree.explain.network.leaf_solver import SAME, LeafResult, NetworkSolver
from exactree.explain.network.network import Network, constant, network_of
from exactree.model import Graph
from exactree.table import CATEGORICAL_KINDS, Frame, Table


@dataclass(frozen=True, slots=True, eq=False)
class Hybrid:
    """A fitted hybrid tree: the models of its leaves and their training accuracy."""

    model: Any
    graph: Graph
    networks: Mapping[int, Network]  # by leaf; that of a leaf without a model is constant
    rows: NDArray[np.intp]  # (n_nodes,) training rows of leaves
    accuracy: Floats  # (n_nodes,) of the leaf models on them; -1 if unknown
    raw_rows: bool  # whether models read the caller's own table

    def labels(self, rows: Sequence[Mapping[str, Any]]) -> list[int]:
        """Return the labels that the model predicts for some rows, as indices of its classes."""
        known = self.graph.classes.tolist()
        return [known.index(label) for label in np.asarray(self.model.predict(self._table(rows))).tolist()]

    def leaf(self, row: Mapping[str, Any]) -> int:
        """Return the leaf in which a row ends."""
        return int(self.graph.apply(Table.of(self._frame([row])).conform(self.graph.schema))[0])

    def _frame(self, rows: Sequence[Mapping[str, Any]]) -> Frame:
        names = tuple(column.name for column in self.graph.schema.columns)
        return Frame(names, [[row[name] for row in rows] for name in names])

    def _table(self, rows: Sequence[Mapping[str, Any]]) -> Any:
        """Return rows as input of the model: like its training rows, if it reads raw rows."""
        if not self.raw_rows:
            return self._frame(rows)
        columns = self.graph.schema.columns
        cells = {
            c.name: [nan if row[c.name] is None and c.kind not in CATEGORICAL_KINDS else row[c.name] for row in rows]
            for c in columns
        }
        if hasattr(self.model, "feature_names_in_"):
            if find_spec("pandas") is None:
                raise Unsupported(
                    "The leaf models read raw rows of a data frame, and predicting changed rows needs pandas: "
                    "pip install pandas, or fit them on an array."
                )
            return import_module("pandas").DataFrame(cells)
        mixed = any(column.kind in CATEGORICAL_KINDS for column in columns)
        return np.array(list(cells.values()), dtype=object if mixed else np.float64).T


def hybrid_of(model: Any) -> Hybrid | None:
    """Return a fitted hybrid tree; None if ``model`` is not one, or if no leaf has a model."""
    leaf_models = getattr(model, "leaf_models_", {})
    graph = getattr(model, "tree_", None)
    if not isinstance(graph, Graph) or all(found is None for found in leaf_models.values()):
        return None
    raw_rows = bool(getattr(model, "reads_raw_rows_", False))
    networks = {
        node: constant(int(graph.label[node]))
        if found is None
        else network_of(found, graph.schema, graph.classes.tolist(), raw_rows=raw_rows)
        for node, found in leaf_models.items()
    }
    rows, accuracy = np.zeros(graph.n_nodes, dtype=np.intp), np.full(graph.n_nodes, -1.0)
    for score in model.report_.leaves:
        rows[score.node], accuracy[score.node] = score.rows, score.accuracy if score.rows else -1.0
    return Hybrid(model, graph, networks, rows, accuracy, raw_rows)


@dataclass(frozen=True, slots=True, eq=False)
class HybridSearch(CounterfactualSearch):
    """Counterfactuals of some rows of a hybrid tree, under any actionability."""

    hybrid: Hybrid
    seconds: float | None  # for each row

    def current_labels(self, leaves: Int32s) -> list[int]:
        """Return the label that the model predicts for each row."""
        nothing = Candidate(LeafRegion(0), {}, -1.0)
        return self.hybrid.labels([self.changed_row(at, nothing) for at in range(len(leaves))])

    def leaf_facts(self, leaf: int, label: int, row: Table) -> LeafFacts:
        """Return the training statistics of a leaf's model."""
        rows, share = int(self.hybrid.rows[leaf]), float(self.hybrid.accuracy[leaf])
        known = share >= 0
        interval = wilson(share, rows) if known else (0.0, 1.0)
        return LeafFacts(leaf, plain_label(self.graph, label), rows, share if known else None, interval)

    def possible_labels(self) -> Bools:
        """Return which labels some leaf can predict."""
        labels = {int(label) for network in self.hybrid.networks.values() for label in network.labels}
        return np.isin(np.arange(self.graph.n_classes), sorted(labels))

    def columns_read(self) -> set[int]:
        """Return the columns that the tree or a model reads."""
        return columns_in_splits(self.graph) | {j for net in self.hybrid.networks.values() for j in net.column_weights}

    def search(
        self, actionability: Actionability, at: Sequence[int], wanted: Sequence[Bools], k: int
    ) -> list[SearchResult]:
        """Return the cheapest candidates for some rows, each of them checked by predicting it."""
        if not at:
            return []
        action_sets = build_action_sets(
            self.graph, actionability, self.costs, self.data, frozenset(self.columns_read())
        )
        repair = Repair(self.graph, action_sets, actionability.rules)
        feasible = actionability.feasible_leaves(self.hybrid.accuracy, self.hybrid.rows)
        regions = [region for region in leaf_regions(self.graph) if feasible[region.node]]
        return [self._search_row(number, repair, regions, wanted[number], k) for number in at]

    def _search_row(self, at: int, repair: Repair, regions: list[LeafRegion], wanted: Bools, k: int) -> SearchResult:
        def predicted_label(candidate: Candidate) -> int | None:
            row = self.changed_row(at, candidate)
            return self.hybrid.labels([row])[0] if self.hybrid.leaf(row) == candidate.region.node else None

        solver = NetworkSolver(repair, self.hybrid.networks, predicted_label)
        deadline = None if self.seconds is None else time.monotonic() + self.seconds
        return _LeafQueue(solver, self.row_values(at), wanted, self.hybrid.accuracy, deadline).run(regions, k)


@dataclass(slots=True, eq=False)
class _LeafQueue:
    """Regions and candidates of one row, cheapest first; regions before candidates of equal cost."""

    solver: NetworkSolver
    row: Row
    wanted: Bools
    accuracy: Floats
    deadline: float | None
    queue: list[tuple[float, bool, tuple[Any, ...], int, LeafRegion, Candidate | None]] = field(default_factory=list)
    kept: list[Candidate] = field(default_factory=list)
    unexplored: float = inf  # lower bound over all regions that were not solved in time
    counter: Iterator[int] = field(default_factory=count)

    def run(self, regions: Sequence[LeafRegion], k: int) -> SearchResult:
        """Return the ``k`` cheapest candidates that no cheaper one dominates."""
        for region in regions:
            if self.wanted[self.solver.networks[region.node].labels].any():
                self._push(region, self.solver.lower_bound(region, self.row))
        while self.queue and len(self.kept) < k:
            cost, _, _, _, region, candidate = heapq.heappop(self.queue)
            if candidate is None:
                self._solve(region, cost, k)
                continue
            if not any(candidate.actions.keys() >= earlier.actions.keys() for earlier in self.kept):
                self._keep(candidate)
            self._push(region, candidate.cost)
        short = isfinite(self.unexplored) and len(self.kept) < k
        return SearchResult(self.kept, self.unexplored if short else None)

    def _keep(self, candidate: Candidate) -> None:
        lowest = min(self.unexplored, candidate.cost)
        proved = candidate.cost <= lowest * (1 + 2 * SAME) + SAME
        self.kept.append(replace(candidate, proved=proved, bound=None if proved else lowest))

    def _push(self, region: LeafRegion, cost: float, candidate: Candidate | None = None) -> None:
        if isfinite(cost):
            key = () if candidate is None else candidate.key
            place = float(f"{cost:.12g}")
            heapq.heappush(self.queue, (place, candidate is not None, key, next(self.counter), region, candidate))

    def _solve(self, region: LeafRegion, lower_bound: float, k: int) -> None:
        """Find the nearest candidate of a region and push it."""
        limit = self._limit(k)
        result = self._leaf_result(region, lower_bound, limit)
        bound = max(result.bound, lower_bound)
        candidate = result.candidate
        if candidate is None and limit <= bound:  # beyond the limit; solved again if those that set it are dominated
            self._push(region, bound)
            return
        if candidate is None:
            self.unexplored = min(self.unexplored, bound)
            return
        if not candidate.proved:
            self.unexplored = min(self.unexplored, bound)
        known = replace(candidate, accuracy=float(self.accuracy[region.node]))
        self._push(region, max(candidate.cost, lower_bound), known)

    def _limit(self, k: int) -> float:
        """Return the cost above which no candidate is of interest: that of the queued ones, if these are enough."""
        costs = sorted(cost for cost, _, _, _, _, candidate in self.queue if candidate is not None)
        lacking = k - len(self.kept)
        return costs[lacking - 1] * (1 + 2 * SAME) + 2 * SAME if len(costs) >= lacking else inf

    def _leaf_result(self, region: LeafRegion, lower_bound: float, limit: float) -> LeafResult:
        if self.deadline is not None and time.monotonic() >= self.deadline:
            return LeafResult(None, lower_bound)
        excluded = [frozenset(candidate.actions) for candidate in self.kept]
        return self.solver.nearest(region, self.row, self.wanted, excluded, limit=limit, deadline=self.deadline)
