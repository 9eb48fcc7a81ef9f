"""The values of a column on a decision path: an interval of numbers, or a set of levels.

Both are closed: above a threshold an interval begins at the next float or integer, so that no end needs to be open and
nothing is lost to rounding.
"""

import math
import sys
from dataclasses import dataclass

from exactree.model import Graph
from exactree.table import MISSING_CODE, UNKNOWN_CODE, ColumnType, Kind, Test

LARGEST = sys.float_info.max  # tables hold no infinite numbers
SMALLEST_INTEGER, LARGEST_INTEGER = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers, integers or booleans from ``low`` to ``high``, both included, and perhaps the missing value.

    Examples
    --------
    >>> span = Interval(0.0, 10.0, missing=True)
    >>> 3.5 in span.split_at(3.5, yes=True, missing_yes=False), 3.5 in span.split_at(3.5, yes=False, missing_yes=False)
    (True, False)
    """

    low: float | int
    high: float | int  # below ``low`` if it has no number
    missing: bool

    @property
    def is_empty(self) -> bool:
        """Whether it has no value, not even the missing one."""
        return self.low > self.high and not self.missing

    def __contains__(self, value: float | int) -> bool:
        return self.missing if value != value else self.low <= value <= self.high

    def split_at(self, threshold: float | int, *, yes: bool, missing_yes: bool) -> "Interval":
        """Return the part that is at most the threshold, or the part that is not."""
        missing = self.missing and missing_yes == yes
        if yes:
            return Interval(self.low, min(self.high, threshold), missing)
        above = threshold + 1 if isinstance(threshold, int) else math.nextafter(threshold, math.inf)
        return Interval(max(self.low, above), self.high, missing)

    def present(self) -> "Interval":
        """Return the part with a value."""
        return Interval(self.low, self.high, missing=False)

    def absent(self) -> "Interval":
        """Return the part without a value."""
        return Interval(1, 0, self.missing)


@dataclass(frozen=True, slots=True)
class LevelSet:
    """Codes of a category, including those of missing and unknown values."""

    codes: frozenset[int]

    @property
    def is_empty(self) -> bool:
        """Whether it has no code."""
        return not self.codes

    def __contains__(self, code: int) -> bool:
        return code in self.codes

    def split_at(self, threshold: float | int, *, yes: bool, missing_yes: bool) -> "LevelSet":
        """Return the codes that are at most the threshold, or those that are not; unknown levels answer as missing."""
        return LevelSet(frozenset(c for c in self.codes if (missing_yes if c < 0 else c <= threshold) == yes))

    def split_level(self, code: int, *, yes: bool) -> "LevelSet":
        """Return the one code, or all others."""
        return LevelSet(frozenset(c for c in self.codes if (c == code) == yes))

    def present(self) -> "LevelSet":
        """Return the codes that are not missing; an unknown level is a value."""
        return self.split_level(MISSING_CODE, yes=False)

    def absent(self) -> "LevelSet":
        """Return the code of missing values, if it is in the set."""
        return self.split_level(MISSING_CODE, yes=True)


ValueSet = Interval | LevelSet


def domain_of(column: ColumnType) -> ValueSet:
    """Return all values that a column can hold.

    Examples
    --------
    >>> domain_of(ColumnType("smoker", Kind.BOOLEAN))
    Interval(low=0.0, high=1.0, missing=True)
    """
    if column.kind is Kind.INTEGER:
        return Interval(SMALLEST_INTEGER, LARGEST_INTEGER, missing=False)
    if column.kind is Kind.BOOLEAN:
        return Interval(0.0, 1.0, missing=True)
    if column.kind is Kind.NUMBER:
        return Interval(-LARGEST, LARGEST, missing=True)
    return LevelSet(frozenset([*range(len(column.levels)), MISSING_CODE, UNKNOWN_CODE]))


def values_on_side(graph: Graph, node: int, values: ValueSet, *, yes: bool) -> ValueSet:
    """Return the values, of those given, that take one side of a split on a single column."""
    if graph.test[node] == Test.IS_MISSING:
        return values.absent() if yes else values.present()
    if graph.test[node] == Test.IS_LEVEL:
        assert isinstance(values, LevelSet)
        return values.split_level(int(graph.code[node]), yes=yes)
    integer = graph.schema.columns[graph.column[node]].kind is Kind.INTEGER
    threshold = int(graph.code[node]) if integer else float(graph.threshold[node])
    return values.split_at(threshold, yes=yes, missing_yes=bool(graph.missing_yes[node]))
