"""OCT as a MIP (Bertsimas and Dunn, Machine Learning 2017), with the left routing corrected and routing aggregated.

=========  ==============================================  ==================
in code    meaning                                         in the paper
=========  ==============================================  ==================
ask        [n, f] branch n asks about column f             a_{jt}, binary
asks       [n] branch n asks a question                     d_t, binary
cut        [n] rows with ranks below it go left            b_t
reach      [r, l] row r ends in leaf l                     z_{it}, binary
holds      [l] leaf l has rows                             l_t, binary
predicts   [l, k] leaf l predicts class k                  c_{kt}, binary
loss       [l] cost of the rows in leaf l                  L_t
=========  ==============================================  ==================

Columns are replaced by their ranks, 0 .. T for a column with T cuts, so one step is 1 for all of them and nothing is
rounded; the paper scales values to 0..1 and needs a smallest gap for each column. Rows with ranks below the cut go
left, which is yes here: "at most cut - 1".

A branch that does not ask has ``ask = 0`` and ``cut = 0``. In the published left row,
``sum_f ask rank + step (sum_f ask) <= cut + M (1 - reach)``, it then lets every row choose its side, and the best
"tree" asks nothing and classifies every row correctly. With the step taken out of the sum,
``sum_f ask rank + 1 <= cut + M (1 - reach)``, no row can go left of it, and real questions are unchanged.

Routing is aggregated: one row for each row, branch and side, with all leaves below that side in one sum. At most one
of them is 1, so this is valid, and it needs 2 R N rows in place of R D 2^D. The big-Ms are the smallest for each row.
"""

import numpy as np

from exactree.arrays import Floats, Ints
from exactree.mip import NO_COLUMN, Kind, Mip, MipSize, Term
from exactree.problem import Problem
from exactree.solve.formulations.common.leaf_constraints import add_constraints, kind_of_totals, start_leaf_constraints
from exactree.solve.mip_runs.costs import MipCosts, leaf_size_limits
from exactree.solve.trees.complete_tree import NO_QUESTION, CompleteTree, Shape

NOISE = 1e-4  # a cut that a back end puts this far below an integer is that integer


