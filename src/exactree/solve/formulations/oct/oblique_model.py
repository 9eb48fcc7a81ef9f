"""OCT-H as a program (Bertsimas and Dunn, Machine Learning 2017): branches may ask about weighted sums of columns.

=========  ====================================================  ==================
in code    meaning                                               in the paper
=========  ====================================================  ==================
sums       [n] branch n asks about a sum                         part of d_t, binary
up, down   [n, j] positive and negative part of column j's       a_{jt} = up - down
           factor, columns scaled to 0..1
at         [n] what the sum is compared with                     b_t
margin     least distance between the two sides                  mu
=========  ====================================================  ==================

A branch asks about one column, by rank and exactly as in ``oct_model``, or about a sum. So every tree of OCT is one of
OCT-H, whatever the margin, and categories and missing values can be asked about one at a time. The factors' sizes add
up to 1 at most, so a margin has a meaning: rows on the yes side have a sum of at most ``at - margin``, those on the
no side of at least ``at``. With ``-sum_j down <= at <= sum_j up`` no sum is further from ``at`` than 1, which halves
the published big-Ms. What a leaf costs is the same price as everywhere; the paper's price per column of a question
is not there.
"""

import numpy as np

from exactree.arrays import Floats
from exactree.encode import RankedColumn
from exactree.errors import SolverBug
from exactree.mip import Mip
from exactree.problem import Problem
from exactree.solve.formulations.common.oblique_splits import SumQuestions
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.mip_runs.costs import Costs
from exactree.solve.trees.complete_tree import CompleteTree, Shape
from exactree.solve.trees.linear_combinations import Summands


class OctHModel(OctModel):
    """OCT's program with sums of columns."""

    def __init__(
        self, mip: Mip, problem: Problem, costs: Costs, shape: Shape, *, summands: Summands, margin: float
    ) -> None:
        self.summands = summands
        super().__init__(mip, problem, costs, shape)
        self.asked.add_bounds()
        x = summands.scaled[self.costs.points]  # (n_rows, n_summands)
        for n in range(shape.n_branches):
            yes, no = (self.reach[:, s.start : s.stop] for s in self._sides(n))
            self.asked.add_routing(n, x, yes, no, margin)

    def _add_columns(self) -> None:
        super()._add_columns()
        self.asked = SumQuestions(self.mip, self.shape.n_branches, len(self.summands.sources))
        self.sums = self.asked.sums

    def write(self, tree: CompleteTree) -> None:
        """Suggest a tree that asks about one column at a time."""
        super().write(tree)
        self.asked.suggest_none()

    def read(self, values: Floats) -> CompleteTree:
        """Read the tree that some values stand for; each sum becomes a column of its own."""
        tree = super().read(values)
        column, rank, further = tree.column.copy(), tree.rank.copy(), list[RankedColumn]()
        n_columns = len(self.problem.data.columns)
        for n in np.flatnonzero(values[self.sums] > 0.5).tolist():
            made = self._column(n, values)
            if isinstance(made, RankedColumn):
                column[n], rank[n] = n_columns + len(further), 0
                further.append(made)
            else:  # all rows go one way
                column[n], rank[n] = 0, self.cuts[0] if made else -1
        return CompleteTree(tree.shape, column, rank, tree.label, tuple(further))

    def _column(self, branch: int, values: Floats) -> RankedColumn | bool:
        """Column that asks the branch's question, or the one answer that all rows here give."""
        n_points = self.problem.data.n_points
        yes, no = np.zeros(n_points, dtype=np.bool_), np.zeros(n_points, dtype=np.bool_)
        for side, leaves in zip((yes, no), self._sides(branch), strict=True):
            here = values[self.reach[:, leaves.start : leaves.stop]].sum(axis=1) > 0.5
            side[self.costs.points[here]] = True
        if not yes.any() or not no.any():
            return bool(yes.any())
        made = self.summands.parting(yes, no)
        if made is None:
            raise SolverBug(f"The program parts rows at branch {branch} that no sum of columns parts.")
        return made
