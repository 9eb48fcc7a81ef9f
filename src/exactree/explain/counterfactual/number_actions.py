"""Actions on numbers, integers and booleans.

A value outside an interval goes to the nearer end. The new number should be plausible and short: one that was observed,
else an integer if the column seems to hold integers, else one of few digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools, Floats
from exactree.explain.counterfactual.action import Action
from exactree.explain.counterfactual.costs import ColumnCost
from exactree.explain.counterfactual.short_numbers import short_number_above
from exactree.explain.counterfactual.value_sets import LARGEST, Interval


@dataclass(frozen=True, slots=True, eq=False)
class NumberActionSet:
    """The actions on one numeric column."""

    column_cost: ColumnCost
    feasible: Interval  # values that may be taken, missing or not
    observed: NDArray[Any] | None  # (n,) distinct values, sorted; None without data
    typical: float | int  # the median, which replaces missing values
    up: bool
    down: bool
    can_fill: bool  # whether a missing value may become a number
    integer: bool  # whether the column holds integers only
    seems_integer: bool  # whether it does if the current value is an integer
    scale: float  # magnitude of the thresholds

    def cheapest(self, inside: Interval, value: float | int) -> Action | None:
        """Return the cheapest action into an interval; of equal costs the one to a number."""
        if value in inside:
            return Action(value, 0.0, changes=False)
        target = self._target(inside, value)
        there = None if target is None else Action(target, self.cost_of(target, value), changes=True)
        if inside.missing and self.feasible.missing and not isnan(value):
            gone = Action(nan, self.column_cost.missing, changes=True)
            return gone if there is None or gone.cost < there.cost else there
        return there

    def costs(self, insides: Sequence[Interval], values: NDArray[Any]) -> Floats:
        """Return the cost of the cheapest action per value and interval, shape (n_rows, n_intervals)."""
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=np.bool_)
        integer = missing | (values == np.floor(values)) if values.dtype.kind == "f" else ~missing
        found = np.full((len(values), len(insides)), np.inf)
        for at, inside in enumerate(insides):
            column = found[:, at]
            for is_integer in (False, True):
                rows = ~missing & (integer == is_integer)
                low, high = self._ends(inside, integer=self.rounds(is_integer))
                if self.up and low is not None:
                    self._set_costs(column, rows & (values < inside.low), values, low)
                if self.down and high is not None:
                    self._set_costs(column, rows & (values > inside.high), values, high)
            if self._filled(inside) is not None:
                column[missing] = self.column_cost.missing
            if inside.missing and self.feasible.missing:
                column[~missing] = np.minimum(column[~missing], self.column_cost.missing)
            column[missing if inside.missing else np.zeros_like(missing)] = 0.0
            column[~missing & (values >= inside.low) & (values <= inside.high)] = 0.0
        return found

    def _set_costs(self, column: NDArray[Any], rows: Bools, values: NDArray[Any], target: float | int) -> None:
        """Set the costs of actions that take some rows to one value."""
        if values.dtype.kind == "f":
            distance = np.abs(target - values[rows])
        else:
            # Unsigned, the difference of two integers is exact even if it needs all 64 bits.
            a, b = values[rows].astype(np.uint64), np.array(target, dtype=np.int64).astype(np.uint64)
            distance = np.where(values[rows] < target, b - a, a - b).astype(np.float64)
        column[rows] = self.column_cost.per_unit * distance + self.column_cost.per_change

    def cost_of(self, target: float | int, value: float | int) -> float:
        """Return the cost of changing a value to a number."""
        if isnan(value):
            return self.column_cost.missing
        return self.column_cost.per_unit * float(abs(target - value)) + self.column_cost.per_change

    def _target(self, inside: Interval, value: float | int) -> float | int | None:
        """Return the number that replaces a value outside an interval."""
        if isnan(value):
            return self._filled(inside)
        low, high = self._ends(inside, integer=self.rounds(value == floor(value)))
        if value < inside.low:
            return low if self.up else None
        return high if self.down else None

    def rounds(self, value_is_integer: bool) -> bool:
        """Whether a value may change to integers only."""
        return self.integer or (self.seems_integer and value_is_integer)

    def _ends(self, inside: Interval, *, integer: bool) -> tuple[float | int | None, float | int | None]:
        """Return the lowest and the highest number of an interval that may be taken; None if there is none."""
        low, high = max(inside.low, self.feasible.low), min(inside.high, self.feasible.high)
        if low > high:
            return None, None
        if self.observed is not None:
            first, last = np.searchsorted(self.observed, low), np.searchsorted(self.observed, high, side="right") - 1
            if first <= last:
                return self.observed[first].item(), self.observed[last].item()
        if integer and abs(low) < LARGEST and ceil(low) <= high:
            bottom: float | int = type(low)(ceil(low))
        else:
            bottom = (
                low
                if isinstance(low, int) or self.integer or low <= -LARGEST
                else short_number_above(low, high, self.scale)
            )
        if integer and abs(high) < LARGEST and floor(high) >= low:
            top: float | int = type(high)(floor(high))
        elif isinstance(high, int) or self.integer or high >= LARGEST:
            top = high
        else:
            top = -short_number_above(-high, -low, self.scale)
        if self.integer and (bottom != floor(bottom) or top != floor(top)):
            return None, None
        return bottom, top

    def _filled(self, inside: Interval) -> float | int | None:
        """Return the number of an interval that replaces a missing value: the median, else the end nearest to it."""
        if not self.can_fill:
            return None
        low, high = self._ends(inside, integer=self.rounds(True))
        if low is None or high is None:
            return None
        if self.observed is not None and low <= self.typical <= high:
            return self.typical
        inner = [end for end in (low, high) if isfinite(end) and abs(end) < LARGEST]
        return min(inner, key=lambda end: abs(end - self.typical)) if inner else type(low)(0)
