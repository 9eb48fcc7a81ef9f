"""Counterfactuals of hybrid trees: the nearest rows over all leaves, where models in the leaves predict."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from exactree.arrays import Bools, Int32s
from exactree.explain.boosting.leaf_solver import EnsembleSolver, RegionCells
from exactree.explain.counterfactual.actionability import Actionability
from exactree.explain.counterfactual.column_actions import build_action_sets
from exactree.explain.counterfactual.leaf_regions import leaf_regions
from exactree.explain.counterfactual.progress import CounterfactualProgress
from exactree.explain.counterfactual.ranking import Candidate
from exactree.explain.counterfactual.repair import Repair
from exactree.explain.counterfactual.search import CounterfactualSearch, SearchResult
from exactree.explain.hybrid.hybrid import Hybrid
from exactree.explain.hybrid.known_rows import KnownRows
from exactree.explain.hybrid.leaf_queue import LeafQueue, LeafSolver
from exactree.explain.hybrid.opaque_solver import OpaqueSolver
from exactree.explain.leaf_facts import LeafFacts
from exactree.explain.network.leaf_solver import NetworkSolver
from exactree.table import Table

EVERY = 0.1  # seconds between two reports


@dataclass(slots=True, eq=False)
class Clock:
    """The time limit of a whole table, and the callback that follows the search."""

    seconds: float | None
    callback: Callable[[CounterfactualProgress], Any] | None
    n_rows: int
    began: float = field(default_factory=time.monotonic)
    stopped: bool = False
    last: float = -inf

    def deadline(self, rows_left: int) -> float | None:
        """Return when the next row must be done: it may take an equal share of the time that is left."""
        if self.seconds is None:
            return None
        now = time.monotonic()
        return now + max(self.began + self.seconds - now, 0.0) / max(rows_left, 1)

    def is_over(self) -> bool:
        """Whether time is up, or the callback stopped the search."""
        late = self.seconds is not None and time.monotonic() >= self.began + self.seconds
        return self.stopped or late

    def report(self, row: int, cost: float, bound: float) -> bool:
        """Tell the callback how the search of a row stands; return whether all is to stop."""
        now = time.monotonic()
        if self.callback is None or self.stopped or now - self.last < EVERY:
            return self.stopped
        self.last = now
        answer = self.callback(CounterfactualProgress(now - self.began, row, self.n_rows, cost, bound))
        self.stopped = bool(isinstance(answer, bool | np.bool_) and answer)
        return self.stopped


@dataclass(frozen=True, slots=True, eq=False)
class HybridSearch(CounterfactualSearch):
    """Counterfactuals of some rows of a hybrid tree, under any actionability."""

    hybrid: Hybrid
    clock: Clock

    def current_labels(self, leaves: Int32s) -> list[int]:
        """Return the label that the model predicts for each row."""
        return self.hybrid.labels([self._row(at, {}) for at in range(len(leaves))])

    def leaf_facts(self, leaf: int, label: int, row: Table) -> LeafFacts:
        """Return the statistics of a leaf and its model."""
        return self.hybrid.leaf_facts(leaf, label)

    def possible_labels(self) -> Bools:
        """Return which labels some leaf can predict."""
        labels = {label for node in self.graph.leaves.tolist() for label in self.hybrid.possible_labels(node)}
        return np.isin(np.arange(self.graph.n_classes), sorted(labels))

    def columns_read(self) -> set[int]:
        """Return the columns that the tree or a model reads."""
        return self.hybrid.columns_read()

    def search(
        self, actionability: Actionability, at: Sequence[int], wanted: Sequence[Bools], k: int
    ) -> list[SearchResult]:
        """Return the cheapest candidates for some rows, each of them checked by predicting it."""
        if not at:
            return []
        if self.clock.is_over():  # as when rows without an answer are searched again for what stands in the way
            return [SearchResult([], 0.0) for _ in at]
        action_sets = build_action_sets(self.graph, actionability, self.costs, self.data, self.hybrid.thresholds())
        repair = Repair(self.graph, action_sets, actionability.rules)
        feasible = actionability.feasible_leaves(self.hybrid.accuracy, self.hybrid.rows)
        regions = [region for region in leaf_regions(self.graph) if feasible[region.node]]
        known = KnownRows(self, repair, regions)
        cells = None if self.hybrid.ensembles is None else RegionCells(repair, self.hybrid.ensembles)
        return [
            self._search_row(number, known, cells, wanted[number], k, len(at) - place)
            for place, number in enumerate(at)
        ]

    def _search_row(
        self, at: int, known: KnownRows, cells: RegionCells | None, wanted: Bools, k: int, rows_left: int
    ) -> SearchResult:
        deadline = self.clock.deadline(rows_left)
        if self.clock.stopped or (deadline is not None and time.monotonic() >= deadline):
            return SearchResult([], 0.0)
        solver = self._solver(at, known, cells)
        queue = LeafQueue(
            solver,
            self.row_values(at),
            wanted,
            self.hybrid.accuracy,
            deadline,
            lambda cost, bound: self.clock.report(at, cost, bound),
        )
        return queue.run(known.regions, known.candidates(at, wanted, deadline), k)

    def _solver(self, at: int, known: KnownRows, cells: RegionCells | None) -> LeafSolver:
        def predicted_label(candidate: Candidate) -> int | None:
            row = self.changed_row(at, candidate)
            return self.hybrid.labels_if_accepted([row])[0] if self.hybrid.leaf(row) == candidate.region.node else None

        if self.hybrid.networks is not None:
            return NetworkSolver(known.repair, self.hybrid.networks, predicted_label)
        if cells is not None:
            return EnsembleSolver(cells, predicted_label)
        return OpaqueSolver(known.repair, self.hybrid, predicted_label)
