"""Trees whose branches have fixed places in a complete tree of some depth: what MIP formulations model.

Branches are numbered from the root, level by level: the children of branch n are 2n + 1 (yes) and 2n + 2 (no). Leaves
are numbered from left to right. A branch without a question sends every row to its yes side.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exactree.arrays import Ints, UInt32s
from exactree.encode import RankedColumn
from exactree.problem import Problem
from exactree.solve.trees.ranked_tree import RankedNode

NO_QUESTION = -1


@dataclass(frozen=True, slots=True)
class Shape:
    """A complete tree of some depth, at least 1.

    Examples
    --------
    >>> shape = Shape(2)
    >>> shape.n_branches, shape.n_leaves, shape.leaves_below(0, True), shape.leaves_below(2, False)
    (3, 4, range(0, 2), range(3, 4))
    """

    depth: int

    @property
    def n_branches(self) -> int:
        """Branches of the complete tree."""
        return self.n_leaves - 1

    @property
    def n_leaves(self) -> int:
        """Leaves of the complete tree."""
        count: int = 2**self.depth
        return count

    def level(self, branch: int) -> int:
        """Questions asked before this branch's own."""
        return (branch + 1).bit_length() - 1

    def leaves_below(self, branch: int, yes: bool) -> range:
        """Leaves below one side of a branch."""
        level = self.level(branch)
        half = 2 ** (self.depth - level - 1)
        first = (branch + 1 - 2**level) * 2 * half + (0 if yes else half)
        return range(first, first + half)


@dataclass(frozen=True, slots=True, eq=False)
class CompleteTree:
    """Questions and labels at the places of a :class:`Shape`."""

    shape: Shape
    column: Ints  # (n_branches,) or NO_QUESTION
    rank: Ints  # (n_branches,) yes if the rank is at most this
    label: Ints  # (n_leaves,)
    further: tuple[RankedColumn, ...] = ()  # beside the columns of the data, numbered after them

    def route(self, ranks: UInt32s | Ints) -> Ints:
        """Leaf of each row, given the rows' ranks (n_columns, n_rows)."""
        at = np.zeros(ranks.shape[1], dtype=np.int64)
        rows = np.arange(ranks.shape[1])
        for _ in range(self.shape.depth):
            column = self.column[at]
            # Without a question some column is read, and its answer ignored.
            yes = (ranks[column, rows] <= self.rank[at]) | (column == NO_QUESTION)
            at = 2 * at + np.where(yes, 1, 2)
        return at - self.shape.n_branches


def embedded(nodes: Sequence[RankedNode], shape: Shape, further: tuple[RankedColumn, ...] = ()) -> CompleteTree:
    """Place a tree in a complete one; a leaf above the bottom becomes branches without questions."""
    column = np.full(shape.n_branches, NO_QUESTION, dtype=np.int64)
    rank = np.zeros(shape.n_branches, dtype=np.int64)
    label = np.zeros(shape.n_leaves, dtype=np.int64)
    waiting = [(0, 0)]
    while waiting:
        place, number = waiting.pop()
        node = nodes[number]
        if place >= shape.n_branches:
            label[place - shape.n_branches] = node.label
        elif node.column < 0:
            waiting += [(2 * place + 1, number), (2 * place + 2, number)]
        else:
            column[place], rank[place] = node.column, node.rank
            waiting += [(2 * place + 1, node.yes), (2 * place + 2, node.no)]
    return CompleteTree(shape, column, rank, label, further)


def collapsed(problem: Problem, tree: CompleteTree, *, relabel: bool) -> list[RankedNode]:
    """Return the tree without questions that split no rows; ``relabel`` gives leaves their cheapest label."""
    data, shape = problem.data, tree.shape
    nodes: list[RankedNode] = []

    def add(place: int, points: Ints) -> int:
        while place < shape.n_branches:
            column = int(tree.column[place])
            yes = np.ones(len(points), dtype=np.bool_)
            if column != NO_QUESTION:
                yes = data.columns[column].ranks[points] <= tree.rank[place]
            if not yes.all() and yes.any():
                number = len(nodes)
                nodes.append(RankedNode(column, int(tree.rank[place]), -1, -1, 0))
                below = add(2 * place + 1, points[yes]), add(2 * place + 2, points[~yes])
                nodes[number] = nodes[number]._replace(yes=below[0], no=below[1])
                return number
            place = 2 * place + (1 if yes.all() else 2)
        label = int(tree.label[place - shape.n_branches])
        if relabel:
            label = int(problem.objective.leaf_costs(data.class_weight(points)).argmin())
        nodes.append(RankedNode(-1, -1, -1, -1, label))
        return len(nodes) - 1

    add(0, np.arange(data.n_points))
    return nodes
