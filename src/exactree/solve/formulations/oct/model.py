"""OCT as a program (Bertsimas and Dunn, Machine Learning 2017), with the left routing corrected and routing aggregated.

=========  ==============================================  ==================
in code    meaning                                         in the paper
=========  ==============================================  ==================
ask        [n, f] branch n asks about column f             a_{jt}, binary
asks       [n] branch n asks anything                      d_t, binary
cut        [n] rows with ranks below it go left            b_t
reach      [r, l] row r ends in leaf l                     z_{it}, binary
holds      [l] leaf l has rows                             l_t, binary
says       [l, k] leaf l answers class k                   c_{kt}, binary
loss       [l] cost of the rows in leaf l                  L_t
=========  ==============================================  ==================

Columns are replaced by their ranks, 0 .. T for a column with T cuts, so one step is 1 for all of them and nothing is
rounded; the paper scales values to 0..1 and needs a smallest gap for each column. Rows with ranks below the cut go
left, which is our yes: "at most cut - 1".

A branch that does not ask has ``ask = 0`` and ``cut = 0``. In the published left row,
``sum_f ask rank + step (sum_f ask) <= cut + M (1 - reach)``, it then lets every row choose its side, and the best
"tree" asks nothing and answers every row right. With the step taken out of the sum,
``sum_f ask rank + 1 <= cut + M (1 - reach)``, nothing can go left of it, and real questions are untouched.

Routing is aggregated: one row for each row, branch and side, with all leaves below that side in one sum. At most one
of them is 1, so this is valid, and it needs 2 R N rows in place of R D 2^D. The big-Ms are the smallest for each row.
"""

import numpy as np

from exactree.arrays import Floats
from exactree.mip import NO_COLUMN, Kind, Mip, Term
from exactree.problem import Problem
from exactree.solve.formulations.common.leaf_constraints import add_limits, kind_of_sums, write_answers
from exactree.solve.mip_runs.costs import Costs, leaf_sizes
from exactree.solve.trees.complete_tree import NO_QUESTION, CompleteTree, Shape

NOISE = 1e-4  # a cut that a back end puts this far below a whole number is that number


