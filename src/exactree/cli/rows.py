"""Rows of a table as CSV, to a file or to stdout."""

import csv
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, TextIO

from exactree.cli.cell import is_missing


def write_csv(header: Sequence[str], columns: Sequence[Iterable[Any]], output: str | None) -> None:
    """Write columns under their names; a missing value is an empty cell, a truth value true or false."""
    with nullcontext(sys.stdout) if output is None else _opened(output) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(map(_cells, zip(*columns, strict=True)))


def _opened(output: str) -> TextIO:
    return Path(output).open("w", encoding="utf-8", newline="")


def _cells(row: tuple[Any, ...]) -> list[Any]:
    return [_cell(value) for value in row]


def _cell(value: Any) -> Any:
    """Write one value so that reading the file gives the same value.

    Examples
    --------
    >>> _cell(True), _cell(float("nan")), _cell(0.1), _cell(5.0)
    ('true', '', 0.1, 5.0)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if is_missing(value) else value
