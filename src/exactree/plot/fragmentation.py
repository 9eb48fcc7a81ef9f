"""The fragmentation of models side by side: every branch is as dark as its share of the rows.

The lower branches of a tree are pale: each has what is left after a few splits. In a diagram with as many branches
paths merge, and the lower branches have more rows.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from exactree.errors import InputError
from exactree.model import Fragmentation, Graph, fragmentation
from exactree.model.wording import class_name, percent, printable
from exactree.plot.card import SMALL
from exactree.plot.diagram_layout import diagram_layout
from exactree.plot.edges import edges
from exactree.plot.layout import Layout, Size, tree_layout
from exactree.plot.palette import class_colour, mixed, text_colour
from exactree.plot.svg_elements import FAINT, box, number, svg_root, text, tooltip
from exactree.plot.typeset import text_width, truncate_text, wrap_text
from exactree.table import Table

_NODE, _LEAF = Size(58.0, 32.0), Size(44.0, 24.0)
_GAP_X, _GAP_Y = 16.0, 34.0
_MARGIN, _BETWEEN = 24.0, 56.0  # around it all, between two models
_TITLE, _NAME = 18.0, 14.0  # font sizes
_DARK, _PALE = "#12507b", "#f2f6fa"  # all rows, no rows
_FRAME = "#8fa3b5"
_LEAF_WIDEST = 90.0


def fragmentation_svg(
    models: Mapping[str, Any], X: Any = None, *, title: str | None = None, width: float | None = None
) -> str:
    """Plot the share of rows at each branch, model beside model.

    Parameters
    ----------
    models : dict
        Fitted estimators of exactree or graphs, by the name to write above each: ``{"tree": a, "diagram": b}``.
    X : table or None, default=None
        Rows to count; None for the training rows.
    title : str or None, default=None
        A line to write above it all.
    width : float or None, default=None
        Displayed width in pixels; None for the natural size.

    Returns
    -------
    str
        The text of an SVG file.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> leaf = Graph.leaf(Schema((), named=False), ["no", "yes"], 1, [3.0, 4.0], 7)
    >>> picture = fragmentation_svg({"one": leaf, "other": leaf})
    >>> picture[:4], picture.count("no question")
    ('<svg', 2)
    """
    if not isinstance(models, Mapping):
        raise InputError(f"models is a {type(models).__name__}. Name each model, such as {{'diagram': diagram}}.")
    if not models:
        raise InputError("models is empty. Give at least one, such as {'diagram': diagram}.")
    panels = [_Panel(name, _graph(model), X) for name, model in models.items()]
    lines = wrap_text(printable(title or ""), _TITLE, sum(panel.width for panel in panels), n_lines=2, bold=True)
    parts = [
        text(line, _MARGIN, _MARGIN + 15 + 24 * at, size=_TITLE, bold=True, anchor="start")
        for at, line in enumerate(lines)
    ]
    top, left = _MARGIN + 24 * len(lines) + (6 if lines else 0), _MARGIN
    for panel in panels:
        parts.append(f'<g transform="translate({number(left)} {number(top)})">\n{panel.drawing()}\n</g>')
        left += panel.width + _BETWEEN
    total = left - _BETWEEN + _MARGIN, top + max(panel.height for panel in panels) + _MARGIN
    ground = box(0, 0, *total, fill="#ffffff")
    return "\n".join([svg_root(title or "Share of rows at each node", total, width), ground, *parts, "</svg>\n"])


def save_fragmentation(
    models: Mapping[str, Any],
    path: str | os.PathLike[str],
    X: Any = None,
    *,
    title: str | None = None,
    width: float | None = None,
) -> None:
    """Write the plot of :func:`fragmentation_svg` to an SVG file.

    Parameters
    ----------
    models : dict
        Fitted estimators of exactree or graphs, by name.
    path : path
        The file.
    X : table or None, default=None
        Rows to count; None for the training rows.
    title : str or None, default=None
        A line to write above it all.
    width : float or None, default=None
        Displayed width in pixels; None for the natural size.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from exactree.table import Schema
    >>> leaf = Graph.leaf(Schema((), named=False), ["no", "yes"], 1, [3.0, 4.0], 7)
    >>> with TemporaryDirectory() as folder:
    ...     save_fragmentation({"leaf": leaf}, Path(folder, "leaf.svg"))
    ...     Path(folder, "leaf.svg").read_text()[:4]
    '<svg'
    """
    picture = fragmentation_svg(models, X, title=title, width=width)
    Path(path).write_text(picture, encoding="utf-8", newline="\n")


def _graph(model: Any) -> Graph:
    for found in (model, getattr(model, "diagram_", None), getattr(model, "tree_", None)):
        if isinstance(found, Graph):
            return found
    raise InputError(f"A model is a {type(model).__name__}. Expected a fitted estimator of exactree, or a graph.")


class _Panel:
    """One model: its name, its nodes, and a summary of its fragmentation."""

    head = 44.0  # name and line

    def __init__(self, name: str, graph: Graph, X: Any) -> None:
        self.graph = graph
        self.found = fragmentation(graph, None if X is None else Table.of(X).conform(graph.schema))
        wide = max(text_width(class_name(graph, label), SMALL) + 16 for label in range(graph.n_classes))
        leaf = Size(min(max(wide, _LEAF.width), _LEAF_WIDEST), _LEAF.height)
        self.sizes = [leaf if graph.is_leaf(node) else _NODE for node in range(graph.n_nodes)]
        place = tree_layout if graph.is_tree else diagram_layout
        self.layout: Layout = place(graph, self.sizes, gap_x=_GAP_X, gap_y=_GAP_Y)
        self.name, self.line = printable(name), summary(self.found)
        words = max(text_width(self.name, _NAME, bold=True), text_width(self.line, SMALL))
        self.width = max(self.layout.size.width, words)
        self.height = self.head + self.layout.size.height

    def drawing(self) -> str:
        left = (self.width - self.layout.size.width) / 2
        shares = {node.node: node.share for node in self.found.nodes}
        nodes = [self._node(at, shares[at]) if at in shares else self._leaf(at) for at in range(self.graph.n_nodes)]
        body = "\n".join([*edges(self.graph, self.layout, self.sizes, words=False), *nodes])
        head = text(self.name, 0, 12, size=_NAME, bold=True, anchor="start")
        line = text(self.line, 0, 28, size=SMALL, colour=FAINT, anchor="start")
        return f'{head}\n{line}\n<g transform="translate({number(left)} {number(self.head)})">\n{body}\n</g>'

    def _node(self, at: int, share: float) -> str:
        colour = mixed(_PALE, _DARK, share)
        words = text(f"{100 * share:.0f} %", _NODE.width / 2, 20, size=12, bold=True, colour=text_colour(colour))
        ground = box(0, 0, _NODE.width, _NODE.height, rounded=8, fill=colour, frame=_FRAME)
        rows = next(node.rows for node in self.found.nodes if node.node == at)
        return self._placed(at, tooltip(f"{rows:,} of {self.found.n_rows:,} rows, {percent(share)}") + ground + words)

    def _leaf(self, at: int) -> str:
        size, label = self.sizes[at], int(self.graph.label[at])
        colour, name = class_colour(label), class_name(self.graph, label)
        words = text(
            truncate_text(name, SMALL, size.width - 8), size.width / 2, 16, size=SMALL, colour=text_colour(colour)
        )
        ground = box(0, 0, size.width, size.height, rounded=5, fill=colour)
        return self._placed(at, tooltip(name) + ground + words)

    def _placed(self, at: int, body: str) -> str:
        x, y = self.layout.x[at] - self.sizes[at].width / 2, self.layout.y[at]
        return f'<g transform="translate({number(x)} {number(y)})">{body}</g>'


def summary(found: Fragmentation) -> str:
    """Return a summary on one line.

    Examples
    --------
    >>> summary(Fragmentation(7, ()))
    'no question'
    """
    if not found.nodes:
        return "no question"
    branches = "1 branch" if len(found.nodes) == 1 else f"{len(found.nodes)} branches"
    mean = f", below the root {percent(found.mean)} on average" if len(found.nodes) > 1 else ""
    return f"{branches}; fewest rows {percent(found.least)}{mean}"
