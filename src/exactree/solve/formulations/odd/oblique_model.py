"""ODD with oblique splits as a MIP (Florio et al., AAAI 2023).

===================  ====================================================  =============================
in code              meaning                                               in the paper
===================  ====================================================  =============================
oblique              [v] the split of node v is oblique                    (all splits are)
positive, negative   [v, j] positive and negative part of column j's       a_{vj} = positive - negative
                     coefficient, columns scaled to 0..1
threshold            [v] what the linear combination is compared with      b_v
margin               least distance between the two sides                  epsilon
===================  ====================================================  =============================

A node has a univariate split, exactly as in ``model``, or an oblique one. So every diagram of univariate splits is one
of these too, whatever the margin, and categories and missing values have univariate splits. As in the authors' code the
absolute coefficients add up to 1 at most, or a margin would have no meaning. With ``-sum_j negative <= threshold <=
sum_j positive`` no linear combination is further from the threshold than 1, which halves the published big-Ms.
"""

from collections.abc import Sequence

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.encode import RankedColumn
from exactree.errors import SolverBug
from exactree.mip import Mip
from exactree.problem import DiagramProblem
from exactree.solve.formulations.odd.costs import DiagramMipCosts
from exactree.solve.formulations.odd.model import OddModel
from exactree.solve.formulations.odd.network import HALF
from exactree.solve.oblique.mip_splits import ObliqueSplits
from exactree.solve.trees.linear_combinations import ObliqueColumns, ScaledSplit
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.solve.trees.skeleton import MINUS, PLUS, Placed
from exactree.tolerances import FEASIBILITY


class ObliqueOddModel(OddModel):
    """ODD's MIP with oblique splits."""

    def __init__(
        self,
        mip: Mip,
        problem: DiagramProblem,
        costs: DiagramMipCosts,
        *,
        oblique_columns: ObliqueColumns,
        margin: float,
    ) -> None:
        self.oblique_columns, self.margin = oblique_columns, margin
        super().__init__(mip, problem, costs)
        self.splits.add_bounds()
        first = np.unique(self.costs.group_of, return_index=True)[1]
        x = oblique_columns.scaled[first]  # (n_rows, n_oblique)
        for v in range(self.n_nodes):  # (13), (14)
            self.splits.add_routing(v, x, self.leaves[MINUS, :, v], self.leaves[PLUS, :, v], margin)

    def _add_columns(self) -> None:
        super()._add_columns()
        limits = self.problem.limits
        self.splits = ObliqueSplits(
            self.mip,
            self.n_nodes,
            len(self.oblique_columns.sources),
            most_columns=limits.max_split_columns,
            column_price=self.problem.column_price * self.costs.scale,
        )
        self.oblique = self.splits.oblique

    def set_start(self, diagram: Placed, further: Sequence[RankedColumn] = ()) -> None:
        """Set a diagram as warm start; its linear combinations are ``further`` columns."""
        super().set_start(diagram, further)
        self.splits.set_start(self.start_splits(diagram, further))

    def start_splits(self, diagram: Placed, further: Sequence[RankedColumn]) -> dict[int, ScaledSplit]:
        """Return the oblique splits of a diagram; those whose gap is less than the margin are left out."""
        at, sides = diagram.sides(self.ranks_of(further))
        found = {}
        for v in np.flatnonzero(diagram.column >= len(self.cuts)).tolist():
            minus, plus = (((at[:, :-1] == v) & (sides == side)).any(axis=1) for side in (MINUS, PLUS))
            sign = -1.0 if diagram.turned[v] else 1.0
            factors = [(j, sign * factor) for j, factor in further[diagram.column[v] - len(self.cuts)].factors]
            split = self.oblique_columns.scaled_split(factors, minus[self.costs.group_of], plus[self.costs.group_of])
            if split is not None and split.gap >= self.margin + FEASIBILITY:
                found[v] = split
        return found

    def _node(
        self,
        v: int,
        sides: tuple[Bools, Bools],
        target: list[int],
        values: Floats,
        further: list[RankedColumn],
    ) -> RankedNode:
        """Return the node that separates two sets of rows; a linear combination becomes a column."""
        if values[self.oblique[v]] < HALF:
            return super()._node(v, sides, target, values, further)
        minus, plus = (side[self.costs.group_of] for side in sides)
        chosen = [self.oblique_columns.sources[j] for j in self.splits.columns_at(v, values)]
        made = self.oblique_columns.of(chosen).separating_split(minus, plus)
        if made is None:
            raise SolverBug(f"The MIP separates rows at node {v} that no linear combination separates.")
        further.append(made)
        return RankedNode(len(self.cuts) + len(further) - 1, 0, target[MINUS], target[PLUS], 0)
