"""What a table looked like when a model was fitted: names, kinds, levels and spreads, without the values."""

from dataclasses import dataclass, field
from typing import Any

from exactree.table.column import Kind
from exactree.table.spread import Spread


@dataclass(frozen=True, slots=True)
class ColumnType:
    """Name and type of one column."""

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()
    # In training; None if not measured. Not part of the type: tables are compared with what a model was fitted to.
    spread: Spread | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Schema:
    """Types of all columns, in order; ``named`` says whether the names are the caller's or made up (x0, x1, ...)."""

    columns: tuple[ColumnType, ...]
    named: bool
