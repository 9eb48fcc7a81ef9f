"""Diagrams met so far: which is the best one for given multipliers."""

import numpy as np

from exactree.arrays import Floats
from exactree.solve.search.constrained.amounts import GroupAmounts
from exactree.solve.search.constrained.candidates import LeafAmounts, Nodes, with_labels

MOST_KEPT = 400  # diagrams; then the half with the highest relaxed cost is dropped


class Pool:
    """Diagrams with the costs and sums of their sides that end; ``free_labels``: these may get any labels."""

    def __init__(self, amounts: GroupAmounts, *, free_labels: bool) -> None:
        self._amounts, self._free = amounts, free_labels
        self._met: list[tuple[Nodes, LeafAmounts]] = []

    def add(self, nodes: Nodes, leaf: LeafAmounts) -> None:
        """Take over an allowed diagram, whatever its answers."""
        self._met.append((nodes, leaf))

    def best(self, by_sum: Floats) -> Nodes:
        """Return the diagram with the lowest relaxed cost, with labels for that."""
        costs = np.array([self._relaxed(nodes, leaf, by_sum) for nodes, leaf in self._met])
        order = np.argsort(costs, kind="stable")
        nodes, leaf = self._met[order[0]]
        if len(self._met) > MOST_KEPT:
            self._met = [self._met[at] for at in sorted(order[: MOST_KEPT // 2].tolist())]
        return with_labels(nodes, leaf, (leaf.costs + leaf.sums @ by_sum).argmin(axis=1)) if self._free else nodes

    def _relaxed(self, nodes: Nodes, leaf: LeafAmounts, by_sum: Floats) -> float:
        relaxed = leaf.costs + leaf.sums @ by_sum
        if self._free:
            return leaf.fixed + float(relaxed.min(axis=1).sum())
        return leaf.fixed + float(relaxed[np.arange(len(relaxed)), nodes[leaf.leaves, 4]].sum())
