"""Branch and price: where choices are taken in part, some of them are closed on one side, the others on the other.

Of the branches whose choices are taken in part the one nearest to the root is parted, into two sets of about half the
shares each. Pricing sees fewer choices below, so it never gets harder. Once every branch has one choice, every leaf has
one path; with side constraints it may still answer in part one thing and in part another, and labels are parted alike.

With constraints a solution may be one tree alone that breaks them, by less than a back end sees or with some of the
ghost to make up for it. Then that tree is set apart: its choice at a branch on one side, all others on the other.
"""

import heapq
from math import inf

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.solve.column_generation.loop import Generation, NoTree, Relaxed
from exactree.solve.column_generation.paths import PathTable
from exactree.solve.column_generation.pricing import Field
from exactree.tolerances import FEASIBILITY

HALF = 0.5


def branch_and_price(run: Generation, relaxed: Relaxed) -> dict[str, float]:
    """Part the field until the best tree is proved; fields with the lowest bound first. Return how many there were."""
    waiting: list[tuple[float, int, Field]] = []
    fields, at, field = 1, relaxed, Field.of(run.table)
    while True:
        if not run.closes(at.bound):
            rho, says = run.master.rho(at.vertex), run.says(at.vertex)
            for part in parted(run.table, rho, says, field) or set_apart(run, rho, says, field):
                fields += 1
                heapq.heappush(waiting, (at.bound, fields, part))
        run.raise_bound(waiting[0][0] if waiting else inf)
        if not waiting or run.closes(waiting[0][0]):
            if run.state.model is None:
                raise NoTree
            return {"fields": float(fields)}
        bound, _, field = heapq.heappop(waiting)
        at = run.relax(field, bound)


def parted(table: PathTable, rho: Floats, says: Floats, field: Field) -> list[Field]:
    """Two fields that have no tree in common and all trees of the field together; none if all shares are whole."""
    for branch in range(table.shape.n_branches):
        mine = np.arange(table.begin[branch], table.begin[branch + 1])
        mine = mine[np.lexsort((table.rank[mine], table.column[mine]))]
        if (first := _half(rho[mine])) is not None:
            return [_closed(field, mine[first:]), _closed(field, mine[:first])]
    for leaf in range(table.shape.n_leaves):
        labels = np.argsort(-says[leaf], kind="stable")
        if (first := _half(says[leaf][labels])) is not None:
            return [_silenced(field, leaf, labels[first:]), _silenced(field, leaf, labels[:first])]
    return []


def set_apart(run: Generation, rho: Floats, says: Floats, field: Field) -> list[Field]:
    """Part a field between the tree that a whole solution stands for and all others; none if it is the only one."""
    table = run.table
    choice = np.empty(table.shape.n_branches, dtype=np.int64)
    for branch in range(table.shape.n_branches):
        mine = table.begin[branch] + np.flatnonzero(field.open[table.begin[branch] : table.begin[branch + 1]])
        choice[branch] = mine[rho[mine].argmax()]
        if len(mine) > 1:
            return [_closed(field, mine[mine != choice[branch]]), _closed(field, choice[branch : branch + 1])]
    label = np.where(field.says, says, -1.0).argmax(axis=1).astype(np.int32)
    for leaf in range(0 if table.labels_follow else table.shape.n_leaves):
        others = np.flatnonzero(field.says[leaf])
        if len(others) > 1:
            others = others[others != label[leaf]]
            return [_silenced(field, leaf, others), _silenced(field, leaf, label[leaf : leaf + 1].astype(np.int64))]
    run.offer(choice, None if table.labels_follow else label)
    return []


def _half(shares: Floats) -> int | None:
    """After how many the sum is nearest to half of all, with some of it on both sides; ``None`` if one has it all."""
    total = float(shares.sum())
    so_far = np.cumsum(shares)[:-1]
    inside = np.flatnonzero((so_far > FEASIBILITY) & (so_far < total - FEASIBILITY))
    if len(inside) == 0:
        return None
    nearest: Ints = inside[np.abs(so_far[inside] - HALF * total).argmin()]
    return int(nearest) + 1


def _closed(field: Field, choices: Ints) -> Field:
    is_open = field.open.copy()
    is_open[choices] = False
    return Field(is_open, field.says)


def _silenced(field: Field, leaf: int, labels: Ints) -> Field:
    says = field.says.copy()
    says[leaf, labels] = False
    return Field(field.open, says)
