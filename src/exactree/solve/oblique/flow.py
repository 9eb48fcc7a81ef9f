"""A model with oblique splits, and where its rows flow: what a change of one node can cost."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.encode import Encoded, RankedColumn
from exactree.solve.oblique.combinations import Terms
from exactree.solve.oblique.kinds import Nodes
from exactree.solve.trees.linear_combinations import ObliqueColumns
from exactree.solve.trees.ranked_diagram import says_yes
from exactree.solve.trees.ranked_tree import RankedNode, with_columns
from exactree.table import Test


class ObliqueModel(NamedTuple):
    """Nodes, and the columns of linear combinations that they ask beside those of the data."""

    nodes: Nodes
    columns: tuple[RankedColumn, ...] = ()

    def terms(self, data: Encoded, usable: ObliqueColumns, node: RankedNode) -> Terms | None:
        """Linear combination that a node asks, ``None`` if its column cannot be in one."""
        further = node.column - len(data.columns)
        if further >= 0:
            return self.columns[further].factors
        column = data.columns[node.column]
        in_sums = column.test is Test.AT_MOST and column.source in usable.sources
        return ((column.source, 1.0),) if in_sums else None


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Points at each node, their answers, and what they cost from there on."""

    nodes: Nodes
    here: Bools  # (n_nodes, n_points)
    yes: Bools  # (n_nodes, n_points)
    below: Floats  # (n_nodes, n_points)

    @classmethod
    def of(cls, problem: Any, costs: Floats, model: ObliqueModel) -> "Flow":
        """Send all points through a model; ``costs`` (n_points, n_classes) are those of each label."""
        data, nodes = with_columns(problem, model.columns).data, model.nodes
        yes = np.zeros((len(nodes), data.n_points), dtype=np.bool_)
        for at, node in enumerate(nodes):
            if node.column >= 0:
                yes[at] = says_yes(data, node)
        below = np.zeros(yes.shape)
        for at in reversed(range(len(nodes))):
            node = nodes[at]
            below[at] = costs[:, node.label] if node.column < 0 else np.where(yes[at], below[node.yes], below[node.no])
        return cls(nodes, reached_from(nodes, yes, 0), yes, below)


def reached_from(nodes: Nodes, yes: Bools, at: int) -> Bools:
    """Return which points each node gets, (n_nodes, n_points), if all points are sent to one of them."""
    here = np.zeros(yes.shape, dtype=np.bool_)
    here[at] = True
    for i in range(at, len(nodes)):
        node = nodes[i]
        if node.column >= 0:
            here[node.yes] |= here[i] & yes[i]
            here[node.no] |= here[i] & ~yes[i]
    return here


def narrow_splits(problem: Any, usable: ObliqueColumns, flow: Flow, model: ObliqueModel, margin: float) -> int:
    """Count the linear splits whose two sides are closer than the margin."""
    found = 0
    for at, node in enumerate(model.nodes):
        if node.column < len(problem.data.columns):
            continue
        terms = model.columns[node.column - len(problem.data.columns)].factors
        yes, no = flow.here[at] & flow.yes[at], flow.here[at] & ~flow.yes[at]
        if yes.any() and no.any():
            split = usable.scaled_split(terms, yes, no) or usable.scaled_split([(j, -c) for j, c in terms], yes, no)
            found += split is None or split.gap < margin
    return found
