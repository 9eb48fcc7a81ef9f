"""Which group each row belongs to, from a column of the table or from values given beside it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from exactree.arrays import Bools, Ints
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


def members_of(groups: Any, data: Encoded) -> tuple[list[Any], Bools]:
    """Return the groups and which rows are in each, (n_groups, n_rows); a row may be in several or in none.

    ``groups`` is as :func:`groups_of` takes it, or a mapping from names to truth values, one for each row given.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([["f", 30], ["m", 41]], names=["sex", "age"]), [0, 1])
    >>> members_of({"women": [True, False], "under 50": [True, True]}, data)
    (['women', 'under 50'], array([[ True, False],
           [ True,  True]]))
    """
    if not isinstance(groups, Mapping):
        names, numbers = groups_of(groups, data)
        return names, np.array([numbers == at for at in range(len(names))])
    if not 2 <= len(groups) <= MOST_GROUPS:
        raise InputError(
            f"groups has {len(groups)} entries; expected 2 to {MOST_GROUPS}, since every two are compared."
        )
    return list(groups), np.array([_membership(name, values, data) for name, values in groups.items()])


def _membership(name: Any, values: Any, data: Encoded) -> Bools:
    """Whether each row that was kept is in a group."""
    array = np.asarray(values)
    if array.shape != (data.n_given,):
        raise InputError(
            f"groups[{name!r}] has the shape {array.shape}; expected one truth value for each of the "
            f"{data.n_given} rows."
        )
    if array.dtype != np.bool_ and not (array.dtype.kind in "iuf" and np.isin(array, (0, 1)).all()):
        raise InputError(f"groups[{name!r}] must hold truth values, whether each row is in the group; got {array[:3]}.")
    return array[data.kept].astype(np.bool_)


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
