"""Table and labels -> Encoded."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats, Int32s, Ints, UInt32s
from exactree.encode.columns import ColumnRanks, rank_columns
from exactree.encode.encoded import Encoded, RankedColumn
from exactree.encode.labels import encode_labels
from exactree.encode.policy import Policy, policy
from exactree.encode.restricted_thresholds import with_restricted_thresholds
from exactree.encode.thresholds import All, Growth, TableThresholds
from exactree.encode.weights import class_weights, row_weights
from exactree.errors import InputError
from exactree.kernel import number_rows, take_rows
from exactree.table import Table


def encode(
    table: Table,
    y: Any,
    *,
    sample_weight: Any = None,
    class_weight: Any = None,
    thresholds: str | Policy = "all",
    growth: Growth | None = None,
    is_late: Callable[[], bool] = lambda: False,
) -> Encoded:
    """Encode a labelled table: rank its columns, weigh its rows, merge equal ones.

    Rows of weight zero are left out before anything else; the classes are those of all labels given. ``growth``
    describes the tree to be found; thresholds ``"sampled"`` need it. ``is_late`` is asked before each column: once it
    says yes, no column is ranked, and :attr:`Encoded.in_time` is false.

    Examples
    --------
    >>> encoded = encode(Table.of([[1.0], [2.0], [2.0], [3.0]]), ["a", "b", "b", "b"])
    >>> encoded.columns[0].cuts, encoded.columns[0].ranks
    (array([1.5, 2.5]), array([0, 1, 2], dtype=uint32))
    >>> encoded.point_weights
    array([1., 2., 1.])
    """
    chosen = policy(thresholds)
    if isinstance(chosen, TableThresholds) and growth is None:
        raise InputError(
            f"thresholds={str(chosen)!r} depend on the depth of the tree, which is not known here. Give encode(...) "
            f"growth=Growth(depth), or choose other thresholds."
        )
    classes, labels = encode_labels(y, table.n_rows)
    rows = _kept_rows(table, classes, labels, row_weights(sample_weight, table.n_rows), class_weight)
    by_column = All() if isinstance(chosen, TableThresholds) else chosen
    parts = rank_columns(rows.table, rows.labels, rows.weights, by_column, is_late)
    if parts is None:
        return replace(_merged(rows, classes, [], str(chosen)), in_time=False)
    data = _merged(rows, classes, parts, str(chosen))
    if isinstance(chosen, TableThresholds) and growth is not None:
        return with_restricted_thresholds(data, *chosen.kept(data, growth))
    return data


class _Rows(NamedTuple):
    """The rows of positive weight; fields as in :class:`Encoded`."""

    table: Table
    labels: Int32s
    weights: Floats
    n_given: int
    kept: Ints
    sample_weights: Floats


def _kept_rows(table: Table, classes: NDArray[Any], labels: Int32s, given: Floats, class_weight: Any) -> _Rows:
    kept, n_given, weights = np.flatnonzero(given), len(given), given
    if len(kept) < n_given:
        weights = given[kept]
    if class_weight is not None:
        weights = weights * class_weights(class_weight, classes, labels[kept])[labels[kept]]
        kept, weights = kept[weights > 0], weights[weights > 0]
    if len(kept) == 0:
        raise InputError("All weights are zero: class_weight leaves no row. Give at least one class a positive weight.")
    if len(kept) < n_given:
        table, labels, given = table.take(kept), labels[kept], given[kept]
    return _Rows(table, labels, weights, n_given, kept, given)


class _Points(NamedTuple):
    """Which rows are merged; fields as in :class:`Encoded`."""

    first: Ints | None  # row of each point; none are merged if None
    point_of: Ints
    labels: Int32s
    weights: Floats
    counts: Ints
    groups: Ints


def _points(rows: _Rows, parts: list[ColumnRanks]) -> _Points:
    labels, n_rows = rows.labels, len(rows.labels)
    if any(len(part.ranked) and part.ranked[0].n_ranks == n_rows for part in parts):  # no two rows are equal
        numbers = np.arange(n_rows)
        return _Points(None, numbers, labels, rows.weights, np.ones(n_rows, dtype=np.int64), numbers)
    row_groups = number_rows([part.key for part in parts], n_rows)
    point_of = number_rows([row_groups.astype(np.uint32), labels.astype(np.uint32)], n_rows)
    first = _first_rows(point_of)  # ascending, so groups stay numbered by first appearance
    weights = np.bincount(point_of, weights=rows.weights).astype(np.float64)
    return _Points(first, point_of, labels[first], weights, np.bincount(point_of), row_groups[first])


def _merged(rows: _Rows, classes: NDArray[Any], parts: list[ColumnRanks], thresholds: str) -> Encoded:
    points = _points(rows, parts)
    ranked = [column for part in parts for column in part.ranked]
    ranks = _ranks_of_points(ranked, points.first, len(points.labels))
    return Encoded(
        table=replace(rows.table, spreads=tuple(part.spread for part in parts)),
        classes=classes,
        labels=rows.labels,
        weights=rows.weights,
        n_given=rows.n_given,
        kept=rows.kept,
        sample_weights=rows.sample_weights,
        columns=tuple(column.of_points(out) for column, out in zip(ranked, ranks, strict=True)),
        ranks=ranks,
        point_of=points.point_of,
        point_labels=points.labels,
        point_weights=points.weights,
        point_counts=points.counts,
        point_groups=points.groups,
        thresholds=thresholds,
        complete=all(part.complete for part in parts),
    )


def _ranks_of_points(ranked: list[RankedColumn], first: Ints | None, n_points: int) -> UInt32s:
    """Return the ranks of points, (n_columns, n_points)."""
    ranks = _room(ranked, n_points)
    if first is None and all(_same_place(column.ranks, out) for column, out in zip(ranked, ranks, strict=True)):
        return ranks  # as they are
    take_rows([column.ranks for column in ranked], np.arange(n_points) if first is None else first, ranks)
    return ranks


def _same_place(one: UInt32s, other: UInt32s) -> bool:
    return one.ctypes.data == other.ctypes.data


def _room(ranked: list[RankedColumn], n_points: int) -> UInt32s:
    """Where the ranks of points go: in place of those of the rows, if these are in one piece; fresh pages take time."""
    shape = len(ranked), n_points
    whole = ranked[0].ranks.base if ranked else None
    if whole is not None and all(column.ranks.base is whole for column in ranked):
        n_cells = len(ranked) * n_points
        if 2 * n_cells >= whole.size:  # else much memory would be kept in vain
            # Columns stand there in this order, so every number moves to the front, and none is overwritten unread.
            return whole.reshape(-1)[:n_cells].reshape(shape)
    return np.empty(shape, dtype=np.uint32)


def _first_rows(numbers: Ints) -> Ints:
    """First row of each of the numbers, which appear in ascending order."""
    highest = np.maximum.accumulate(numbers)
    first = np.ones(len(numbers), dtype=np.bool_)
    np.not_equal(highest[1:], highest[:-1], out=first[1:])
    return np.flatnonzero(first)
