"""ODD as a MIP (Florio et al., AAAI 2023), second part: univariate splits, by big-Ms as in the paper.

=========  ====================================================  =====================
in code    meaning                                               in the paper
=========  ====================================================  =====================
turns      [i, l] side that row i takes in layer l               lambda_{il}, binary
ask        [v, f] node v asks about column f                     e^+_{vj}, binary
back       [v, f] the same, with ranks in reverse order          e^-_{vj}, binary
cut        [v] rows of lower rank go to the minus side           b_v
=========  ====================================================  =====================

Columns are replaced by their ranks, 0 .. T for a column with T cuts, or T .. 0 in reverse order; so one step is 1 for
all of them, nothing is rounded, and all coefficients are integers. The paper scales values to 0..1 and needs a smallest
gap. The reverse order in place of a coefficient of -1 halves the big-Ms: cuts then are 0 .. T + 1 in both orders. Rows
with ranks below the cut take the minus side; with 0 or T + 1 all rows take the same side, and the node passes them on.

A place without a node asks nothing, which breaks symmetries.
"""

from collections.abc import Sequence

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.encode import RankedColumn
from exactree.mip import NO_COLUMN, Kind, Mip, Term
from exactree.problem import DiagramProblem
from exactree.solve.formulations.odd.costs import DiagramMipCosts
from exactree.solve.formulations.odd.network import HALF, OddNetwork, ReadDiagram
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.solve.trees.skeleton import MINUS, PLUS, Placed


class OddModel(OddNetwork):
    """The MIP, its warm start from a diagram, and the decoding of its solutions."""

    def __init__(self, mip: Mip, problem: DiagramProblem, costs: DiagramMipCosts) -> None:
        self.cuts = np.array([column.n_ranks - 1 for column in problem.data.columns])
        super().__init__(mip, problem, costs)
        self._add_questions()

    def _add_columns(self) -> None:
        super()._add_columns()
        self.n_nodes = self.skeleton.n_nodes
        # The oblique model has columns here; this one has none.
        self.oblique = np.full(self.n_nodes, NO_COLUMN)

    def _add_questions(self) -> None:
        mip, skeleton, costs = self.mip, self.skeleton, self.costs
        each = (self.n_nodes, len(self.cuts))
        priority = 99 - 2 * skeleton.layer_of
        self.ask, self.back = (
            mip.columns(name, each, kind=Kind.INTEGER, high=1, priority=priority[:, None]) for name in ("ask", "back")
        )
        self.cut = mip.columns("cut", self.n_nodes, kind=Kind.IMPLIED, high=float(self.cuts.max()) + 1)
        self.turns = mip.columns("turns", (costs.n_groups, len(skeleton.widths)), kind=Kind.INTEGER, high=1)
        # (15), (16) one_question[v]: sum_f ask[v, f] + back[v, f] (+ oblique[v]) = used[v]
        terms: list[Term] = [(1, self.ask), (1, self.back), (1, self.oblique), (-1, self.used)]
        mip.family("one_question", terms, at_least=0, at_most=0)
        # cut_high[v]: cut[v] <= sum_f (T_f + 1) (ask[v, f] + back[v, f])
        most = -(self.cuts[None, :] + 1.0)
        mip.family("cut_high", [(1, self.cut), (most, self.ask), (most, self.back)], at_most=0)
        self._add_turns()
        self._add_routing()

    def _add_turns(self) -> None:
        turns = self.turns.reshape(-1)
        layers = np.full((len(self.skeleton.widths), max(self.skeleton.widths)), NO_COLUMN)
        for number, layer in enumerate(self.skeleton.layers):
            layers[number, : len(layer)] = layer
        for name, side, sign in (("minus", MINUS, 1.0), ("plus", PLUS, -1.0)):
            here = np.where(layers == NO_COLUMN, NO_COLUMN, self.leaves[side][:, layers]).reshape(len(turns), -1)
            # (4) turns_minus[i, l]: sum_{v in l} leaves[-, i, v] <= 1 - turns[i, l]
            # (5) turns_plus[i, l]: sum_{v in l} leaves[+, i, v] <= turns[i, l]
            self.mip.family(f"turns_{name}", [(1, here), (sign, turns)], at_most=float(side == MINUS))

    def _add_routing(self) -> None:
        """Route rows below the cut to the minus side, the others to the plus side."""
        mip, n_rows = self.mip, self.costs.n_groups
        ranks = self.costs.ranks.T.astype(np.float64)  # (n_rows, n_columns)
        down = self.cuts[None, :] - ranks
        most = 1.0 + np.maximum(ranks, down).max(axis=1)  # of rank + 1 - cut, and of cut - rank
        for v in range(self.n_nodes):
            ask, back = (np.broadcast_to(part[v], ranks.shape) for part in (self.ask, self.back))
            cut, oblique = (np.full(n_rows, part[v]) for part in (self.cut, self.oblique))
            terms: list[Term] = [(ranks, ask), (down, back), (-1, cut)]
            # (13) below[i]: sum_f rank ask + (T_f - rank) back + 1 (- sums) <= cut + M (1 - leaves[-, i, v])
            minus: list[Term] = [*terms, (-1, oblique), (most, self.leaves[MINUS, :, v])]
            mip.family(f"below_{v}", minus, at_most=most - 1)
            # (14) above[i]: sum_f rank ask + (T_f - rank) back >= cut - M (1 - leaves[+, i, v])
            mip.family(f"above_{v}", [*terms, (-most, self.leaves[PLUS, :, v])], at_least=-most)

    def set_start(self, diagram: Placed, further: Sequence[RankedColumn] = ()) -> None:
        """Set a diagram as complete warm start; a node may ask ``further`` columns, in a model that has these."""
        super().set_start(diagram, further)
        mip = self.mip
        asked = (np.arange(len(self.cuts)) == diagram.column[:, None]) & diagram.asks[:, None]
        mip.set_start(self.ask, asked & ~diagram.turned[:, None])
        mip.set_start(self.back, asked & diagram.turned[:, None])
        univariate = diagram.column < len(self.cuts)
        highest = self.cuts[np.where(univariate, diagram.column, 0)]
        cut = np.where(diagram.turned, highest - diagram.rank, diagram.rank + 1)
        mip.set_start(self.cut, np.where(diagram.asks & univariate, cut, 0))
        _, sides = diagram.sides(self.ranks_of(further))
        mip.set_start(self.turns, sides == PLUS)

    def read_solution(self, values: Floats) -> ReadDiagram:
        """Decode the diagram of a solution."""
        nodes, further = list[RankedNode](), list[RankedColumn]()
        for v in range(self.n_nodes):
            minus, plus = self.rows_at(v, values)
            target = [self.target(v, side, values) for side in (MINUS, PLUS)]
            if minus.any() and plus.any():
                nodes.append(self._node(v, (minus, plus), target, values, further))
            else:
                nodes.append(self.pass_node(minus | plus, target[PLUS if plus.any() else MINUS]))
        return ReadDiagram([*nodes, *self.leaf_nodes()], tuple(further))

    def _node(
        self,
        v: int,
        sides: tuple[Bools, Bools],
        target: list[int],
        values: Floats,
        further: list[RankedColumn],
    ) -> RankedNode:
        """Return the node that separates two sets of rows."""
        minus, plus = zip(sides, target, strict=True)
        column = int((values[self.ask[v]] + values[self.back[v]]).argmax())
        turned = bool(values[self.back[v]].sum() > HALF)
        return self.split_node(column, plus, minus) if turned else self.split_node(column, minus, plus)
