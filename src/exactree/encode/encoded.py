"""The ranked form that all solvers read."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats, Int32s, Ints, UInt32s
from exactree.encode.ranking import midpoints_of_pairs
from exactree.table import Table, Test


class MissingRank(Enum):
    """Where a ranked column puts the rows that have no value.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[1.0], [None], [2.0]]), [0, 1, 0])
    >>> [column.missing.value for column in data.columns]
    ['low', 'high']
    """

    ABSENT = "absent"  # no row lacks a value
    LOW = "low"  # they have rank 0
    HIGH = "high"  # they have the highest rank


@dataclass(frozen=True, slots=True, eq=False)
class RankedColumn:
    """Ranks of all points in one column, and what a cut between two ranks means to the user.

    A question is a pair (column, rank): yes if and only if the point's rank is at most ``rank``.
    ``cuts[r]`` is the threshold between rank ``r`` and rank ``r + 1``; next to missing values it is -inf (LOW,
    cut after rank 0: yes means missing) or +inf (HIGH, last cut: yes means present).
    For IS_LEVEL rank 0 is "has the level", rank 1 "has not". For IS_MISSING rank 0 is missing, rank 1 present.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> column = encode(Table.of([[1.0], [2.0], [4.0]]), [0, 1, 0]).columns[0]
    >>> column.cuts, column.ranks
    (array([1.5, 3. ]), array([0, 1, 2], dtype=uint32))
    """

    source: int  # index of the table's column; -1 for LINEAR
    test: Test  # AT_MOST, IS_LEVEL or IS_MISSING; LINEAR in columns that a solver makes out of others
    missing: MissingRank
    level: int  # code of the level for IS_LEVEL, else -1
    # (n_ranks - 1,) the values on both sides of each cut, or the cut itself twice, as next to missing values; float64,
    # or int64 for Kind.INTEGER columns; unused for IS_LEVEL and IS_MISSING. Cuts are computed on demand.
    below: NDArray[Any]
    above: NDArray[Any]
    ranks: UInt32s  # (n_points,)
    factors: tuple[tuple[int, float], ...] = ()  # LINEAR: columns of the table and their coefficients

    @property
    def n_ranks(self) -> int:
        """Number of different ranks, at least two."""
        return len(self.below) + 1

    @property
    def cuts(self) -> NDArray[Any]:
        """All thresholds, (n_ranks - 1,)."""
        return midpoints_of_pairs(self.below, self.above)

    def cut(self, rank: int) -> Any:
        """Return the threshold between a rank and the next."""
        return midpoints_of_pairs(self.below[rank : rank + 1], self.above[rank : rank + 1])[0]

    def between(self, low: int, high: int) -> int:
        """Return the cut in the middle of two ranks that rows have, measured in the user's values.

        Cut r has the values below[r] and above[r] on its two sides, and one of these intervals holds the middle; or
        both are the threshold itself, and the nearest one is taken, the lower of two.
        """
        if high - low == 1:
            return low
        below, above = self.below[low:high], self.above[low:high]
        middle: float
        if below.dtype.kind == "i":
            middle = (int(below[0]) + int(above[-1])) // 2
        else:
            middle = below[0].item() / 2 + above[-1].item() / 2  # infinite next to missing values: take that cut
        at = max(0, int(np.searchsorted(below, middle, side="right")) - 1)
        if np.isfinite(middle) and at + 1 < len(below) and middle - above[at].item() > below[at + 1].item() - middle:
            at += 1
        return low + at

    def of_points(self, ranks: UInt32s) -> "RankedColumn":
        """Return the same column with the ranks of points instead of rows."""
        return RankedColumn(self.source, self.test, self.missing, self.level, self.below, self.above, ranks)


@dataclass(frozen=True, eq=False)
class Encoded:
    """A labelled table with its ranked columns. Immutable; shared by all solvers.

    Rows that have equal ranks in every column and the same label are merged into one *point*, whose weight and
    count are sums. Rows of weight zero are left out before anything else. Columns with one rank only are left out.
    Rows of one *group* have equal ranks whatever their labels: no question can separate them.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[1.0], [1.0], [2.0]]), ["no", "no", "yes"])
    >>> data.n_rows, data.n_points, data.n_questions, data.classes.tolist()
    (3, 2, 1, ['no', 'yes'])
    """

    table: Table  # the rows of positive weight; graphs take over its schema, with the spreads of its columns
    classes: NDArray[Any]  # (n_classes,) the caller's own labels, sorted
    labels: Int32s  # (n_rows,) index into classes
    weights: Floats  # (n_rows,) sample weight times class weight
    n_given: int  # rows given, those of weight zero among them
    kept: Ints  # (n_rows,) which of the rows given these are, ascending
    sample_weights: Floats  # (n_rows,) without the class weights
    columns: tuple[RankedColumn, ...]
    ranks: UInt32s  # (n_columns, n_points), those of ``columns`` in one piece
    point_of: Ints  # (n_rows,) point of each row
    point_labels: Int32s  # (n_points,)
    point_weights: Floats  # (n_points,)
    point_counts: Ints  # (n_points,) rows merged
    point_groups: Ints  # (n_points,) group of each point, 0..n_groups-1
    thresholds: str  # name of the policy, such as "all" or "quantiles(5)"
    complete: bool  # whether every split of the rows by one column is a question
    in_time: bool = True  # false if there was no time to rank columns: then there are none, and labels are all we know

    @property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return len(self.labels)

    @property
    def n_points(self) -> int:
        """Merged rows."""
        return len(self.point_labels)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    @cached_property
    def n_questions(self) -> int:
        """Number of (column, rank) pairs one may ask."""
        return sum(column.n_ranks - 1 for column in self.columns)

    def class_weight(self, points: Ints) -> Floats:
        """Weight of each class among some points, (n_classes,)."""
        labels, weights = self.point_labels[points], self.point_weights[points]
        return np.bincount(labels, weights=weights, minlength=self.n_classes).astype(np.float64)
