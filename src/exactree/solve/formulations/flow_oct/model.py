"""FlowOCT as a MIP (Aghaei, Gómez and Vayanos, Operations Research 2024): no big-M; only correct rows flow.

=========  ==============================================  ==================
in code    meaning                                         in the paper
=========  ==============================================  ==================
ask        [n, q] branch n asks question q                 b_{nf}, binary
ends       [v] node v is a leaf                            p_n, binary
predicts   [v, k] node v predicts class k                  w^n_k
enters     [r, v] row r flows into node v                  z^i_{a(n),n}
leaves     [r, v] row r leaves v correctly classified      z^i_{n,t}
=========  ==============================================  ==================

Nodes are numbered from the root, level by level, leaves included. A row flows from the root to a leaf that
predicts its class, or not at all: the flow into the root counts the correct rows. Questions are binary; a row can flow
to the yes side only if the branch asks a question that the row answers with yes.
"""

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.mip import Kind, Mip
from exactree.problem import Problem
from exactree.solve.mip_runs.costs import MipCosts
from exactree.solve.trees.complete_tree import NO_QUESTION, CompleteTree, Shape


class FlowOctModel:
    """The MIP, its warm start from a tree, and the decoding of its solutions."""

    def __init__(self, mip: Mip, problem: Problem, costs: MipCosts, shape: Shape) -> None:
        self.problem, self.costs, self.shape = problem, costs, shape
        columns = [np.full(column.n_ranks - 1, f) for f, column in enumerate(problem.data.columns)]
        self.column = np.concatenate(columns)  # of each question
        self.rank = np.concatenate([np.arange(len(part)) for part in columns])
        n_rows, n_questions = costs.n_rows, len(self.rank)
        mip.expect(
            rows=n_rows * (3 * shape.n_branches + 2 * shape.n_leaves),
            columns=2 * n_rows * (shape.n_branches + shape.n_leaves),
            entries=n_rows * shape.n_branches * (n_questions + 8),
        )
        self.yes = self.rank >= costs.ranks[self.column].T  # (n_rows, n_questions)
        self.n_nodes = shape.n_branches + shape.n_leaves
        self.mip = mip
        self._add_columns()
        self._add_structure()
        self._add_flow()
        self.mip.offset += costs.offset + costs.leaf_price + float(self.gain.sum())

    def _add_columns(self) -> None:
        mip, shape, n_rows = self.mip, self.shape, self.costs.n_rows
        self.gain = self.costs.cost.max(axis=1)  # gain of a correct prediction
        levels = np.array([shape.level(n) for n in range(shape.n_branches)])[:, None]
        self.ask = mip.columns(
            "ask",
            (shape.n_branches, len(self.rank)),
            kind=Kind.INTEGER,
            high=1,
            cost=self.costs.leaf_price,
            priority=100 - levels,
        )
        self.ends = mip.columns("ends", self.n_nodes, kind=Kind.INTEGER, high=1, priority=50)
        self.predicts = mip.columns("predicts", (self.n_nodes, self.costs.n_classes), kind=Kind.IMPLIED, high=1)
        gain = np.zeros((n_rows, self.n_nodes))
        gain[:, 0] = -self.gain
        self.enters = mip.columns("enters", gain.shape, kind=Kind.IMPLIED, high=1, cost=gain)
        self.leaves = mip.columns("leaves", gain.shape, kind=Kind.IMPLIED, high=1)

    def _add_structure(self) -> None:
        mip, n_branches = self.mip, self.shape.n_branches
        above = [self.ends[_ancestors(v)] for v in range(self.n_nodes)]
        for v in range(self.n_nodes):
            # one_way[v]: (question asked, if v is a branch) + ends[v] + sum of ends above = 1
            questions = [self.ask[v]] if v < n_branches else []
            columns = np.concatenate([*questions, self.ends[[v]], above[v]])
            mip.family(f"one_way_{v}", [(1, columns[None, :])], at_least=1, at_most=1)
        # one_label[v]: sum_k predicts[v, k] = ends[v]
        mip.family("one_label", [(1, self.predicts), (-1, self.ends)], at_least=0, at_most=0)
        if self.problem.limits.most_leaves < self.shape.n_leaves:
            # most_leaves: number of questions <= leaves allowed - 1
            mip.family("most_leaves", [(1, self.ask.reshape(1, -1))], at_most=self.problem.limits.most_leaves - 1)

    def _add_flow(self) -> None:
        mip, n_rows = self.mip, self.costs.n_rows
        for n in range(self.shape.n_branches):
            yes, no = 2 * n + 1, 2 * n + 2
            # kept[r]: enters[r, n] = enters[r, yes] + enters[r, no] + leaves[r, n]
            out = np.column_stack([self.enters[:, yes], self.enters[:, no], self.leaves[:, n]])
            mip.family(f"kept_{n}", [(1, self.enters[:, n]), (-1, out)], at_least=0, at_most=0)
            ask = np.broadcast_to(self.ask[n], self.yes.shape)
            # to_yes[r]: enters[r, yes] <= sum of ask[n, q] over questions that r answers with yes; no alike
            mip.family(f"to_yes_{n}", [(1, self.enters[:, yes]), (-self.yes.astype(float), ask)], at_most=0)
            mip.family(f"to_no_{n}", [(1, self.enters[:, no]), (-(~self.yes).astype(float), ask)], at_most=0)
        bottom = np.arange(self.shape.n_branches, self.n_nodes)
        # kept_at_leaves[r, v]: enters[r, v] = leaves[r, v]
        terms = [(1, self.enters[:, bottom].ravel()), (-1, self.leaves[:, bottom].ravel())]
        mip.family("kept_at_leaves", terms, at_least=0, at_most=0)
        # right[r, v]: leaves[r, v] <= predicts[v, label of r]
        said = self.predicts[:, self.costs.labels].T
        mip.family("right", [(1, self.leaves.ravel()), (-1, said.ravel())], at_most=0)
        assert said.shape == (n_rows, self.n_nodes)

    def set_start(self, tree: CompleteTree) -> None:
        """Set a tree as complete warm start."""
        shape, mip, n_rows = self.shape, self.mip, self.costs.n_rows
        ask, ends = np.zeros(self.ask.shape), np.zeros(self.n_nodes)
        predicts = np.zeros(self.predicts.shape)
        enters, left = np.zeros(self.enters.shape), np.zeros(self.leaves.shape)
        waiting = [(0, np.arange(n_rows))]
        while waiting:
            v, rows = waiting.pop()
            enters[rows, v] = 1
            if v < shape.n_branches and tree.column[v] != NO_QUESTION:
                q = int(np.flatnonzero((self.column == tree.column[v]) & (self.rank == tree.rank[v]))[0])
                ask[v, q] = 1
                yes = self.yes[rows, q]
                waiting += [(2 * v + 1, rows[yes]), (2 * v + 2, rows[~yes])]
            else:
                label = tree.label[_first_leaf(shape, v)]
                ends[v], predicts[v, label] = 1, 1
                left[rows, v] = 1
        right = self._is_correct(left, predicts)
        for block, values in ((self.ask, ask), (self.ends, ends), (self.predicts, predicts)):
            mip.set_start(block, values)
        mip.set_start(self.enters, enters * right[:, None])
        mip.set_start(self.leaves, left * right[:, None])

    def _is_correct(self, left: Floats, predicts: Floats) -> Bools:
        at = left.argmax(axis=1)
        return np.asarray(predicts[at, self.costs.labels] > 0.5)

    def read_solution(self, values: Floats) -> CompleteTree:
        """Decode the tree of a solution."""
        shape = self.shape
        question = values[self.ask].argmax(axis=1)
        asked = values[self.ask].max(axis=1) > 0.5
        column = np.where(asked, self.column[question], NO_QUESTION)
        label = np.zeros(shape.n_leaves, dtype=np.int64)
        for leaf in range(shape.n_leaves):
            path = [*_ancestors(shape.n_branches + leaf), shape.n_branches + leaf]
            ended = next((v for v in path if values[self.ends[v]] > 0.5), path[-1])
            label[leaf] = values[self.predicts[ended]].argmax()
        return CompleteTree(shape, column, self.rank[question], label)


def _ancestors(node: int) -> list[int]:
    """Branches above a node, root first."""
    above: list[int] = []
    while node > 0:
        node = (node - 1) // 2
        above.insert(0, node)
    return above


def _first_leaf(shape: Shape, node: int) -> int:
    """The leaf reached from a node by yes only."""
    while node < shape.n_branches:
        node = 2 * node + 1
    return node - shape.n_branches
