"""Trees met on the way: what their leaves cost and add to the sums, and their best allowed labels."""

from dataclasses import dataclass
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints, UInt32s
from exactree.problem import DiagramProblem
from exactree.solve.gains import sums_by
from exactree.solve.search.constrained.amounts import GroupAmounts

MOST_STATES = 2**14  # labellings kept side by side: with two classes those of 14 leaves are all tried

Nodes = Int32s  # (n_nodes, 5)


@dataclass(frozen=True, slots=True, eq=False)
class LeafAmounts:
    """Costs and sums of each label at each leaf of a tree, or at each side of a diagram that ends."""

    leaves: Ints  # their numbers among the nodes
    costs: Floats  # (n_leaves, n_classes), with the price of the leaf
    fixed: float  # price of the nodes of a diagram
    sums: Ints  # (n_leaves, n_classes, n_sums)
    allowed: Bools  # (n_leaves, n_classes), by limits on each leaf

    def of_labels(self, labels: Ints) -> tuple[float, Ints]:
        """Cost and sums of a tree with these labels at its leaves."""
        at = np.arange(len(labels))
        return self.fixed + float(self.costs[at, labels].sum()), np.asarray(self.sums[at, labels].sum(axis=0))


class Labelled(NamedTuple):
    """Labels of the leaves of a tree, and what it costs with penalties."""

    labels: Ints
    cost: float


def ends_of(ranks: UInt32s, nodes: Nodes) -> Ints:
    """Return the leaf that each group reaches; a node without a question has a negative rank."""
    at = np.zeros(ranks.shape[1], dtype=np.int64)
    for number, (column, rank, yes, no, _) in enumerate(nodes.tolist()):
        if column >= 0:
            here = np.flatnonzero(at == number)
            at[here] = no if rank < 0 else np.where(ranks[column, here] <= rank, yes, no)
    return at


def leaf_amounts(amounts: GroupAmounts, ranks: UInt32s, nodes: Nodes) -> LeafAmounts:
    """Add up the groups that reach each leaf; ``ranks`` are those of the groups, (n_columns, n_groups).

    In a diagram every side that ends has a leaf of its own, so that labels can be chosen side by side.
    """
    leaves, place = np.unique(ends_of(ranks, nodes), return_inverse=True)
    costs = sums_by(place, amounts.costs, len(leaves))
    sums = amounts.sums_of(place, len(leaves))
    allowed = amounts.allowed_labels(place, len(leaves))
    if isinstance(amounts.problem, DiagramProblem):
        n_asking = int((nodes[:, 0] >= 0).sum())
        return LeafAmounts(leaves, costs, amounts.problem.node_price * max(n_asking - 1, 0), sums, allowed)
    costs += amounts.problem.leaf_price + amounts.answer_prices(place, len(leaves))
    return LeafAmounts(leaves, costs, 0.0, sums, allowed)


def cheapest_allowed(
    amounts: GroupAmounts, leaf: LeafAmounts, multipliers: Floats, below: float = inf
) -> Labelled | None:
    """Return the cheapest labels that satisfy all limits, or ``None`` if none of those tried does.

    All are tried whose relaxed cost allows a cost below ``below``, unless there are very many; then those of low
    relaxed cost are.
    """
    relaxed_of, constant = amounts.multipliers_by_sum(multipliers)
    least = np.where(leaf.allowed, leaf.costs + leaf.sums @ relaxed_of, inf).min(axis=1)
    still = np.append(np.cumsum(least[::-1])[::-1], 0.0)  # least relaxed cost of this leaf and those that follow
    most = below + constant - leaf.fixed
    labels = np.zeros((1, 0), dtype=np.int64)
    costs, sums = np.zeros(1), np.zeros((1, amounts.n_sums), dtype=np.int64)
    for at in range(len(leaf.leaves)):
        choices = np.flatnonzero(leaf.allowed[at])
        if len(choices) == 0:
            return None
        labels = np.hstack([np.repeat(labels, len(choices), axis=0), np.tile(choices, len(labels))[:, None]])
        costs = (costs[:, None] + leaf.costs[at, choices]).ravel()
        sums = (sums[:, None, :] + leaf.sums[at, choices]).reshape(len(labels), -1)
        if isfinite(most):
            kept = np.flatnonzero(costs + sums @ relaxed_of + still[at + 1] < most)
            labels, costs, sums = labels[kept], costs[kept], sums[kept]
        if len(labels) == 0:
            return None
        if len(labels) > MOST_STATES:
            kept = np.argpartition(costs + sums @ relaxed_of, MOST_STATES)[:MOST_STATES]
            labels, costs, sums = labels[kept], costs[kept], sums[kept]
    fits = np.flatnonzero(amounts.allowed(sums))
    if len(fits) == 0:
        return None
    total = leaf.fixed + costs[fits] + amounts.penalties(sums[fits])
    best = fits[int(total.argmin())]
    return Labelled(labels[best], float(total.min()))


def with_labels(nodes: Nodes, leaf: LeafAmounts, labels: Ints) -> Nodes:
    """Return the tree with these labels at its leaves."""
    out = nodes.copy()
    out[leaf.leaves, 4] = labels
    return out
