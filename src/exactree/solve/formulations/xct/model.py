"""XCT as a MIP: maximise the accuracy of the worst leaf, on OCT's trees.

=========  ==================================================  ==================
in code    meaning                                             in the thesis
=========  ==================================================  ==================
worst      accuracy of the worst leaf                          Q
unit       [l] value of a unit of weight in leaf l             r_t
share      [r, l] the same if row r is in leaf l, else 0       s_{it}
right      [r, l] the same if leaf l predicts its class too    S_{it}
=========  ==================================================  ==================

In a nonempty leaf the shares of its rows, each times its weight, add up to 1, so the value of a unit of weight is one
over the leaf's weight, and the shares of correct rows add up to the leaf's accuracy. A leaf has some least weight, so
no unit is worth more than one over it: that bounds all of these, and makes every row as tight as possible.

Two rows of one class in two leaves, half and half, already make a perfect "tree" of the LP relaxation: its bound is
always 1, and proofs take as long as enumeration. Use the search for proofs.
"""

import numpy as np

from exactree.arrays import Floats
from exactree.mip import MipSize, Term
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.trees.complete_tree import CompleteTree


class XctModel(OctModel):
    """OCT's MIP with the worst leaf's accuracy as its objective."""

    def _size(self) -> MipSize:
        rows, columns, entries = super()._size()
        each = self.costs.n_rows * self.shape.n_leaves
        return MipSize(rows + 5 * each, columns + 2 * each, entries + 10 * each)

    def _add_cost_columns(self) -> None:
        mip, leaves = self.mip, self.shape.n_leaves
        data, limits = self.problem.data, self.problem.limits
        self.weight = data.point_weights[self.costs.points] / np.bincount(self.costs.points)[self.costs.points]
        per_row = float((data.point_weights / data.point_counts).min())
        least = max(per_row * limits.min_samples_leaf, self.problem.min_leaf_weight, float(self.weight.min()))
        self.most = 1.0 / min(least, self.problem.total_weight)
        each = (self.costs.n_rows, leaves)
        self.worst = mip.columns("worst", 1, high=1, cost=-1.0)
        self.unit = mip.columns("unit", leaves, high=self.most)
        self.share = mip.columns("share", each, high=self.most)
        self.right = mip.columns("right", each, high=self.most)
        mip.offset += 1.0  # the cost is 1 less the accuracy of the worst leaf

    def _add_losses(self) -> None:
        """Accuracy of the leaves."""
        mip, most, n_rows = self.mip, self.most, self.costs.n_rows
        share, right, reach = self.share.ravel(), self.right.ravel(), self.reach.ravel()
        unit = np.tile(self.unit, n_rows)
        correct = self.predicts[:, self.costs.labels].T.ravel()  # [r, l]: leaf l predicts row r's class
        # all_shares[l]: sum_r weight share[r, l] = holds[l]
        mip.family("all_shares", [(self.weight[None, :], self.share.T), (-1, self.holds)], at_least=0, at_most=0)
        # share_here: share <= u reach;  share_same: share <= unit;  share_full: share >= unit - u (1 - reach)
        mip.family("share_here", [(1, share), (-most, reach)], at_most=0)
        mip.family("share_same", [(1, share), (-1, unit)], at_most=0)
        mip.family("share_full", [(1, share), (-1, unit), (-most, reach)], at_least=-most)
        # right_share: right <= share;  right_label: right <= u predicts
        mip.family("right_share", [(1, right), (-1, share)], at_most=0)
        mip.family("right_label", [(1, right), (-most, correct)], at_most=0)
        # worst_leaf[l]: worst <= sum_r weight right[r, l] + 1 - holds[l]
        worst = np.full(self.shape.n_leaves, self.worst[0])
        terms: list[Term] = [(1, worst), (-self.weight[None, :], self.right.T), (1, self.holds)]
        mip.family("worst_leaf", terms, at_most=1)

    def _start_losses(self, tree: CompleteTree, reach: Floats) -> None:
        weight = reach.T @ self.weight
        nonempty = weight > 0
        unit = np.divide(1.0, weight, out=np.zeros_like(weight), where=nonempty)
        share = reach * unit[None, :]
        right = share * (self.costs.labels[:, None] == tree.label[None, :])
        accuracy = right.T @ self.weight
        for block, values in ((self.unit, unit), (self.share, share), (self.right, right)):
            self.mip.set_start(block, values)
        self.mip.set_start(self.worst, accuracy[nonempty].min())
