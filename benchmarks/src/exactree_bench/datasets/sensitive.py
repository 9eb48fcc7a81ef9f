"""A sensitive column: it gives two groups of rows, and the other columns give binary questions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table import Frame

MISSING = "missing"  # level of an empty cell of a nominal column


@dataclass(frozen=True, slots=True)
class Sensitive:
    """Which column gives the groups, and how the others are asked."""

    column: str
    group: str | float  # rows with a value that starts with this text, or of at least this number, against the rest
    nominal: tuple[str, ...] = ()  # numbers that are codes; texts are nominal anyway
    quantiles: int = 8  # questions of a numeric column at most


def grouped_questions(frame: Frame, sensitive: Sensitive) -> NDArray[np.int32]:
    """Return the group of each row as the first column, then one binary column per question.

    A numeric column with few values has a question between every two of them, one with many has quantiles. A nominal
    column has a question per level, but with two levels only one.

    Examples
    --------
    >>> people = Frame(("age", "sex", "city"), [[30.0, 41.0, 28.0], ["m", "f", "f"], ["Rome", "Oslo", "Rome"]])
    >>> grouped_questions(people, Sensitive("sex", "f")).tolist()
    [[0, 0, 1, 0], [1, 0, 0, 1], [1, 1, 1, 0]]
    """
    if sensitive.column not in frame.names:
        raise InputError(f"The table has no column {sensitive.column!r}. It has: {', '.join(frame.names)}.")
    columns = [_group(frame.column(sensitive.column).tolist(), sensitive.group)]
    for name in frame.names:
        if name != sensitive.column:
            values = frame.column(name).tolist()
            is_text = name in sensitive.nominal or any(isinstance(value, str) for value in values)
            columns += _levels(values) if is_text else _thresholds(values, sensitive.quantiles)
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.int32)


def _group(values: list[Any], group: str | float) -> NDArray[np.bool_]:
    if isinstance(group, str):
        return np.array([str(value).startswith(group) for value in values])
    return np.array(values, dtype=np.float64) >= group


def _levels(values: list[Any]) -> list[NDArray[np.bool_]]:
    named = [MISSING if value is None or value != value else str(value) for value in values]
    levels = sorted(set(named))
    array = np.array(named)
    return [array == level for level in (levels[:1] if len(levels) == 2 else levels)]


def _thresholds(values: list[Any], most: int) -> list[NDArray[np.bool_]]:
    """At most ``most`` questions "at most this value?"; an empty cell answers no to all."""
    numbers = np.array(values, dtype=np.float64)
    present = numbers[~np.isnan(numbers)]
    distinct = np.unique(present)[:-1]
    if len(distinct) > most:
        shares = np.arange(1, most + 1) / (most + 1)
        distinct = np.intersect1d(np.quantile(present, shares, method="inverted_cdf"), distinct)
    return [numbers <= threshold for threshold in distinct]
