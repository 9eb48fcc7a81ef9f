"""The table as the user knows it: named columns of numbers, truth values and categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from exactree.errors import InputError
from exactree.table.categorical import declared_categories
from exactree.table.column import Column, Kind
from exactree.table.conform import conform_column
from exactree.table.schema import ColumnType, Schema
from exactree.table.source import Source, source_of
from exactree.table.spread import Spread
from exactree.table.typed import as_category, column_of


@dataclass(frozen=True, eq=False)
class Table:
    """Named, typed columns of equal length.

    Examples
    --------
    >>> table = Table.of([[30, "red"], [41, "blue"]], names=["age", "colour"])
    >>> [(column.name, column.kind.value) for column in table.columns]
    [('age', 'number'), ('colour', 'category')]
    """

    columns: tuple[Column, ...]
    n_rows: int
    named: bool
    spreads: tuple[Spread, ...] = ()  # of the columns, if they were measured, as for a fit

    @classmethod
    def of(
        cls,
        X: Any,
        *,
        names: Sequence[str] | None = None,
        categorical_features: Any = "from_dtype",
    ) -> "Table":
        """Read whatever the user brings: ndarray, list of rows, pandas, polars, anything narwhals knows.

        Parameters
        ----------
        X
            The table. Numbers, truth values, strings and categories are understood; NaN, None, ``pandas.NA`` and
            nulls mean missing. An ordered pandas category or a polars Enum keeps its declared order; strings and
            other categories have none. Columns of an array of float64, int32 or int64 are not copied.
        names
            Names of the columns, instead of those of ``X``; without either they are called x0, x1, ...
        categorical_features
            Columns of numbers that are categories all the same: names, indices or a mask.

        Raises
        ------
        InputError
            If ``X`` is no table, or a column holds dates, nested values, infinite or complex numbers, or a mixture
            of numbers and strings. A column without any value is no error here: new data may look like that.

        Examples
        --------
        >>> Table.of([[10], [20]], categorical_features=[0]).columns[0].levels
        (10, 20)
        """
        source = source_of(X)
        known = _named(source, names)
        labels = known if known is not None else tuple(f"x{j}" for j in range(len(source.columns)))
        chosen = declared_categories(categorical_features, labels)
        columns = [
            Column(name, Kind.NUMBER, np.asarray(raw)) if source.numbers else column_of(name, raw)
            for name, raw in zip(labels, source.columns, strict=True)
        ]
        typed = (as_category(column) if j in chosen else column for j, column in enumerate(columns))
        return cls(tuple(typed), source.n_rows, named=known is not None)

    @cached_property
    def schema(self) -> Schema:
        """Names, kinds, levels and, if measured, spreads, without the values."""
        spreads = self.spreads or (None,) * len(self.columns)
        pairs = zip(self.columns, spreads, strict=True)
        return Schema(tuple(ColumnType(c.name, c.kind, c.levels, spread) for c, spread in pairs), self.named)

    def column(self, name: str) -> Column:
        """Return the column of that name.

        Examples
        --------
        >>> Table.of([[1.5], [2.5]]).column("x0").values
        array([1.5, 2.5])
        """
        for column in self.columns:
            if column.name == name:
                return column
        have = ", ".join(repr(column.name) for column in self.columns)
        raise InputError(f"There is no column {name!r}. The columns are: {have}.")

    def take(self, rows: ArrayLike) -> "Table":
        """Return the table of some rows, given as indices or as a mask; levels stay as they are.

        Examples
        --------
        >>> Table.of([[1.5], [2.5], [3.5]]).take([2, 0]).column("x0").values
        array([3.5, 1.5])
        """
        chosen = np.asarray(rows)
        columns = tuple(Column(c.name, c.kind, c.raw[chosen], c.levels) for c in self.columns)
        n_rows = int(chosen.sum()) if chosen.dtype == np.bool_ else len(chosen)
        return Table(columns, n_rows, self.named)

    def conform(self, schema: Schema, *, model: str = "OptimalTreeClassifier") -> "Table":
        """Return this table typed as ``schema``: same columns in the same order, codes into the same levels.

        Columns are found by name if both sides have names (further columns are left out), else by position.
        Unknown levels become UNKNOWN_CODE. Integers and floats are turned into one another by rounding up where
        they do not fit, which leaves every answer to ``value <= threshold`` right. A wrong number of columns,
        missing names, or strings where numbers were seen raise InputError; ``model`` is who complains.

        Examples
        --------
        >>> fitted = Table.of([["red"], ["blue"]])
        >>> Table.of([["red"], ["green"]]).conform(fitted.schema).columns[0].values
        array([ 1, -2], dtype=int32)
        """
        columns = self.columns
        if self.named and schema.named:
            columns = self._by_name(schema)
        elif len(columns) != len(schema.columns):
            raise InputError(
                f"X has {len(columns)} features, but {model} is expecting {len(schema.columns)} features as input. "
                f"Give the columns the model was fitted on, in the same order."
            )
        pairs = zip(columns, schema.columns, strict=True)
        return Table(tuple(conform_column(column, wanted) for column, wanted in pairs), self.n_rows, schema.named)

    def _by_name(self, schema: Schema) -> tuple[Column, ...]:
        have = {column.name: column for column in self.columns}
        lacking = [wanted.name for wanted in schema.columns if wanted.name not in have]
        if lacking:
            raise InputError(
                f"X lacks columns the model was fitted on: {', '.join(map(repr, lacking))}. "
                f"It has: {', '.join(map(repr, have))}."
            )
        return tuple(have[wanted.name] for wanted in schema.columns)


def _named(source: Source, names: Sequence[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return source.names
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InputError(f"names is {names!r}. Expected one string per column.")
    if len(names) != len(source.columns):
        raise InputError(
            f"names has {len(names)} entries but X has {len(source.columns)} columns. Give one per column."
        )
    if len(set(names)) < len(names):
        raise InputError(f"names must differ, but some of {', '.join(map(repr, names))} come twice. Rename them.")
    return tuple(map(str, names))
