"""The master problem of column generation over decision paths (Firat, Crognier, Gabor, Hurkens and Zhang 2020).

The paper maximises correct predictions; here cost is minimised, so the duals change their sign. The cost of a path is
the cost of its rows with its label, less their largest cost: where every error costs 1, minus the number of rows that
it classifies correctly. With ``x[p]`` the share of path p, and ``rho[c]`` that of choice c:

=======  =========================================================================  =====================
in code  meaning                                                                    dual
=======  =========================================================================  =====================
(2)      the x of the paths to a leaf add up to 1                                   leaf dual, free
(3)      the x of the paths that a signature follows add up to 1 at most            row dual, <= 0
(4)      the x of the paths to a leaf by choice c add up to ``rho[c]``              link dual, free
side     what paths add to a constraint on the whole tree stays within its limit    side dual, <= 0
=======  =========================================================================  =====================

(3) follows from the others where x is integer, but without it the relaxation is very weak. Its rows are added as
cutting planes once a solution violates them. With consistency by *prefix*, (4) is about all choices from the root to a
branch, and the relaxation is integral without (3) unless there are side constraints; it needs all paths from the start.

An *artificial column* stands for a tree that costs more than any other: with it the master is always feasible,
whatever branching forbids.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools, Floats, Ints
from exactree.errors import Unsupported
from exactree.mip import LinearProgram, LpSolution, Mip, MipOptions
from exactree.solve.column_generation.paths import Paths, PathTable
from exactree.tolerances import FEASIBILITY

MOST_LINKS = 1_000_000  # rows (4)
MOST_NEW_ROWS = 100  # of (3), in each round of cuts
MOST_COMPARED = 2000  # violated rows that are compared, to add no two that are equal on the current solution
MOST_CELLS = 2**22  # of a table of signatures by paths that is built at a time


@dataclass(frozen=True, slots=True, eq=False)
class Duals:
    """Dual values of a solution of the master; 0 for signatures without a row (3)."""

    leaf: Floats  # (n_leaves,)
    link: Floats  # (n_leaves, n_choices)
    row: Floats  # (n_signatures,)
    side: Floats  # (n_sides,)

    def toward(self, other: "Duals", share: float) -> "Duals":
        """Convex combination with other duals."""
        keep = 1.0 - share
        return Duals(
            keep * self.leaf + share * other.leaf,
            keep * self.link + share * other.link,
            keep * self.row + share * other.row,
            keep * self.side + share * other.side,
        )


class MasterRows:
    """The rows (2), (4) and side of the master: of the LP without a path, and of the MIP with all its paths."""

    def __init__(self, table: PathTable, *, prefix: bool = False) -> None:
        self.table, self.prefix = table, prefix
        self.above = table.branches_above(np.arange(table.shape.n_leaves, dtype=np.int32))  # (n_leaves, depth)
        self.link_counts = _link_counts(table, prefix)  # of each branch
        self.first_rho = np.concatenate([[0], np.cumsum(self.link_counts)])
        counts = self.link_counts[self.above]
        self.first_link = np.concatenate([[0], np.cumsum(counts.ravel())])[:-1].reshape(counts.shape)  # within (4)
        self.n_links = int(counts.sum())

    def links_of(self, paths: Paths) -> Ints:
        """Row of (4), counted from its first, for each path and branch, (n_paths, depth)."""
        above = self.above[paths.leaf]
        number = (paths.choices - self.table.begin[above]).astype(np.int64)
        if self.prefix:
            sizes = np.diff(self.table.begin)[above]
            for level in range(1, self.table.shape.depth):
                number[:, level] += number[:, level - 1] * sizes[:, level]
        return np.asarray(self.first_link[paths.leaf] + number)

    def write(
        self, mip: Mip, rho: Ints, paths: Paths, x: Ints, *, artificial: Ints | None = None, integral: bool = False
    ) -> None:
        """Add the rows over some paths, of columns ``x``; ``integral`` undoes the scaling of side constraints."""
        n_leaves, depth = self.table.shape.n_leaves, self.table.shape.depth
        extra = np.empty(0, np.int64) if artificial is None else np.repeat(artificial, n_leaves)
        rows: list[NDArray[np.integer]] = [paths.leaf, np.arange(len(extra))]
        values = [np.ones(paths.n), np.ones(len(extra))]
        mip.sparse_family("one_path", n_leaves, rows, [x, extra], values, at_least=1, at_most=1)
        links = np.concatenate([self.first_rho[j] + np.arange(self.link_counts[j]) for j in self.above.ravel()])
        rows = [self.links_of(paths).ravel(), np.arange(self.n_links)]
        values = [np.ones(paths.n * depth), -np.ones(self.n_links)]
        columns = [np.repeat(x, depth), rho[links]]
        mip.sparse_family("consistent", self.n_links, rows, columns, values, at_least=0, at_most=0)
        sides, at_most = self.table.integral_sides(paths) if integral else (paths.sides, self.table.at_most)
        if len(at_most):
            path, side = np.nonzero(sides)
            extra = np.empty(0, np.int64) if artificial is None else np.repeat(artificial, len(at_most))
            kept = np.minimum(at_most, 0.0)[: len(extra)]  # the artificial column violates no limit
            rows, values = [side, np.arange(len(extra))], [sides[path, side], kept]
            mip.sparse_family("side", len(at_most), rows, [x[path], extra], values, at_most=at_most)


class Master:
    """The restricted master: the LP over the paths found so far."""

    def __init__(self, table: PathTable, *, prefix: bool = False, check: Callable[[], None] | None = None) -> None:
        self.table, self.prefix = table, prefix
        self._rows = MasterRows(table, prefix=prefix)
        n_leaves, n_links = table.shape.n_leaves, self._rows.n_links
        if n_links > MOST_LINKS:
            other = "consistency='node' or finish='recursion'" if prefix else "finish='recursion'"
            raise Unsupported(
                f"The master would have {n_links} consistency rows, more than {MOST_LINKS}. "
                f"Sample fewer questions, such as with CartSampling(), or use {other}."
            )
        self.first_link = n_leaves + self._rows.first_link  # row of the LP, (n_leaves, depth)
        self._first_side = n_leaves + n_links
        self.cost_limit = 1.0 + float(table.base.sum()) + table.costs.leaf_price * n_leaves  # more than any tree
        self.paths = table.measured(np.empty(0, np.int32), np.empty((0, table.shape.depth), np.int32))[0]
        mip = Mip(check)
        rho = mip.columns("rho", int(self._rows.link_counts.sum()), low=-inf)
        artificial = mip.columns("artificial", 1, cost=2 * self.cost_limit)
        self._rows.write(mip, rho, self.paths, np.empty(0, np.int64), artificial=artificial)
        self.lp = LinearProgram(mip.program())
        self.first_path = self.lp.n_columns
        self._known: set[bytes] = set()
        self.signatures = np.empty(0, dtype=np.int64)  # that have a row (3)
        self._first_row = self.lp.n_rows

    def add(self, paths: Paths) -> int:
        """Add the paths that are new, as columns; return how many were."""
        new = []
        for number, key in enumerate(_keys(paths)):
            if key not in self._known:
                self._known.add(key)
                new.append(number)
        if not new:
            return 0
        paths = paths.take(np.array(new))
        at = np.arange(paths.n)
        depth = self.table.shape.depth
        links = self.table.shape.n_leaves + self._rows.links_of(paths)
        side_at, side = np.nonzero(paths.sides)
        row_at, row = self._rows_of(paths)
        columns = np.concatenate([at, np.repeat(at, depth), side_at, row_at])
        rows = np.concatenate([paths.leaf, links.ravel(), self._first_side + side, row])
        values = np.ones(len(columns))
        begin = paths.n * (1 + depth)
        values[begin : begin + len(side)] = paths.sides[side_at, side]
        self.lp.add_columns(paths.cost, entries=(columns, rows, values))
        self.paths = Paths.joined([self.paths, paths])
        return paths.n

    def remove_unused(self, solution: LpSolution) -> None:
        """Remove the half of the paths with the largest reduced costs, none of those in use."""
        reduced = np.zeros(self.paths.n)  # 0 for those added since the solution: they are kept
        known = solution.reduced_costs[self.first_path :]
        reduced[: len(known)] = known
        gone = np.zeros(self.paths.n, dtype=np.bool_)
        gone[np.argsort(-reduced, kind="stable")[: self.paths.n // 2]] = True
        gone &= (reduced > FEASIBILITY) & (self.shares(solution) <= FEASIBILITY)
        self._known.difference_update(_keys(self.paths.take(gone)))
        self.lp.delete_columns(self.first_path + np.flatnonzero(gone))
        self.paths = self.paths.take(~gone)

    def _rows_of(self, paths: Paths) -> tuple[Ints, Ints]:
        """Entries of paths in the rows (3), as pairs of path and row."""
        found = []
        step = max(1, MOST_CELLS // max(paths.n, 1))
        for first in range(0, len(self.signatures), step):
            row, at = np.nonzero(self.table.incidence(paths, self.signatures[first : first + step]))
            found.append((at, row + self._first_row + first))
        nothing = np.empty(0, dtype=np.int64)
        return (
            np.concatenate([nothing, *(at for at, _ in found)]),
            np.concatenate([nothing, *(row for _, row in found)]),
        )

    def solve(self, options: MipOptions) -> LpSolution:
        """Solve from the last basis."""
        return self.lp.solve(options)

    def shares(self, solution: LpSolution) -> Floats:
        """The x of each path; 0 for those added since the solution."""
        shares = np.zeros(self.paths.n)
        known = solution.values[self.first_path :]
        shares[: len(known)] = known
        return shares

    def rho(self, solution: LpSolution) -> Floats:
        """Share of each choice, (n_choices,)."""
        table, shares = self.table, self.shares(solution)
        if not self.prefix:
            return solution.values[: table.n_choices]
        rho = np.zeros(table.n_choices)
        for level in range(table.shape.depth):  # all leaves below a branch have the same shares
            np.add.at(rho, self.paths.choices[:, level], shares / 2 ** (table.shape.depth - level))
        return rho

    def artificial_share(self, solution: LpSolution) -> float:
        """Share of the artificial column."""
        return float(solution.values[self.first_path - 1])

    def duals(self, solution: LpSolution) -> Duals:
        """Duals of a solution, made exactly feasible for all columns but paths that are missing."""
        table, n_leaves = self.table, self.table.shape.n_leaves
        link = np.zeros((n_leaves, table.n_choices))
        for leaf in range(0 if self.prefix else n_leaves):
            for level, branch in enumerate(self._rows.above[leaf].tolist()):
                mine = slice(table.begin[branch], table.begin[branch + 1])
                first = self.first_link[leaf, level]
                link[leaf, mine] = solution.duals[first : first + self._rows.link_counts[branch]]
        row = np.zeros(table.n_signatures)
        row[self.signatures] = np.minimum(solution.duals[self._first_row :], 0.0)
        side = np.minimum(solution.duals[self._first_side : self._first_row], 0.0)
        return Duals(solution.duals[:n_leaves], _balance_link_duals(table, link), row, side)

    def separate(self, solution: LpSolution) -> int:
        """Add rows (3) that the solution violates, most violated first, no two equal ones; return how many."""
        table = self.table
        used = np.flatnonzero(self.shares(solution) > FEASIBILITY)
        paths, shares = self.paths.take(used), self.shares(solution)[used]
        total = np.zeros(table.n_signatures)
        step = max(1, MOST_CELLS // max(paths.n, 1))
        for first in range(0, table.n_signatures, step):
            some = np.arange(first, min(first + step, table.n_signatures))
            total[some] = table.incidence(paths, some) @ shares
        violated = np.flatnonzero(total > 1 + FEASIBILITY)
        violated = np.setdiff1d(violated, self.signatures)
        worst = violated[np.argsort(-total[violated], kind="stable")][:MOST_COMPARED]
        if len(worst) == 0:
            return 0
        distinct = np.unique(np.packbits(table.incidence(paths, worst), axis=1), axis=0, return_index=True)[1]
        self.add_rows(worst[np.sort(distinct)[:MOST_NEW_ROWS]])
        return min(len(distinct), MOST_NEW_ROWS)

    def add_rows(self, signatures: Ints) -> None:
        """Add the rows (3) of some signatures."""
        step = max(1, MOST_CELLS // max(self.paths.n, 1))
        for first in range(0, len(signatures), step):
            some = signatures[first : first + step]
            row, at = np.nonzero(self.table.incidence(self.paths, some))
            entries = (row, at + self.first_path, np.ones(len(row)))
            self.lp.add_rows(np.full(len(some), -inf), np.ones(len(some)), entries=entries)
            self.signatures = np.concatenate([self.signatures, some])

    def restrict(self, allowed: Bools) -> None:
        """Fix the paths that are not allowed, (n_paths,), to 0."""
        columns = self.first_path + np.arange(self.paths.n)
        self.lp.change_bounds(columns, 0.0, np.where(allowed, inf, 0.0))


def _keys(paths: Paths) -> list[bytes]:
    """A key for each path."""
    return [row.tobytes() for row in np.column_stack([paths.leaf, paths.label, paths.choices]).astype(np.int32)]


def _link_counts(table: PathTable, prefix: bool) -> Ints:
    """Rows (4) of each branch and leaf below it: its choices, by prefix times those of all branches above."""
    counts = np.diff(table.begin).astype(np.int64)
    if prefix:
        for branch in range(1, len(counts)):
            counts[branch] *= counts[(branch - 1) // 2]
    return counts


def _balance_link_duals(table: PathTable, link: Floats) -> Floats:
    """Make the link duals of a choice sum to 0 over all leaves, as dual feasibility demands; the rest is noise."""
    level = np.array([table.shape.level(branch) for branch in range(table.shape.n_branches)])
    branch_of = np.repeat(np.arange(table.shape.n_branches), np.diff(table.begin))
    n_below = 2.0 ** (table.shape.depth - level[branch_of])
    below = np.zeros(link.shape, dtype=np.bool_)
    leaves = np.arange(table.shape.n_leaves, dtype=np.int32)
    for leaf, above in enumerate(table.branches_above(leaves)):
        below[leaf] = np.isin(branch_of, above)
    return np.where(below, link - link.sum(axis=0) / n_below, 0.0)