class OctModel:
    """The program, how to write a tree into it, and how to read one out of it.

    ``published`` leaves the left routing as printed: a program whose optimum is no tree, kept for a test.
    """

    def __init__(self, mip: Mip, problem: Problem, costs: Costs, shape: Shape, *, published: bool = False) -> None:
        self.problem, self.costs, self.shape = problem, costs, shape
        self.cuts = np.array([column.n_ranks - 1 for column in problem.data.columns])
        self.mip = mip
        # Of OCT-H: branch n asks about a sum of columns. Here there are no such columns of the program.
        self.sums = np.full(shape.n_branches, NO_COLUMN)
        self._add_columns()
        self._add_structure()
        self._add_routing(published)
        self._add_losses()
        add_limits(self.mip, problem, costs, self.reach, self.says)
        self.mip.offset += costs.offset + costs.leaf_price

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
        self.says = mip.columns("says", (shape.n_leaves, costs.n_classes), kind=binary, high=1, priority=10)
        self.reach = mip.columns("reach", (costs.n_rows, shape.n_leaves), kind=binary, high=1)
        self._add_cost_columns()

    def _add_cost_columns(self) -> None:
        self.highest = self.costs.cost.sum(axis=0)
        most = float(self.highest.max())
        kind = kind_of_sums(self.costs.cost)
        self.loss = self.mip.columns("loss", self.shape.n_leaves, kind=kind, high=most, cost=1.0)

    def _add_structure(self) -> None:
        mip, shape, n_rows = self.mip, self.shape, self.costs.n_rows
        # one_column[n]: sum_f ask[n, f] (+ sums[n]) = asks[n]
        mip.family("one_column", [(1, self.ask), (1, self.sums), (-1, self.asks)], at_least=0, at_most=0)
        # cut_high[n]: cut[n] <= sum_f T_f ask[n, f];  cut_low[n]: cut[n] >= asks[n] (- sums[n])
        mip.family("cut_high", [(1, self.cut), (-self.cuts[None, :], self.ask)], at_most=0)
        mip.family("cut_low", [(1, self.cut), (1, self.sums), (-1, self.asks)], at_least=0)
        # asks_below[n]: asks[child] <= asks[n]
        children = np.arange(1, shape.n_branches)
        mip.family("asks_below", [(1, self.asks[children]), (-1, self.asks[(children - 1) // 2])], at_most=0)
        # one_leaf[r]: sum_l reach[r, l] = 1
        mip.family("one_leaf", [(1, self.reach)], at_least=1, at_most=1)
        # holds_it[r, l]: reach[r, l] <= holds[l]
        mip.family("holds_it", [(1, self.reach.ravel()), (-1, np.tile(self.holds, n_rows))], at_most=0)
        # holds_some[l]: sum_r reach[r, l] >= holds[l]
        mip.family("holds_some", [(1, self.reach.T), (-1, self.holds)], at_least=0)
        for name, amount, least in leaf_sizes(self.problem, self.costs):
            # enough[l]: sum_r amount[r] reach[r, l] >= least holds[l]
            mip.family(f"enough_{name}", [(amount[None, :], self.reach.T), (-least, self.holds)], at_least=0)
        # one_answer[l]: sum_k says[l, k] = holds[l]
        mip.family("one_answer", [(1, self.says), (-1, self.holds)], at_least=0, at_most=0)
        if self.problem.limits.most_leaves < shape.n_leaves:
            # most_leaves: sum_n asks[n] <= leaves allowed - 1
            mip.family("most_leaves", [(1, self.asks[None, :])], at_most=self.problem.limits.most_leaves - 1)

    def _add_routing(self, published: bool) -> None:
        """Rows of ranks below the cut to the left, the others to the right; yes is left here."""
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
            # left[r]: sum_f rank ask + 1 (- sums) <= cut + M (1 - sum_{yes} reach)
            if published:
                wide = left_most + 1
                mip.family(f"left_{n}", [(ranks + 1, ask), (-1, cut), (wide[:, None], yes)], at_most=wide)
            else:
                terms: list[Term] = [(ranks, ask), (-1, cut), (left_most[:, None], yes)]
                terms.append((-1, np.full(costs.n_rows, self.sums[n])))
                mip.family(f"left_{n}", terms, at_most=left_most - 1)

    def _sides(self, branch: int) -> tuple[range, range]:
        return self.shape.leaves_below(branch, True), self.shape.leaves_below(branch, False)

    def _add_losses(self) -> None:
        """Cost of a leaf, the generalisation of ``L >= N - N_k - n (1 - c_k)`` to weights and any cost matrix."""
        for k in range(self.costs.n_classes):
            cost, most = self.costs.cost[:, k], float(self.highest[k])
            # loss_k[l]: loss[l] >= sum_r cost[r, k] reach[r, l] - M (1 - says[l, k])
            terms: list[Term] = [(cost[None, :], self.reach.T), (most, self.says[:, k]), (-1, self.loss)]
            self.mip.family(f"loss_{k}", terms, at_most=most)

    def write(self, tree: CompleteTree) -> None:
        """Suggest a tree as a complete start; a branch that asks nothing sends rows to no, unlike in a tree."""
        mip, asked = self.mip, np.asarray(tree.column != NO_QUESTION)
        mip.suggest(self.ask, (np.arange(len(self.cuts)) == tree.column[:, None]) & asked[:, None])
        mip.suggest(self.asks, asked)
        mip.suggest(self.cut, np.where(asked, tree.rank + 1, 0))
        turned = CompleteTree(tree.shape, np.where(asked, tree.column, 0), np.where(asked, tree.rank, -1), tree.label)
        leaf = turned.route(self.costs.ranks.astype(np.int64))
        reach = np.zeros(self.reach.shape)
        reach[np.arange(len(leaf)), leaf] = 1.0
        held = np.asarray(reach.any(axis=0))
        mip.suggest(self.reach, reach)
        mip.suggest(self.holds, held)
        mip.suggest(self.says, np.eye(self.costs.n_classes)[tree.label] * held[:, None])
        self._write_losses(tree, reach)
        write_answers(mip, self.problem, self.costs, reach, tree.label)

    def _write_losses(self, tree: CompleteTree, reach: Floats) -> None:
        self.mip.suggest(self.loss, (reach * self.costs.cost[:, tree.label]).sum(axis=0))

    def read(self, values: Floats) -> CompleteTree:
        """Read the tree that some values stand for."""
        asked = values[self.asks] > 0.5
        column = values[self.ask].argmax(axis=1)
        rank = np.floor(values[self.cut] + NOISE).astype(np.int64) - 1
        # Where nothing is asked all rows go to no: a question that none of them answers with yes.
        return CompleteTree(
            self.shape, np.where(asked, column, 0), np.where(asked, rank, -1), values[self.says].argmax(axis=1)
        )
