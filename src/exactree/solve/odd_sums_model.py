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

from exactree.encode import RankedColumn
from exactree.errors import SolverBug
from exactree.mip import Kind, Mip, Term
from exactree.problem import DiagramProblem
from exactree.solve.diagram_costs import DiagramCosts
from exactree.solve.odd_model import Floats, OddModel, Truths
from exactree.solve.odd_network import HALF
from exactree.solve.ranked_tree import RankedNode
from exactree.solve.skeleton import MINUS, PLUS, Placed
from exactree.solve.sums import Summands


class OddSumsModel(OddModel):
    """ODD's program with sums of columns."""

    def __init__(
        self, mip: Mip, problem: DiagramProblem, costs: DiagramCosts, *, summands: Summands, margin: float
    ) -> None:
        self.summands, self.margin = summands, margin
        super().__init__(mip, problem, costs)
        self._add_bounds()
        self._add_sums()

    def _add_columns(self) -> None:
        super()._add_columns()
        each = (self.n_nodes, len(self.summands.sources))
        self.sums = self.mip.columns("sums", self.n_nodes, kind=Kind.INTEGER, high=1, priority=90)
        self.up, self.down = (self.mip.columns(name, each, high=1) for name in ("up", "down"))
        self.at = self.mip.columns("at", self.n_nodes, low=-1, high=1)

    def _add_bounds(self) -> None:
        mip = self.mip
        # (15), (16) factors[v]: sum_j up[v, j] + down[v, j] <= sums[v]
        mip.family("factors", [(1, self.up), (1, self.down), (-1, self.sums)], at_most=0)
        # at_high[v]: at[v] <= sum_j up[v, j];  at_low[v]: at[v] >= -sum_j down[v, j]
        mip.family("at_high", [(1, self.at), (-1, self.up)], at_most=0)
        mip.family("at_low", [(1, self.at), (1, self.down)], at_least=0)

    def _add_sums(self) -> None:
        """Rows whose sum stays below take the minus side; without a sum the rows say nothing."""
        mip, margin = self.mip, self.margin
        first = np.unique(self.costs.group_of, return_index=True)[1]
        x = self.summands.scaled[first]  # (n_rows, n_summands)
        for v in range(self.n_nodes):
            up, down = (np.broadcast_to(part[v], x.shape) for part in (self.up, self.down))
            at, sums = (np.full(len(x), part[v]) for part in (self.at, self.sums))
            terms: list[Term] = [(x, up), (-x, down), (-1, at)]
            # (13) sum_below[i]: sum_j x (up - down) + margin sums <= at + (1 + margin) (1 - leaves[-, i, v])
            minus: list[Term] = [*terms, (margin, sums), (1 + margin, self.leaves[MINUS, :, v])]
            mip.family(f"sum_below_{v}", minus, at_most=1 + margin)
            # (14) sum_above[i]: sum_j x (up - down) >= at - (1 - leaves[+, i, v])
            mip.family(f"sum_above_{v}", [*terms, (-1, self.leaves[PLUS, :, v])], at_least=-1)

    def write(self, diagram: Placed) -> None:
        """Suggest a diagram that asks about one column at a time."""
        super().write(diagram)
        for block in (self.sums, self.up, self.down, self.at):
            self.mip.suggest(block, 0)

    def _node(
        self,
        v: int,
        sides: tuple[Truths, Truths],
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
