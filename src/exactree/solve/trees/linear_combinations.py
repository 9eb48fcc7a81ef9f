"""Linear combinations of columns as a MIP reads them, and back: an oblique split becomes a column with one cut.

Columns are scaled to 0..1, as in the paper. Of all linear combinations that split the rows as the MIP does, the one
with the widest gap is taken: a MIP only keeps its margin. In the user's units the combination is divided by its largest
coefficient, and coefficients are rounded to as few digits as keep the sides well separated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.encode import Encoded, MissingRank, RankedColumn
from exactree.mip import Mip, Term, solve
from exactree.model.oblique import linear_combination
from exactree.table import Kind, Test

MOST_DIGITS = 17  # with so many, a float64 is written exactly
LEAST_GAP = 1e-6  # a narrower one is noise of the LP
LEAST_SPAN = 1e-9  # of a column relative to its values: sums of narrower ones, such as times in seconds, lose digits
KEPT = 0.5  # share of the distance between two sides that rounding must leave


class ScaledSplit(NamedTuple):
    """An oblique split for columns scaled to 0..1: no if the linear combination is at least the threshold."""

    coefficients: Floats  # (n_oblique,), their absolute values add up to 1
    threshold: float
    gap: float  # between the two sides


@dataclass(frozen=True, slots=True, eq=False)
class ObliqueColumns:
    """Numeric columns without missing values: those that a linear combination may have."""

    sources: tuple[int, ...]  # columns of the table
    values: tuple[Floats, ...]  # of the points, for each column of the table; empty for those that are left out
    low: Floats  # (n_oblique,)
    span: Floats  # (n_oblique,) highest value less lowest

    @property
    def scaled(self) -> Floats:
        """Values from 0 to 1, (n_points, n_oblique)."""
        raw = np.array([self.values[j] for j in self.sources]).T
        return np.asarray((raw - self.low) / self.span)

    def separating_split(self, yes: Bools, no: Bools) -> RankedColumn | None:
        """Return a column of a linear combination that separates some points from others; ``None`` if none does.

        Points that are neither ``yes`` nor ``no`` do not matter.
        """
        coefficients = widest(self.scaled[yes], self.scaled[no])
        if not coefficients.any():
            return None
        exact = self._rounded(coefficients, MOST_DIGITS)
        for digits in range(1, MOST_DIGITS + 1):
            terms = self._rounded(coefficients, digits)
            sums = linear_combination(terms, self.values, len(yes))
            if _gap(sums, yes, no) >= KEPT * _gap(linear_combination(exact, self.values, len(yes)), yes, no):
                break
        cut = between(float(sums[yes].max()), float(sums[no].min()))
        ranks = (sums > cut).astype(np.uint32)
        cuts = np.array([cut])
        return RankedColumn(-1, Test.LINEAR, MissingRank.ABSENT, -1, cuts, cuts, ranks, terms)

    def of(self, sources: Sequence[int]) -> "ObliqueColumns":
        """Return some of the columns."""
        at = [self.sources.index(j) for j in sources]
        return replace(self, sources=tuple(sources), low=self.low[at], span=self.span[at])

    def scaled_split(self, factors: Sequence[tuple[int, float]], yes: Bools, no: Bools) -> ScaledSplit | None:
        """Return a split for columns scaled to 0..1; ``None`` if the two sides nearly touch."""
        coefficients = np.zeros(len(self.sources))
        for j, factor in factors:
            at = self.sources.index(j)
            coefficients[at] = factor * self.span[at]
        coefficients /= np.abs(coefficients).sum()
        sums = self.scaled @ coefficients
        gap = _gap(sums, yes, no)
        return None if gap < LEAST_GAP else ScaledSplit(coefficients, float(sums[no].min()), gap)

    def _rounded(self, coefficients: Floats, digits: int) -> tuple[tuple[int, float], ...]:
        """Columns and coefficients in the user's units: the largest is 1 or -1, negligible ones are left out."""
        largest = int(np.abs(coefficients).argmax())
        wanted = coefficients / self.span * (self.span[largest] / abs(coefficients[largest]))
        counts = np.abs(coefficients) > 10.0**-digits / 2 * abs(coefficients[largest])
        return tuple(
            (j, rounded_to(coefficient, digits))
            for j, coefficient, keep in zip(self.sources, wanted.tolist(), counts.tolist(), strict=True)
            if keep
        )


def _gap(sums: Floats, yes: Bools, no: Bools) -> float:
    return float(sums[no].min() - sums[yes].max())


def oblique_columns(data: Encoded) -> ObliqueColumns:
    """Find the columns of linear combinations: numbers and truth values without missing values."""
    table = data.table
    first = np.unique(data.point_of, return_index=True)[1]
    found: dict[int, Floats] = {}
    for column in data.columns:
        kinds = column.test is Test.AT_MOST and table.columns[column.source].kind in (Kind.NUMBER, Kind.BOOLEAN)
        if kinds and column.missing is MissingRank.ABSENT:
            found[column.source] = table.columns[column.source].values[first]
    with np.errstate(over="ignore"):
        wide = {j: LEAST_SPAN < np.ptp(values) / np.abs(values).max() < np.inf for j, values in found.items()}
    found = {j: values for j, values in found.items() if wide[j]}
    low = np.array([values.min() for values in found.values()])
    span = np.array([np.ptp(values) for values in found.values()])
    return ObliqueColumns(tuple(found), tuple(found.get(j, np.empty(0)) for j in range(len(table.columns))), low, span)


def widest(yes: Floats, no: Floats) -> Floats:
    """Coefficients, sizes adding up to 1 at most, with the widest gap between the yes rows and the no rows above them.

    All zero if no linear combination separates them.

    Examples
    --------
    >>> widest(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 1.0]]))
    array([0.5, 0.5])
    """
    mip = Mip()
    n_oblique = yes.shape[1]
    up, down = (mip.columns(name, n_oblique, high=1) for name in ("up", "down"))
    at = mip.columns("at", 1, low=-1, high=1)
    gap = mip.columns("gap", 1, cost=-1)
    # below[r]: sum_j x (up - down) + gap <= at;  above[r]: sum_j x (up - down) >= at
    for name, x, ends in (("below", yes, {"at_most": 0.0}), ("above", no, {"at_least": 0.0})):
        terms: list[Term] = [(x, np.broadcast_to(up, x.shape)), (-x, np.broadcast_to(down, x.shape))]
        terms += [(-1, np.repeat(at, len(x))), (float(name == "below"), np.repeat(gap, len(x)))]
        mip.family(name, terms, **ends)
    mip.family("size", [(1, np.concatenate([up, down])[None, :])], at_most=1)
    found = solve(mip.program(), backend="highs")
    if found.values is None or found.objective > -LEAST_GAP:
        return np.zeros(n_oblique)
    return np.asarray(found.values[up] - found.values[down])


def rounded_to(value: float, digits: int) -> float:
    """Round to some number of significant digits.

    Examples
    --------
    >>> rounded_to(0.123456, 2), rounded_to(-1234.5, 1)
    (0.12, -1000.0)
    """
    return float(f"{value:.{digits}g}")


def between(low: float, high: float) -> float:
    """Return a number near the middle of two, at least the lower and below the higher, with few digits.

    Examples
    --------
    >>> between(1.2345, 1.2999), between(0.0, 1.0)
    (1.27, 0.5)
    """
    middle = low + (high - low) / 2
    quarter = (high - low) / 4
    for digits in range(1, MOST_DIGITS):
        found = rounded_to(middle, digits)
        if low + quarter <= found <= high - quarter:
            return found
    return middle if middle < high else low
