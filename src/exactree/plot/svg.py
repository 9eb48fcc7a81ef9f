"""A graph as an SVG plot: one file without scripts, fonts or links, so that it looks the same everywhere.

Branches are boxes with their question, leaves are cards in the colour of their class. Edges are as thick as their share
of the rows. Yes is on the left, or above in a tree that is too wide for that and drawn sideways, and is also written on
the edge. Names that are too long for their box are truncated; the tooltip has them in full.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from exactree.model import Graph, given_graph
from exactree.model.wording import class_name, printable
from exactree.plot.card import BAND, BAR, HEAD, LINE, PADDING, SMALL, Card, cards, right_text, rows_text
from exactree.plot.diagram_layout import diagram_layout
from exactree.plot.edges import edges
from exactree.plot.layout import Layout, Size, sideways_layout, tree_layout
from exactree.plot.palette import class_colour, mixed, text_colour
from exactree.plot.svg_elements import FAINT, INK, box, number, svg_root, text, tooltip
from exactree.plot.typeset import text_width, truncate_text, wrap_text

_MARGIN = 24.0
_GAP, _LEVEL_GAP = 18.0, 54.0  # between neighbours, between levels
_WIDEST = 1900.0  # a tree that would be wider, about 16 leaves side by side, is drawn from left to right
_TITLE = 18.0  # font size
_LEAST_WIDTH = 300.0  # even of a single leaf, for the title and the summary
_GROUND, _FRAME, _ROUNDED = "#f5f7f9", "#c2cad3", 9.0
_AROUND = 3.5  # between a box and the line around it, on a highlighted decision path


def to_svg(
    graph: Any,
    *,
    title: str | None = None,
    width: float | None = None,
    decision_path: Sequence[int] = (),
    way: Sequence[int] = (),
) -> str:
    """Plot a graph as SVG.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram.
    title : str or None, default=None
        A line to write above it.
    width : float or None, default=None
        Displayed width in pixels; None for the natural size.
    decision_path : sequence of int, default=()
        Nodes of a decision path to highlight, the root first: ``trace(...).nodes`` of :mod:`exactree.explain`.
    way : sequence of int, default=()
        The name of ``decision_path`` in version 0.1.0.

    Returns
    -------
    str
        The text of an SVG file.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> picture = to_svg(Graph.leaf(Schema((), named=False), ["no", "yes"], 1, [3.0, 4.0], 7))
    >>> picture[:4], picture[-7:]
    ('<svg', '</svg>\\n')
    """
    graph = given_graph(graph)
    made = cards(graph)
    layout = _layout(graph, [card.size for card in made])
    inner = max(layout.size.width, _LEAST_WIDTH)
    head, top = _head(graph, title, inner)
    left = _MARGIN + (inner - layout.size.width) / 2
    total = inner + 2 * _MARGIN, top + layout.size.height + _MARGIN
    passed = (*decision_path, *way)
    nodes = [_node(card, layout.x[i], layout.y[i], passed=i in passed) for i, card in enumerate(made)]
    name = "Decision tree" if graph.is_tree else "Decision diagram"
    drawing = "\n".join([*edges(graph, layout, [card.size for card in made], passed), *nodes])
    return (
        f"{svg_root(title or name, total, width)}\n"
        f"{box(0, 0, *total, fill='#ffffff')}\n"
        f'{head}\n<g transform="translate({number(left)} {number(top)})">\n{drawing}\n</g>\n</svg>\n'
    )


def save_svg(
    graph: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    width: float | None = None,
    decision_path: Sequence[int] = (),
    way: Sequence[int] = (),
) -> None:
    """Write the plot of :func:`to_svg` to an SVG file.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram.
    path : path
        The file.
    title : str or None, default=None
        A line to write above it.
    width : float or None, default=None
        Displayed width in pixels; None for the natural size.
    decision_path : sequence of int, default=()
        Nodes of a decision path to highlight, the root first.
    way : sequence of int, default=()
        The name of ``decision_path`` in version 0.1.0.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from exactree.table import Schema
    >>> leaf = Graph.leaf(Schema((), named=False), ["no", "yes"], 1, [3.0, 4.0], 7)
    >>> with TemporaryDirectory() as folder:
    ...     save_svg(leaf, Path(folder, "leaf.svg"), title="One leaf")
    ...     "One leaf" in Path(folder, "leaf.svg").read_text()
    True
    """
    drawing = to_svg(graph, title=title, width=width, decision_path=(*decision_path, *way))
    Path(path).write_text(drawing, encoding="utf-8", newline="\n")


def _layout(graph: Graph, sizes: list[Size]) -> Layout:
    if not graph.is_tree:
        return diagram_layout(graph, sizes, gap_x=2 * _GAP, gap_y=_LEVEL_GAP)  # for labels on crossing edges
    down = tree_layout(graph, sizes, gap_x=_GAP, gap_y=_LEVEL_GAP)
    if down.size.width <= _WIDEST:
        return down
    return sideways_layout(graph, sizes, gap_x=_LEVEL_GAP + 20, gap_y=_GAP - 6)


def _head(graph: Graph, title: str | None, room: float) -> tuple[str, float]:
    """Return title, summary and legend, and the top of the drawing below them."""
    parts, y = [], _MARGIN
    for line in wrap_text(printable(title or ""), _TITLE, room, n_lines=3, bold=True):
        parts.append(text(line, _MARGIN, y + _TITLE - 3, size=_TITLE, bold=True, anchor="start"))
        y += _TITLE + 6
    y += 4 if parts else 0
    parts.append(text(_summary(graph), _MARGIN, y + SMALL - 2, size=SMALL, colour=FAINT, anchor="start"))
    y += SMALL + 9
    legend, y = _legend(graph, y, room)
    return "\n".join(parts + legend), y + 22


def _summary(graph: Graph) -> str:
    leaves = "1 leaf" if graph.n_leaves == 1 else f"{graph.n_leaves} leaves"
    right = right_text(graph, graph.leaves.tolist())
    n_asking = graph.n_nodes - graph.n_leaves
    asking = [] if graph.is_tree else ["1 question" if n_asking == 1 else f"{n_asking} questions"]
    known = [
        *asking,
        leaves,
        f"depth {graph.depth}",
        rows_text(int(graph.rows[0])),
        *([f"{right} right"] if right else []),
    ]
    return " · ".join(known)


def _legend(graph: Graph, y: float, room: float) -> tuple[list[str], float]:
    """Return a swatch and a name for each class that is seen in the drawing, in rows, and where they end."""
    parts, x = [], 0.0
    seen = np.union1d(np.flatnonzero(graph.weight.sum(axis=0)), graph.label[graph.leaves])
    for c in seen.tolist():
        name = truncate_text(class_name(graph, c), SMALL, 160.0)
        width = 16 + text_width(name, SMALL) + 14
        if x > 0 and x + width - 14 > room:
            x, y = 0.0, y + LINE
        swatch = box(_MARGIN + x, y, 11, 11, rounded=3, fill=class_colour(c))
        label = text(name, _MARGIN + x + 16, y + 9.5, size=SMALL, anchor="start")
        parts.append(f"<g>{tooltip(class_name(graph, c))}{swatch}{label}</g>")
        x += width
    return parts, y + 11


def _node(card: Card, x: float, y: float, *, passed: bool) -> str:
    body = _branch(card) if card.colour is None else _leaf(card, card.colour)
    if passed:
        wide, high = card.size.width + 2 * _AROUND, card.size.height + 2 * _AROUND
        body = box(-_AROUND, -_AROUND, wide, high, rounded=_ROUNDED + _AROUND, fill="#ffffff", frame=INK) + body
    corner = f"translate({number(x - card.size.width / 2)} {number(y)})"
    return f'<g transform="{corner}">{tooltip(card.tooltip)}{body}{_bar(card)}</g>'


def _branch(card: Card) -> str:
    width, height = card.size.width, card.size.height
    lines = [box(0, 0, width, height, rounded=_ROUNDED, fill=_GROUND, frame=_FRAME)]
    for i, head in enumerate(card.heads):
        lines.append(text(head, width / 2, 20 + LINE * i, size=HEAD, bold=True))
    lines.append(text(card.counts[0], width / 2, 20 + LINE * len(card.heads), size=SMALL, colour=FAINT))
    return "".join(lines)


def _leaf(card: Card, label: int) -> str:
    width, height, colour = card.size.width, card.size.height, class_colour(label)
    r, right = number(_ROUNDED), number(width)
    across = f"H{number(width - _ROUNDED)}A{r} {r} 0 0 1 {right} {r}V{number(BAND)}Z"
    band = f"M0 {number(BAND)}V{r}A{r} {r} 0 0 1 {r} 0{across}"
    parts = [
        box(0, 0, width, height, rounded=_ROUNDED, fill="#ffffff"),
        f'<path d="{band}" fill="{colour}"/>',
        box(0, 0, width, height, rounded=_ROUNDED, fill="none", frame=mixed(colour, "#000000", 0.12)),
        text(card.heads[0], width / 2, BAND / 2 + 4.7, size=HEAD, bold=True, colour=text_colour(colour)),
    ]
    y = BAND + 17
    if len(card.counts) == 1:
        parts.append(text(card.counts[0], width / 2, y, size=SMALL, colour=FAINT))
    else:
        parts.append(text(card.counts[0], PADDING, y, size=SMALL, colour=FAINT, anchor="start"))
        parts.append(text(card.counts[1], width - PADDING, y, size=SMALL, anchor="end"))
    return "".join(parts)


def _bar(card: Card) -> str:
    """Return the class shares of a node as one bar near the lower edge of its card."""
    room, y = card.size.width - 2 * PADDING, card.size.height - BAR - 9
    parts, x = [], PADDING
    for c, share in card.shares:
        width = room * share
        parts.append(box(x, y, width, BAR, fill=class_colour(c)))
        x += width
    return "".join(parts)
