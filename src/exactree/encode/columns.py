"""One column of the table -> its ranked columns, and a key that tells rows apart as far as they do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.encode.encoded import MissingRank, RankedColumn
from exactree.encode.ranking import midpoints, ranked
from exactree.encode.thresholds import Ranking, Thresholds
from exactree.errors import InputError
from exactree.table import MISSING_CODE, Column, Kind, Test

ZERO_ONE = np.array([0.5])  # the cut of the commonest column of all
MAX_LEVEL_CELLS = 2**29  # levels times rows: 2 GiB of ranks. A column of names or numbers of people exceeds it


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRanks:
    """What one column of the table becomes."""

    ranked: tuple[RankedColumn, ...]  # with ranks of rows, not yet of points
    key: NDArray[np.uint32]  # (n_rows,) equal for two rows if and only if their ranks are equal in all of ``ranked``
    n_keys: int
    complete: bool  # whether the policy kept every cut


def rank_column(
    source: int, column: Column, labels: NDArray[np.int32], weights: NDArray[np.float64], policy: Thresholds
) -> ColumnRanks:
    """Rank one column: numbers by thresholds, categories by level."""
    if column.kind is not Kind.CATEGORY and (two := _rank_two_values(source, column, labels, weights, policy)):
        return two
    missing = column.missing
    if missing.all():
        raise InputError(
            f"Column {column.name!r} has no value in any row (rows of weight zero are not looked at). "
            f"Expected at least one. Drop the column."
        )
    if column.kind is Kind.CATEGORY:
        return _rank_category(source, column, missing)
    return _rank_numbers(source, column, missing, labels, weights, policy)


def _rank_two_values(
    source: int, column: Column, labels: NDArray[np.int32], weights: NDArray[np.float64], policy: Thresholds
) -> ColumnRanks | None:
    """Rank a column of two values, none missing, in a fifth of the time; ``None`` if it is not such a column."""
    values = np.ascontiguousarray(column.values)
    low, high = values.min(), values.max()
    if not low < high or column.kind is Kind.ORDERED:  # one value, or NaN among them
        return None
    above = values == high
    if np.count_nonzero(values == low) + np.count_nonzero(above) < len(values):
        return None
    ranks = above.astype(np.uint32)
    if not policy.keep(Ranking(ranks, 2, labels, weights))[0]:
        return ColumnRanks((), np.zeros_like(ranks), 1, False)
    cuts = ZERO_ONE if (low, high) == (0, 1) else midpoints(np.array([low, high]))
    return ColumnRanks((RankedColumn(source, Test.AT_MOST, MissingRank.ABSENT, -1, cuts, ranks),), ranks, 2, True)


def _rank_numbers(
    source: int,
    column: Column,
    missing: NDArray[np.bool_],
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
    policy: Thresholds,
) -> ColumnRanks:
    present = ~missing if missing.any() else slice(None)
    values = column.values[present]
    distinct, ranks = ranked(values.astype(np.float64) if column.kind is Kind.ORDERED else values)
    keep = policy.keep(Ranking(ranks, len(distinct), labels[present], weights[present]))
    cuts = midpoints(distinct)[keep]
    complete = bool(keep.all())
    if not complete:
        ranks = np.concatenate([[0], np.cumsum(keep)]).astype(np.uint32)[ranks]
    n_ranks = len(cuts) + 1
    if not missing.any():
        whole = RankedColumn(source, Test.AT_MOST, MissingRank.ABSENT, -1, cuts, ranks)
        return ColumnRanks((whole,) if n_ranks > 1 else (), ranks, n_ranks, complete)
    low = _with_missing(ranks + np.uint32(1), 0, missing)
    columns = [RankedColumn(source, Test.AT_MOST, MissingRank.LOW, -1, np.concatenate([[-np.inf], cuts]), low)]
    if n_ranks > 1:  # else missing against present is the only question, and LOW asks it already
        high = _with_missing(ranks, n_ranks, missing)
        cuts_high = np.concatenate([cuts, [np.inf]])
        columns.append(RankedColumn(source, Test.AT_MOST, MissingRank.HIGH, -1, cuts_high, high))
    return ColumnRanks(tuple(columns), low, n_ranks + 1, complete)


def _with_missing(present: NDArray[np.uint32], rank: int, missing: NDArray[np.bool_]) -> NDArray[np.uint32]:
    ranks = np.full(len(missing), rank, dtype=np.uint32)
    ranks[~missing] = present
    return ranks


def _rank_category(source: int, column: Column, missing: NDArray[np.bool_]) -> ColumnRanks:
    present = np.flatnonzero(np.bincount(column.values[~missing], minlength=len(column.levels)))
    if len(present) * len(missing) > MAX_LEVEL_CELLS:
        raise InputError(
            f"Column {column.name!r} has {len(present)} levels in {len(missing)} rows, one question for each level, "
            f"which is more than fits into memory. Drop the column if it names single rows, or group rare levels."
        )
    some_missing = bool(missing.any())
    asked = present
    if len(present) == 1 or (len(present) == 2 and not some_missing):
        asked = present[:-1]  # of two sides it is enough to ask for one; missing is a side too
    cut = np.array([0.5])
    columns = [
        RankedColumn(
            source, Test.IS_LEVEL, MissingRank.ABSENT, int(code), cut, (column.values != code).astype(np.uint32)
        )
        for code in asked
    ]
    if some_missing:
        absent = (~missing).astype(np.uint32)
        columns.append(RankedColumn(source, Test.IS_MISSING, MissingRank.ABSENT, -1, cut, absent))
    key = (column.values - MISSING_CODE).astype(np.uint32)
    return ColumnRanks(tuple(columns), key, len(column.levels) + 1, True)
