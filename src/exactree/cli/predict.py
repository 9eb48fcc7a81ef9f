"""``exactree predict``: answer for every row of a table with a saved model."""

import sys
from argparse import Namespace
from typing import Any

from numpy.typing import NDArray

from exactree.cli import data, report, saved
from exactree.cli.cell import is_missing, key
from exactree.cli.levels import as_known
from exactree.cli.rows import write_csv
from exactree.datasets.files import TARGET
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.model import Graph
from exactree.table import Frame, Schema, Table

HEADER = "prediction"  # of the column of answers if nobody says what the target is called


def run(options: Namespace) -> int:
    """Read model and table, answer, write CSV or JSON; accuracy and notes go to stderr."""
    report.writable(options.output, "--output")
    graph = saved.read(options.model)
    frame = data.read(options.data, missing=options.missing, delimiter=options.delimiter)
    target = target_of(options.target, graph.schema, frame)
    table = Table.of(as_known(checked(frame, graph.schema, target), graph.schema))
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


def target_of(asked: str | None, schema: Schema, frame: Frame) -> str | None:
    """Name of the column that holds the right answers, if there is one: the one asked for, or 'class'."""
    used = {column.name for column in schema.columns}
    if asked in used:
        raise InputError(f"--target names {asked!r}, but that is a column the model asks about.")
    if asked is None and TARGET in frame.names and TARGET not in used:
        return TARGET
    return asked


def checked(frame: Frame, schema: Schema, target: str | None) -> Frame:
    """Refuse a table that lacks columns; tell which ones are not used."""
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
    return frame


def accuracy_on(truth: NDArray[Any], answers: NDArray[Any]) -> float | None:
    """Share of right answers among the rows that have a label, told on stderr; None if none has."""
    rows = zip(truth.tolist(), answers.tolist(), strict=True)
    pairs = [(label, answer) for label, answer in rows if not is_missing(label)]
    if not pairs:
        return None
    n_right = sum(key(label) == key(answer) for label, answer in pairs)
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
