"""``exactree predict``: answer for every row of a table with a saved model."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from exactree.cli import data, report, saved
from exactree.cli.cell import is_missing, same
from exactree.cli.rows import write_csv
from exactree.datasets.files import TARGET
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.model import About, Graph
from exactree.table import Frame, Schema, Table

HEADER = "prediction"  # of the column of answers if neither the model nor the user says what the target is called


def run(options: Namespace) -> int:
    """Read model and table, answer, write CSV or JSON; accuracy and notes go to stderr."""
    report.writable(options.output, "--output")
    graph, about = saved.read(options.model)
    asked = asked_target(options.target, graph.schema, about)
    strings = text_columns(graph, asked)
    frame = data.read(options.data, missing=options.missing, delimiter=options.delimiter, strings=strings)
    target = target_in(frame, asked, graph.schema)
    table = Table.of(checked(frame, graph.schema, target))
    answers = graph.classes[graph.predict(table)]
    shares = graph.predict_proba(table) if options.proba else None
    accuracy = accuracy_on(frame.column(target), answers) if target in frame.names else None
    if options.json:
        report.write_json(as_json(graph, answers, shares, accuracy), options.output)
        return 0
    columns = [answers.tolist()] + ([] if shares is None else shares.T.tolist())
    names = [] if shares is None else [f"probability {label}" for label in graph.classes.tolist()]
    write_csv([target or HEADER, *names], columns, options.output)
    return 0


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
    """Refuse a table that lacks columns; tell which ones are not used and return the others."""
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


def accuracy_on(truth: NDArray[Any], answers: NDArray[Any]) -> float | None:
    """Share of right answers among the rows that have a label, told on stderr; None if none has."""
    rows = zip(truth.tolist(), answers.tolist(), strict=True)
    pairs = [(label, answer) for label, answer in rows if not is_missing(label)]
    if not pairs:
        return None
    n_right = sum(same(label, answer) for label, answer in pairs)
    accuracy = n_right / len(pairs)
    without = len(truth) - len(pairs)
    more = f"; {report.counted(without, 'row')} without a label left out" if without else ""
    sys.stderr.write(f"accuracy {100 * accuracy:.2f} % ({n_right} of {report.counted(len(pairs), 'row')}{more})\n")
    return accuracy


def as_json(graph: Graph, answers: NDArray[Any], shares: NDArray[Any] | None, accuracy: float | None) -> dict[str, Any]:
    """Write answers for machines; one list of probabilities per row, in the order of the classes."""
    content: dict[str, Any] = {"classes": graph.classes.tolist(), "predictions": answers.tolist()}
    if shares is not None:
        content["probabilities"] = shares.tolist()
    return content | {"n_rows": len(answers), "accuracy": accuracy}
