"""Branch and price: restrict the choices of branches until the relaxation is integral or pruned.

Branching takes the branch nearest to the root whose choices have fractional shares, and partitions its choices into two
sets of about half the shares each; each child allows one set. Pricing has fewer choices in the children, so it never
gets harder. Once every branch has one choice, every leaf has one path. With side constraints the labels of a leaf may
still be fractional; they are partitioned likewise.

With constraints an integral solution may be a single tree that violates them, by less than the feasibility tolerance or
with a share of the artificial column. Then that tree is isolated: its choice at a branch in one child, all others in
the other.
"""

import heapq
from math import inf

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.solve.column_generation.loop import GenerationLoop, NoFeasibleTree, Relaxation
from exactree.solve.column_generation.paths import PathTable
from exactree.solve.column_generation.pricing import Restriction
from exactree.tolerances import FEASIBILITY

HALF = 0.5


def branch_and_price(loop: GenerationLoop, relaxation: Relaxation) -> dict[str, float]:
    """Branch until the best tree is proved optimal, best bound first. Return the number of nodes."""
    waiting: list[tuple[float, int, Restriction]] = []
    nodes, at, restriction = 1, relaxation, Restriction.unrestricted(loop.table)
    while True:
        if not loop.prunes(at.bound):
            rho, labels = loop.master.rho(at.solution), loop.label_shares(at.solution)
            children = child_restrictions(loop.table, rho, labels, restriction)
            for child in children or isolate_tree(loop, rho, labels, restriction):
                nodes += 1
                heapq.heappush(waiting, (at.bound, nodes, child))
        loop.raise_bound(waiting[0][0] if waiting else inf)
        if not waiting or loop.prunes(waiting[0][0]):
            if loop.state.model is None:
                raise NoFeasibleTree
            return {"fields": float(nodes)}
        bound, _, restriction = heapq.heappop(waiting)
        at = loop.solve_relaxation(restriction, bound)


def child_restrictions(table: PathTable, rho: Floats, labels: Floats, restriction: Restriction) -> list[Restriction]:
    """Two disjoint restrictions that cover all trees of one; none if all shares are integral."""
    for branch in range(table.shape.n_branches):
        mine = np.arange(table.begin[branch], table.begin[branch + 1])
        mine = mine[np.lexsort((table.rank[mine], table.column[mine]))]
        if (first := _balanced_split(rho[mine])) is not None:
            return [restriction.without_choices(mine[first:]), restriction.without_choices(mine[:first])]
    for leaf in range(table.shape.n_leaves):
        order = np.argsort(-labels[leaf], kind="stable")
        if (first := _balanced_split(labels[leaf][order])) is not None:
            return [restriction.without_labels(leaf, order[first:]), restriction.without_labels(leaf, order[:first])]
    return []


def isolate_tree(loop: GenerationLoop, rho: Floats, labels: Floats, restriction: Restriction) -> list[Restriction]:
    """Separate the tree of an integral solution from all others; no child if it is the only one."""
    table = loop.table
    choice = np.empty(table.shape.n_branches, dtype=np.int64)
    for branch in range(table.shape.n_branches):
        mine = table.begin[branch] + np.flatnonzero(restriction.open[table.begin[branch] : table.begin[branch + 1]])
        choice[branch] = mine[rho[mine].argmax()]
        if len(mine) > 1:
            others = mine[mine != choice[branch]]
            return [restriction.without_choices(others), restriction.without_choices(choice[branch : branch + 1])]
    label = np.where(restriction.labels, labels, -1.0).argmax(axis=1)
    for leaf in range(0 if table.labels_are_cheapest else table.shape.n_leaves):
        others = np.flatnonzero(restriction.labels[leaf])
        if len(others) > 1:
            others = others[others != label[leaf]]
            return [restriction.without_labels(leaf, others), restriction.without_labels(leaf, label[leaf : leaf + 1])]
    loop.offer(choice, None if table.labels_are_cheapest else label.astype(np.int32))
    return []


def _balanced_split(shares: Floats) -> int | None:
    """Length of the prefix whose sum is nearest to half, with some share on both sides; ``None`` if one has it all."""
    total = float(shares.sum())
    so_far = np.cumsum(shares)[:-1]
    inside = np.flatnonzero((so_far > FEASIBILITY) & (so_far < total - FEASIBILITY))
    if len(inside) == 0:
        return None
    nearest: Ints = inside[np.abs(so_far[inside] - HALF * total).argmin()]
    return int(nearest) + 1
