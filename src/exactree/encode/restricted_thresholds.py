"""An encoded table with fewer questions, and rows merged that no remaining question separates."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from exactree.arrays import Bools
from exactree.encode.encoded import Encoded, MissingRank, RankedColumn
from exactree.kernel import number_rows
from exactree.table import Test


def with_restricted_thresholds(data: Encoded, keep: Sequence[Bools], thresholds: str) -> Encoded:
    """Return the same rows with some of the questions: ``keep`` says for each cut of each column whether it stays.

    A column of the table that is still asked about keeps the question whether its value is missing, as with any other
    policy for thresholds.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[1.0], [2.0], [3.0], [4.0]]), list("aabb"))
    >>> fewer = with_restricted_thresholds(data, [np.array([False, True, False])], "mine")
    >>> fewer.columns[0].cuts, fewer.point_weights, fewer.complete
    (array([2.5]), array([2., 2.]), False)
    """
    whole = data.complete and all(mask.all() for mask in keep)
    masks = _with_missing(data.columns, keep)
    columns = [_fewer(column, mask) for column, mask in zip(data.columns, masks, strict=True) if mask.any()]
    ranks = [column.ranks for column in columns] or [np.zeros(data.n_points, dtype=np.uint32)]
    groups = number_rows(ranks, data.n_points)
    points = number_rows([groups.astype(np.uint32), data.point_labels.astype(np.uint32)], data.n_points)
    first = np.unique(points, return_index=True)[1]
    of_points = np.array([column.ranks[first] for column in columns], dtype=np.uint32)
    of_points = of_points.reshape(len(columns), len(first))
    return replace(
        data,
        columns=tuple(column.of_points(row) for column, row in zip(columns, of_points, strict=True)),
        ranks=of_points,
        point_of=points[data.point_of],
        point_labels=data.point_labels[first],
        point_weights=np.bincount(points, weights=data.point_weights).astype(np.float64),
        point_counts=np.bincount(points, weights=data.point_counts).astype(np.int64),
        point_groups=groups[first],
        thresholds=thresholds,
        complete=whole,
    )


def _with_missing(columns: Sequence[RankedColumn], keep: Sequence[Bools]) -> list[Bools]:
    """Keep the question for missing values where a column of the table keeps any, once: where missing ranks lowest."""
    masks = [mask.copy() for mask in keep]
    asked = {column.source for column, mask in zip(columns, masks, strict=True) if mask.any()}
    for column, mask in zip(columns, masks, strict=True):
        if column.source not in asked:
            continue
        if column.missing is MissingRank.LOW or column.test is Test.IS_MISSING:
            mask[0] = True
        elif column.missing is MissingRank.HIGH:
            mask[-1] = False
    return masks


def _fewer(column: RankedColumn, keep: Bools) -> RankedColumn:
    """Return the column with some of its cuts, and ranks that count these only."""
    rank_of = np.concatenate([[0], np.cumsum(keep)]).astype(np.uint32)
    return replace(column, below=column.below[keep], above=column.above[keep], ranks=rank_of[column.ranks])
