"""Linear combinations of columns as ranked columns, their cuts, and directions as coefficients with few digits."""

from collections.abc import Sequence
from math import cos, pi, sin, tan
from typing import NamedTuple

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.encode import MissingRank, RankedColumn
from exactree.model.oblique import linear_combination
from exactree.solve.trees.linear_combinations import MOST_DIGITS, rounded_to
from exactree.table import Test

Terms = tuple[tuple[int, float], ...]  # columns of the table, ascending, and their coefficients

LEAST_STEP = 1e-7  # of neighbouring values, relative to their range: closer ones have one rank
INNER = 0.1  # share of a range of coefficients that is kept free at both ends


class Split(NamedTuple):
    """A cut of a column; ``turned`` if the rows of low ranks are to go no."""

    change: float
    column: RankedColumn
    rank: int
    turned: bool


def best_cut(column: RankedColumn, points: Ints, change: Floats) -> Split | None:
    """Return the cut of a column that is cheapest, where yes costs more by ``change``; ``None`` if no cut splits."""
    by_rank = np.bincount(column.ranks[points], weights=change, minlength=column.n_ranks)
    sums = np.cumsum(by_rank)[:-1]
    low, high = int(sums.argmin()), int(sums.argmax())
    total = float(by_rank.sum())
    if len(points) == 0:
        return None
    if sums[low] <= total - sums[high]:
        return Split(float(sums[low]), column, low, turned=False)
    return Split(total - float(sums[high]), column, high, turned=True)


def ranked_combination(terms: Terms, values: Sequence[Floats], n_points: int) -> RankedColumn | None:
    """Return a linear combination as a column with all its cuts; ``None`` if it does not vary.

    Examples
    --------
    >>> column = ranked_combination(((0, 1.0), (1, 2.0)), [np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0])], 3)
    >>> column.ranks.tolist(), column.cuts.tolist()
    ([0, 1, 2], [0.5, 2.0])
    """
    sums = linear_combination(terms, values, n_points)
    if not np.isfinite(sums).all():
        return None
    order = np.argsort(sums, kind="stable")
    ordered = sums[order]
    steps = np.diff(ordered) > LEAST_STEP * (ordered[-1] - ordered[0])
    at = np.flatnonzero(steps)
    if len(at) == 0:
        return None
    ranks = np.empty(n_points, dtype=np.uint32)
    ranks[order] = np.concatenate([[0], np.cumsum(steps)])
    below, above = ordered[at], ordered[at + 1]
    return RankedColumn(-1, Test.LINEAR, MissingRank.ABSENT, -1, below, above, ranks, terms)


def with_direction(terms: Terms, span: float, column: int, column_span: float, low: float, high: float) -> Terms:
    """Return the linear combination for a range of directions, with coefficients of few digits.

    The directions are angles in the plane of a combination and a column, each divided by its span.

    Examples
    --------
    >>> with_direction(((0, 1.0),), 1.0, 1, 10.0, 0.7, 0.8)
    ((0, 1.0), (1, 0.09))
    >>> with_direction(((0, 1.0),), 1.0, 1, 1.0, 0.0, 0.1)
    ((0, 1.0), (1, 0.05))
    """
    middle = (low + high) / 2
    low, high = max(low, middle - pi / 8), min(high, middle + pi / 8)
    if abs(cos(middle)) >= abs(sin(middle)):
        ratio = span / column_span
        return _added(terms, 1.0, column, simplest(tan(low) * ratio, tan(high) * ratio))
    ratio = column_span / span  # the cotangent falls
    return _added(terms, simplest(ratio / tan(high), ratio / tan(low)), column, 1.0)


def simplest(low: float, high: float) -> float:
    """Return a number well between two with as few digits as there is.

    Examples
    --------
    >>> simplest(0.123, 0.187), simplest(-1.0, 2.0), simplest(31.0, 32.0)
    (0.15, 0.0, 31.5)
    """
    low, high = low + INNER * (high - low), high - INNER * (high - low)
    if low <= 0 <= high:
        return 0.0
    middle = (low + high) / 2
    for digits in range(1, MOST_DIGITS):
        if low <= (found := rounded_to(middle, digits)) <= high:
            return found
    return middle


def _added(terms: Terms, factor: float, column: int, coefficient: float) -> Terms:
    """Multiply a linear combination, and add a column; coefficients of zero are left out."""
    found = {j: rounded_to(factor * c, MOST_DIGITS - 2) for j, c in terms}
    found[column] = rounded_to(found.get(column, 0.0) + coefficient, MOST_DIGITS - 2)
    return tuple((j, c) for j, c in sorted(found.items()) if c)
