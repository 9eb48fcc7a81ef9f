"""Traversals of a graph, shared by exports and plots."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from exactree.model.given import given_graph


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a depth-first traversal, and the node at its end.

    Parameters
    ----------
    node : int
        The node.
    depth : int
        Questions before it on this path.
    parent : int or None
        None at the root.
    side : bool or None
        The parent's answer that leads here; None at the root.
    first : bool
        False for a shared node that was visited before and is not entered again.

    Examples
    --------
    >>> Step(node=2, depth=1, parent=0, side=False, first=True).parent
    0
    """

    node: int
    depth: int
    parent: int | None
    side: bool | None
    first: bool


@dataclass(frozen=True, slots=True)
class Path:
    """One decision path from the root to a leaf.

    Parameters
    ----------
    leaf : int
        The leaf.
    answers : tuple of (int, bool)
        The branches passed and the answer at each.

    Examples
    --------
    >>> Path(leaf=2, answers=((0, False),)).leaf
    2
    """

    leaf: int
    answers: tuple[tuple[int, bool], ...]


def walk(graph: Any) -> Iterator[Step]:
    """Traverse the graph depth first, yes side first; every edge is visited once, every node entered once.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram.

    Yields
    ------
    Step
        One edge and the node at its end.

    Examples
    --------
    >>> from exactree.model import Graph
    >>> from exactree.table import Schema
    >>> list(walk(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1)))
    [Step(node=0, depth=0, parent=None, side=None, first=True)]
    """
    graph = given_graph(graph)
    visited: set[int] = set()
    stack: list[tuple[int, int, int | None, bool | None]] = [(0, 0, None, None)]
    while stack:
        node, depth, parent, side = stack.pop()
        first = node not in visited
        visited.add(node)
        yield Step(node, depth, parent, side, first)
        if first and not graph.is_leaf(node):
            stack.append((int(graph.no[node]), depth + 1, node, False))
            stack.append((int(graph.yes[node]), depth + 1, node, True))


def paths(graph: Any) -> Iterator[Path]:
    """Enumerate the decision paths from the root to leaves, yes side first.

    A tree has one per leaf; a diagram can have exponentially many, so they are generated one at a time.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram.

    Yields
    ------
    Path
        One decision path.

    Examples
    --------
    >>> from exactree.model import Graph
    >>> from exactree.table import Schema
    >>> list(paths(Graph.leaf(Schema((), named=False), ["a"], 0, [1.0], 1)))
    [Path(leaf=0, answers=())]
    """
    graph = given_graph(graph)
    stack: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(0, ())]
    while stack:
        node, answers = stack.pop()
        if graph.is_leaf(node):
            yield Path(node, answers)
            continue
        stack.append((int(graph.no[node]), (*answers, (node, False))))
        stack.append((int(graph.yes[node]), (*answers, (node, True))))
