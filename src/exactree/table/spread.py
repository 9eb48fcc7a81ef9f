"""How much a column varies: what a usual step of its numbers is, and how rare its levels and missing values are."""

import sys
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats
from exactree.errors import InputError
from exactree.table.column import Column, Kind

# Of normally distributed values the standard deviation is this many median absolute deviations; where most values are
# equal, the literature on counterfactuals takes so many standard deviations instead.
DEVIATIONS = 1.48


@dataclass(frozen=True, slots=True)
class Spread:
    """How much a column varied in some rows, such as those a model was fitted to.

    Examples
    --------
    >>> Spread(rows=5, missing=1, step=2.5)
    Spread(rows=5, missing=1, step=2.5, counts=())
    """

    rows: int  # looked at, at least one
    missing: int  # of them without a value
    step: float | None = None  # usual step of numbers, and of ordered categories in levels; None for other categories
    counts: tuple[int, ...] = ()  # categories without order: rows of each level

    def __post_init__(self) -> None:
        if self.rows < 1 or not 0 <= self.missing <= self.rows:
            raise InputError(
                f"missing is {self.missing} of {self.rows} rows. Expected one row or more, and no more of them missing."
            )
        if self.step is not None and (self.counts or not 0 < self.step < inf):
            raise InputError(f"step is {self.step}. Expected a finite number above 0, and no counts of levels with it.")
        if self.counts and (min(self.counts) < 0 or sum(self.counts) > self.rows - self.missing):
            raise InputError(f"counts do not add up: there are {self.rows} rows, {self.missing} of them missing.")


def spread_of(column: Column) -> Spread:
    """Measure a column over all its rows, of which there must be one at least.

    Examples
    --------
    >>> spread_of(Column("age", Kind.NUMBER, np.array([8.0, 1.0, np.nan, 2.0, 9.0, 4.0])))
    Spread(rows=6, missing=1, step=3.0, counts=())
    >>> spread_of(Column("colour", Kind.CATEGORY, np.array([0, 1, 1, -1]), ("blue", "red")))
    Spread(rows=4, missing=1, step=None, counts=(1, 2))
    """
    missing = column.missing
    n_rows, n_missing = len(missing), int(np.count_nonzero(missing))
    if column.kind is Kind.CATEGORY:
        counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
        return Spread(n_rows, n_missing, counts=tuple(counts.tolist()))
    if column.kind is Kind.ORDERED:  # levels that are unknown have no place in the order
        known = column.values[column.values >= 0].astype(np.float64)
    else:
        known = column.values[~missing]
    known.sort()
    return Spread(n_rows, n_missing, usual_step(known))


def usual_step(ordered: NDArray[Any]) -> float:
    """Median absolute deviation of ascending values; if most are equal, by the standard deviation; 1 if all are.

    Examples
    --------
    >>> usual_step(np.array([1.0, 2.0, 4.0, 8.0, 9.0])), usual_step(np.array([5.0, 5.0]))
    (3.0, 1.0)
    """
    if not len(ordered) or ordered.item(0) == ordered.item(-1):
        return 1.0
    step = _median_deviation(ordered)
    return _within_floats(step) if step else step_of_counts(*np.unique(ordered, return_counts=True))


def step_of_counts(distinct: NDArray[Any], counts: NDArray[np.intp]) -> float:
    """Return the usual step of ascending values each of which occurs so many times; quick if they are few.

    Examples
    --------
    >>> step_of_counts(np.array([1.0, 2.0, 9.0]), np.array([2, 2, 3])), usual_step(np.array([1.0, 1, 2, 2, 9, 9, 9]))
    (1.0, 1.0)
    """
    if len(distinct) < 2:
        return 1.0
    up_to = np.cumsum(counts)
    n_rows = int(up_to[-1])
    middles = [(n_rows - 1) // 2, n_rows // 2]  # of an even number of rows there are two
    at = up_to.searchsorted(middles, side="right")
    # Neighbours beyond 2**53 stay apart.
    values = (distinct - distinct[at[1]]).astype(np.float64) if distinct.dtype.kind == "i" else distinct
    with np.errstate(over="ignore", invalid="ignore"):
        far = np.abs(values - (values[at[0]] + values[at[1]]) / 2)
        order = np.argsort(far, kind="stable")
        found = far[order[np.cumsum(counts[order]).searchsorted(middles, side="right")]]
        step = float((found[0] + found[1]) / 2) or _by_deviation(values, counts)
    return _within_floats(step)


def _median_deviation(ordered: NDArray[Any]) -> float:
    """Find the deviation of the value that is the median when all are sorted by it; of two, the mean.

    Those nearest to the median, one half of all, are neighbours: they start behind every value that is farther from it
    than the one half the rows later. Halving finds the place with a few values, each taken as a Python number.
    """
    value, n_rows = ordered.item, len(ordered)
    half, odd = divmod(n_rows, 2)
    base = value(half) if ordered.dtype.kind == "i" else 0.0  # neighbours beyond 2**53 stay apart
    median = value(half) - base if odd else (value(half - 1) - base + (value(half) - base)) / 2
    near = half + odd
    start, end = 0, n_rows - near
    while start < end:
        at = (start + end) // 2
        if median - (value(at) - base) > value(at + near) - base - median:
            start = at + 1
        else:
            end = at
    last = max(median - (value(start) - base), value(start + near - 1) - base - median)
    if odd:
        return float(last)
    before = median - (value(start - 1) - base) if start else inf
    after = value(start + near) - base - median if start + near < n_rows else inf
    return float((last + min(before, after)) / 2)


def _by_deviation(distinct: Floats, counts: NDArray[np.intp]) -> float:
    if len(distinct) == 2:
        return step_of_two(float(distinct[0]), float(distinct[1]), int(counts[0]), int(counts[1]))
    n_rows = int(counts.sum())
    mean = (counts * distinct).sum() / n_rows
    return DEVIATIONS * sqrt((counts * (distinct - mean) ** 2).sum() / n_rows)


def step_of_two(low: float, high: float, n_low: int, n_high: int) -> float:
    """Return the usual step between two values of which there are so many.

    Examples
    --------
    >>> step_of_two(0.0, 1.0, 2, 2), round(step_of_two(0.0, 1.0, 1, 9), 3)
    (0.5, 0.444)
    """
    if n_low == n_high:
        median = (low + high) / 2
        return _within_floats(((median - low) + (high - median)) / 2)
    n_rows = n_low + n_high
    return _within_floats(DEVIATIONS * (high - low) * sqrt(n_low / n_rows * (n_high / n_rows)))


def _within_floats(step: float) -> float:
    """Keep a step of huge or tiny values within what a float holds, and one over it too."""
    if not isfinite(step):
        return sys.float_info.max
    return max(step, sys.float_info.min)
