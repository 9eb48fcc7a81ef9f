"""OCT-H as a MIP (Bertsimas and Dunn, Machine Learning 2017): branches may have oblique splits.

===================  ====================================================  =============================
in code              meaning                                               in the paper
===================  ====================================================  =============================
oblique              [n] the split of branch n is oblique                  part of d_t, binary
positive, negative   [n, j] positive and negative part of column j's       a_{jt} = positive - negative
                     coefficient, columns scaled to 0..1
threshold            [n] what the linear combination is compared with      b_t
margin               least distance between the two sides                  mu
===================  ====================================================  =============================

A branch has a univariate split, by rank and exactly as in ``model``, or an oblique one. So every tree of OCT is one of
OCT-H, whatever the margin, and categories and missing values have univariate splits. The absolute coefficients add up
to 1 at most, so a margin has a meaning: the linear combination of rows on the yes side is at most ``threshold -
margin``, that of rows on the no side at least ``threshold``. With ``-sum_j negative <= threshold <= sum_j positive`` no
linear combination is further from the threshold than 1, which halves the published big-Ms. The price of a leaf is the
same as in all solvers. The paper's price per column of a split is that of the columns after the first: a univariate
split is paid with its leaf.
"""

import numpy as np

from exactree.arrays import Floats
from exactree.encode import RankedColumn
from exactree.errors import SolverBug
from exactree.mip import Mip
from exactree.problem import Problem
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.mip_runs.costs import MipCosts
from exactree.solve.oblique.mip_splits import ObliqueSplits
from exactree.solve.trees.complete_tree import NO_QUESTION, CompleteTree, Shape
from exactree.solve.trees.linear_combinations import ObliqueColumns, ScaledSplit
from exactree.tolerances import FEASIBILITY


class ObliqueOctModel(OctModel):
    """OCT's MIP with oblique splits."""

    def __init__(
        self,
        mip: Mip,
        problem: Problem,
        costs: MipCosts,
        shape: Shape,
        *,
        oblique_columns: ObliqueColumns,
        margin: float,
    ) -> None:
        self.oblique_columns, self.margin = oblique_columns, margin
        super().__init__(mip, problem, costs, shape)
        self.splits.add_bounds()
        x = oblique_columns.scaled[self.costs.points]  # (n_rows, n_oblique)
        for n in range(shape.n_branches):
            yes, no = (self.reach[:, s.start : s.stop] for s in self._sides(n))
            self.splits.add_routing(n, x, yes, no, margin)

    def _add_columns(self) -> None:
        super()._add_columns()
        limits = self.problem.limits
        self.splits = ObliqueSplits(
            self.mip,
            self.shape.n_branches,
            len(self.oblique_columns.sources),
            most_columns=limits.max_split_columns,
            column_price=self.problem.column_price * self.costs.scale,
        )
        self.oblique = self.splits.oblique

    def set_start(self, tree: CompleteTree) -> None:
        """Set a tree as warm start."""
        super().set_start(tree)
        linear = tree.column >= len(self.problem.data.columns)
        self.mip.set_start(self.cut, np.where((tree.column != NO_QUESTION) & ~linear, tree.rank + 1, 0))
        self.splits.set_start(self.start_splits(tree))

    def takes(self, tree: CompleteTree) -> bool:
        """Whether all oblique splits of a tree keep the margin."""
        n_oblique = np.count_nonzero(tree.column >= len(self.problem.data.columns))
        return len(self.start_splits(tree)) == n_oblique

    def start_splits(self, tree: CompleteTree) -> dict[int, ScaledSplit]:
        """Return the oblique splits of a tree; those whose gap is less than the margin are left out."""
        n_columns = len(self.problem.data.columns)
        further = [column.ranks for column in tree.further]
        leaf = tree.route(np.vstack([self.problem.data.ranks, *further]).astype(np.int64))
        found = {}
        for n in np.flatnonzero(tree.column >= n_columns).tolist():
            yes, no = (np.isin(leaf, list(side)) for side in self._sides(n))
            factors = tree.further[tree.column[n] - n_columns].factors
            split = self.oblique_columns.scaled_split(factors, yes, no)
            if split is not None and split.gap >= self.margin + FEASIBILITY:
                found[n] = split
        return found

    def read_solution(self, values: Floats) -> CompleteTree:
        """Decode the tree of a solution; each linear combination becomes a column."""
        tree = super().read_solution(values)
        column, rank, further = tree.column.copy(), tree.rank.copy(), list[RankedColumn]()
        n_columns = len(self.problem.data.columns)
        for n in np.flatnonzero(values[self.oblique] > 0.5).tolist():
            made = self._column(n, values)
            if isinstance(made, RankedColumn):
                column[n], rank[n] = n_columns + len(further), 0
                further.append(made)
            else:  # all rows go to one side
                column[n], rank[n] = 0, self.cuts[0] if made else -1
        return CompleteTree(tree.shape, column, rank, tree.label, tuple(further))

    def _column(self, branch: int, values: Floats) -> RankedColumn | bool:
        """Column of the branch's linear combination, or the side that all rows take."""
        n_points = self.problem.data.n_points
        yes, no = np.zeros(n_points, dtype=np.bool_), np.zeros(n_points, dtype=np.bool_)
        for side, leaves in zip((yes, no), self._sides(branch), strict=True):
            here = values[self.reach[:, leaves.start : leaves.stop]].sum(axis=1) > 0.5
            side[self.costs.points[here]] = True
        if not yes.any() or not no.any():
            return bool(yes.any())
        chosen = [self.oblique_columns.sources[j] for j in self.splits.columns_at(branch, values)]
        made = self.oblique_columns.of(chosen).separating_split(yes, no)
        if made is None:
            raise SolverBug(f"The MIP separates rows at branch {branch} that no linear combination separates.")
        return made
