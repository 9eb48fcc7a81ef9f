"""A graph as text: an indented tree of questions, and for every leaf its class, rows and accuracy."""

from typing import Any

import numpy as np

from exactree.model import Graph, Step, given_graph, walk
from exactree.model.wording import class_name, display_width, percent, question_text, truncated

_ROOM = 60  # width of a question or a class; longer names are truncated
_GAP = "   "


def to_text(graph: Any, *, digits: int | None = None) -> str:
    """Return a graph as text, to be read from top to bottom.

    A leaf shows its training rows and the share of them that has its class: by number or, if rows were weighted, by
    weight. In a diagram a node with several parents is written once, with a number in brackets, and referred to by that
    number afterwards. A leaf that is the only one of its class needs no number; its counts are those of all decision
    paths to it, and are written where it occurs first.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram.
    digits : int or None, default=None
        Significant digits of thresholds. By default thresholds are exact; with fewer digits, a row may answer the
        printed question differently from the model.

    Returns
    -------
    str
        The text, without a line end.

    Examples
    --------
    >>> from exactree.model import Node
    >>> from exactree.table import ColumnType, Kind, Schema, Test
    >>> schema = Schema((ColumnType("length", Kind.NUMBER), ColumnType("width", Kind.NUMBER)), named=True)
    >>> nodes = [
    ...     Node(0, (50, 50, 50), 150, test=Test.AT_MOST, column=0, threshold=2.45, yes=1, no=2),
    ...     Node(0, (50, 0, 0), 50),
    ...     Node(1, (0, 50, 50), 100, test=Test.AT_MOST, column=1, threshold=1.75, yes=3, no=4),
    ...     Node(1, (0, 49, 5), 54),
    ...     Node(2, (0, 1, 45), 46),
    ... ]
    >>> print(to_text(Graph.of_nodes(schema, ["setosa", "versicolor", "virginica"], nodes)))
    length <= 2.45
    ├─ yes: setosa               50 rows   100.0 % right
    └─ no:  width <= 1.75
            ├─ yes: versicolor   54 rows    90.7 % right
            └─ no:  virginica    46 rows    97.8 % right
    """
    graph = given_graph(graph)
    numbers = _shared(graph)
    lines: list[tuple[str, int | None]] = []  # a line, and the leaf whose counts follow it
    stems: list[str] = []  # by depth: the indentation of a node's children
    for step in walk(graph):
        head, stem = _branching(step)
        before = stems[step.depth - 1] if step.depth else ""
        del stems[step.depth :]
        stems.append(before + stem)
        counted = step.first and graph.is_leaf(step.node)
        lines.append((before + head + _name(graph, step, numbers, digits), step.node if counted else None))
    counts = _counts(graph)
    width = max(display_width(line) for line, leaf in lines if leaf is not None)
    return "\n".join(
        line if leaf is None else line + " " * (width - display_width(line)) + _GAP + counts[leaf]
        for line, leaf in lines
    )


def _branching(step: Step) -> tuple[str, str]:
    """Return the lines that lead to a node, and those that continue below it."""
    if step.side is None:
        return "", ""
    return ("├─ yes: ", "│       ") if step.side else ("└─ no:  ", "        ")


def _shared(graph: Graph) -> dict[int, int]:
    """Numbers of the nodes with several parents that need one, in the order of their first occurrence."""
    labels = graph.label[graph.leaves].tolist()
    alone = {leaf for leaf, label in zip(graph.leaves.tolist(), labels, strict=True) if labels.count(label) == 1}
    again = {step.node for step in walk(graph) if not step.first} - alone
    met = [step.node for step in walk(graph) if step.first and step.node in again]
    return {node: number for number, node in enumerate(met, start=1)}


def _name(graph: Graph, step: Step, numbers: dict[int, int], digits: int | None) -> str:
    """Return the question or the class of a node, with its number if it is shared."""
    if graph.is_leaf(step.node):
        text = truncated(class_name(graph, graph.label[step.node]), _ROOM)
    else:
        text = question_text(graph.question(step.node), room=_ROOM, digits=digits)
    if step.node not in numbers:
        return text if step.first else f"{text} (as above)"
    return f"[{numbers[step.node]}] {text}" if step.first else f"go on at [{numbers[step.node]}] {text}"


def _counts(graph: Graph) -> dict[int, str]:
    """Rows and accuracy of each leaf, aligned."""
    leaves = graph.leaves.tolist()
    shares, total = graph.shares, graph.weight.sum(axis=1)
    right = "right" if np.array_equal(total[leaves], graph.rows[leaves]) else "of weight right"
    n_places = max(len(f"{graph.rows[leaf]:,}") for leaf in leaves)
    counts = {}
    for leaf in leaves:
        rows = f"{graph.rows[leaf]:>{n_places},} {'row ' if graph.rows[leaf] == 1 else 'rows'}"
        share = percent(shares[leaf, graph.label[leaf]])
        counts[leaf] = f"{rows}{_GAP}{share:>7} {right}" if total[leaf] > 0 else rows
    return counts
