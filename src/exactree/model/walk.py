"""Orders in which to meet the nodes of a graph; exports and plots share them."""

from collections.abc import Iterator
from dataclasses import dataclass

from exactree.model.graph import Graph


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a walk, and the node at its end."""

    node: int
    depth: int  # questions asked on the way of this walk
    parent: int | None  # None at the root
    side: bool | None  # the parent's answer that leads here; None at the root
    first: bool  # False: a shared node that the walk has met before and does not enter again


@dataclass(frozen=True, slots=True)
class Path:
    """One way from the root to a leaf: the branches passed and the answer given at each."""

    leaf: int
    answers: tuple[tuple[int, bool], ...]


def walk(graph: Graph) -> Iterator[Step]:
    """Go through the graph from the root, yes side first; every edge is met once, every node entered once.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> list(walk(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1)))
    [Step(node=0, depth=0, parent=None, side=None, first=True)]
    """
    met: set[int] = set()
    waiting: list[tuple[int, int, int | None, bool | None]] = [(0, 0, None, None)]
    while waiting:
        node, depth, parent, side = waiting.pop()
        first = node not in met
        met.add(node)
        yield Step(node, depth, parent, side, first)
        if first and not graph.is_leaf(node):
            waiting.append((int(graph.no[node]), depth + 1, node, False))
            waiting.append((int(graph.yes[node]), depth + 1, node, True))


def paths(graph: Graph) -> Iterator[Path]:
    """Every way from the root to a leaf, yes side first.

    A tree has one per leaf; a diagram can have many more than it has nodes, so they are made one at a time.

    Examples
    --------
    >>> from exactree.table import Schema
    >>> list(paths(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1)))
    [Path(leaf=0, answers=())]
    """
    waiting: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(0, ())]
    while waiting:
        node, answers = waiting.pop()
        if graph.is_leaf(node):
            yield Path(node, answers)
            continue
        waiting.append((int(graph.no[node]), (*answers, (node, False))))
        waiting.append((int(graph.yes[node]), (*answers, (node, True))))
