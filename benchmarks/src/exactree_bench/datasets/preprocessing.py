"""Preprocessing of the ODD paper: rows with missing values dropped, nominal columns one-hot encoded."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table import Frame

DECIMALS = 6  # of the means that a source imputed


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """Steps in this order, after rows with missing values were dropped."""

    filled: bool = False  # drop rows with imputed values: the mean of the column
    nominal: tuple[str, ...] = ()  # one column per level but the first; other texts become ordinal codes
    dropped: tuple[str, ...] = ()  # columns that identify the row or leak the class
    complete: str | None = None  # file of the same rows before imputation: drop rows with missing values there


def preprocess(
    frame: Frame, preprocessing: Preprocessing, original: Frame | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numeric matrix and the indices of the rows kept.

    Examples
    --------
    >>> people = Frame(("age", "city"), [[30.0, None, 28.0, 41.0], ["Rome", "Oslo", "Oslo", "Kiev"]])
    >>> X, rows = preprocess(people, Preprocessing(nominal=("city",)))
    >>> X.tolist(), rows.tolist()
    ([[30.0, 0.0, 1.0], [28.0, 1.0, 0.0], [41.0, 0.0, 0.0]], [0, 2, 3])
    """
    kept = ~_missing(frame)
    if preprocessing.filled:
        kept &= ~_filled(frame)
    rows = np.flatnonzero(kept)
    frame = frame[rows]
    columns = [
        column
        for name in frame.names
        if name not in preprocessing.dropped
        for column in _numbers(frame.column(name).tolist(), nominal=name in preprocessing.nominal)
    ]
    X = np.column_stack(columns)
    if original is not None:
        if original.n_rows != len(kept):
            raise InputError(f"The table has {len(kept)} rows, but {preprocessing.complete!r} has {original.n_rows}.")
        complete = ~_missing(original)[rows]
        X, rows = X[complete], rows[complete]
    return X, rows


def _missing(frame: Frame) -> NDArray[np.bool_]:
    """Mark rows with a missing value."""
    missing = np.zeros(frame.n_rows, dtype=np.bool_)
    for name in frame.names:
        values = frame.column(name).tolist()
        missing |= np.array([value is None or value != value for value in values], dtype=np.bool_)
    return missing


def _filled(frame: Frame) -> NDArray[np.bool_]:
    """Mark rows with the mean of a column as a value; an integer mean may be an ordinary value, and is not marked."""
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
