"""The places of a diagram: layers of nodes, then a leaf for each class, and all arcs between them.

Nodes are numbered layer by layer from the root, leaves after them. An *arc* leads from a node to a node of the next
layer or to a leaf; each of the two sides of a node takes one of its arcs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from exactree.arrays import Bools, Ints
from exactree.mip import NO_COLUMN
from exactree.solve.trees.ranked_diagram import PASS, in_order
from exactree.solve.trees.ranked_tree import RankedNode

MINUS, PLUS = 0, 1  # sides of a node: the first goes to a place of a lower number than the second


@dataclass(frozen=True)
class Skeleton:
    """Places for nodes and leaves, and the arcs between them.

    Examples
    --------
    >>> Skeleton((1, 2, 4, 8), n_classes=2).n_arcs, Skeleton((1, 2), 2).heads.tolist()
    (72, [1, 2, 3, 4, 3, 4, 3, 4])
    """

    widths: tuple[int, ...]
    n_classes: int

    @property
    def n_nodes(self) -> int:
        """Places of nodes that ask."""
        return sum(self.widths)

    @property
    def n_arcs(self) -> int:
        """Arcs; each stands for two sides."""
        return len(self.tails)

    @cached_property
    def layers(self) -> list[range]:
        """Places of each layer."""
        ends = np.cumsum(self.widths).tolist()
        return [range(end - width, end) for end, width in zip(ends, self.widths, strict=True)]

    @cached_property
    def layer_of(self) -> Ints:
        """Layer of each node."""
        return np.repeat(np.arange(len(self.widths)), self.widths)

    @cached_property
    def _arcs(self) -> Ints:
        leaves = range(self.n_nodes, self.n_nodes + self.n_classes)
        pairs = []
        for layer, nodes in enumerate(self.layers):
            below = self.layers[layer + 1] if layer + 1 < len(self.layers) else range(0)
            pairs += [(u, v) for u in nodes for v in (*below, *leaves)]
        return np.array(pairs, dtype=np.int64)

    @property
    def tails(self) -> Ints:
        """Where each arc begins."""
        return np.asarray(self._arcs[:, 0])

    @property
    def heads(self) -> Ints:
        """Where each arc ends."""
        return np.asarray(self._arcs[:, 1])

    @cached_property
    def out(self) -> Ints:
        """Arcs that leave each node, heads ascending, filled up with ``NO_COLUMN``."""
        return _padded([np.flatnonzero(self.tails == u) for u in range(self.n_nodes)])

    @cached_property
    def into(self) -> Ints:
        """Arcs that lead to each node and then to each leaf, filled up with ``NO_COLUMN``."""
        return _padded([np.flatnonzero(self.heads == v) for v in range(self.n_nodes + self.n_classes)])

    def arc(self, tail: int, head: int) -> int:
        """Number of an arc."""
        return int(np.flatnonzero((self.tails == tail) & (self.heads == head))[0])


def _padded(rows: list[Ints]) -> Ints:
    wide = np.full((len(rows), max(map(len, rows))), NO_COLUMN, dtype=np.int64)
    for at, row in enumerate(rows):
        wide[at, : len(row)] = row
    return wide


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A diagram at its places. A node asks whether the rank in ``column`` is at most ``rank``, which -1 never is.

    ``turned`` nodes send rows that answer yes to their plus side, all others to their minus side.
    """

    skeleton: Skeleton
    asks: Bools  # (n_nodes,) whether there is a node here
    column: Ints  # (n_nodes,)
    rank: Ints  # (n_nodes,)
    turned: Bools  # (n_nodes,)
    target: Ints  # (n_nodes, 2) places that the minus and the plus side go to

    def sides(self, ranks: Ints) -> tuple[Ints, Ints]:
        """Decision path of each row, given ranks (n_columns, n_rows): its place and the side it takes in each layer.

        Both are (n_rows, n_layers); the side is -1 where a row has reached a leaf already. A last column of the first
        is the leaf where it ends.
        """
        depth, n_rows = len(self.skeleton.widths), ranks.shape[1]
        at = np.zeros((n_rows, depth + 1), dtype=np.int64)
        side = np.full((n_rows, depth), -1, dtype=np.int64)
        for layer in range(depth):
            rows = np.flatnonzero(at[:, layer] < self.skeleton.n_nodes)
            node = at[rows, layer]
            yes = ranks[self.column[node], rows] <= self.rank[node]
            at[:, layer + 1] = at[:, layer]
            side[rows, layer] = np.where(yes == self.turned[node], PLUS, MINUS)
            at[rows, layer + 1] = self.target[node, side[rows, layer]]
        return at, side


