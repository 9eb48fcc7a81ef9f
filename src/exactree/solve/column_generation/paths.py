"""Decision paths of column generation: choices of branches, rows merged where no choice separates them.

A *choice* is a question that one branch of a complete tree may ask; branches are numbered as in ``complete_tree``. A
*path* leads to one leaf: a choice for each branch above it, and the label of the leaf. Rows that no choice
separates are one *signature*: the work depends on the number of signatures, not of rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from exactree import kernel
from exactree.arrays import Bools, Floats, Int32s, Ints, UInt32s
from exactree.mip.program import is_integral
from exactree.problem import RESOLUTION, Problem
from exactree.solve.mip_runs.constrained_labels import cheapest_feasible_labels
from exactree.solve.mip_runs.costs import MipCosts, mip_costs
from exactree.solve.trees.complete_tree import NO_QUESTION, CompleteTree, Shape

NOTHING = -1  # in place of a column: the branch asks nothing, nor does any below it


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Some paths, with their contributions to cost and side constraints."""

    leaf: Int32s  # (n,)
    label: Int32s  # (n,)
    choices: Int32s  # (n, depth) root first
    cost: Floats  # (n,) less the largest cost of the rows; with the price of the leaf, if it is not empty
    sides: Floats  # (n, n_sides) contribution to each side constraint

    @property
    def n(self) -> int:
        """Number of paths."""
        return len(self.leaf)

    def take(self, which: Bools | Ints) -> "Paths":
        """Return some of them."""
        return Paths(self.leaf[which], self.label[which], self.choices[which], self.cost[which], self.sides[which])

    @classmethod
    def joined(cls, parts: Sequence["Paths"]) -> "Paths":
        """All paths of several lists, one after the other."""
        return cls(
            np.concatenate([part.leaf for part in parts]),
            np.concatenate([part.label for part in parts]),
            np.concatenate([part.choices for part in parts]),
            np.concatenate([part.cost for part in parts]),
            np.concatenate([part.sides for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PathTable:
    """Signatures and choices, with scaled costs."""

    problem: Problem
    costs: MipCosts
    shape: Shape
    begin: Int32s  # (n_branches + 1,) first choice of each branch
    column: Int32s  # (n_choices,) of the data; NOTHING: no question
    rank: Int32s  # (n_choices,) of the data
    place: Int32s  # (n_choices, 2) row of ``ranks`` and rank there
    ranks: UInt32s  # (n_columns, n_signatures) ranks among the cuts of all choices
    cost: Floats  # (n_signatures, n_classes) above the cheapest label
    base: Floats  # (n_signatures,) that of the most expensive label
    unavoidable: float  # cost of the cheapest labels of all signatures
    side: Floats  # (n_limits, n_signatures, n_classes) coefficients of constraints on labels
    at_most: Floats  # (n_sides,) limits of constraints on labels, and of the number of leaves if there is one
    unit: Floats  # (n_sides,) divisor of coefficients and limit if these are integers, else 0
    amounts: Floats  # (n_signatures, n_classes + 2 + n_limits * n_classes) all that is summed along a path
    native: kernel.PathRows

    @property
    def fixed(self) -> float:
        """Cost of a tree beside the sum of its paths."""
        return self.costs.offset + self.unavoidable + float(self.base.sum())

    @property
    def n_signatures(self) -> int:
        """Number of sets of rows that no choice separates."""
        return len(self.cost)

    @property
    def n_choices(self) -> int:
        """Number of choices of all branches."""
        return len(self.column)

    @property
    def limits_leaves(self) -> bool:
        """Whether the last side constraint counts leaves."""
        return len(self.at_most) > len(self.side)

    @property
    def is_free(self) -> bool:
        """Whether no constraint concerns the whole tree."""
        return len(self.at_most) == 0

    @property
    def labels_are_cheapest(self) -> bool:
        """Whether leaves always get the cheapest label: there is no constraint on labels."""
        return len(self.side) == 0

    def integral_sides(self, paths: Paths) -> tuple[Floats, Floats]:
        """Return side coefficients of paths, and the limits, unscaled to integers where the user's are integers."""
        is_integer = self.unit > 0
        unit = np.where(is_integer, self.unit, 1.0)
        sides, at_most = paths.sides * unit, self.at_most * unit
        return np.where(is_integer, np.rint(sides), sides), np.where(is_integer, np.rint(at_most), at_most)

    def branches_above(self, leaf: int | Int32s) -> Ints:
        """Branches above leaves, root first, (..., depth)."""
        at = np.asarray(leaf, dtype=np.int64) + self.shape.n_branches
        found = []
        for _ in range(self.shape.depth):
            at = (at - 1) // 2
            found.append(at)
        return np.stack(found[::-1], axis=-1)

    def measured(self, leaf: Int32s, choices: Int32s, label: Int32s | None = None) -> tuple[Paths, Bools]:
        """Return paths with their costs, and which leaves are large enough; without labels they get the cheapest."""
        leaf, choices = np.ascontiguousarray(leaf, np.int32), np.ascontiguousarray(choices, np.int32)
        n_classes, n_limits = self.cost.shape[1], len(self.side)
        sums = self.native.sums(self.amounts, leaf, choices)
        if label is None:
            label = sums[:, :n_classes].argmin(axis=1).astype(np.int32)
        at = np.arange(len(leaf))
        rows, weight = sums[:, n_classes], sums[:, n_classes + 1]
        holds = rows > 0
        by_limit = sums[:, n_classes + 2 :].reshape(len(leaf), n_limits, n_classes)
        sides = by_limit[at, :, label]
        if self.limits_leaves:
            sides = np.column_stack([sides, holds.astype(float)])
        cost = sums[at, label] + self.costs.leaf_price * holds
        large = (rows >= self.problem.limits.min_samples_leaf) & (weight >= least_weight(self.problem))
        return Paths(leaf, label, choices, cost, sides), large | ~holds

    def incidence(self, paths: Paths, signatures: Ints) -> Bools:
        """Which of some signatures follow each path, (n_signatures, n_paths)."""
        depth = self.shape.depth
        follows = np.ones((len(signatures), paths.n), dtype=np.bool_)
        for level in range(depth):
            wants_no = (paths.leaf >> (depth - 1 - level)) & 1 == 1
            column, rank = self.place[paths.choices[:, level]].T
            ranks = self.ranks[np.maximum(column, 0), signatures[:, None]]
            yes = (ranks <= rank) | (column == NOTHING)
            follows &= yes != wants_no
        return follows

    def tree(self, choice: Int32s | Ints, label: Int32s | Ints) -> CompleteTree:
        """Return the tree of one choice for each branch."""
        column = np.where(self.column[choice] == NOTHING, NO_QUESTION, self.column[choice]).astype(np.int64)
        return CompleteTree(self.shape, column, self.rank[choice].astype(np.int64), np.asarray(label, np.int64))

    def paths_of(self, choice: Int32s | Ints, label: Int32s | Ints | None = None) -> tuple[Paths, bool]:
        """Paths of a tree, and whether all of them are allowed; without labels they get the cheapest."""
        leaf = np.arange(self.shape.n_leaves, dtype=np.int32)
        choices = np.asarray(choice, np.int32)[self.branches_above(leaf)]
        paths, allowed = self.measured(leaf, choices, None if label is None else np.asarray(label, np.int32))
        return paths, bool(allowed.all())

    def feasible_labels(self, choice: Ints, seconds: float | None) -> Int32s | None:
        """Cheapest labels of a tree's leaves that satisfy all constraints, or ``None``."""
        n_classes, n_limits = self.cost.shape[1], len(self.side)
        leaf = np.arange(self.shape.n_leaves, dtype=np.int32)
        sums = self.native.sums(self.amounts, leaf, np.asarray(choice, np.int32)[self.branches_above(leaf)])
        sides = sums[:, n_classes + 2 :].reshape(len(leaf), n_limits, n_classes).transpose(1, 0, 2)
        labels = cheapest_feasible_labels(sums[:, :n_classes], sides, self.at_most[:n_limits], seconds)
        return None if labels is None else labels.astype(np.int32)

    def choices_of(self, tree: CompleteTree) -> Int32s | None:
        """Return the choices of a tree, or ``None`` if a question is not among the choices of its branch."""
        chosen = np.empty(self.shape.n_branches, dtype=np.int32)
        for j in range(self.shape.n_branches):
            mine = np.arange(self.begin[j], self.begin[j + 1])
            if tree.column[j] == NO_QUESTION:
                fits = mine[self.column[mine] == NOTHING]
                fits = fits if len(fits) else mine  # any will do: the leaves below have the same label
            else:
                fits = mine[(self.column[mine] == tree.column[j]) & (self.rank[mine] == tree.rank[j])]
            if len(fits) == 0:
                return None
            chosen[j] = fits[0]
        return chosen


def least_weight(problem: Problem) -> float:
    """Least weight of a leaf, less the rounding error of a sum."""
    return problem.min_leaf_weight * (1 - RESOLUTION)


def path_table(
    problem: Problem, depth: int, questions: Sequence[Ints], check: Callable[[], None] = lambda: None
) -> PathTable:
    """Merge rows by signature; ``questions`` has (column, rank) for each branch, (n, 2) each.

    ``check`` is called between steps, and raises if they take too long.
    """
    shape, costs = Shape(depth), mip_costs(problem)
    ends = _may_end_early(problem, shape)
    per_branch = [_with_nothing(part, ends or len(part) == 0) for part in questions]
    begin = np.concatenate([[0], np.cumsum([len(part) for part in per_branch])]).astype(np.int32)
    asked = np.concatenate(per_branch).astype(np.int32)
    place, ranks, number = _signatures(problem, asked, check)
    n_signatures = ranks.shape[1]
    cost = _by_signature(costs.cost, number, n_signatures)
    cheapest = cost.min(axis=1)
    cost -= cheapest[:, None]
    base = cost.max(axis=1)
    check()
    sizes = np.column_stack([problem.data.point_counts, problem.data.point_weights]).astype(float)
    sizes = _by_signature(sizes, number, n_signatures)
    side, at_most, unit = _sides(problem, number, n_signatures)
    if problem.limits.most_leaves < shape.n_leaves:
        at_most, unit = np.append(at_most, float(problem.limits.most_leaves)), np.append(unit, 1.0)
    return PathTable(
        problem=problem,
        costs=costs,
        shape=shape,
        begin=begin,
        column=np.ascontiguousarray(asked[:, 0]),
        rank=np.ascontiguousarray(asked[:, 1]),
        place=place,
        ranks=ranks,
        cost=cost,
        base=base,
        unavoidable=float(cheapest.sum()),
        side=side,
        at_most=at_most,
        unit=unit,
        amounts=np.ascontiguousarray(np.column_stack([cost - base[:, None], sizes, *side])),
        native=_native(problem, depth, ranks, sizes, begin, place),
    )


def _signatures(problem: Problem, asked: Int32s, check: Callable[[], None]) -> tuple[Int32s, UInt32s, Ints]:
    """Place of each question, (n_columns, n_signatures) ranks, and the signature of each point."""
    place, ranks = _compressed(problem, asked, check)
    number = kernel.number_rows(list(ranks), ranks.shape[1])
    check()
    a_point = np.zeros(int(number.max()) + 1, dtype=np.int64)
    a_point[number] = np.arange(len(number))
    return place, np.ascontiguousarray(ranks[:, a_point]), number


def _may_end_early(problem: Problem, shape: Shape) -> bool:
    """Whether trees with fewer leaves must be considered: leaves have a price, a minimum size or a maximum number."""
    limits = problem.limits
    sized = limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0
    return sized or limits.ccp_alpha > 0 or limits.most_leaves < shape.n_leaves


def _native(
    problem: Problem, depth: int, ranks: UInt32s, sizes: Floats, begin: Int32s, place: Int32s
) -> kernel.PathRows:
    column, rank = (np.ascontiguousarray(part) for part in place.T)
    return kernel.PathRows(
        ranks,
        sizes,
        begin,
        column,
        rank,
        depth=depth,
        n_classes=problem.data.n_classes,
        least_rows=float(problem.limits.min_samples_leaf),
        least_weight=least_weight(problem),
    )


def _with_nothing(questions: Ints, wanted: bool) -> Ints:
    nothing = np.array([[NOTHING, 0]] if wanted else np.empty((0, 2)), dtype=np.int64)
    return np.concatenate([np.asarray(questions, dtype=np.int64).reshape(-1, 2), nothing])


def _compressed(problem: Problem, asked: Int32s, check: Callable[[], None]) -> tuple[Int32s, UInt32s]:
    """Each question by its position among those of its column, and the ranks of points among these."""
    data = problem.data
    place = np.full((len(asked), 2), NOTHING, dtype=np.int32)
    place[:, 1] = 0
    used = np.unique(asked[asked[:, 0] >= 0, 0])
    ranks = np.zeros((max(len(used), 1), data.n_points), dtype=np.uint32)
    for row, f in enumerate(used.tolist()):
        check()
        mine = asked[:, 0] == f
        cuts, order = np.unique(asked[mine, 1], return_inverse=True)
        place[mine] = np.column_stack([np.full(int(mine.sum()), row), order])
        ranks[row] = np.searchsorted(cuts, data.columns[f].ranks, side="left")
    return place, ranks


def _by_signature(amounts: Floats, number: Ints, n_signatures: int) -> Floats:
    sums = [np.bincount(number, weights=column, minlength=n_signatures) for column in amounts.T]
    return np.ascontiguousarray(np.array(sums).T)


def _sides(problem: Problem, number: Ints, n_signatures: int) -> tuple[Floats, Floats, Floats]:
    """Coefficients and limits of the constraints on labels, scaled so that the largest coefficient is 1; the units.

    The unit is 0 where coefficients are not integers: undoing the scaling would gain nothing.
    """
    side = np.zeros((len(problem.on_answers), n_signatures, problem.data.n_classes))
    at_most, units = np.zeros(len(side)), np.zeros(len(side))
    for m, limit in enumerate(problem.on_answers):
        highest, is_integer = limit.at_most, is_integral(limit.coefficient.ravel())
        if is_integer:
            highest = float(np.floor(highest + RESOLUTION * max(1.0, abs(highest))))
        side[m] = _by_signature(limit.coefficient, number[problem.data.point_of], n_signatures)
        unit = float(np.abs(side[m]).max(initial=0.0)) or 1.0
        side[m] /= unit
        at_most[m], units[m] = highest / unit, unit * is_integer
    return side, at_most, units
