"""ODD as a MIP (Florio et al., AAAI 2023), first part: nodes, targets of their sides, flows of rows.

=========  ===================================================  =====================
in code    meaning                                              in the paper
=========  ===================================================  =====================
used       [v] there is a node at place v                       d_v
goes       [s, e] side s of a node takes arc e                  y^s_{uv}, binary
leaves     [s, i, v] row i leaves node v on side s              w^s_{iv}
moves      [s, i, e] row i moves along arc e, on side s of it   z^s_{iuv}
ends       [i, k] row i ends in the leaf of class k             w_{iv}
taken      [s, e] some row takes side s along arc e to a leaf   (no such limit)
=========  ===================================================  =====================

Side 0 is the paper's negative side, side 1 its positive one. A row of the MIP is a group of rows that no question
separates. Given ``goes`` and the side that each row takes in each layer, all flows are integer. The questions are in
the files that build upon this one.

Corrected: (1) holds for each v; (12) from the second layer on, as in the authors' code; the minimum of rows of a node,
(20), not for the root, to which no arc leads. (12) has a row for each pair of neighbours, which is equivalent.
"""

from collections.abc import Sequence

import numpy as np

from exactree.arrays import Bools, Floats, Ints
from exactree.encode import RankedColumn
from exactree.errors import SolverBug
from exactree.mip import NO_COLUMN, Kind, Mip, Term
from exactree.problem import DiagramProblem
from exactree.solve.formulations.odd.costs import DiagramMipCosts
from exactree.solve.trees.ranked_diagram import PASS
from exactree.solve.trees.ranked_tree import RankedNode
from exactree.solve.trees.skeleton import MINUS, PLUS, Placed, Skeleton

HALF = 0.5


class ReadDiagram:
    """A diagram decoded from a solution: nodes, and the columns of its linear combinations."""

    def __init__(self, nodes: list[RankedNode], further: tuple[RankedColumn, ...] = ()) -> None:
        self.nodes, self.further = nodes, further


