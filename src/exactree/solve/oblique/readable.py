"""The linear splits of a finished model, with few digits and wide gaps.

Every split keeps its rows on their sides, so the cost stays the same. Of all linear combinations of the same columns
that do so, the one with the widest gap is taken, rounded as in ``linear_combinations``, where that is quickly found.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from exactree.arrays import Bools
from exactree.encode import RankedColumn
from exactree.model.oblique import linear_combination
from exactree.solve.oblique.kinds import Nodes
from exactree.solve.trees.linear_combinations import ObliqueColumns, between
from exactree.solve.trees.ranked_diagram import says_yes
from exactree.solve.trees.ranked_tree import with_columns

MOST_ROWS = 3000  # of a node: with more of them, the LP of the widest gap takes long


def with_readable_splits(
    problem: Any,
    usable: ObliqueColumns,
    nodes: Nodes,
    columns: tuple[RankedColumn, ...],
    left: Callable[[], float],
) -> tuple[Nodes, tuple[RankedColumn, ...]]:
    """Return the same model with a column of a single cut for each linear split."""
    data, base = with_columns(problem, columns).data, len(problem.data.columns)
    here = np.zeros((len(nodes), data.n_points), dtype=np.bool_)
    here[0] = True
    written, cut = Nodes(), list[RankedColumn]()
    for at, node in enumerate(nodes):
        if node.column < 0:
            written.append(node)
            continue
        says = says_yes(data, node)
        yes, no = here[at] & says, here[at] & ~says
        here[node.yes] |= yes
        here[node.no] |= no
        if node.column >= base and node.rank >= 0:
            cut.append(_cut(usable, columns[node.column - base], node.rank, yes, no, left))
            node = node._replace(column=base + len(cut) - 1, rank=0)
        written.append(node)
    return written, tuple(cut)


def _cut(
    usable: ObliqueColumns, column: RankedColumn, rank: int, yes: Bools, no: Bools, left: Callable[[], float]
) -> RankedColumn:
    """Return a linear split as a column with one cut, in the middle of the gap between the rows of its node."""
    few = np.count_nonzero(yes | no) <= MOST_ROWS
    if yes.any() and no.any() and few and left() > 0:
        found = usable.of([j for j, _ in column.factors]).separating_split(yes, no)
        if found is not None and len(found.factors) > 1:
            return found
    cut = float(column.cut(rank))
    if yes.any() and no.any():
        low, high = int(column.ranks[yes].max()), int(column.ranks[no].min())
        cut = between(float(column.below[low]), float(column.above[high - 1]))
    cuts = np.array([cut])
    sums = linear_combination(column.factors, usable.values, len(yes))
    return replace(column, below=cuts, above=cuts, ranks=(sums > cut).astype(np.uint32))
