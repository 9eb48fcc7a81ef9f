"""Layout of a tree: parents centred above their children, subtrees as close as they fit."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from exactree.model import Graph


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a box."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Places of all boxes; x grows to the right and y downwards, and nothing is left of or above zero."""

    x: tuple[float, ...]  # (n_nodes,) centre of each box
    y: tuple[float, ...]  # (n_nodes,) top of each box
    size: Size  # of the whole drawing
    # (parent, answer) -> points an edge passes on its way; edges between neighbouring levels pass none
    via: dict[tuple[int, bool], list[tuple[float, float]]] = field(default_factory=dict)
    sideways: bool = False  # the root is at the left and children are to the right, yes above no


@dataclass(slots=True)
class _Outline:
    """Left and right ends of a subtree on each level from its root down, relative to the root's centre."""

    left: list[float]
    right: list[float]


def tree_layout(graph: Graph, sizes: Sequence[Size], *, gap_x: float, gap_y: float) -> Layout:
    """Place the boxes of a tree.

    Each subtree is laid out by itself, then the no side is moved to the right until it is ``gap_x`` away from the yes
    side on every level both have (Reingold and Tilford 1981, with boxes of different widths).

    Examples
    --------
    >>> from exactree.table import Schema
    >>> leaf = Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1)
    >>> tree_layout(leaf, [Size(100, 40)], gap_x=10, gap_y=50)
    Layout(x=(50.0,), y=(0.0,), size=Size(width=100.0, height=40.0), via={}, sideways=False)
    """
    outlines: dict[int, _Outline] = {}
    offset = [0.0] * graph.n_nodes  # of each box from its parent
    for node in reversed(range(graph.n_nodes)):
        half = sizes[node].width / 2
        outline = _Outline([-half], [half])
        if not graph.is_leaf(node):
            yes, no = int(graph.yes[node]), int(graph.no[node])
            left, right = outlines.pop(yes), outlines.pop(no)
            apart = gap_x + max(r - lft for r, lft in zip(left.right, right.left, strict=False))
            offset[yes], offset[no] = -apart / 2, apart / 2
            _join(outline, left, right, apart / 2)
        outlines[node] = outline
    x = [0.0] * graph.n_nodes
    for node in range(graph.n_nodes):
        if not graph.is_leaf(node):
            for child in (int(graph.yes[node]), int(graph.no[node])):
                x[child] = x[node] + offset[child]
    y, height = level_tops(graph.depths.tolist(), sizes, gap_y)
    leftmost, rightmost = min(outlines[0].left), max(outlines[0].right)
    size = Size(float(rightmost - leftmost), height)
    return Layout(tuple(float(v - leftmost) for v in x), y, size)


def sideways_layout(graph: Graph, sizes: Sequence[Size], *, gap_x: float, gap_y: float) -> Layout:
    """Place the boxes of a tree from left to right: with many leaves this is far less wide, as boxes are flat.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> leaf = Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1)
    >>> sideways_layout(leaf, [Size(100, 40)], gap_x=50, gap_y=10).size
    Size(width=100.0, height=40.0)
    """
    turned = tree_layout(graph, [Size(size.height, size.width) for size in sizes], gap_x=gap_y, gap_y=gap_x)
    x = tuple(left + size.width / 2 for left, size in zip(turned.y, sizes, strict=True))
    y = tuple(middle - size.height / 2 for middle, size in zip(turned.x, sizes, strict=True))
    return Layout(x, y, Size(turned.size.height, turned.size.width), sideways=True)


def level_tops(depths: Sequence[int], sizes: Sequence[Size], gap_y: float) -> tuple[tuple[float, ...], float]:
    """Return the top of each box, one level below the other, and the height of it all."""
    heights = [0.0] * (max(depths) + 1)
    for depth, size in zip(depths, sizes, strict=True):
        heights[depth] = max(heights[depth], size.height)
    tops = [sum(heights[:depth]) + gap_y * depth for depth in range(len(heights))]
    return tuple(float(tops[depth]) for depth in depths), float(tops[-1] + heights[-1])


def _join(outline: _Outline, left: _Outline, right: _Outline, shift: float) -> None:
    """Hang two subtrees under a root, one ``shift`` to the left and one to the right."""
    for level in range(max(len(left.left), len(right.left))):
        sides = [(left, -shift)] * (level < len(left.left)) + [(right, shift)] * (level < len(right.left))
        outline.left.append(min(side.left[level] + move for side, move in sides))
        outline.right.append(max(side.right[level] + move for side, move in sides))
