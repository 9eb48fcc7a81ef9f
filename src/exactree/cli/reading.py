"""Rows for a saved model, read as the model expects them."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any, NamedTuple

from exactree.cli import data
from exactree.datasets.files import TARGET
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.model import About, Graph
from exactree.table import Frame, Schema


class Rows(NamedTuple):
    """A table as it was read, the name of its target if it is known, and the columns that the model uses."""

    frame: Frame
    target: str | None
    used: Frame


def rows_for(text: str, options: Namespace, graph: Graph, about: About | None, *, target: str | None = None) -> Rows:
    """Read the columns that a model was fitted on; the target may be there too and is not among them."""
    asked = asked_target(target, graph.schema, about)
    strings = text_columns(graph, asked)
    frame = data.read(text, missing=options.missing, delimiter=options.delimiter, strings=strings)
    found = target_in(frame, asked, graph.schema)
    return Rows(frame, found, checked(frame, graph.schema, found))


def asked_target(option: str | None, schema: Schema, about: About | None) -> str | None:
    """Name of the target: the one asked for, or else the one the model was fitted to, if it says so."""
    if option in {column.name for column in schema.columns}:
        raise InputError(f"--target names {option!r}, but that is a column the model asks about.")
    return option if option is not None or about is None else about.target


def text_columns(graph: Graph, target: str | None) -> set[str]:
    """Columns that held text when the model was fitted: a file with 1 and 2 only must not turn them into numbers."""
    columns = graph.schema.columns
    texts = {column.name for column in columns if column.levels and _all_text(column.levels)}
    return texts | ({target or TARGET} if _all_text(graph.classes.tolist()) else set())


def _all_text(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def target_in(frame: Frame, asked: str | None, schema: Schema) -> str | None:
    """Heading of the answers, and the column of right answers if the table has it: the one asked for, or 'class'."""
    used = {column.name for column in schema.columns}
    if asked is None and TARGET in frame.names and TARGET not in used:
        return TARGET
    return asked


def checked(frame: Frame, schema: Schema, target: str | None) -> Frame:
    """Refuse a table that lacks columns; report which ones are not used and return the others."""
    used = [column.name for column in schema.columns]
    for name in used:
        if name not in frame.names:
            raise InputError(
                f"The table lacks the column {name!r}, on which the model was fitted."
                f"{did_you_mean(name, set(frame.names) - set(used))} "
                f"Its columns are: {', '.join(map(repr, frame.names))}."
            )
    extra = [name for name in frame.names if name not in used and name != target]
    if extra:
        sys.stderr.write(f"note: the model does not use {', '.join(map(repr, extra))}.\n")
    return Frame(tuple(used), [frame.columns[frame.names.index(name)] for name in used])