class OctModel:
    """The MIP, its warm start from a tree, and the decoding of its solutions.

    ``published`` keeps the left routing as printed: a MIP whose optimum is not a tree, for a test.
    """

    def __init__(self, mip: Mip, problem: Problem, costs: MipCosts, shape: Shape, *, published: bool = False) -> None:
        self.problem, self.costs, self.shape = problem, costs, shape
        self.cuts = np.array([column.n_ranks - 1 for column in problem.data.columns])
        self.mip = mip
        # OCT-H has oblique splits; here the MIP has no such columns.
        self.oblique = np.full(shape.n_branches, NO_COLUMN)
        mip.expect(*self._size())
        self._add_columns()
        self._add_structure()
        self._add_routing(published)
        self._add_losses()
        add_constraints(self.mip, problem, costs, self.reach, self.predicts)
        self.mip.offset += costs.offset + costs.leaf_price

    def _size(self) -> MipSize:
        """Size of the MIP, about: mostly that of routing, two rows for each branch and row of the table."""
        n_rows, n_leaves, n_branches = self.costs.n_rows, self.shape.n_leaves, self.shape.n_branches
        of_leaves = (4 + self.shape.depth + self.costs.n_classes) * n_leaves
        return MipSize(
            rows=n_rows * (1 + n_leaves + 2 * n_branches),
            columns=n_rows * n_leaves,
            entries=n_rows * (of_leaves + 2 * n_branches * (len(self.cuts) + 1)),
        )

    def _add_columns(self) -> None:
        mip, shape, costs = self.mip, self.shape, self.costs
        levels = np.array([shape.level(n) for n in range(shape.n_branches)])
        binary = Kind.INTEGER
        priority = 100 - 2 * levels
        self.ask = mip.columns(
            "ask", (shape.n_branches, len(self.cuts)), kind=binary, high=1, priority=priority[:, None]
        )
        self.asks = mip.columns(
            "asks", shape.n_branches, kind=binary, high=1, cost=costs.leaf_price, priority=priority + 1
        )
        self.cut = mip.columns("cut", shape.n_branches, kind=Kind.IMPLIED, high=float(self.cuts.max()))
        self.holds = mip.columns("holds", shape.n_leaves, kind=binary, high=1, priority=10)
        self.predicts = mip.columns("predicts", (shape.n_leaves, costs.n_classes), kind=binary, high=1, priority=10)
        self.reach = mip.columns("reach", (costs.n_rows, shape.n_leaves), kind=binary, high=1)
        self._add_cost_columns()

    def _add_cost_columns(self) -> None:
        self.highest = self.costs.cost.sum(axis=0)
        most = float(self.highest.max())
        kind = kind_of_totals(self.costs.cost)
        self.loss = self.mip.columns("loss", self.shape.n_leaves, kind=kind, high=most, cost=1.0)

    def _add_structure(self) -> None:
        mip, shape, n_rows = self.mip, self.shape, self.costs.n_rows
        # one_column[n]: sum_f ask[n, f] (+ sums[n]) = asks[n]
        mip.family("one_column", [(1, self.ask), (1, self.oblique), (-1, self.asks)], at_least=0, at_most=0)
        # cut_high[n]: cut[n] <= sum_f T_f ask[n, f];  cut_low[n]: cut[n] >= asks[n] (- oblique[n])
        mip.family("cut_high", [(1, self.cut), (-self.cuts[None, :], self.ask)], at_most=0)
        mip.family("cut_low", [(1, self.cut), (1, self.oblique), (-1, self.asks)], at_least=0)
        # asks_below[n]: asks[child] <= asks[n]
        children = np.arange(1, shape.n_branches)
        mip.family("asks_below", [(1, self.asks[children]), (-1, self.asks[(children - 1) // 2])], at_most=0)
        # one_leaf[r]: sum_l reach[r, l] = 1
        mip.family("one_leaf", [(1, self.reach)], at_least=1, at_most=1)
        # holds_it[r, l]: reach[r, l] <= holds[l]
        mip.family("holds_it", [(1, self.reach.ravel()), (-1, np.tile(self.holds, n_rows))], at_most=0)
        # holds_some[l]: sum_r reach[r, l] >= holds[l]
        mip.family("holds_some", [(1, self.reach.T), (-1, self.holds)], at_least=0)
        for name, amount, least in leaf_size_limits(self.problem, self.costs):
            # enough[l]: sum_r amount[r] reach[r, l] >= least holds[l]
            mip.family(f"enough_{name}", [(amount[None, :], self.reach.T), (-least, self.holds)], at_least=0)
        # one_label[l]: sum_k predicts[l, k] = holds[l]
        mip.family("one_label", [(1, self.predicts), (-1, self.holds)], at_least=0, at_most=0)
        if self.problem.limits.most_leaves < shape.n_leaves:
            # most_leaves: sum_n asks[n] <= leaves allowed - 1
            mip.family("most_leaves", [(1, self.asks[None, :])], at_most=self.problem.limits.most_leaves - 1)

    def _add_routing(self, published: bool) -> None:
        """Route rows of ranks below the cut to the left, the others to the right; left is yes."""
        mip, costs = self.mip, self.costs
        ranks = costs.ranks.T.astype(np.float64)  # (n_rows, n_columns)
        room = (self.cuts[None, :] - ranks).max(axis=1)  # largest cut - rank
        left_most = np.maximum(ranks.max(axis=1), 1.0)  # largest rank + 1 - cut, cut >= 1; or 1 where nothing is asked
        for n in range(self.shape.n_branches):
            yes, no = (self.reach[:, s.start : s.stop] for s in self._sides(n))
            ask = np.broadcast_to(self.ask[n], ranks.shape)
            cut = np.full(costs.n_rows, self.cut[n])
            # right[r]: sum_f rank ask >= cut - M (1 - sum_{no} reach)
            mip.family(f"right_{n}", [(ranks, ask), (-1, cut), (-room[:, None], no)], at_least=-room)
            # left[r]: sum_f rank ask + 1 (- oblique) <= cut + M (1 - sum_{yes} reach)
            if published:
                wide = left_most + 1
                mip.family(f"left_{n}", [(ranks + 1, ask), (-1, cut), (wide[:, None], yes)], at_most=wide)
            else:
                terms: list[Term] = [(ranks, ask), (-1, cut), (left_most[:, None], yes)]
                terms.append((-1, np.full(costs.n_rows, self.oblique[n])))
                mip.family(f"left_{n}", terms, at_most=left_most - 1)

    def _sides(self, branch: int) -> tuple[range, range]:
        return self.shape.leaves_below(branch, True), self.shape.leaves_below(branch, False)

    def _add_losses(self) -> None:
        """Cost of a leaf: the generalisation of ``L >= N - N_k - n (1 - c_k)`` to weights and any cost matrix."""
        for k in range(self.costs.n_classes):
            cost, most = self.costs.cost[:, k], float(self.highest[k])
            # loss_k[l]: loss[l] >= sum_r cost[r, k] reach[r, l] - M (1 - predicts[l, k])
            terms: list[Term] = [(cost[None, :], self.reach.T), (most, self.predicts[:, k]), (-1, self.loss)]
            self.mip.family(f"loss_{k}", terms, at_most=most)

    def set_start(self, tree: CompleteTree) -> None:
        """Set a tree as complete warm start; here a branch that asks nothing sends rows to no, unlike in a tree."""
        mip, asked = self.mip, np.asarray(tree.column != NO_QUESTION)
        mip.set_start(self.ask, (np.arange(len(self.cuts)) == tree.column[:, None]) & asked[:, None])
        mip.set_start(self.asks, asked)
        mip.set_start(self.cut, np.where(asked, tree.rank + 1, 0))
        reversed_tree = CompleteTree(
            tree.shape, np.where(asked, tree.column, 0), np.where(asked, tree.rank, -1), tree.label
        )
        leaf = reversed_tree.route(self._ranks(tree))
        reach = np.zeros(self.reach.shape)
        reach[np.arange(len(leaf)), leaf] = 1.0
        nonempty = np.asarray(reach.any(axis=0))
        mip.set_start(self.reach, reach)
        mip.set_start(self.holds, nonempty)
        mip.set_start(self.predicts, np.eye(self.costs.n_classes)[tree.label] * nonempty[:, None])
        self._start_losses(tree, reach)
        start_leaf_constraints(mip, self.problem, self.costs, reach, tree.label)

    def _ranks(self, tree: CompleteTree) -> Ints:
        """Ranks of the MIP's rows in all columns that a tree asks."""
        further = [column.ranks[self.costs.points] for column in tree.further]
        return np.vstack([self.costs.ranks, *further]).astype(np.int64)

    def _start_losses(self, tree: CompleteTree, reach: Floats) -> None:
        self.mip.set_start(self.loss, (reach * self.costs.cost[:, tree.label]).sum(axis=0))

    def read_solution(self, values: Floats) -> CompleteTree:
        """Decode the tree of a solution."""
        asked = values[self.asks] > 0.5
        column = values[self.ask].argmax(axis=1)
        rank = np.floor(values[self.cut] + NOISE).astype(np.int64) - 1
        # Without a question all rows go to no: a question that none of them answers with yes.
        return CompleteTree(
            self.shape, np.where(asked, column, 0), np.where(asked, rank, -1), values[self.predicts].argmax(axis=1)
        )