class OddNetwork:
    """Nodes, sides and flows of the MIP."""

    with_order = True  # whether (11) is added: sides can be exchanged, so the minus side goes to the lower place

    def __init__(self, mip: Mip, problem: DiagramProblem, costs: DiagramMipCosts) -> None:
        self.mip, self.problem, self.costs = mip, problem, costs
        self.skeleton = Skeleton(problem.limits.widths, costs.n_classes)
        self._add_columns()
        self._add_flows()
        self._add_shape()
        self._add_order()
        self._add_limits()
        self._add_least_weight()
        self.mip.offset += costs.offset

    def _add_columns(self) -> None:
        mip, skeleton, n_rows = self.mip, self.skeleton, self.costs.n_groups
        n_nodes, n_arcs = skeleton.n_nodes, skeleton.n_arcs
        root = np.arange(n_nodes) == 0
        priority = 100 - 2 * skeleton.layer_of
        # (18): the price of all nodes but the root, and the cost of the labels
        self.used = mip.columns(
            "used", n_nodes, kind=Kind.IMPLIED, low=root, high=1, cost=np.where(root, 0.0, self.costs.node_price)
        )
        self.goes = mip.columns(
            "goes", (2, n_arcs), kind=Kind.INTEGER, high=1, priority=priority[skeleton.tails][None, :]
        )
        self.leaves = mip.columns("leaves", (2, n_rows, n_nodes), kind=Kind.IMPLIED, high=1)
        self.moves = mip.columns("moves", (2, n_rows, n_arcs), kind=Kind.IMPLIED, high=1)
        self.ends = mip.columns("ends", self.costs.cost.shape, kind=Kind.IMPLIED, high=1, cost=self.costs.cost)

    def _add_flows(self) -> None:
        mip, skeleton, n_rows = self.mip, self.skeleton, self.costs.n_groups
        n_nodes = skeleton.n_nodes
        moves = _with_nothing(self.moves)
        into = np.concatenate([moves[MINUS][:, skeleton.into], moves[PLUS][:, skeleton.into]], axis=2)
        # (1) arrives[i, v]: sum_s leaves[s, i, v] = 1 at the root, elsewhere sum of moves on arcs into v
        at_root = np.tile(np.arange(n_nodes) == 0, n_rows)
        arrives = into[:, :n_nodes].reshape(n_rows * n_nodes, -1)
        both = self.leaves.transpose(1, 2, 0).reshape(n_rows * n_nodes, 2)
        mip.family("arrives", [(1, both), (-1, arrives)], at_least=at_root, at_most=at_root)
        # (2), (3) goes_on[s, i, u]: leaves[s, i, u] = sum of moves[s, i] on arcs out of u
        onward = moves[:, :, skeleton.out].reshape(2 * n_rows * n_nodes, -1)
        mip.family("goes_on", [(1, self.leaves.reshape(-1)), (-1, onward)], at_least=0, at_most=0)
        # (9), (10) along[s, i, e]: moves[s, i, e] <= goes[s, e]
        goes = np.broadcast_to(self.goes[:, None, :], self.moves.shape).reshape(-1)
        mip.family("along", [(1, self.moves.reshape(-1)), (-1, goes)], at_most=0)
        # (17) ends_in[i, k]: ends[i, k] = sum of moves on arcs into the leaf of class k
        last = into[:, n_nodes:].reshape(self.ends.size, -1)
        mip.family("ends_in", [(1, self.ends.reshape(-1)), (-1, last)], at_least=0, at_most=0)

    def _add_shape(self) -> None:
        mip, skeleton = self.mip, self.skeleton
        goes = _with_nothing(self.goes)
        # (6) two_sides[s, u]: used[u] = sum of goes[s] on arcs out of u
        out = goes[:, skeleton.out].reshape(2 * skeleton.n_nodes, -1)
        mip.family("two_sides", [(1, np.tile(self.used, 2)), (-1, out)], at_least=0, at_most=0)
        parents = self._parents()
        # (7) led_to[v]: used[v] <= sum_s goes[s] on arcs into v, but for the root
        mip.family("led_to", [(1, self.used[1:]), (-1, parents[1:])], at_most=0)
        # (8) two_targets[e]: goes[-, e] + goes[+, e] <= used[head of e], 1 for leaves
        inner = skeleton.heads < skeleton.n_nodes
        head = np.where(inner, self.used[np.where(inner, skeleton.heads, 0)], NO_COLUMN)
        mip.family("two_targets", [(1, self.goes.T), (-1, head)], at_most=np.where(inner, 0.0, 1.0))
        if self.problem.limits.tree:
            # one_parent[v]: sum_s goes[s] on arcs into v <= 1
            mip.family("one_parent", [(1, parents[1:])], at_most=1)
        if self.problem.limits.most_nodes < skeleton.n_nodes:
            # most_nodes: sum_v used[v] <= nodes allowed
            mip.family("most_nodes", [(1, self.used[None, :])], at_most=self.problem.limits.most_nodes)

    def _parents(self) -> Ints:
        """Columns of all sides that may lead to each node."""
        into = self.skeleton.into[: self.skeleton.n_nodes]
        goes = _with_nothing(self.goes)
        return np.concatenate([goes[MINUS][into], goes[PLUS][into]], axis=1)

    def _add_order(self) -> None:
        """Break symmetries: of diagrams that differ only in the order of nodes and sides, one is left."""
        skeleton, goes = self.skeleton, _with_nothing(self.goes)
        if self.with_order:
            # (11) minus_first[e]: goes[-, (u, v)] + sum_{x <= v} goes[+, (u, x)] <= 1
            lower = skeleton.out[skeleton.tails]
            heads = np.where(lower == NO_COLUMN, np.iinfo(np.int64).max, skeleton.heads[lower])
            lower = np.where(heads <= skeleton.heads[:, None], lower, NO_COLUMN)
            self.mip.family("minus_first", [(1, self.goes[MINUS]), (1, goes[PLUS][lower])], at_most=1)
        # (12) more_parents[v]: sides that lead to v >= sides that lead to v + 1, in one layer
        first = [v for layer in skeleton.layers[1:] for v in layer[:-1]]
        parents = self._parents()
        if first:
            after = [v + 1 for v in first]
            self.mip.family("more_parents", [(1, parents[first]), (-1, parents[after])], at_least=0)

    def _add_limits(self) -> None:
        mip, costs, least = self.mip, self.costs, self.problem.limits.min_samples_node
        if least > 1 and self.skeleton.n_nodes > 1:
            # (20) enough[v]: sum_i rows[i] sum_s leaves[s, i, v] >= least used[v], but for the root
            here = self.leaves[:, :, 1:].transpose(2, 0, 1)
            terms: list[Term] = [(costs.counts[None, None, :], here), (-float(least), self.used[1:])]
            mip.family("enough", terms, at_least=0)
        for m, limit in enumerate(self.problem.on_answers):
            # limit_m: sum_{i, k} coefficient[i, k] ends[i, k] <= limit
            coefficient, at_most = costs.by_group(self.problem, limit)
            mip.family(f"limit_{m}", [(coefficient.reshape(1, -1), self.ends.reshape(1, -1))], at_most=at_most)

    def _add_least_weight(self) -> None:
        """Require sides that lead to a leaf to be heavy enough, or to be taken by no row."""
        mip, costs = self.mip, self.costs
        if costs.least_weight == 0:
            return
        self.last_arcs = np.flatnonzero(self.skeleton.heads >= self.skeleton.n_nodes)
        moves = self.moves[:, :, self.last_arcs]
        self.taken = mip.columns("taken", (2, len(self.last_arcs)), kind=Kind.IMPLIED, high=1)
        # taken_by[s, i, e]: moves[s, i, e] <= taken[s, e]
        taken = np.broadcast_to(self.taken[:, None, :], moves.shape).reshape(-1)
        mip.family("taken_by", [(1, moves.reshape(-1)), (-1, taken)], at_most=0)
        # heavy[s, e]: sum_i weight[i] moves[s, i, e] >= least taken[s, e]
        into = moves.transpose(0, 2, 1).reshape(self.taken.size, -1)
        terms: list[Term] = [(costs.weights[None, :], into), (-costs.least_weight, self.taken.reshape(-1))]
        mip.family("heavy", terms, at_least=0)

    def ranks_of(self, further: Sequence[RankedColumn]) -> Ints:
        """Ranks of the MIP's rows in the columns of the data and in further ones."""
        first = np.unique(self.costs.group_of, return_index=True)[1]
        return np.vstack([self.costs.ranks, *(column.ranks[first] for column in further)]).astype(np.int64)

    def set_start(self, diagram: Placed, further: Sequence[RankedColumn] = ()) -> None:
        """Set a diagram as complete warm start; a node may ask ``further`` columns, in a model that has these."""
        mip, skeleton, costs = self.mip, self.skeleton, self.costs
        goes = np.zeros(self.goes.shape)
        arcs = np.zeros((skeleton.n_nodes, 2), dtype=np.int64)
        for v in np.flatnonzero(diagram.asks).tolist():
            for side in (MINUS, PLUS):
                arcs[v, side] = skeleton.arc(v, int(diagram.target[v, side]))
                goes[side, arcs[v, side]] = 1.0
        at, sides = diagram.sides(self.ranks_of(further))
        leaves, moves = np.zeros(self.leaves.shape), np.zeros(self.moves.shape)
        for layer in range(len(skeleton.widths)):
            rows = np.flatnonzero(sides[:, layer] >= 0)
            node, side = at[rows, layer], sides[rows, layer]
            leaves[side, rows, node] = 1.0
            moves[side, rows, arcs[node, side]] = 1.0
        mip.set_start(self.used, diagram.asks)
        mip.set_start(self.goes, goes)
        mip.set_start(self.leaves, leaves)
        mip.set_start(self.moves, moves)
        if costs.least_weight > 0:
            mip.set_start(self.taken, moves[:, :, self.last_arcs].any(axis=1))
        mip.set_start(self.ends, np.eye(costs.n_classes)[at[:, -1] - skeleton.n_nodes])

    def target(self, node: int, side: int, values: Floats) -> int:
        """Place that a side goes to."""
        out = self.skeleton.out[node]
        arcs = out[out != NO_COLUMN]
        return int(self.skeleton.heads[arcs[values[self.goes[side, arcs]].argmax()]])

    def pass_node(self, here: Bools, target: int) -> RankedNode:
        """Node that asks nothing; new rows that take its other side get the cheapest label of the training rows."""
        cheapest = int(self.costs.cost[here].sum(axis=0).argmin())
        return RankedNode(0, PASS, self.skeleton.n_nodes + cheapest, target, 0)

    def split_node(self, column: int, yes: tuple[Bools, int], no: tuple[Bools, int]) -> RankedNode:
        """Node that separates two sets of rows, each with its target, in the middle of the gap between them."""
        ranks = self.costs.ranks[column]
        highest, lowest = int(ranks[yes[0]].max()), int(ranks[no[0]].min())
        if highest >= lowest:
            raise SolverBug(f"The MIP separates rows by column {column} that it does not separate.")
        return RankedNode(column, (highest + lowest - 1) // 2, yes[1], no[1], 0)

    def leaf_nodes(self) -> list[RankedNode]:
        """Leaves, one for each class."""
        return [RankedNode(-1, 0, -1, -1, label) for label in range(self.costs.n_classes)]

    def rows_at(self, node: int, values: Floats) -> tuple[Bools, Bools]:
        """Rows that leave a node on its minus and on its plus side."""
        minus, plus = (values[self.leaves[side, :, node]] > HALF for side in (MINUS, PLUS))
        return minus, plus


def _with_nothing(columns: Ints) -> Ints:
    """Columns with NO_COLUMN appended, so that the padding index -1 leads there."""
    nothing = np.full((*columns.shape[:-1], 1), NO_COLUMN, dtype=np.int64)
    return np.concatenate([columns, nothing], axis=-1)
