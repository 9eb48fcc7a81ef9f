"""Trees met on the way: what their leaves cost and add to the sums, and their best allowed labels."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints, UInt32s
from exactree.solve.gains import sums_by
from exactree.solve.search.constrained.amounts import GroupAmounts

MOST_STATES = 2**14  # labellings kept side by side: with two classes those of 14 leaves are all tried

Nodes = Int32s  # (n_nodes, 5)


@dataclass(frozen=True, slots=True, eq=False)
class LeafAmounts:
    """Costs and sums of each label at each leaf of a tree."""

    leaves: Ints  # their numbers among the nodes
    costs: Floats  # (n_leaves, n_classes), with the price of the leaf
    sums: Ints  # (n_leaves, n_classes, n_sums)
    allowed: Bools  # (n_leaves, n_classes), by limits on each leaf

    def of_labels(self, labels: Ints) -> tuple[float, Ints]:
        """Cost and sums of a tree with these labels at its leaves."""
        at = np.arange(len(labels))
        return float(self.costs[at, labels].sum()), np.asarray(self.sums[at, labels].sum(axis=0))


class Labelled(NamedTuple):
    """Labels of the leaves of a tree, and what it costs with penalties."""

    labels: Ints
    cost: float


def leaf_amounts(amounts: GroupAmounts, ranks: UInt32s, nodes: Nodes) -> LeafAmounts:
    """Add up the groups that reach each leaf; ``ranks`` are those of the groups, (n_columns, n_groups)."""
    at = np.zeros(amounts.n_groups, dtype=np.int64)
    for number, (column, rank, yes, no, _) in enumerate(nodes.tolist()):
        if column >= 0:
            here = np.flatnonzero(at == number)
            at[here] = np.where(ranks[column, here] <= rank, yes, no)
    leaves, place = np.unique(at, return_inverse=True)
    costs = sums_by(place, amounts.costs, len(leaves))
    sums = amounts.sums_of(place, len(leaves))
    allowed = amounts.allowed_labels(place, len(leaves))
    costs += amounts.problem.leaf_price + amounts.answer_prices(place, len(leaves))
    return LeafAmounts(leaves, costs, sums, allowed)


def cheapest_allowed(amounts: GroupAmounts, leaf: LeafAmounts, multipliers: Floats) -> Labelled | None:
    """Return the cheapest labels that satisfy all limits, or ``None`` if none of those tried does.

    All are tried unless there are very many; then those of low relaxed cost are.
    """
    relaxed_of, _ = amounts.multipliers_by_sum(multipliers)
    labels = np.zeros((1, 0), dtype=np.int64)
    costs, sums = np.zeros(1), np.zeros((1, amounts.n_sums), dtype=np.int64)
    for at in range(len(leaf.leaves)):
        choices = np.flatnonzero(leaf.allowed[at])
        if len(choices) == 0:
            return None
        labels = np.hstack([np.repeat(labels, len(choices), axis=0), np.tile(choices, len(labels))[:, None]])
        costs = (costs[:, None] + leaf.costs[at, choices]).ravel()
        sums = (sums[:, None, :] + leaf.sums[at, choices]).reshape(len(labels), -1)
        if len(labels) > MOST_STATES:
            kept = np.argpartition(costs + sums @ relaxed_of, MOST_STATES)[:MOST_STATES]
            labels, costs, sums = labels[kept], costs[kept], sums[kept]
    fits = np.flatnonzero(amounts.allowed(sums))
    if len(fits) == 0:
        return None
    total = costs[fits] + amounts.penalties(sums[fits])
    best = fits[int(total.argmin())]
    return Labelled(labels[best], float(total.min()))


def with_labels(nodes: Nodes, leaf: LeafAmounts, labels: Ints) -> Nodes:
    """Return the tree with these labels at its leaves."""
    out = nodes.copy()
    out[leaf.leaves, 4] = labels
    return out
