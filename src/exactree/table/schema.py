"""What a table looked like when a model was fitted: names, kinds, levels and spreads, without the values."""

from dataclasses import dataclass, field
from typing import Any

from exactree.table.column import Kind
from exactree.table.spread import Spread


@dataclass(frozen=True, slots=True)
class ColumnType:
    """Name and type of one column.

    Examples
    --------
    >>> ColumnType("colour", Kind.CATEGORY, ("blue", "red"))
    ColumnType(name='colour', kind=<Kind.CATEGORY: 'category'>, levels=('blue', 'red'))
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()
    # In training; None if not measured. Not part of the type: tables are compared with what a model was fitted to.
    spread: Spread | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Schema:
    """Types of all columns, in order; ``named`` says whether the names are the caller's or made up (x0, x1, ...).

    Examples
    --------
    >>> from exactree.table import Table
    >>> schema = Table.of([[30], [41]], names=["age"]).schema
    >>> schema.named, schema.columns[0].name
    (True, 'age')
    """

    columns: tuple[ColumnType, ...]
    named: bool
