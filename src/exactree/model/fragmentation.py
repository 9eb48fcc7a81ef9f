"""Fragmentation: the share of rows at every branch of a graph, layer by layer."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from exactree.errors import InputError
from exactree.model.graph import Graph
from exactree.model.wording import percent
from exactree.table import Table

_GAP = "   "


@dataclass(frozen=True, slots=True)
class NodeShare:
    """A branch and its rows.

    Parameters
    ----------
    node : int
        Number of the branch.
    layer : int
        Questions before it, on the longest path to it.
    rows : int
        Rows that reach it.
    share : float
        Their share of all rows.

    Examples
    --------
    >>> NodeShare(node=1, layer=1, rows=5, share=0.5).rows
    5
    """

    node: int
    layer: int
    rows: int
    share: float


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """Rows at every branch, layer by layer; prints as a table. A single leaf has no branch.

    A split of few rows rests on little evidence. In a tree the shares of a layer add up to at most 1, so they fall from
    layer to layer; in a diagram paths merge, and the branches below have more rows.

    Parameters
    ----------
    n_rows : int
        Number of all rows.
    nodes : tuple of NodeShare
        The branches, ordered by layer.

    Examples
    --------
    >>> root, child = NodeShare(0, 0, rows=10, share=1.0), NodeShare(1, 1, rows=5, share=0.5)
    >>> found = Fragmentation(10, (root, child))
    >>> found.least, found.mean
    (0.5, 0.5)
    """

    n_rows: int
    nodes: tuple[NodeShare, ...]

    @property
    def layers(self) -> tuple[tuple[NodeShare, ...], ...]:
        """The nodes of each layer, the root's first."""
        found: dict[int, list[NodeShare]] = {}
        for node in self.nodes:
            found.setdefault(node.layer, []).append(node)
        return tuple(tuple(found[layer]) for layer in sorted(found))

    @property
    def least(self) -> float:
        """Share of rows at the branch with the fewest; 1 if there is no branch."""
        return min((node.share for node in self.nodes), default=1.0)

    @property
    def mean(self) -> float:
        """Mean share of rows over the branches below the root; 1 if there are none."""
        return float(np.mean([node.share for node in self.nodes[1:]])) if len(self.nodes) > 1 else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        nodes = [asdict(node) for node in self.nodes]
        return {"n_rows": self.n_rows, "least": self.least, "mean": self.mean, "nodes": nodes}

    def __str__(self) -> str:
        if not self.nodes:
            return f"no branch: all {self.n_rows} rows are in one leaf"
        cells = [[f"{node.rows:,} ({percent(node.share)})" for node in layer] for layer in self.layers]
        width = max(len(cell) for layer in cells for cell in layer)
        lines = [f"layer {at}{_GAP}" + _GAP.join(f"{cell:>{width}}" for cell in row) for at, row in enumerate(cells)]
        below = f"; below the root {percent(self.mean)} on average" if len(self.nodes) > 1 else ""
        return "\n".join([*lines, f"fewest {percent(self.least)} of {self.n_rows:,} rows{below}"])


def fragmentation(graph: Graph, table: Table | None = None) -> Fragmentation:
    """Count the rows at every branch.

    Parameters
    ----------
    graph : Graph
        The tree or diagram.
    table : Table or None, default=None
        Rows to count; None for the training rows.

    Returns
    -------
    Fragmentation
        The rows of each branch and their share of all rows.

    Examples
    --------
    >>> from exactree.model import Node
    >>> from exactree.table import ColumnType, Kind, Schema, Test
    >>> schema = Schema((ColumnType("a", Kind.NUMBER), ColumnType("b", Kind.NUMBER)), named=True)
    >>> ask = {"test": Test.AT_MOST, "threshold": 0.5}
    >>> nodes = [
    ...     Node(0, (5, 5), 10, column=0, yes=1, no=2, **ask),
    ...     Node(0, (3, 2), 5, column=1, yes=3, no=4, **ask),
    ...     Node(1, (2, 3), 5, column=1, yes=4, no=3, **ask),
    ...     Node(0, (5, 1), 6),
    ...     Node(1, (0, 4), 4),
    ... ]
    >>> print(fragmentation(Graph.of_nodes(schema, ["no", "yes"], nodes)))
    layer 0   10 (100.0 %)
    layer 1     5 (50.0 %)     5 (50.0 %)
    fewest 50.0 % of 10 rows; below the root 50.0 % on average
    """
    rows: Sequence[int] = graph.rows.tolist()
    if table is not None:
        rows = np.asarray(graph.decision_path(table).sum(axis=0)).ravel().tolist()
    if rows[0] == 0:
        raise InputError("There are no rows to count. Give a table with one row or more.")
    layers = graph.depths.tolist()
    asking = sorted((node for node in range(graph.n_nodes) if not graph.is_leaf(node)), key=lambda at: (layers[at], at))
    return Fragmentation(
        int(rows[0]), tuple(NodeShare(at, layers[at], int(rows[at]), rows[at] / rows[0]) for at in asking)
    )
