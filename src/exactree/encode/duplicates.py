"""Equal rows found exactly and fast: no hashing, so the result depends on nothing but the data."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

WORD = 2**64  # keys are packed into one unsigned 64-bit number as long as they fit


def groups_of(keys: Iterable[tuple[NDArray[np.uint32], int]], n_rows: int) -> NDArray[np.int64]:
    """Number the rows so that two rows share a number if and only if all their keys are equal.

    ``keys`` are pairs (key of each row, number of different keys). Groups are numbered by first appearance.
    Once all rows differ, further keys are not looked at: with continuous columns two or three are enough.

    Examples
    --------
    >>> groups_of([(np.array([1, 0, 1]), 2), (np.array([5, 5, 5]), 6)], 3)
    array([0, 1, 0])
    """
    packed = np.zeros(n_rows, dtype=np.uint64)
    size = 1  # packed < size
    for key, count in keys:
        if size * count > WORD:
            packed, size = _renumbered(packed)
            if size == n_rows:
                return by_first_appearance(packed.astype(np.int64), size)
        packed = packed * np.uint64(count) + key
        size *= count
    packed, size = _renumbered(packed)
    return by_first_appearance(packed.astype(np.int64), size)


def by_first_appearance(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Rename 0..count-1 (each of them taken) in the order in which they first appear.

    Examples
    --------
    >>> by_first_appearance(np.array([2, 0, 2, 1]), 3)
    array([0, 1, 0, 2])
    """
    first = first_rows(numbers, count)
    new = np.empty(count, dtype=np.int64)
    new[np.argsort(first)] = np.arange(count)
    return new[numbers]


def first_rows(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """First row of each number 0..count-1, each of them taken."""
    first = np.empty(count, dtype=np.int64)
    backwards = np.arange(len(numbers) - 1, -1, -1)
    first[numbers[::-1]] = backwards  # of several rows the last assigned one stays: the first
    return first


def _renumbered(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], int]:
    """Replace keys by their ranks; also return how many there are."""
    order = np.argsort(keys)
    ordered = keys[order]
    first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    numbers = np.cumsum(first, dtype=np.uint64) - np.uint64(1)
    renumbered = np.empty_like(numbers)
    renumbered[order] = numbers
    return renumbered, int(numbers[-1]) + 1 if len(numbers) else 0
