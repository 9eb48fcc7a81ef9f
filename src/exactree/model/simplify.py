"""Removes redundant branches: those whose two sides are equal, and those with a side that no training row reaches."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from exactree.model.given import given_graph
from exactree.model.graph import Graph
from exactree.model.node import Node


def simplify(graph: Any) -> Graph:
    """Return a graph with the same training predictions and without redundant branches.

    A branch is removed if no training row takes one of its sides, or if both sides are equal, node for node; two leaves
    are equal if they predict the same label. Weights and rows of merged nodes are added up. A tree stays a tree; in a
    diagram equal nodes are shared. Nodes are numbered root first, and in a tree in preorder.

    Parameters
    ----------
    graph : Graph or fitted estimator
        The tree or diagram. An estimator stays as it is.

    Returns
    -------
    Graph
        The simplified graph.

    Examples
    --------
    >>> from exactree.model import Node
    >>> from exactree.table import ColumnType, Kind, Schema, Test
    >>> branch = Node(0, (5.0, 1.0), 6, test=Test.AT_MOST, column=0, threshold=0.5, yes=1, no=2)
    >>> leaves = Node(0, (4.0, 0.0), 4), Node(0, (1.0, 1.0), 2)
    >>> graph = Graph.of_nodes(Schema((ColumnType("x", Kind.NUMBER),), True), ["a", "b"], [branch, *leaves])
    >>> simplify(graph).nodes()[0].weight
    (5.0, 1.0)
    """
    graph = given_graph(graph)
    nodes, members = simplified(graph.nodes(), share=not graph.is_tree)
    new_node = {node: number for number, merged in enumerate(members) for node in merged}
    paths = None if graph.paths is None else graph.paths.merged(new_node)
    return Graph.of_nodes(graph.schema, graph.classes, nodes, graph.missing_seen, paths)


def simplified(nodes: Sequence[Node], *, share: bool = False) -> tuple[list[Node], list[list[int]]]:
    """Simplify nodes that are not yet a graph, as :func:`simplify` does.

    Parameters
    ----------
    nodes : sequence of Node
        The nodes, children after their parents.
    share : bool, default=False
        Whether they are a diagram, in which equal nodes are shared, or a tree.

    Returns
    -------
    list of Node
        The nodes that are left, root first.
    list of list of int
        For each of them, which of the given nodes were merged into it, itself first.

    Examples
    --------
    >>> from exactree.table import Test
    >>> branch = Node(0, (5.0, 1.0), 6, test=Test.AT_MOST, column=0, threshold=0.5, yes=1, no=2)
    >>> left, members = simplified([branch, Node(0, (4.0, 0.0), 4), Node(0, (1.0, 1.0), 2)])
    >>> len(left), members
    (1, [[1, 2]])
    """
    reduction = _Reduction(nodes, share)
    for node in reversed(range(len(nodes))):
        reduction.reduce(node)
    return reduction.result()


class _Reduction:
    """Reduces nodes from the last to the first, so that children are done before their parents."""

    def __init__(self, nodes: Sequence[Node], share: bool) -> None:
        self.share = share
        self.given = nodes
        self.nodes = list(nodes)
        self.replacement = list(range(len(nodes)))  # the node that replaces each node
        self.members = [[node] for node in range(len(nodes))]  # nodes merged into each, itself first
        self.kind: dict[int, int] = {}  # node -> number of its kind; equal subgraphs have equal kinds
        self.kinds: dict[tuple[object, ...], int] = {}
        self.owner: dict[int, int] = {}  # kind -> the one node of that kind, in a diagram

    def reduce(self, node: int) -> None:
        """Keep, merge or remove a node whose children are reduced."""
        here = self.nodes[node]
        if here.is_leaf:
            self._share_equal(node, (here.label,))
            return
        yes, no = self.replacement[here.yes], self.replacement[here.no]
        rows_yes, rows_no = self.given[here.yes].rows, self.given[here.no].rows
        if rows_no == 0 < rows_yes:
            self.replacement[node] = yes
        elif rows_yes == 0 < rows_no:
            self.replacement[node] = no
        elif self.kind[yes] == self.kind[no]:
            self._absorb(yes, no)
            self.replacement[node] = yes
        else:
            if (here.yes, here.no) != (yes, no):
                self.nodes[node] = here = replace(here, yes=yes, no=no)
            # A threshold that does not count is NaN, which differs from itself; its text does not.
            asks = (here.test, here.column, repr(here.threshold), here.code, here.missing_yes, here.factors)
            self._share_equal(node, (*asks, self.kind[yes], self.kind[no]))

    def result(self) -> tuple[list[Node], list[list[int]]]:
        """Return the remaining nodes, numbered root first, and which nodes each was made of."""
        order = self._order()
        numbers = {node: i for i, node in enumerate(order)}
        nodes, members = [self.nodes[node] for node in order], [self.members[node] for node in order]
        if order == list(range(len(order))):
            return nodes, members
        return [n if n.is_leaf else replace(n, yes=numbers[n.yes], no=numbers[n.no]) for n in nodes], members

    def _order(self) -> list[int]:
        """Return the remaining nodes in topological order; in a tree this is preorder, yes side first."""
        visited: set[int] = set()
        done: list[int] = []  # children before parents
        stack = [(self.replacement[0], False)]
        while stack:
            node, entered = stack.pop()
            if entered:
                done.append(node)
            elif node not in visited:
                visited.add(node)
                stack.append((node, True))
                if not self.nodes[node].is_leaf:
                    stack += [(self.nodes[node].yes, False), (self.nodes[node].no, False)]
        return done[::-1]

    def _share_equal(self, node: int, key: tuple[object, ...]) -> None:
        kind = self.kind[node] = self.kinds.setdefault(key, len(self.kinds))
        if self.share:
            owner = self.owner.setdefault(kind, node)
            if owner != node:
                self._add(owner, node)
                self.replacement[node] = owner

    def _absorb(self, left: int, right: int) -> None:
        """Add the weights of one of two equal subtrees to the other; in a diagram they are the same already."""
        stack = [(left, right)]
        while stack:
            a, b = stack.pop()
            if a == b:
                continue
            self._add(a, b)
            if not self.nodes[a].is_leaf:
                stack += [(self.nodes[a].yes, self.nodes[b].yes), (self.nodes[a].no, self.nodes[b].no)]

    def _add(self, into: int, node: int) -> None:
        a, b = self.nodes[into], self.nodes[node]
        weight = tuple(x + y for x, y in zip(a.weight, b.weight, strict=True))
        self.nodes[into] = replace(a, weight=weight, rows=a.rows + b.rows)
        self.members[into] += self.members[node]
