"""How far a graph breaks the rows up: the share of them that each node sees, layer by layer."""

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
    """A node that asks, and the rows it asks."""

    node: int
    layer: int  # questions before it, on the longest way to it
    rows: int
    share: float  # of all rows


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """Rows at every node that asks, layer by layer. A lone leaf has no such node.

    Few rows at a node mean that its question rests on little. In a tree the shares of a layer add up to 1 at most, so
    they fall from layer to layer; in a diagram ways meet again, and the nodes below see more.
    """

    n_rows: int
    nodes: tuple[NodeShare, ...]  # ordered by layer

    @property
    def layers(self) -> tuple[tuple[NodeShare, ...], ...]:
        """The nodes of each layer, the root's first."""
        found: dict[int, list[NodeShare]] = {}
        for node in self.nodes:
            found.setdefault(node.layer, []).append(node)
        return tuple(tuple(found[layer]) for layer in sorted(found))

    @property
    def least(self) -> float:
        """Share of rows at the node that sees the fewest; 1 if no node asks."""
        return min((node.share for node in self.nodes), default=1.0)

    @property
    def mean(self) -> float:
        """Mean share of rows over the nodes below the root; 1 if there are none."""
        return float(np.mean([node.share for node in self.nodes[1:]])) if len(self.nodes) > 1 else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        nodes = [asdict(node) for node in self.nodes]
        return {"n_rows": self.n_rows, "least": self.least, "mean": self.mean, "nodes": nodes}

    def __str__(self) -> str:
        if not self.nodes:
            return f"no node asks; all {self.n_rows} rows are in one leaf"
        cells = [[f"{node.rows:,} ({percent(node.share)})" for node in layer] for layer in self.layers]
        width = max(len(cell) for layer in cells for cell in layer)
        lines = [f"layer {at}{_GAP}" + _GAP.join(f"{cell:>{width}}" for cell in row) for at, row in enumerate(cells)]
        below = f"; below the root {percent(self.mean)} on average" if len(self.nodes) > 1 else ""
        return "\n".join([*lines, f"fewest {percent(self.least)} of {self.n_rows:,} rows{below}"])


def fragmentation(graph: Graph, table: Table | None = None) -> Fragmentation:
    """Count the rows at every node that asks: those of a table or, without one, those it was fitted to.

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
        raise InputError("There are no rows, so no node has a share of them. Give a table with one row or more.")
    layers = graph.depths.tolist()
    asking = sorted((node for node in range(graph.n_nodes) if not graph.is_leaf(node)), key=lambda at: (layers[at], at))
    return Fragmentation(
        int(rows[0]), tuple(NodeShare(at, layers[at], int(rows[at]), rows[at] / rows[0]) for at in asking)
    )
