"""ODD as flows: a column of the MIP for each node and question, in place of big-Ms and of a side for each row.

=========  ====================================================
in code    meaning
=========  ====================================================
asks       [v, q] node v asks question q, binary
=========  ====================================================

A question is a split of the rows; questions with the same split, in either orientation, are one. The last question
passes all rows on. The number of binaries does not depend on the number of rows, and the LP relaxation is above 0. It
has an entry for each row, node and question, so it suits few questions.
"""

from collections.abc import Sequence

import numpy as np

from exactree.arrays import Bools, Floats, Ints
from exactree.encode import RankedColumn
from exactree.mip import NO_COLUMN, Kind, Mip
from exactree.problem import DiagramProblem
from exactree.solve.formulations.odd.costs import DiagramMipCosts
from exactree.solve.formulations.odd.network import OddNetwork, ReadDiagram
from exactree.solve.trees.ranked_diagram import PASS
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.solve.trees.skeleton import MINUS, PLUS, Placed, unturned


class OddFlowModel(OddNetwork):
    """The MIP, its warm start from a diagram, and the decoding of its solutions. Yes is the minus side."""

    with_order = False  # a question determines which side is which

    def __init__(self, mip: Mip, problem: DiagramProblem, costs: DiagramMipCosts) -> None:
        self.questions, self.number, self.below = _questions(costs.ranks)
        super().__init__(mip, problem, costs)
        self._add_questions()

    def _add_questions(self) -> None:
        mip, n_nodes, n_rows = self.mip, self.skeleton.n_nodes, self.costs.n_groups
        priority = 99 - 2 * self.skeleton.layer_of
        shape = (n_nodes, len(self.questions))
        self.asks = mip.columns("asks", shape, kind=Kind.INTEGER, high=1, priority=priority[:, None])
        # one_question[v]: sum_q asks[v, q] = used[v]
        mip.family("one_question", [(1, self.asks), (-1, self.used)], at_least=0, at_most=0)
        for v in range(n_nodes):
            asks = np.broadcast_to(self.asks[v], (n_rows, len(self.questions)))
            # below[i]: leaves[-, i, v] <= sum of asks[v, q] over questions with i on their yes side
            # above[i]: leaves[+, i, v] <= sum of asks[v, q] over questions with i on their no side
            for name, side, where in (("below", MINUS, self.below.T), ("above", PLUS, ~self.below.T)):
                allows = np.where(where, asks, NO_COLUMN)
                mip.family(f"{name}_{v}", [(1, self.leaves[side, :, v]), (-1, allows)], at_most=0)

    def set_start(self, diagram: Placed, further: Sequence[RankedColumn] = ()) -> None:
        """Set a diagram as complete warm start."""
        asked, turned = np.zeros(self.asks.shape), np.zeros_like(diagram.turned)
        for v in np.flatnonzero(diagram.asks).tolist():
            question, turned[v] = self._question(int(diagram.column[v]), int(diagram.rank[v]))
            asked[v, question] = 1.0
        super().set_start(unturned(diagram, turned))
        self.mip.set_start(self.asks, asked)

    def _question(self, column: int, rank: int) -> tuple[int, bool]:
        """Number of a question, and whether it is stored with its sides exchanged."""
        yes = self.costs.ranks[column] <= rank
        if yes.tobytes() in self.number:
            return self.number[yes.tobytes()], False
        return self.number[(~yes).tobytes()], True

    def read_solution(self, values: Floats) -> ReadDiagram:
        """Decode the diagram of a solution."""
        n_nodes, nodes = self.skeleton.n_nodes, list[RankedNode]()
        for v in range(n_nodes):
            minus, plus = self.rows_at(v, values)
            target = [self.target(v, side, values) for side in (MINUS, PLUS)]
            if minus.any() and plus.any():
                column, _ = self.questions[int(values[self.asks[v]].argmax())]
                nodes.append(self.split_node(column, (minus, target[MINUS]), (plus, target[PLUS])))
            else:
                nodes.append(self.pass_node(minus | plus, target[PLUS if plus.any() else MINUS]))
        return ReadDiagram([*nodes, *self.leaf_nodes()])


def _questions(ranks: Ints) -> tuple[list[tuple[int, int]], dict[bytes, int], Bools]:
    """Return (column, rank) of all questions with different splits, their numbers, and the rows that answer yes."""
    found: dict[bytes, int] = {}
    questions: list[tuple[int, int]] = []
    for column, of_rows in enumerate(ranks):
        for rank in range(int(of_rows.max())):
            yes = of_rows <= rank
            if yes.tobytes() not in found and (~yes).tobytes() not in found:
                found[yes.tobytes()] = len(questions)
                questions.append((column, rank))
    found[np.zeros(ranks.shape[1], dtype=np.bool_).tobytes()] = len(questions)
    questions.append((0, PASS))
    return questions, found, np.array([ranks[column] <= rank for column, rank in questions])
