"""Candidates to start from: known rows with a target label, rows moved along thresholds, and a local search from these.

None of this proves anything: the candidates are upper bounds, which limit what solvers look for. For models that no
solver reads they are all there is.

Tree ensembles are searched cell by cell, with one number per cell. Their candidates only take values of known rows and
of the tree's own regions, none of which is nearer than that number.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import floor, isfinite, isnan, log10
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools, Floats
from exactree.explain.counterfactual.action import Action
from exactree.explain.counterfactual.leaf_regions import LeafRegion
from exactree.explain.counterfactual.level_actions import FIRST, LevelActionSet
from exactree.explain.counterfactual.number_actions import NumberActionSet
from exactree.explain.counterfactual.ranking import Candidate
from exactree.explain.counterfactual.repair import Repair
from exactree.explain.counterfactual.value_sets import Interval, LevelSet
from exactree.explain.hybrid.opaque_solver import nearest_point
from exactree.table import CATEGORICAL_KINDS, Column

if TYPE_CHECKING:
    from exactree.explain.hybrid.search import HybridSearch

NEAREST = 24  # known rows that are tried for a row
STARTS = 4  # candidates that the local search starts from
ROUNDS = 60  # steps of the local search
STEPS = (1.0, 2.0, 4.0, 8.0)  # median absolute deviations by which numbers are moved
SHORTER = 1e-3  # relative: additional cost accepted for a number of few digits
BETTER = 1e-6  # relative: a step of the local search must save as much

Point = Mapping[int, Any]  # new values by column


@dataclass(slots=True, eq=False)
class KnownRows:
    """Finds candidates for the rows of a search by asking the model about single rows."""

    search: "HybridSearch"
    repair: Repair
    regions: list[LeafRegion]
    labels: NDArray[np.intp] = field(init=False)  # predicted for the rows of ``data``
    columns: list[int] = field(init=False)

    def __post_init__(self) -> None:
        hybrid, data = self.search.hybrid, self.search.data
        self.columns = sorted(self.repair.action_sets)
        self.labels = np.empty(0, dtype=np.intp)
        if data is not None:
            cells = {column.name: _as_written(column) for column in data.columns}
            self.labels = np.array(hybrid.predicted(cells), dtype=np.intp)

    @property
    def by_cells(self) -> bool:
        """Whether numbers are those of the cells of tree ensembles."""
        return self.search.hybrid.ensembles is not None

    def candidates(self, at: int, wanted: Bools, deadline: float | None) -> list[Candidate]:
        """Return some candidates for a row, each of them predicted."""
        starts = self._checked(at, self._starts(at, wanted), wanted)
        found = starts[: 4 * STARTS]
        for start in starts[:STARTS]:
            if deadline is not None and time.monotonic() >= deadline:
                break
            found.append(self._improved(at, start, wanted, deadline))
        return found

    def _starts(self, at: int, wanted: Bools) -> Iterator[Point]:
        """Yield known rows with a target label, the nearest row of each leaf region, and rows with one change."""
        row = self.search.row_values(at)
        yield from self._nearest_known(at, wanted)
        for region in self.regions:
            candidate = nearest_point(self.repair, region, row)
            if candidate is not None:
                yield {j: action.value for j, action in candidate.actions.items()}
        for j in self.columns:
            for value in self._other_values(j, row(j)):
                yield {j: value}

    def _other_values(self, j: int, value: Any) -> Iterator[Any]:
        action_set = self.repair.action_sets[j]
        if isinstance(action_set, LevelActionSet):
            yield from (np.flatnonzero(np.isfinite(action_set.cost_matrix[value + FIRST])) - FIRST).tolist()
            return
        if self.by_cells:
            return
        spread = self.search.graph.schema.columns[j].spread
        step = spread.step if spread is not None and spread.step else 1.0
        if not isnan(value):
            yield from (value + sign * times * step for times in STEPS for sign in (1, -1))

    def _nearest_known(self, at: int, wanted: Bools) -> Iterator[Point]:
        """Yield the nearest rows of ``data`` with a target label, with as many of their values as the row may take."""
        data = self.search.data
        rows = np.flatnonzero(wanted[self.labels])
        if data is None or not len(rows):
            return
        row, cost = self.search.row_values(at), np.zeros(len(rows))
        taken: dict[int, tuple[NDArray[Any], Bools]] = {}
        for j in self.columns:
            values = data.columns[j].values[rows]
            price = self._prices(j, row(j), values)
            taken[j] = values, np.isfinite(price) & (price > 0)
            cost += np.where(np.isfinite(price), price, 0.0)
        for place in np.argsort(cost, kind="stable")[:NEAREST].tolist():
            yield {j: values[place].item() for j, (values, moves) in taken.items() if moves[place]}

    def _prices(self, j: int, value: Any, values: NDArray[Any]) -> Floats:
        """Return what it costs to change a value to each of some others; inf if that is not allowed."""
        action_set = self.repair.action_sets[j]
        if isinstance(action_set, LevelActionSet):
            return np.asarray(action_set.cost_matrix[value + FIRST, values + FIRST])
        assert isinstance(action_set, NumberActionSet)
        allowed, gone = action_set.feasible, np.isnan(values)
        if isnan(value):
            return np.where(gone, 0.0, action_set.column_cost.missing if action_set.can_fill else np.inf)
        price = action_set.column_cost.per_unit * np.abs(values - value) + action_set.column_cost.per_change
        free = np.where(values > value, action_set.up, action_set.down)
        free &= (values >= allowed.low) & (values <= allowed.high)
        if action_set.rounds(value == floor(value)):
            free &= values == np.floor(values)
        price = np.where(free, price, np.inf)
        price[gone] = action_set.column_cost.missing if allowed.missing else np.inf
        return np.where(values == value, 0.0, price)

    def _action(self, j: int, value: Any, new: Any) -> Action | None:
        """Return the action that changes a value to exactly another one; None if it is not allowed."""
        action_set = self.repair.action_sets[j]
        if isinstance(action_set, LevelActionSet):
            return action_set.cheapest(LevelSet(frozenset([int(new)])), value)
        assert isinstance(action_set, NumberActionSet)
        if isnan(new):
            return action_set.cheapest(Interval(1, 0, missing=True), value)
        if action_set.rounds(not isnan(value) and value == floor(value)) and new != floor(new):
            return None
        return action_set.cheapest(Interval(new, new, missing=False), value)

    def _checked(self, at: int, points: Iterator[Point] | Sequence[Point], wanted: Bools) -> list[Candidate]:
        """Return the points that are counterfactuals, the cheapest first."""
        row, nodes = self.search.row_values(at), {region.node for region in self.regions}
        candidates = []
        for point in points:
            actions = {j: self._action(j, row(j), new) for j, new in point.items()}
            if all(action is not None for action in actions.values()):
                moved = {j: action for j, action in actions.items() if action is not None and action.changes}
                candidates.append(Candidate(LeafRegion(0), moved, accuracy=-1.0))
        if not candidates:
            return []
        rows = [self.search.changed_row(at, candidate) for candidate in candidates]
        hybrid, found = self.search.hybrid, []
        for candidate, label, leaf in zip(
            candidates, hybrid.labels_if_accepted(rows), hybrid.leaves(rows), strict=True
        ):
            if label is None or not wanted[label] or leaf not in nodes or not self.repair.is_feasible(candidate, row):
                continue
            region = LeafRegion(leaf)
            share = float(hybrid.accuracy[leaf])
            found.append(replace(candidate, region=region, label=label, accuracy=share, proved=False))
        return sorted(found, key=lambda candidate: candidate.key)

    def _improved(self, at: int, start: Candidate, wanted: Bools, deadline: float | None) -> Candidate:
        """Take changes back one by one, and go back half of the way, as long as the label stays a target."""
        best = start
        for _ in range(ROUNDS):
            if deadline is not None and time.monotonic() >= deadline:
                break
            nearer = self._checked(at, list(self._nearer(at, best)), wanted)
            if not nearer or nearer[0].cost >= best.cost * (1 - BETTER):
                break
            best = nearer[0]
        return self._shortened(at, best, wanted, deadline)

    def _nearer(self, at: int, candidate: Candidate) -> Iterator[Point]:
        row, values = self.search.row_values(at), {j: action.value for j, action in candidate.actions.items()}
        for j, new in values.items():
            rest = {other: value for other, value in values.items() if other != j}
            yield rest
            old = row(j)
            if isinstance(self.repair.action_sets[j], LevelActionSet):
                yield from (rest | {j: code} for code in self._other_values(j, old))
            elif not self.by_cells and not isnan(old) and not isnan(new):
                for share in (0.5, 0.1, 0.01):
                    between = new + share * (old - new)
                    whole = self.repair.action_sets[j]
                    integer = isinstance(whole, NumberActionSet) and whole.rounds(old == floor(old))
                    yield rest | {j: type(new)(round(between)) if integer else between}

    def _shortened(self, at: int, candidate: Candidate, wanted: Bools, deadline: float | None) -> Candidate:
        """Write numbers with as few digits as the label and the cost allow."""
        best = candidate
        for j, action in candidate.actions.items():
            if deadline is not None and time.monotonic() >= deadline:
                break
            if self.by_cells or not isinstance(action.value, float) or isnan(action.value):
                continue
            values = {other: one.value for other, one in best.actions.items()}
            points = [values | {j: short} for short in _short_numbers(action.value)]
            found = self._checked(at, points, wanted)
            good = [one for one in found if one.cost <= candidate.cost * (1 + SHORTER)]
            best = min([best, *good], key=lambda one: (_n_digits(one, j), one.key))
        return best


def _as_written(column: Column) -> list[Any]:
    """Return a column in the caller's own values; None where one is missing."""
    cells = zip(column.values.tolist(), column.missing.tolist(), strict=True)
    if column.kind in CATEGORICAL_KINDS:
        return [column.levels[code] if code >= 0 else None for code, _ in cells]
    return [None if gone else value for value, gone in cells]


def _short_numbers(value: float) -> list[float]:
    """Return numbers of few digits on both sides of a number."""
    if value == 0 or not isfinite(value):
        return [value]
    found = []
    for digits in range(1, 7):
        unit = 10.0 ** (floor(log10(abs(value))) - digits + 1)
        found += [float(f"{edge * unit:.{digits}g}") for edge in (floor(value / unit), floor(value / unit) + 1)]
    return found


def _n_digits(candidate: Candidate, j: int) -> int:
    return len(f"{float(candidate.actions[j].value):.15g}") if j in candidate.actions else 0
