"""ODD as flows: a column of the program for each node and question, in place of big-Ms and of a side for each row.

=========  ====================================================
in code    meaning
=========  ====================================================
asks       [v, q] node v asks question q, binary
=========  ====================================================

A question is a way to part the rows in two; those that part them alike, either way round, are one. The last question
passes all rows on. Its binaries do not depend on the number of rows, and its linear relaxation is not nothing. It has
an entry for each row, node and question, so it is for few questions.
"""

import numpy as np

from exactree.arrays import Bools, Floats, Ints
from exactree.mip import NO_COLUMN, Kind, Mip
from exactree.problem import DiagramProblem
from exactree.solve.formulations.odd.costs import DiagramCosts
from exactree.solve.formulations.odd.network import OddNetwork, Reading
from exactree.solve.trees.ranked_diagram import PASS
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.solve.trees.skeleton import MINUS, PLUS, Placed, unturned


class OddFlowModel(OddNetwork):
    """The program, how to write a diagram into it, and how to read one out of it. Yes is the minus side."""

    with_order = False  # a question says which side is which

    def __init__(self, mip: Mip, problem: DiagramProblem, costs: DiagramCosts) -> None:
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

    def write(self, diagram: Placed) -> None:
        """Suggest a diagram as a complete start."""
        asked, turned = np.zeros(self.asks.shape), np.zeros_like(diagram.turned)
        for v in np.flatnonzero(diagram.asks).tolist():
            question, turned[v] = self._question(int(diagram.column[v]), int(diagram.rank[v]))
            asked[v, question] = 1.0
        super().write(unturned(diagram, turned))
        self.mip.suggest(self.asks, asked)

    def _question(self, column: int, rank: int) -> tuple[int, bool]:
        """Number of a question, and whether it is known with its sides the other way round."""
        yes = self.costs.ranks[column] <= rank
        if yes.tobytes() in self.number:
            return self.number[yes.tobytes()], False
        return self.number[(~yes).tobytes()], True

    def read(self, values: Floats) -> Reading:
        """Read the diagram that some values stand for."""
        n_nodes, nodes = self.skeleton.n_nodes, list[RankedNode]()
        for v in range(n_nodes):
            minus, plus = self.rows_at(v, values)
            target = [self.target(v, side, values) for side in (MINUS, PLUS)]
            if minus.any() and plus.any():
                column, _ = self.questions[int(values[self.asks[v]].argmax())]
                nodes.append(self.parting(column, (minus, target[MINUS]), (plus, target[PLUS])))
            else:
                nodes.append(self.passing(minus | plus, target[PLUS if plus.any() else MINUS]))
        return Reading([*nodes, *self.last_nodes()])


def _questions(ranks: Ints) -> tuple[list[tuple[int, int]], dict[bytes, int], Bools]:
    """Return (column, rank) of all questions that part rows differently, their numbers, and who answers yes."""
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
