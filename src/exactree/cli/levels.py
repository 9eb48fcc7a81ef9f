"""Texts that look like numbers: a file decides column by column what is a number, a model remembers what was text.

A column with the cells 1, 2 and X was text when the model was fitted; a later file with 1 and 2 only is read as
numbers. The texts are found again by their value.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli.cell import is_missing, key
from exactree.errors import InputError
from exactree.table import Frame, Kind, Schema


def as_known(frame: Frame, schema: Schema) -> Frame:
    """Return the columns of a schema, as texts where the schema has texts.

    Examples
    --------
    >>> from exactree.table import ColumnType
    >>> schema = Schema((ColumnType("cabin", Kind.CATEGORY, ("1", "2", "X")),), named=True)
    >>> as_known(Frame(("cabin",), [np.array([2, 1])]), schema).column("cabin").tolist()
    ['2', '1']
    """
    columns = []
    for column in schema.columns:
        raw = frame.columns[frame.names.index(column.name)]
        if column.kind is Kind.CATEGORY and column.levels and all(isinstance(level, str) for level in column.levels):
            values = frame.column(column.name)
            raw = values if _all_text(values) else _as_levels(column.name, values, column.levels)
        columns.append(raw)
    return Frame(tuple(column.name for column in schema.columns), columns)


def _all_text(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "O" and all(value is None or isinstance(value, str) for value in values.tolist())


def _as_levels(name: str, values: NDArray[Any], levels: Sequence[str]) -> NDArray[Any]:
    by_key = {key(level): level for level in levels}
    if len(by_key) < len(levels):
        raise InputError(
            f"Column {name!r} holds only numbers here, but the model knows texts in it that are the same number. "
            f"Write the texts so that they differ as numbers, and fit again."
        )
    found = (None if is_missing(value) else by_key.get(key(value), str(value)) for value in values.tolist())
    return np.array(list(found), dtype=object)
