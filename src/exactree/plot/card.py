"""The contents and the size of a node's box."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from exactree.model import Graph
from exactree.model.wording import class_name, percent, printable, question_text
from exactree.plot.layout import Size
from exactree.plot.typeset import text_width, truncate_text
from exactree.table import Question, Test

HEAD, SMALL = 13.0, 11.0  # font sizes: questions and classes, counts
PADDING = 12.0
LINE = 17.0
BAND = 27.0  # height of the coloured part of a leaf, with its class
BAR = 5.0  # height of the bar of class shares
_MOST = 210.0  # width of a line in a branch; longer questions take more lines, longer names are truncated
_MOST_CLASS = 150.0  # width of the class in a leaf
_LEAST = 66.0  # least width of a box


@dataclass(frozen=True, slots=True)
class Card:
    """Contents of one box."""

    heads: tuple[str, ...]  # the question on one to three lines, or the class
    counts: tuple[str, ...]  # rows and, for a leaf with rows, its accuracy
    shares: tuple[tuple[int, float], ...]  # class and its share of the weight, if not zero
    colour: int | None  # class of a leaf; None at a branch
    tooltip: str
    size: Size


def cards(graph: Graph) -> list[Card]:
    """Return the boxes of all nodes; all leaves are as wide as the widest."""
    made = [_leaf(graph, node) if graph.is_leaf(node) else _branch(graph, node) for node in range(graph.n_nodes)]
    width = max(made[leaf].size.width for leaf in graph.leaves)
    return [card if card.colour is None else replace(card, size=Size(width, card.size.height)) for card in made]


def rows_text(rows: int) -> str:
    """Return a number of rows as text.

    Examples
    --------
    >>> rows_text(1), rows_text(12345)
    ('1 row', '12,345 rows')
    """
    return "1 row" if rows == 1 else f"{rows:,} rows"


def right_text(graph: Graph, nodes: Iterable[int]) -> str | None:
    """Return the weighted accuracy of some nodes as text; None without weight."""
    at = list(nodes)
    total = graph.weight[at].sum()
    return percent(float(graph.weight[at, graph.label[at]].sum() / total)) if total > 0 else None


def _branch(graph: Graph, node: int) -> Card:
    question = graph.question(node)
    heads = _question_lines(question)
    counts = (_rows_and_share(graph, node),)
    widest = max(*(text_width(head, HEAD, bold=True) for head in heads), text_width(counts[0], SMALL))
    size = Size(max(widest + 2 * PADDING, _LEAST), LINE * (len(heads) + 1) + 24.0)
    tooltip = f"{question_text(question)}\n{_class_counts(graph, node)}"
    return Card(heads, counts, _shares(graph, node), None, tooltip, size)


def _rows_and_share(graph: Graph, node: int) -> str:
    """Return the rows of a branch as text; in a diagram with their share, as paths may have merged."""
    rows, total = int(graph.rows[node]), int(graph.rows[0])
    return rows_text(rows) if graph.is_tree or total == 0 else f"{rows_text(rows)} · {percent(rows / total)}"


def _leaf(graph: Graph, node: int) -> Card:
    label = int(graph.label[node])
    head = truncate_text(class_name(graph, label), HEAD, _MOST_CLASS, bold=True)
    right = right_text(graph, [node])
    counts = (rows_text(int(graph.rows[node])), *((right,) if right else ()))
    below = sum(text_width(count, SMALL) for count in counts) + 14.0 * (len(counts) - 1)
    width = max(text_width(head, HEAD, bold=True) + 2 * PADDING, below + 2 * PADDING, _LEAST)
    tooltip = f"{class_name(graph, label)}\n{_class_counts(graph, node)}"
    return Card((head,), counts, _shares(graph, node), label, tooltip, Size(width, BAND + LINE + 22.0))


def _question_lines(question: Question) -> tuple[str, ...]:
    """Break a question into lines: column (or terms of a linear combination), comparison, missing values."""
    rest = question_text(replace(question, column=replace(question.column, name=""))).strip()
    if question.test in (Test.AT_MOST, Test.LINEAR):
        rest = rest.replace("<=", "≤", 1)
    comparison, missing, nothing = rest.partition(" or missing")
    if nothing:  # they are part of the name of a level
        comparison, missing = rest, ""
    lines: list[str] = []
    for part in (*map(printable, question.terms or (question.column.name,)), comparison, missing.strip()):
        joined = f"{lines[-1]} {part}" if lines else part
        if lines and text_width(joined, HEAD, bold=True) <= _MOST:
            lines[-1] = joined
        else:
            lines.append(truncate_text(part, HEAD, _MOST, bold=True))
    return tuple(line for line in lines if line)


def _shares(graph: Graph, node: int) -> tuple[tuple[int, float], ...]:
    weight = graph.weight[node]
    if weight.sum() <= 0:
        return ()
    return tuple((int(c), float(weight[c] / weight.sum())) for c in np.flatnonzero(weight))


def _class_counts(graph: Graph, node: int) -> str:
    lines = [rows_text(int(graph.rows[node]))]
    lines += [
        f"{class_name(graph, c)}: {graph.weight[node, c]:g} ({percent(share)})" for c, share in _shares(graph, node)
    ]
    return "\n".join(lines)
