"""Rows to be explained: as the caller wrote them, and as the model reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactree.errors import InputError, Unsupported
from exactree.model import Graph
from exactree.table import CATEGORICAL_KINDS, Column, Frame, Kind, Schema, Table


@dataclass(frozen=True, slots=True, eq=False)
class QueryRows:
    """Rows in both forms, as lists by column: single values are read often."""

    given: tuple[list[Any], ...]  # as the caller wrote them, including levels unknown to the model; None: missing
    values: tuple[list[Any], ...]  # as the model reads them: floats or ints, or codes
    table: Table
    single: bool  # whether it is one row, so that the result is no list

    def given_value(self, column: int, row: int) -> Any:
        """Return a value as the caller wrote it; None if it is missing."""
        return self.given[column][row]

    def cells(self, schema: Schema) -> dict[str, list[Any]]:
        """Return the rows by column name, as the caller wrote them."""
        return {column.name: cells for column, cells in zip(schema.columns, self.given, strict=True)}

    def value(self, column: int, row: int) -> Any:
        """Return a value as the model reads it: a float or an int, or a code."""
        return self.values[column][row]


def graph_of(model: Any) -> Graph:
    """Return the graph of a fitted estimator, or the graph itself."""
    if isinstance(model, Graph):
        return model
    if any(found is not None for found in getattr(model, "leaf_models_", {}).values()):
        raise Unsupported(
            f"This {type(model).__name__} has models in its leaves, which the tree alone does not include. "
            f"To explain the tree alone, give its tree_."
        )
    for name in ("tree_", "diagram_"):
        if isinstance(getattr(model, name, None), Graph):
            graph: Graph = getattr(model, name)
            return graph
    if type(model).__module__.partition(".")[0] == "sklearn":
        raise InputError(
            f"This {type(model).__name__} is a model of scikit-learn, whose splits exactree does not read. Give a "
            f"model of exactree, such as OptimalTreeClassifier(max_depth=3).fit(X, y)."
        )
    if hasattr(model, "fit"):
        raise InputError(f"This {type(model).__name__} is not fitted yet: call fit first, then explain it.")
    raise InputError(f"model is a {type(model).__name__}. Expected a fitted estimator of exactree, or its tree_.")


def read_rows(graph: Graph, row: Any, model: Any) -> QueryRows:
    """Read one row or a whole table.

    Examples
    --------
    >>> from exactree.table import ColumnType
    >>> graph = Graph.leaf(Schema((ColumnType("age", Kind.NUMBER),), named=True), ["a"], 0, [1.0], 1)
    >>> read_rows(graph, {"age": 30}, graph).given_value(0, 0)
    30.0
    """
    schema = graph.schema
    one = _one_row(schema, row)
    table = as_table(one if one is not None else _frame_of_dicts(schema, row) if _are_dicts(row) else row)
    name = "this model" if isinstance(model, Graph) else type(model).__name__
    conformed = table.conform(schema, model=name)
    given = table.columns
    if table.named and schema.named:
        given = tuple(table.column(column.name) for column in schema.columns)
    pairs = zip(given, conformed.columns, strict=True)
    return QueryRows(
        given=tuple(_caller_values(column, truth=Kind.BOOLEAN in (column.kind, read.kind)) for column, read in pairs),
        values=tuple(column.values.tolist() for column in conformed.columns),
        table=conformed,
        single=one is not None or table.n_rows == 1,
    )


def _caller_values(column: Column, *, truth: bool) -> list[Any]:
    """Return the values of a column as the caller wrote them."""
    cells = zip(column.raw.tolist(), column.missing.tolist(), strict=True)
    if column.kind in CATEGORICAL_KINDS:
        return [None if gone else column.levels[code] for code, gone in cells]
    return [None if gone else bool(value) if truth else value for value, gone in cells]


def as_table(X: Any) -> Table:
    """Return X as a table."""
    return X if isinstance(X, Table) else Table.of(X)


def _one_row(schema: Schema, row: Any) -> Frame | None:
    """Return a single row as a table; None if it is a table already."""
    if isinstance(row, Mapping):
        return _frame_of_dicts(schema, [row])
    if getattr(row, "ndim", None) == 1 and hasattr(row, "to_dict"):  # a row of a pandas frame
        named = row.to_dict()
        if {column.name for column in schema.columns} <= set(named):
            return _frame_of_dicts(schema, [named])
        row = list(named.values())
    if isinstance(row, np.ndarray) and row.ndim == 1:
        row = row.tolist()
    flat = isinstance(row, (list, tuple)) and not any(
        isinstance(v, (Sequence, np.ndarray, Mapping)) for v in _cells(row)
    )
    if not flat or len(row) == 0:
        return None
    if len(row) != len(schema.columns):
        names = ", ".join(repr(column.name) for column in schema.columns)
        raise InputError(f"The row has {len(row)} values, but the model has {len(schema.columns)} columns: {names}.")
    return Frame(tuple(column.name for column in schema.columns), [[value] for value in row])


def _cells(row: Sequence[Any]) -> list[Any]:
    return [value for value in row if not isinstance(value, (str, bytes))]


def _are_dicts(rows: Any) -> bool:
    return isinstance(rows, (list, tuple)) and len(rows) > 0 and all(isinstance(row, Mapping) for row in rows)


def _frame_of_dicts(schema: Schema, rows: Sequence[Mapping[str, Any]]) -> Frame:
    names = tuple(column.name for column in schema.columns)
    for number, row in enumerate(rows):
        lacking = [name for name in names if name not in row]
        if lacking:
            which = "The row" if len(rows) == 1 else f"Row {number}"
            raise InputError(
                f"{which} lacks {', '.join(map(repr, lacking))}. Give a value for every column of the model; "
                f"None means that it is missing."
            )
    return Frame(names, [[row[name] for row in rows] for name in names])
