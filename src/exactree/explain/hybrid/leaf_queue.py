"""Best-first search over the leaf regions of a hybrid tree, for one row.

Regions wait in a queue by a lower bound on the cost of their rows, candidates by their cost. A region is solved when
it comes first, and its candidate joins the queue. When a candidate comes first, no region can hold a nearer row.
Candidates from elsewhere, such as known rows with a target label, wait in the same queue: they limit what solvers look
for, and are proved the nearest if they come first.
"""

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from math import inf, isfinite
from typing import Any, Protocol

from exactree.arrays import Bools, Floats
from exactree.explain.counterfactual.leaf_regions import LeafRegion
from exactree.explain.counterfactual.ranking import Candidate, Row
from exactree.explain.counterfactual.search import SearchResult
from exactree.explain.network.leaf_solver import SAME, LeafResult

SLICE = 0.02  # relative: how much farther than the next region or candidate one region is searched at a time


class LeafSolver(Protocol):
    """Finds the nearest row of a leaf region with a target label, for one row."""

    def can_predict(self, node: int, wanted: Bools) -> bool:
        """Whether a leaf can predict a target label."""
        ...

    def lower_bound(self, region: LeafRegion, row: Row) -> float:
        """Return a lower bound on the cost of moving a row into a region; inf if that is infeasible."""
        ...

    def nearest(
        self,
        region: LeafRegion,
        row: Row,
        wanted: Bools,
        excluded: Sequence[frozenset[int]],
        *,
        limit: float = inf,
        until: float = inf,
        deadline: float | None = None,
    ) -> LeafResult:
        """Find the nearest row that changes no excluded set of columns as a whole.

        Rows from ``limit`` on are of no interest; from ``until`` on another region comes first.
        """
        ...


@dataclass(slots=True, eq=False)
class LeafQueue:
    """Regions and candidates of one row, cheapest first; regions before candidates of equal cost."""

    solver: LeafSolver
    row: Row
    wanted: Bools
    accuracy: Floats
    deadline: float | None
    report: Callable[[float, float], bool]  # receives cost and bound; True: stop
    queue: list[tuple[float, int, tuple[Any, ...], int, LeafRegion | None, Candidate | None]] = field(
        default_factory=list
    )
    kept: list[Candidate] = field(default_factory=list)
    unexplored: float = inf  # lower bound over all regions that were not solved in time
    counter: Iterator[int] = field(default_factory=count)
    stopped: bool = False

    def run(self, regions: Sequence[LeafRegion], known: Sequence[Candidate], k: int) -> SearchResult:
        """Return the ``k`` cheapest candidates that no cheaper one dominates."""
        for start in known:
            self._push(None, start.cost, start)
        for usable in regions:
            if self.solver.can_predict(usable.node, self.wanted):
                self._push(usable, self.solver.lower_bound(usable, self.row))
        while self.queue and len(self.kept) < k:
            self._report()
            cost, _, _, _, region, candidate = heapq.heappop(self.queue)
            if candidate is None:
                assert region is not None
                self._solve(region, cost, k)
                continue
            if not any(candidate.actions.keys() >= earlier.actions.keys() for earlier in self.kept):
                self._keep(candidate)
            if region is not None:
                self._push(region, candidate.cost)
        short = isfinite(self.unexplored) and len(self.kept) < k
        return SearchResult(self.kept, self.unexplored if short else None)

    def _report(self) -> None:
        costs = [cost for cost, rank, *_ in self.queue if rank > 0]
        best = min([candidate.cost for candidate in self.kept[:1]] or costs, default=inf)
        bound = min(self.unexplored, self.queue[0][0], best)
        self.stopped = self.stopped or self.report(best, bound)

    def _keep(self, candidate: Candidate) -> None:
        lowest = min(self.unexplored, candidate.cost)
        proved = candidate.cost <= lowest * (1 + 2 * SAME) + SAME
        self.kept.append(replace(candidate, proved=proved, bound=None if proved else lowest))

    def _push(self, region: LeafRegion | None, cost: float, candidate: Candidate | None = None) -> None:
        if isfinite(cost):
            key = () if candidate is None else candidate.key
            place = float(f"{cost:.12g}")
            # Of equal costs regions come first, then their candidates, which are the nearest values at that cost.
            rank = 0 if candidate is None else 1 if region is not None else 2
            heapq.heappush(self.queue, (place, rank, key, next(self.counter), region, candidate))

    def _solve(self, region: LeafRegion, lower_bound: float, k: int) -> None:
        """Find the nearest candidate of a region and push it."""
        limit, until = self._limit(k), self._next_region()
        result = self._leaf_result(region, lower_bound, limit, until)
        bound = max(result.bound, lower_bound)
        self.unexplored = min(self.unexplored, max(result.doubtful, lower_bound))
        candidate = result.candidate
        if candidate is None and min(limit, until) <= bound:  # solved again when it comes first once more
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
        costs = sorted(cost for cost, rank, *_ in self.queue if rank > 0)
        lacking = k - len(self.kept)
        return costs[lacking - 1] * (1 + 2 * SAME) + 2 * SAME if len(costs) >= lacking else inf

    def _next_region(self) -> float:
        """Return a cost at which another region or a candidate comes first."""
        return self.queue[0][0] * (1 + SLICE) + 2 * SAME if self.queue else inf

    def _leaf_result(self, region: LeafRegion, lower_bound: float, limit: float, until: float) -> LeafResult:
        if self.stopped or (self.deadline is not None and time.monotonic() >= self.deadline):
            return LeafResult(None, lower_bound)
        excluded = [frozenset(candidate.actions) for candidate in self.kept]
        return self.solver.nearest(
            region, self.row, self.wanted, excluded, limit=limit, until=until, deadline=self.deadline
        )
