"""Which group each row belongs to, from a column of the table or from values given beside it."""

from typing import Any

import numpy as np

from exactree.arrays import Ints
from exactree.encode import Encoded
from exactree.errors import InputError
from exactree.table import Column, Kind
from exactree.table.typed import as_category, column_of

WORDS = {"groups": "groups, and every two are compared", "within": "strata, and the groups are compared in each"}
MOST_GROUPS = 20  # every pair of them is compared; a column of numbers has many more values


def groups_of(groups: Any, data: Encoded, role: str = "groups") -> tuple[list[Any], Ints]:
    """Return the groups and the number of each row's group; rows without a value are a group, ``None``.

    ``groups`` names a column, or has an entry for every row that was given to :func:`~exactree.encode.encode`; with
    several columns every combination is a group. ``role`` is what messages call the parameter.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([["f", 30], ["m", 41]], names=["sex", "age"]), [0, 1])
    >>> groups_of("sex", data)
    (['f', 'm'], array([0, 1]))
    """
    columns = [data.table.column(groups)] if isinstance(groups, str) else _beside(groups, data, role)
    names: list[Any] = [()]
    numbers = np.zeros(data.n_rows, dtype=np.int64)
    for column in columns:
        levels, codes = _coded(column)
        numbers = numbers * len(levels) + codes
        present, numbers = np.unique(numbers, return_inverse=True)
        if len(present) > MOST_GROUPS:
            raise InputError(
                f"There are {len(present)} {WORDS[role]}; the most is {MOST_GROUPS}. "
                f"Put values together, such as ages into bands."
            )
        names = [(*names[at // len(levels)], levels[at % len(levels)]) for at in present.tolist()]
    return [name[0] if len(columns) == 1 else name for name in names], numbers


def _beside(groups: Any, data: Encoded, role: str) -> list[Column]:
    """Columns of the values of the rows that were kept."""
    array = np.asarray(groups)
    if array.ndim not in (1, 2):
        raise InputError(f"{role} is {groups!r}. Expected the name of a column, or one entry per row.")
    if len(array) != data.n_given:
        raise InputError(f"{role} has {len(array)} entries, but there are {data.n_given} rows. Give one entry per row.")
    return [column_of(role, part) for part in array.reshape(len(array), -1)[data.kept].T]


def _coded(column: Column) -> tuple[list[Any], Ints]:
    """Levels of a column, the last of them ``None`` for what is missing, and the level of each row."""
    column = as_category(column)
    truths = column.kind is Kind.BOOLEAN
    levels = [False, True] if truths else list(column.levels)
    codes = np.where(column.missing, len(levels), column.values)
    return [*levels, None], codes.astype(np.int64)
