"""Table and labels -> Encoded."""

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
) -> Encoded:
    """Encode a labelled table: rank its columns, weigh its rows, merge equal ones.

    Rows of weight zero are left out before anything else; the classes are those of all labels given. ``growth``
    describes the tree to be found; thresholds ``"sampled"`` need it.

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
    data = _merged(rows, classes, rank_columns(rows.table, rows.labels, rows.weights, by_column), str(chosen))
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
    kept, n_given = np.flatnonzero(given), len(given)
    weights = given[kept]
    if class_weight is not None:
        weights = weights * class_weights(class_weight, classes, labels[kept])[labels[kept]]
        kept, weights = kept[weights > 0], weights[weights > 0]
    if len(kept) == 0:
        raise InputError("All weights are zero: class_weight leaves no row. Give at least one class a positive weight.")
    if len(kept) < n_given:
        table, labels = table.take(kept), labels[kept]
    return _Rows(table, labels, weights, n_given, kept, given[kept])


def _merged(rows: _Rows, classes: NDArray[Any], parts: list[ColumnRanks], thresholds: str) -> Encoded:
    labels, n_rows = rows.labels, len(rows.labels)
    row_groups = number_rows([part.key for part in parts], n_rows)
    point_of = number_rows([row_groups.astype(np.uint32), labels.astype(np.uint32)], n_rows)
    first = _first_rows(point_of)  # ascending, so groups stay numbered by first appearance
    ranked = [column for part in parts for column in part.ranked]
    ranks = _room(ranked, len(first))
    take_rows([column.ranks for column in ranked], first, ranks)
    return Encoded(
        table=replace(rows.table, spreads=tuple(part.spread for part in parts)),
        classes=classes,
        labels=labels,
        weights=rows.weights,
        n_given=rows.n_given,
        kept=rows.kept,
        sample_weights=rows.sample_weights,
        columns=tuple(column.of_points(out) for column, out in zip(ranked, ranks, strict=True)),
        ranks=ranks,
        point_of=point_of,
        point_labels=labels[first],
        point_weights=np.bincount(point_of, weights=rows.weights).astype(np.float64),
        point_counts=np.bincount(point_of),
        point_groups=row_groups[first],
        thresholds=thresholds,
        complete=all(part.complete for part in parts),
    )


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