def unturned(diagram: Placed, turned: Bools) -> Placed:
    """Return the same diagram with the yes side first at all nodes except those given as turned."""
    swapped = diagram.turned != turned
    target = np.where(swapped[:, None], diagram.target[:, ::-1], diagram.target)
    return replace(diagram, turned=turned, target=target)


def placed(nodes: Sequence[RankedNode], skeleton: Skeleton) -> Placed | None:
    """Place a diagram in a skeleton, or return ``None`` if it does not fit.

    A node whose two sides go to the same place passes all rows on by its no side; its other side goes elsewhere. In
    each layer nodes with more incoming sides come first. A node whose yes side goes to a higher place than its no side
    is turned.
    """
    nodes = _with_two_targets(in_order(nodes), skeleton.n_classes)
    layer = {0: 0}
    for at, node in enumerate(nodes):
        if node.column >= 0:
            for side in (node.yes, node.no):
                if nodes[side].column >= 0 and layer.setdefault(side, layer[at] + 1) != layer[at] + 1:
                    return None  # it skips a layer
    parents = np.bincount(
        [side for node in nodes if node.column >= 0 for side in (node.yes, node.no)], minlength=len(nodes)
    )
    place = {at: skeleton.n_nodes + node.label for at, node in enumerate(nodes) if node.column < 0}
    for number in range(max(layer.values()) + 1):
        here = sorted((at for at in layer if layer[at] == number), key=lambda at: -parents[at] if at else 0)
        if number >= len(skeleton.widths) or len(here) > skeleton.widths[number]:
            return None
        place |= dict(zip(here, skeleton.layers[number], strict=False))
    return _arranged([(place[at], nodes[at], place) for at in layer], skeleton)


def _arranged(nodes: list[tuple[int, RankedNode, dict[int, int]]], skeleton: Skeleton) -> Placed:
    asks, turned = (np.zeros(skeleton.n_nodes, dtype=np.bool_) for _ in range(2))
    column, rank = (np.zeros(skeleton.n_nodes, dtype=np.int64) for _ in range(2))
    target = np.zeros((skeleton.n_nodes, 2), dtype=np.int64)
    for at, node, place in nodes:
        yes, no = place[node.yes], place[node.no]
        asks[at], column[at], rank[at], turned[at] = True, node.column, node.rank, yes > no
        target[at] = sorted((yes, no))
    return Placed(skeleton, asks, column, rank, turned, target)


def _with_two_targets(nodes: list[RankedNode], n_classes: int) -> list[RankedNode]:
    """Give all nodes two different targets, with a leaf for each class; a single leaf gets a root that passes it on."""
    leaves = {node.label: at for at, node in enumerate(nodes) if node.column < 0}
    if nodes[0].column < 0:
        nodes, leaves = [RankedNode(0, PASS, 1, 1, 0), nodes[0]], {nodes[0].label: 1}
    nodes = list(nodes)
    for label in range(n_classes):
        if label not in leaves:
            leaves[label] = len(nodes)
            nodes.append(RankedNode(-1, 0, -1, -1, label))
    for at, node in enumerate(nodes):
        if node.column >= 0 and node.yes == node.no:
            other = next(leaf for leaf in leaves.values() if leaf != node.no)
            nodes[at] = RankedNode(0, PASS, other, node.no, 0)
    return nodes
