"""A subset of the points of an encoded table, for solvers that improve single subtrees."""

from dataclasses import replace

import numpy as np

from exactree.arrays import Ints
from exactree.encode.encoded import Encoded, RankedColumn
from exactree.encode.ranking import midpoints_of_pairs
from exactree.encode.thresholds import Ranking, Thresholds


def subset_of(data: Encoded, points: Ints, policy: Thresholds) -> Encoded:
    """Return the rows of some points, given in ascending order, with those of the cuts that separate them.

    Every cut is one of ``data``, so that a tree for the subset can be a subtree of a tree for all rows. Where several
    cuts split the rows alike, the middle one is taken; ``policy`` may leave out more.

    Examples
    --------
    >>> from exactree.encode import encode, policy
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[1.0], [2.0], [3.0], [4.0]]), list("abab"))
    >>> subset_of(data, np.array([0, 3]), policy("all")).columns[0].cuts
    array([2.5])
    """
    chosen = np.zeros(data.n_points, dtype=np.bool_)
    chosen[points] = True
    rows = np.flatnonzero(chosen[data.point_of])
    number = np.cumsum(chosen) - 1
    found = [_subset_of_column(column, data, points, policy) for column in data.columns]
    columns = [column for column in found if column.n_ranks > 1]
    groups = np.unique(data.point_groups[points], return_inverse=True)[1]
    return replace(
        data,
        table=data.table.take(rows),
        labels=data.labels[rows],
        weights=data.weights[rows],
        kept=data.kept[rows],
        sample_weights=data.sample_weights[rows],
        columns=tuple(columns),
        ranks=np.array([column.ranks for column in columns], dtype=np.uint32).reshape(len(columns), len(points)),
        point_of=number[data.point_of[rows]],
        point_labels=data.point_labels[points],
        point_weights=data.point_weights[points],
        point_counts=data.point_counts[points],
        point_groups=groups.astype(np.int64),
        complete=False,
    )


def _subset_of_column(column: RankedColumn, data: Encoded, points: Ints, policy: Thresholds) -> RankedColumn:
    used, ranks = np.unique(column.ranks[points], return_inverse=True)
    ranking = Ranking(ranks.astype(np.uint32), len(used), data.point_labels[points], data.point_weights[points])
    keep = policy.keep(ranking)
    # Between two ranks in use all cuts are alike here.
    middle = ((used[:-1].astype(np.int64) + used[1:].astype(np.int64) - 1) // 2)[keep]
    cuts = midpoints_of_pairs(column.below[middle], column.above[middle])
    merged = np.concatenate([[0], np.cumsum(keep)]).astype(np.uint32)[ranks]
    return replace(column, below=cuts, above=cuts, ranks=merged)
