"""What ``exactree counterfactual`` may change and what it is to reach, as typed -> values of the model's columns."""

import csv
from argparse import Namespace
from typing import Any

from exactree.cli.cell import same
from exactree.errors import InputError
from exactree.model import Graph
from exactree.table import ColumnType, Kind

WORDED = (Kind.CATEGORY, Kind.ORDERED, Kind.BOOLEAN)  # kinds whose values are listed, not bounded


def check_costs(graph: Graph, options: Namespace) -> None:
    """Refuse to measure distances with nothing to measure them by, in the words of the command line."""
    remembers = all(column.spread is not None for column in graph.schema.columns)
    if options.costs == "mad" and options.data is None and not remembers:
        raise InputError(
            f"--costs mad measures how far values lie apart, which {options.model} does not remember: it was made by "
            "hand, or saved by an older release. Give --data TABLE, the rows it was fitted to; or fit it again; or use "
            "--costs changes."
        )


def labels(graph: Graph, texts: list[str] | None) -> list[Any] | None:
    """Find the labels that were typed; a label need not be a text."""
    if texts is None:
        return None
    found = []
    for text in texts:
        match = [label for label in graph.classes.tolist() if same(text, label)]
        if not match:
            have = ", ".join(map(repr, graph.classes.tolist()))
            raise InputError(f"--want names {text!r}, but the model's labels are: {have}.")
        found.append(match[0])
    return found


def ranges(graph: Graph, given: list[tuple[str, str]]) -> dict[str, Any]:
    """Read what columns may change to: two ends of numbers, or a list of values."""
    columns = {column.name: column for column in graph.schema.columns}
    found: dict[str, Any] = {}
    for name, text in given:
        if name not in columns:
            raise InputError(f"--range names {name!r}, but the columns are: {', '.join(map(repr, columns))}.")
        if name in found:
            raise InputError(f"--range speaks of {name!r} twice. Say it once.")
        found[name] = _listed(columns[name], text) if columns[name].kind in WORDED else _ends(columns[name], text)
    return found


def _listed(column: ColumnType, text: str) -> list[Any]:
    levels = (False, True) if column.kind is Kind.BOOLEAN else column.levels
    found = []
    for word in next(csv.reader([text], skipinitialspace=True), []):
        match = [level for level in levels if same(word, level)]
        if not match:
            have = ", ".join(map(repr, levels))
            raise InputError(f"--range has {word!r} for {column.name!r}, whose values are: {have}.")
        found.append(match[0])
    return found


def _ends(column: ColumnType, text: str) -> tuple[float | int | None, float | int | None]:
    number = int if column.kind is Kind.INTEGER else float
    low, colon, high = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return (number(low) if low.strip() else None), (number(high) if high.strip() else None)
    except ValueError:
        raise InputError(
            f"--range has {text!r} for {column.name!r}. Expected two numbers such as {column.name}=18:70; "
            f"leave one out for no end."
        ) from None
