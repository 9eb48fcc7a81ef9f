"""One column of numbers -> ranks of its distinct values, and the cuts between them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import UInt32s
from exactree.kernel import rank_numbers
from exactree.table.spread import step_of_counts, usual_step

SMALL_RANGE, FIRST = 1024, 16


class RankedValues(NamedTuple):
    """The distinct values of a column in ascending order, and where each row stands among them."""

    distinct: NDArray[Any]
    ranks: UInt32s  # (n_rows,) index into distinct
    step: float  # the usual one between rows; takes little time while the values are sorted


def ranked(values: NDArray[Any]) -> RankedValues:
    """Rank the values of a column. There must be no NaN.

    Examples
    --------
    >>> ranked(np.array([2.5, 1.0, 2.5, 0.5]))
    RankedValues(distinct=array([0.5, 1. , 2.5]), ranks=array([2, 1, 2, 0], dtype=uint32), step=0.75)
    """
    found = ranked_if_present(values, np.empty(len(values), dtype=np.uint32))
    if found is None:
        raise ValueError("values contain NaN; rank those that are present")
    return found


def ranked_if_present(values: NDArray[Any], room: UInt32s) -> RankedValues | None:
    """Rank the values of a column, with the ranks written to ``room``; ``None`` if a value is NaN.

    Examples
    --------
    >>> room = np.empty(2, dtype=np.uint32)
    >>> ranked_if_present(np.array([2.5, np.nan]), room) is None, ranked_if_present(np.array([2.5, 1.0]), room).ranks
    (True, array([1, 0], dtype=uint32))
    """
    if (counted := _counted(values, room)) is not None:
        return counted
    if values.dtype != np.float64:
        return _sorted(values, room)
    if (found := rank_numbers(values, room)) is None:
        return None
    ordered, distinct = found
    return RankedValues(ordered if distinct is None else distinct, room, usual_step(ordered))


def _sorted(values: NDArray[Any], room: UInt32s) -> RankedValues:
    order = np.argsort(values)
    ordered = values[order]
    first = np.ones(len(values), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    room[order] = np.cumsum(first, dtype=np.uint32) - np.uint32(1)
    return RankedValues(ordered[first], room, usual_step(ordered))


def _counted(values: NDArray[Any], room: UInt32s) -> RankedValues | None:
    """Rank integers of a small range by counting, a third of the time of sorting; ``None`` if they are not."""
    with np.errstate(over="ignore", invalid="ignore"):
        some = values[:FIRST] - values[0]
    if not np.array_equal(some, np.rint(some)):
        return None  # fractions, as the first values show: most columns of numbers that are not counts
    low, high = values.min(), values.max()
    if not float(high) - float(low) < SMALL_RANGE:  # NaN is no small range
        return None
    steps = (values - low).astype(np.intp)
    if not np.array_equal(steps + low, values):
        return None
    counts = np.bincount(steps)
    present = counts > 0
    rank_of_step = (np.cumsum(present) - 1).astype(np.uint32)
    distinct = (np.flatnonzero(present) + low).astype(values.dtype)
    rank_of_step.take(steps, out=room, mode="clip")  # other modes copy once more
    return RankedValues(distinct, room, step_of_counts(distinct, counts[present]))


def midpoints_of_pairs(low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """Thresholds t with low <= t < high for each pair of values.

    Cuts have at most twelve digits where that separates as well.
    Between two adjacent doubles the midpoint rounds to one of them; if it rounds up, ``high <= t`` would answer
    yes as well, so the lower value is used instead. For integers the midpoint is rounded down.

    Examples
    --------
    >>> midpoints_of_pairs(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    array([1.5, 3. ])
    >>> midpoints_of_pairs(np.array([-(2**63)]), np.array([2**63 - 1]))
    array([-1])
    """
    if low.dtype.kind == "i":
        # Shared bits plus half of the others: the sum of two large integers would not fit into 64 bits
        return np.asarray((low & high) + ((low ^ high) >> 1))
    with np.errstate(over="ignore"):
        middle = (low + high) / 2
    middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    return _tidied(np.where(middle < high, middle, low), low, high)


def _tidied(cuts: NDArray[Any], low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """Round to twelve significant digits where that still separates: 3.65, not 3.6500000000000004."""
    with np.errstate(all="ignore"):  # zero, huge and tiny cuts stay as they are
        scale = 10.0 ** (11 - np.floor(np.log10(np.abs(cuts))))
        tidy = np.rint(cuts * scale) / scale
    return np.where((low <= tidy) & (tidy < high), tidy, cuts)
