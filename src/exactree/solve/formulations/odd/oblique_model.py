"""ODD with sums as a program (Florio et al., AAAI 2023): nodes may ask about weighted sums of columns.

=========  ====================================================  =====================
in code    meaning                                               in the paper
=========  ====================================================  =====================
sums       [v] node v asks about a sum                           (all nodes do)
up, down   [v, j] positive and negative part of column j's       a_{vj} = up - down
           factor, columns scaled to 0..1
at         [v] what the sum is compared with                     b_v
margin     least distance between the two sides                  epsilon
=========  ====================================================  =====================

A node asks about one column, exactly as in ``odd_model``, or about a sum. So every diagram of questions about one
column is one of these too, whatever the margin, and categories and missing values can be asked about one at a time. As
in the authors' code the sizes of factors add up to 1 at most, or a margin would have no meaning. With
``-sum_j down <= at <= sum_j up`` no sum is further from ``at`` than 1, which halves the published big-Ms.
"""

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.encode import RankedColumn
from exactree.errors import SolverBug
from exactree.mip import Mip
from exactree.problem import DiagramProblem
from exactree.solve.formulations.common.oblique_splits import SumQuestions
from exactree.solve.formulations.odd.costs import DiagramCosts
from exactree.solve.formulations.odd.model import OddModel
from exactree.solve.formulations.odd.network import HALF
from exactree.solve.trees.linear_combinations import Summands
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.solve.trees.skeleton import MINUS, PLUS, Placed


class OddSumsModel(OddModel):
    """ODD's program with sums of columns."""

    def __init__(
        self, mip: Mip, problem: DiagramProblem, costs: DiagramCosts, *, summands: Summands, margin: float
    ) -> None:
        self.summands = summands
        super().__init__(mip, problem, costs)
        self.asked.add_bounds()
        first = np.unique(self.costs.group_of, return_index=True)[1]
        x = summands.scaled[first]  # (n_rows, n_summands)
        for v in range(self.n_nodes):  # (13), (14)
            self.asked.add_routing(v, x, self.leaves[MINUS, :, v], self.leaves[PLUS, :, v], margin)

    def _add_columns(self) -> None:
        super()._add_columns()
        self.asked = SumQuestions(self.mip, self.n_nodes, len(self.summands.sources))
        self.sums = self.asked.sums

    def write(self, diagram: Placed) -> None:
        """Suggest a diagram that asks about one column at a time."""
        super().write(diagram)
        self.asked.suggest_none()

    def _node(
        self,
        v: int,
        sides: tuple[Bools, Bools],
        target: list[int],
        values: Floats,
        further: list[RankedColumn],
    ) -> RankedNode:
        """Return the node that parts two sets of rows; a sum becomes a column of its own."""
        if values[self.sums[v]] < HALF:
            return super()._node(v, sides, target, values, further)
        minus, plus = (side[self.costs.group_of] for side in sides)
        made = self.summands.parting(minus, plus)
        if made is None:
            raise SolverBug(f"The program parts rows at node {v} that no sum of columns parts.")
        further.append(made)
        return RankedNode(len(self.cuts) + len(further) - 1, 0, target[MINUS], target[PLUS], 0)
