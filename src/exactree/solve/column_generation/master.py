"""The master program of column generation over decision paths (Firat, Crognier, Gabor, Hurkens and Zhang 2020).

The paper maximises right answers; here cost is minimised, so that its duals change their sign. A path costs what its
rows are answered with, less what they would cost at most: where wrong answers cost 1, it is minus the number of rows
that it answers right. With ``x[p]`` the share in which path p is taken, and ``rho[c]`` that of choice c:

======  =========================================================================  ========
in code  meaning                                                                    dual
======  =========================================================================  ========
(2)      the x of the paths to a leaf add up to 1                                   ``fee``, free
(3)      the x of the paths that a signature follows add up to 1 at most            ``row``, <= 0
(4)      the x of the paths to a leaf by choice c add up to ``rho[c]``              ``toll``, free
side     what paths add to a constraint on the whole tree adds up to its limit      ``side``, <= 0
======  =========================================================================  ========

(3) follows from the others where x is whole, but without it the relaxation is worth nothing. Its rows come only once a
solution breaks them. Where consistency is by *prefix*, (4) is about all choices from the root to a branch, and the
relaxation is whole without (3) unless there are side constraints; it takes all paths at once.

One more column, a *ghost*, stands for a tree that costs more than any: with it the program is never without a solution,
whatever is forbidden.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from exactree.arrays import Bools, Floats, Ints
from exactree.errors import Unsupported
from exactree.mip import Effort, LinearProgram, Mip, Vertex
from exactree.solve.column_generation.paths import Paths, PathTable
from exactree.tolerances import FEASIBILITY

MOST_LINKS = 1_000_000  # rows (4)
MOST_NEW_ROWS = 100  # of (3), at a time
MOST_LOOKED_AT = 2000  # broken rows that are compared, to add no two that are alike
MEMBERS = 2**22  # cells of a table of signatures by paths that are made at a time


@dataclass(frozen=True, slots=True, eq=False)
class Duals:
    """What a solution of the master pays for its rows, signatures that have no row among them."""

    fee: Floats  # (n_leaves,)
    toll: Floats  # (n_leaves, n_choices)
    row: Floats  # (n_signatures,)
    side: Floats  # (n_sides,)

    def toward(self, other: "Duals", share: float) -> "Duals":
        """Go part of the way to others."""
        keep = 1.0 - share
        return Duals(
            keep * self.fee + share * other.fee,
            keep * self.toll + share * other.toll,
            keep * self.row + share * other.row,
            keep * self.side + share * other.side,
        )


class Master:
    """The program, restricted to the paths found so far."""

    def __init__(self, table: PathTable, *, prefix: bool = False, check: Callable[[], None] | None = None) -> None:
        self.table, self.prefix = table, prefix
        self._above = table.branches_above(np.arange(table.shape.n_leaves, dtype=np.int32))  # (n_leaves, depth)
        self._ways = _ways(table, prefix)  # of each branch
        self._first_way = np.concatenate([[0], np.cumsum(self._ways)])
        counts = self._ways[self._above]
        n_leaves = table.shape.n_leaves
        self._first_link = n_leaves + np.concatenate([[0], np.cumsum(counts.ravel())])[:-1].reshape(counts.shape)
        self.n_links = int(counts.sum())
        if self.n_links > MOST_LINKS:
            other = "consistency='node' or finish='recursion'" if prefix else "finish='recursion'"
            raise Unsupported(
                f"The master program would have {self.n_links} rows that hold paths together, more than {MOST_LINKS}. "
                f"Sample fewer questions, such as with CartSampling(), or use {other}."
            )
        self._first_side = n_leaves + self.n_links
        self.dearest = 1.0 + float(table.base.sum()) + table.costs.leaf_price * n_leaves
        self.lp = LinearProgram(self._empty(Mip(check)).program())
        self.first_path = self.lp.n_columns
        self.paths = table.measured(np.empty(0, np.int32), np.empty((0, table.shape.depth), np.int32))[0]
        self._known: set[bytes] = set()
        self.signatures = np.empty(0, dtype=np.int64)  # that have a row (3)
        self._first_row = self.lp.n_rows

    def _empty(self, mip: Mip) -> Mip:
        """The program without any path."""
        table, n_leaves = self.table, self.table.shape.n_leaves
        ways = mip.columns("rho", int(self._ways.sum()), low=-inf)
        ghost = mip.columns("ghost", 1, cost=2 * self.dearest)
        mip.family("one_path", [(1, np.broadcast_to(ghost, (n_leaves, 1)))], at_least=1, at_most=1)
        links = np.concatenate([self._first_way[j] + np.arange(self._ways[j]) for j in self._above.ravel()])
        mip.family("consistent", [(-1, ways[links])], at_least=0, at_most=0)
        if len(table.at_most):
            kept = np.minimum(table.at_most, 0.0)  # a ghost breaks no limit
            mip.family("side", [(kept, np.broadcast_to(ghost, len(kept)))], at_most=table.at_most)
        return mip

    def ways_of(self, paths: Paths) -> Ints:
        """Number of the way in which each path passes each branch, within that branch, (n_paths, depth)."""
        above = self._above[paths.leaf]
        local = paths.choices - self.table.begin[above]
        if not self.prefix:
            return np.asarray(local, dtype=np.int64)
        sizes = np.diff(self.table.begin)[above]
        number = local.astype(np.int64)
        for level in range(1, self.table.shape.depth):
            number[:, level] += number[:, level - 1] * sizes[:, level]
        return number

    def add(self, paths: Paths) -> int:
        """Add those paths that are new; return how many were."""
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
        links = self._first_link[paths.leaf] + self.ways_of(paths)
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

    def drop(self, vertex: Vertex) -> None:
        """Take the half of the paths out that is least likely to be of use again, none of those in use."""
        reduced = np.zeros(self.paths.n)  # those added since the solution are kept
        known = vertex.reduced[self.first_path :]
        reduced[: len(known)] = known
        gone = np.zeros(self.paths.n, dtype=np.bool_)
        gone[np.argsort(-reduced, kind="stable")[: self.paths.n // 2]] = True
        gone &= (reduced > FEASIBILITY) & (self.shares(vertex) <= FEASIBILITY)
        self._known.difference_update(_keys(self.paths.take(gone)))
        self.lp.drop_columns(self.first_path + np.flatnonzero(gone))
        self.paths = self.paths.take(~gone)

    def _rows_of(self, paths: Paths) -> tuple[Ints, Ints]:
        """Rows (3) that have an entry for each path, as pairs of path and row."""
        found = []
        step = max(1, MEMBERS // max(paths.n, 1))
        for first in range(0, len(self.signatures), step):
            row, at = np.nonzero(self.table.followed_by(paths, self.signatures[first : first + step]))
            found.append((at, row + self._first_row + first))
        nothing = np.empty(0, dtype=np.int64)
        return (
            np.concatenate([nothing, *(at for at, _ in found)]),
            np.concatenate([nothing, *(row for _, row in found)]),
        )

    def solve(self, effort: Effort) -> Vertex:
        """Solve from where the last solve ended."""
        return self.lp.solve(effort)

    def shares(self, vertex: Vertex) -> Floats:
        """The x of each path; 0 for those that were added since."""
        shares = np.zeros(self.paths.n)
        known = vertex.values[self.first_path :]
        shares[: len(known)] = known
        return shares

    def rho(self, vertex: Vertex) -> Floats:
        """Share of each choice, (n_choices,)."""
        table, shares = self.table, self.shares(vertex)
        if not self.prefix:
            return vertex.values[: table.n_choices]
        rho = np.zeros(table.n_choices)
        for level in range(table.shape.depth):  # of the leaves below a branch, each sees the same shares
            np.add.at(rho, self.paths.choices[:, level], shares / 2 ** (table.shape.depth - level))
        return rho

    def ghost(self, vertex: Vertex) -> float:
        """Share of the tree that is none."""
        return float(vertex.values[self.first_path - 1])

    def duals(self, vertex: Vertex) -> Duals:
        """What the solution pays for its rows, made exactly feasible but for paths that are not there."""
        table, n_leaves = self.table, self.table.shape.n_leaves
        toll = np.zeros((n_leaves, table.n_choices))
        for leaf in range(0 if self.prefix else n_leaves):
            for level, branch in enumerate(self._above[leaf].tolist()):
                mine = slice(table.begin[branch], table.begin[branch + 1])
                first = self._first_link[leaf, level]
                toll[leaf, mine] = vertex.duals[first : first + self._ways[branch]]
        row = np.zeros(table.n_signatures)
        row[self.signatures] = np.minimum(vertex.duals[self._first_row :], 0.0)
        side = np.minimum(vertex.duals[self._first_side : self._first_row], 0.0)
        return Duals(vertex.duals[:n_leaves], _balanced(table, toll), row, side)

    def cut(self, vertex: Vertex) -> int:
        """Add rows (3) that the solution breaks, the worst of those that are not alike; return how many."""
        table = self.table
        taken = np.flatnonzero(self.shares(vertex) > FEASIBILITY)
        paths, shares = self.paths.take(taken), self.shares(vertex)[taken]
        total = np.zeros(table.n_signatures)
        step = max(1, MEMBERS // max(paths.n, 1))
        for first in range(0, table.n_signatures, step):
            some = np.arange(first, min(first + step, table.n_signatures))
            total[some] = table.followed_by(paths, some) @ shares
        broken = np.flatnonzero(total > 1 + FEASIBILITY)
        broken = np.setdiff1d(broken, self.signatures)
        worst = broken[np.argsort(-total[broken], kind="stable")][:MOST_LOOKED_AT]
        if len(worst) == 0:
            return 0
        alike = np.unique(np.packbits(table.followed_by(paths, worst), axis=1), axis=0, return_index=True)[1]
        self.add_rows(worst[np.sort(alike)[:MOST_NEW_ROWS]])
        return min(len(alike), MOST_NEW_ROWS)

    def add_rows(self, signatures: Ints) -> None:
        """Add the rows (3) of some signatures."""
        step = max(1, MEMBERS // max(self.paths.n, 1))
        for first in range(0, len(signatures), step):
            some = signatures[first : first + step]
            row, at = np.nonzero(self.table.followed_by(self.paths, some))
            entries = (row, at + self.first_path, np.ones(len(row)))
            self.lp.add_rows(np.full(len(some), -inf), np.ones(len(some)), entries=entries)
            self.signatures = np.concatenate([self.signatures, some])

    def allow(self, open_choices: Bools, says: Bools) -> None:
        """Forbid the paths that use a closed choice or a label that their leaf may not answer."""
        allowed = open_choices[self.paths.choices].all(axis=1) & says[self.paths.leaf, self.paths.label]
        columns = self.first_path + np.arange(self.paths.n)
        self.lp.change_bounds(columns, 0.0, np.where(allowed, inf, 0.0))


def _keys(paths: Paths) -> list[bytes]:
    """A key for each path."""
    return [row.tobytes() for row in np.column_stack([paths.leaf, paths.label, paths.choices]).astype(np.int32)]


def _ways(table: PathTable, prefix: bool) -> Ints:
    """In how many ways each branch can be passed: its choices, by prefix times those of all above."""
    ways = np.diff(table.begin).astype(np.int64)
    if prefix:
        for branch in range(1, len(ways)):
            ways[branch] *= ways[(branch - 1) // 2]
    return ways


def _balanced(table: PathTable, toll: Floats) -> Floats:
    """Tolls of which those of one choice add up to nothing over all leaves: what the solver leaves over is noise."""
    level = np.array([table.shape.level(branch) for branch in range(table.shape.n_branches)])
    branch_of = np.repeat(np.arange(table.shape.n_branches), np.diff(table.begin))
    n_below = 2.0 ** (table.shape.depth - level[branch_of])
    below = np.zeros(toll.shape, dtype=np.bool_)
    leaves = np.arange(table.shape.n_leaves, dtype=np.int32)
    for leaf, above in enumerate(table.branches_above(leaves)):
        below[leaf] = np.isin(branch_of, above)
    return np.where(below, toll - toll.sum(axis=0) / n_below, 0.0)
