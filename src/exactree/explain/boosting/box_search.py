"""Branch and bound over the cells of an ensemble: the nearest cell of a leaf region with a target label.

A *box* allows some cells of every column. Its cheapest point takes the cheapest allowed cell of each column, so its
cost bounds all points of the box from below. Boxes wait in a queue by this bound: when the cheapest point of the first
box has a target label, no other point is nearer. Otherwise the box is split in two.

A box is dropped if no point in it can have a target label: each tree adds at most the greatest score of its leaves that
the box can still reach, within the cost limit.
"""

import heapq
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import fsum, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools, Floats
from exactree.explain.boosting.cells import ColumnCells
from exactree.explain.boosting.ensemble import Ensemble
from exactree.explain.counterfactual.action import Action
from exactree.explain.counterfactual.value_sets import Interval, ValueSet

NOISE = 1e-9  # scores that differ by less are equal: sums of trees are rounded
LOOK = 50  # boxes between two looks at the clock


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cells of one leaf region and one row: what they cost, and which leaves of the ensemble they reach."""

    ensemble: Ensemble
    columns: Sequence[int]
    cells: Sequence[ColumnCells]  # per column
    actions: Sequence[Sequence[Action | None]]  # per column and cell; None if the row may not go there
    costs: Sequence[Floats]  # of these, inf without an action
    stays: Sequence[Bools]  # whether the row is in the cell already
    tree: NDArray[np.intp]  # (n_leaves,) ascending
    scores: Floats  # (n_leaves, n_outputs)
    least: Floats  # (n_leaves, n_columns) cost of the cheapest cell of the leaf, by column

    @classmethod
    def of(
        cls, ensemble: Ensemble, cells: Mapping[int, ColumnCells], action: Callable[[int, int], Action | None]
    ) -> "Grid":
        """Price the cells for a row; ``action`` takes a column into one of its cells."""
        columns = sorted(cells)
        actions = [[action(j, number) for number in range(len(cells[j].cells))] for j in columns]
        costs = [np.array([inf if a is None else a.cost for a in some], dtype=np.float64) for some in actions]
        stays = [np.array([a is not None and not a.changes for a in some], dtype=np.bool_) for some in actions]
        n_leaves, n_outputs = len(ensemble.leaves), len(ensemble.labels)
        least = np.zeros((n_leaves, len(columns)))
        for place, j in enumerate(columns):
            if len(cells[j].leaves):
                inside = np.where(cells[j].inside, costs[place], inf)
                least[cells[j].leaves, place] = inside.min(axis=1, initial=inf)
        scores = np.array([leaf.scores for leaf in ensemble.leaves], dtype=np.float64).reshape(n_leaves, n_outputs)
        tree = np.array([leaf.tree for leaf in ensemble.leaves], dtype=np.intp)
        return cls(ensemble, columns, [cells[j] for j in columns], actions, costs, stays, tree, scores, least)


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """Allowed cells of every column, the cheapest point, and the leaves of the ensemble that can be reached."""

    allowed: tuple[NDArray[np.intp], ...]  # per column, ascending
    point: tuple[int, ...]  # cheapest cell per column
    lows: Floats  # (n_columns,) its cost by column
    alive: NDArray[np.intp]  # leaves that points of the box can reach, ascending


@dataclass(slots=True, eq=False)
class BoxSearch:
    """The search in one leaf region for one row; it can be continued where it stopped."""

    grid: Grid
    wanted: NDArray[np.intp]  # outputs with a target label
    others: NDArray[np.intp]
    accepts: Callable[[dict[int, Action]], int | None]  # the label of a point if it is a counterfactual
    coupled: bool = False  # whether rules or oblique splits may reject a point, but no other one of its cells
    queue: list[tuple[float, int, int, Box, tuple[int, int]]] = field(default_factory=list)
    doubtful: float = inf  # cost of the cheapest box where the model and the sum of trees disagree
    dropped: float = inf  # limit beyond which boxes were dropped
    n_boxes: int = 0
    _counter: Any = field(default_factory=count)

    def start(self) -> None:
        """Put all cells that the row may take into the queue."""
        allowed = tuple(np.flatnonzero(np.isfinite(costs)) for costs in self.grid.costs)
        if all(map(len, allowed)):
            self._push(self._box(allowed, np.arange(len(self.grid.tree)), inf), inf)

    @property
    def bound(self) -> float:
        """Lower bound on the cost of all points that are left, but for doubtful ones."""
        return min(self.queue[0][0] if self.queue else inf, self.dropped)

    def next(
        self, excluded: Sequence[frozenset[int]], limit: float, until: float, deadline: float | None
    ) -> tuple[dict[int, Action], int] | None:
        """Return the next nearest point with a target label; None if there is none in time, or below the limits.

        Boxes from ``limit`` on are dropped; those from ``until`` on wait.
        """
        if limit > self.dropped:
            self.queue.clear()
            self.dropped = inf
            self.start()
        while self.queue and self.queue[0][0] < min(limit, until):
            self.n_boxes += 1
            if deadline is not None and self.n_boxes % LOOK == 1 and time.monotonic() >= deadline:
                return None
            _, _, _, box, pair = heapq.heappop(self.queue)
            changed = frozenset(
                j for j, s, p in zip(self.grid.columns, self.grid.stays, box.point, strict=True) if not s[p]
            )
            if any(some <= changed for some in excluded):
                continue  # all points of the box change these columns
            now = self._point_leaves(box)
            scores = np.asarray(self.grid.ensemble.base + self.grid.scores[now].sum(axis=0))
            lead = float(scores[self.wanted].max() - scores[self.others].max(initial=-inf))
            label = self.accepts(self._actions(box)) if lead >= -NOISE else None
            if label is not None:
                return self._actions(box), label
            self._branch(box, pair, now, lead, limit)
        return None

    def _actions(self, box: Box) -> dict[int, Action]:
        found = {}
        for j, actions, stays, cell in zip(
            self.grid.columns, self.grid.actions, self.grid.stays, box.point, strict=True
        ):
            action = actions[cell]
            if not stays[cell] and action is not None:
                found[j] = action
        return found

    def _point_leaves(self, box: Box) -> NDArray[np.intp]:
        """Return the leaves, one per tree, that the cheapest point reaches."""
        reached = np.zeros(len(self.grid.tree), dtype=np.bool_)
        reached[box.alive] = True
        for cells, cell in zip(self.grid.cells, box.point, strict=True):
            reached[cells.leaves] &= cells.inside[:, cell]
        return np.flatnonzero(reached)

    def _box(self, allowed: tuple[NDArray[np.intp], ...], alive: NDArray[np.intp], limit: float) -> Box:
        point, lows = [], []
        for cells, costs, stays in zip(allowed, self.grid.costs, self.grid.stays, strict=True):
            best = min(cells.tolist(), key=lambda cell: (costs[cell], not stays[cell]))
            point.append(best)
            lows.append(costs[best])
        return self._within(Box(allowed, tuple(point), np.array(lows, dtype=np.float64), alive), limit)

    def _within(self, box: Box, limit: float) -> Box:
        """Return a box without leaves that only points beyond the limit reach."""
        cost = np.maximum(self.grid.least[box.alive], box.lows).sum(axis=1)
        alive = box.alive[cost < limit] if limit < inf else box.alive[np.isfinite(cost)]
        return Box(box.allowed, box.point, box.lows, alive)

    def _restricted(self, box: Box, place: int, cells: NDArray[np.intp], limit: float) -> Box:
        """Return the part of a box with fewer cells of one column."""
        of_column, costs, stays = self.grid.cells[place], self.grid.costs[place], self.grid.stays[place]
        dead = of_column.leaves[~of_column.inside[:, cells].any(axis=1)]
        keep = np.ones(len(self.grid.tree), dtype=np.bool_)
        keep[dead] = False
        best = min(cells.tolist(), key=lambda cell: (costs[cell], not stays[cell]))
        lows = box.lows.copy()
        lows[place] = costs[best]
        allowed = (*box.allowed[:place], cells, *box.allowed[place + 1 :])
        point = (*box.point[:place], best, *box.point[place + 1 :])
        return self._within(Box(allowed, point, lows, box.alive[keep[box.alive]]), limit)

    def _push(self, box: Box, limit: float) -> None:
        """Put a box into the queue unless it is too dear or cannot have a target label."""
        cost = float(f"{fsum(box.lows.tolist()):.12g}")
        pair = None if cost >= limit else self._best_pair(box)
        if pair is None:
            self.dropped = min(self.dropped, limit)
        else:
            n_changes = sum(not stays[cell] for stays, cell in zip(self.grid.stays, box.point, strict=True))
            heapq.heappush(self.queue, (cost, n_changes, -next(self._counter), box, pair))

    def _best_pair(self, box: Box) -> tuple[int, int] | None:
        """Return the target output that can lead the others by most, and the one it leads by least; None: no target."""
        tree = self.grid.tree[box.alive]
        starts = np.flatnonzero(np.diff(tree, prepend=-1))
        if len(starts) < (self.grid.tree[-1] + 1 if len(self.grid.tree) else 0):
            return None  # a tree without a leaf that can be reached within the limit
        best: tuple[float, int, int] | None = None
        scores, base = self.grid.scores[box.alive], self.grid.ensemble.base
        for target in self.wanted.tolist():
            lead = base[target] - base[self.others]
            if len(starts):
                margins = scores[:, [target]] - scores[:, self.others]
                lead = lead + np.maximum.reduceat(margins, starts, axis=0).sum(axis=0)
            if not len(lead):
                return target, target
            worst = int(lead.argmin())
            if lead[worst] >= -NOISE and (best is None or lead[worst] > best[0]):
                best = (float(lead[worst]), target, int(self.others[worst]))
        return None if best is None else best[1:]

    def _branch(self, box: Box, pair: tuple[int, int], now: NDArray[np.intp], lead: float, limit: float) -> None:
        """Split a box whose cheapest point, which reaches the leaves ``now``, is no target."""
        chosen = self._most_promising(box, pair, now) or self._any_choice(box)
        if chosen is None:  # a single point, which the model decides where scores are equal
            if lead > (-NOISE if self.coupled else NOISE):
                self.doubtful = min(self.doubtful, fsum(box.lows.tolist()))
            return
        place, moved = chosen
        stay = np.setdiff1d(box.allowed[place], moved, assume_unique=True)
        for cells in (stay, moved):
            self._push(self._restricted(box, place, cells, limit), limit)

    def _any_choice(self, box: Box) -> tuple[int, NDArray[np.intp]] | None:
        """Return any column with several cells, and those but the cheapest."""
        for place, cells in enumerate(box.allowed):
            if len(cells) > 1:
                return place, cells[cells != box.point[place]]
        return None

    def _most_promising(
        self, box: Box, pair: tuple[int, int], now: NDArray[np.intp]
    ) -> tuple[int, NDArray[np.intp]] | None:
        """Return the column whose change lets the trees gain most, and the cells to be tried apart from the others."""
        target, other = pair
        margin = self.grid.scores[box.alive, target] - self.grid.scores[box.alive, other]
        tree = self.grid.tree[box.alive]
        if not len(tree):
            return None
        order = np.lexsort((-margin, tree))
        first = order[np.flatnonzero(np.diff(tree[order], prepend=-1))]  # the best leaf of each tree
        gain = margin[first] - (self.grid.scores[now, target] - self.grid.scores[now, other])
        gains = np.zeros(len(self.grid.tree))
        gains[box.alive[first]] = gain
        best: tuple[float, int] | None = None
        for place, cells in enumerate(self.grid.cells):
            if len(box.allowed[place]) < 2 or not len(cells.leaves):
                continue
            worth = float(gains[cells.leaves[~cells.inside[:, box.point[place]]]].sum())
            if worth > NOISE and (best is None or worth > best[0]):
                best = worth, place
        return None if best is None else (best[1], self._moved_cells(box, best[1], gains))

    def _moved_cells(self, box: Box, place: int, gains: Floats) -> NDArray[np.intp]:
        """Return the cells on the far side of the threshold that matters most, or the category that does."""
        cells, point, allowed = self.grid.cells[place], box.point[place], box.allowed[place]
        needs = ~cells.inside[:, point] & (gains[cells.leaves] > 0)
        weight, inside = gains[cells.leaves[needs]], cells.inside[needs][:, allowed]
        numbers = np.array(
            [isinstance(cells.cells[c], Interval) and not cells.cells[c].missing for c in allowed.tolist()]
        )
        if not numbers[allowed == point].all() or not numbers[allowed != point].any():
            return allowed[[int(np.where(allowed == point, -1.0, weight @ inside).argmax())]]
        sides: list[tuple[float, Any, Any, Bools]] = []
        for side in (numbers & (allowed > point), numbers & (allowed < point)):
            reach = inside & side
            useful = reach.any(axis=1)
            sides.append((float(weight[useful].sum()), reach[useful], weight[useful], side))
        worth, reach, weight, side = max(sides, key=lambda one: one[0])
        if worth <= 0:  # only the missing value helps
            return np.asarray(allowed[~numbers] if (~numbers).any() else allowed[allowed != point])
        up = bool(allowed[side][0] > point)
        nearest = reach.argmax(axis=1) if up else reach.shape[1] - 1 - reach[:, ::-1].argmax(axis=1)
        order = np.argsort(nearest if up else -nearest)
        half = int(np.searchsorted(np.cumsum(weight[order]), worth / 2))
        border = int(nearest[order[min(half, len(order) - 1)]])
        beyond = np.arange(len(allowed)) >= border if up else np.arange(len(allowed)) <= border
        return np.asarray(allowed[side & beyond])


def _is_number(cell: ValueSet) -> bool:
    return isinstance(cell, Interval) and not cell.missing
