"""The edges of a plotted graph: curves as thick as the share of rows that take them, labelled with the answer."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from exactree.arrays import Ints
from exactree.model import Graph
from exactree.plot.card import SMALL
from exactree.plot.layout import Layout, Size
from exactree.plot.svg_elements import FAINT, INK, box, number, text
from exactree.plot.typeset import text_width

_THIN, _THICK = 1.4, 9.0  # widths of edges that no row and that all rows take
_COLOUR, _TAKEN = "#a9b4c0", INK  # of edges, and of those of a highlighted decision path
_ROUNDS = 100  # of bound propagation; seldom more than ten are needed
_LEAN = 26.0  # distance of an edge from the middle of its box, which separates the two of a branch
_NEAR = 0.28  # in a diagram edges cross half way down; their labels come before that

Point = tuple[float, float]


def edges(
    graph: Graph, layout: Layout, sizes: Sequence[Size], decision_path: Sequence[int] = (), *, words: bool = True
) -> list[str]:
    """Return all edges, dark along a decision path, then their labels if ``words``: no edge covers a label."""
    lines, answers, taken = [], [], set(pairwise(decision_path))
    shares = row_bounds(graph) / max(graph.rows[0], 1)
    for node in np.flatnonzero(graph.test).tolist():
        left = _left_side(graph, layout, node)
        for side, child in ((True, int(graph.yes[node])), (False, int(graph.no[node]))):
            begin, end = _ends(graph, layout, sizes, (node, child), -1 if side == left else 1)
            points = [begin, *layout.via.get((node, side), []), end]
            colour = _TAKEN if (node, child) in taken else _COLOUR
            lines.append(_curve(points, float(shares[node, 0 if side else 1]), colour, sideways=layout.sideways))
            answers.append(_answer(points, "yes" if side else "no", at=0.5 if graph.is_tree else _NEAR))
    return lines + answers if words else lines


def _left_side(graph: Graph, layout: Layout, node: int) -> bool:
    """Which answer leads to the left: yes in a tree; in a diagram the one whose edge then does not cross the other."""
    if graph.is_tree:
        return True
    yes, no = (
        layout.via.get((node, side)) or [(layout.x[child], 0.0)]
        for side, child in ((True, int(graph.yes[node])), (False, int(graph.no[node])))
    )
    return yes[0][0] <= no[0][0]


def _ends(graph: Graph, layout: Layout, sizes: Sequence[Size], ends: tuple[int, int], sign: int) -> tuple[Point, Point]:
    """Return the end points of an edge."""
    (x0, x1), (y0, y1) = ([place[node] for node in ends] for place in (layout.x, layout.y))
    parent, child = (sizes[node] for node in ends)
    if layout.sideways:
        lean = sign * parent.height / 5
        return (x0 + parent.width / 2, y0 + parent.height / 2 + lean), (x1 - child.width / 2, y1 + child.height / 2)
    lean = sign * min(parent.width / 5, _LEAN)
    # In a diagram both edges of a branch may lead to one child: they must not coincide.
    return (x0 + lean, y0 + parent.height), (x1 + (0.0 if graph.is_tree else lean / 2), y1)


def row_bounds(graph: Graph) -> Ints:
    """Return upper bounds on the rows of each edge, (n_nodes, 2) with yes first, given the rows of all nodes.

    The rows of the edges that leave a node add up to its rows, and so do those of the edges that enter it; bounds are
    propagated until they no longer change. In a tree they are exact.
    """
    tails = np.repeat(np.flatnonzero(graph.test), 2)
    heads = np.column_stack([graph.yes, graph.no])[np.flatnonzero(graph.test)].ravel()
    least, most = np.zeros(len(tails), dtype=np.int64), np.minimum(graph.rows[tails], graph.rows[heads])
    for _ in range(_ROUNDS):
        before = least, most
        for ends in (tails, heads):
            all_least, all_most = (np.bincount(ends, side, graph.n_nodes).astype(np.int64) for side in (least, most))
            rows = graph.rows[ends]
            least, most = (
                np.maximum(least, rows - (all_most[ends] - most)),
                np.minimum(most, rows - (all_least[ends] - least)),
            )
        if np.array_equal(before, (least, most)):
            break
    found = np.zeros((graph.n_nodes, 2), dtype=np.int64)
    found[graph.test > 0] = np.maximum(most, 0).reshape(-1, 2)  # rows of a graph made by hand may be inconsistent
    return found


def _curve(points: list[Point], share: float, colour: str, *, sideways: bool) -> str:
    path = f"M{number(points[0][0])} {number(points[0][1])}"
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        bends = (middle[0], y0, middle[0], y1) if sideways else (x0, middle[1], x1, middle[1])
        path += "C" + " ".join(number(value) for value in (*bends, x1, y1))
    dash = ' stroke-dasharray="4 4"' if share == 0 else ""
    thick = number(_THIN + (_THICK - _THIN) * share)
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thick}"{dash}/>'


def _answer(points: list[Point], word: str, *, at: float) -> str:
    """Return the label of an edge, on a white background."""
    (x0, y0), (x1, y1) = points[:2]
    # A point of the curve: in a tree the middle, in a diagram nearer to the branch.
    x = x0 + (x1 - x0) * (3 * at**2 - 2 * at**3)
    y = y0 + (y1 - y0) * (1.5 * at - 1.5 * at**2 + at**3)
    half = text_width(word, SMALL) / 2 + 3
    ground = box(x - half, y - 8, 2 * half, 16, rounded=8, fill="#ffffff")
    return ground + text(word, x, y + 3.5, size=SMALL, colour=FAINT)
