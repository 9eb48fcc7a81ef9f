"""Tables made ready as the ODD paper has them: rows with missing cells left out, nominal columns by level."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table import Frame

DECIMALS = 6  # of the means that a source wrote in place of missing cells


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What is done to a table, in this order, after rows with missing cells were left out."""

    filled: bool = False  # leave out rows with the mean of their column in place of a missing cell
    nominal: tuple[str, ...] = ()  # one column per level but the first; other texts become codes by the alphabet
    dropped: tuple[str, ...] = ()  # columns that only name the row, or tell the answer
    complete: str | None = None  # file of the same rows in which cells are still missing: leave those rows out


def cleaned(
    frame: Frame, cleaning: Cleaning, original: Frame | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the columns side by side, and which rows they are of.

    Examples
    --------
    >>> people = Frame(("age", "city"), [[30.0, None, 28.0, 41.0], ["Rome", "Oslo", "Oslo", "Kiev"]])
    >>> X, rows = cleaned(people, Cleaning(nominal=("city",)))
    >>> X.tolist(), rows.tolist()
    ([[30.0, 0.0, 1.0], [28.0, 1.0, 0.0], [41.0, 0.0, 0.0]], [0, 2, 3])
    """
    kept = ~_missing(frame)
    if cleaning.filled:
        kept &= ~_filled(frame)
    rows = np.flatnonzero(kept)
    frame = frame[rows]
    columns = [
        column
        for name in frame.names
        if name not in cleaning.dropped
        for column in _numbers(frame.column(name).tolist(), nominal=name in cleaning.nominal)
    ]
    X = np.column_stack(columns)
    if original is not None:
        if original.n_rows != len(kept):
            raise InputError(f"The table has {len(kept)} rows, but {cleaning.complete!r} has {original.n_rows}.")
        whole = ~_missing(original)[rows]
        X, rows = X[whole], rows[whole]
    return X, rows


def _missing(frame: Frame) -> NDArray[np.bool_]:
    """Which rows lack a value."""
    lacking = np.zeros(frame.n_rows, dtype=np.bool_)
    for name in frame.names:
        values = frame.column(name).tolist()
        lacking |= np.array([value is None or value != value for value in values], dtype=np.bool_)
    return lacking


def _filled(frame: Frame) -> NDArray[np.bool_]:
    """Which rows have the mean of a column in it; a mean that is a whole number could be a value like any other."""
    filled = np.zeros(frame.n_rows, dtype=np.bool_)
    for name in frame.names:
        values = frame.column(name).tolist()
        if any(isinstance(value, str) for value in values):
            continue
        numbers = np.array(values, dtype=np.float64)
        mean = round(float(np.nanmean(numbers)), DECIMALS)
        filled |= (np.round(numbers, DECIMALS) == mean) & (numbers != np.rint(numbers))
    return filled


def _numbers(values: list[Any], *, nominal: bool) -> list[NDArray[np.float64]]:
    levels = sorted(set(values))
    if nominal:
        return [np.array([float(value == level) for value in values]) for level in levels[1:]]
    if any(isinstance(value, str) for value in values):
        code = {level: float(at) for at, level in enumerate(levels)}
        return [np.array([code[value] for value in values])]
    return [np.array(values, dtype=np.float64)]
