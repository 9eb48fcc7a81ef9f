"""What a table looked like when a model was fitted: names, kinds and levels, without the values."""

from dataclasses import dataclass
from typing import Any

from exactree.table.column import Kind


@dataclass(frozen=True, slots=True)
class ColumnType:
    """Name and type of one column."""

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """Types of all columns, in order; ``named`` tells whether the names are the caller's or made up (x0, x1, ...)."""

    columns: tuple[ColumnType, ...]
    named: bool
