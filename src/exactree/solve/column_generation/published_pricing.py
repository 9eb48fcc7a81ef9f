"""Pricing as published: random paths, and where these fail, a program for each leaf and label.

A pool of random paths is kept: in each call some are added, those of the lowest reduced cost are returned, and the pool
is cut down to the best of the others. Leaves that gave something of late are preferred. The program for a leaf and a
label decides which choice each branch above the leaf makes, and with it which rows follow:

=======  =====================================================
in code  meaning
=======  =====================================================
takes    [c] choice c is made, binary
follows  [s] signature s follows the path
holds    any signature does; only where leaves have a price or a size
=======  =====================================================
"""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints
from exactree.errors import SolverBug
from exactree.mip import Effort, Kind, Mip, MipStatus, Program, backend_for
from exactree.solve.column_generation.master import Duals
from exactree.solve.column_generation.paths import NOTHING, Paths, PathTable
from exactree.solve.column_generation.pricing import Field, Priced, leaf_price, measured, none_of, row_costs
from exactree.solve.interface import Status
from exactree.solve.mip_runs.costs import least_sum
from exactree.solve.run_state import Exhausted, RunState
from exactree.tolerances import FEASIBILITY

POOL, NEW, TAKEN = 500, 200, 100  # paths: kept, made in each call, returned at most
PATIENCE = 5  # calls in a row that may find nothing
ENDINGS = {
    MipStatus.TIME_LIMIT: Status.TIME_LIMIT,
    MipStatus.MEMORY_LIMIT: Status.MEMORY_LIMIT,
    MipStatus.INTERRUPTED: Status.INTERRUPTED,
}


@dataclass(slots=True, eq=False)
class RandomPricing:
    """Random paths; ``milp`` takes over where they fail, if it is there."""

    table: PathTable
    rng: np.random.Generator
    milp: "MilpPricing | None" = None
    pool: Paths = field(init=False)
    lively: Ints = field(init=False)  # leaves that gave something of late

    def __post_init__(self) -> None:
        self.pool = none_of(self.table)
        self.lively = np.arange(self.table.shape.n_leaves)

    def price(self, duals: Duals, field: Field, known: Floats) -> Priced:
        """Return the best random paths; nothing is known of the others."""
        nothing_known = np.full(self.table.shape.n_leaves, -inf)
        for _ in range(PATIENCE):
            found = self._drawn(duals, field)
            if found.n:
                self.lively = np.unique(found.leaf).astype(np.int64)
                return Priced(found, nothing_known)
            self.lively = np.arange(self.table.shape.n_leaves)
        if self.milp is None:
            return Priced(none_of(self.table), nothing_known)
        priced = self.milp.price(duals, field, known)
        if priced.paths.n:
            self.pool, self.lively = none_of(self.table), np.unique(priced.paths.leaf).astype(np.int64)
        return priced

    def _drawn(self, duals: Duals, field: Field) -> Paths:
        """Put new paths into the pool and take the best out of it."""
        fresh = self._random(duals, field)
        pool = Paths.joined([self.pool, fresh])
        pool = pool.take(field.allows(pool))
        reduced = reduced_costs(self.table, duals, pool)
        order = np.argsort(reduced, kind="stable")
        n_taken = min(TAKEN, int((reduced < -FEASIBILITY).sum()))
        self.pool = pool.take(order[n_taken : n_taken + POOL])
        return pool.take(order[:n_taken])

    def _random(self, duals: Duals, field: Field) -> Paths:
        table, rng = self.table, self.rng
        leaf = rng.choice(self.lively, NEW).astype(np.int32)
        above = table.branches_above(leaf)
        choices = np.empty(above.shape, dtype=np.int32)
        for branch in np.unique(above).tolist():
            mine = np.arange(table.begin[branch], table.begin[branch + 1])
            mine = mine[field.open[mine]]
            here = above == branch
            choices[here] = rng.choice(mine, int(here.sum()))
        whole = self._sensible(choices, above, field)
        leaf, choices = leaf[whole], np.ascontiguousarray(choices[whole])
        sums = table.native.sums(row_costs(table, duals), leaf, choices)
        label = np.where(field.says[leaf], sums, inf).argmin(axis=1).astype(np.int32)
        paths, allowed = table.measured(leaf, choices, label)
        return paths.take(allowed)

    def _sensible(self, choices: Int32s, above: Ints, field: Field) -> Bools:
        """Ask nothing more once nothing was asked; tell which paths do not ask the same thing twice."""
        table = self.table
        none = np.full(table.shape.n_branches, -1, dtype=np.int32)
        is_none = (table.column == NOTHING) & field.open
        none[np.repeat(np.arange(len(none)), np.diff(table.begin))[is_none]] = np.flatnonzero(is_none)
        whole = np.ones(len(choices), dtype=np.bool_)
        for level in range(1, table.shape.depth):
            ended = table.column[choices[:, level - 1]] == NOTHING
            choices[ended, level] = none[above[ended, level]]
            whole &= choices[:, level] >= 0
            for earlier in range(level):
                same = (table.place[choices[:, earlier]] == table.place[choices[:, level]]).all(axis=1)
                whole &= ~same | (table.column[choices[:, level]] == NOTHING)
        return whole


def reduced_costs(table: PathTable, duals: Duals, paths: Paths) -> Floats:
    """Cost of paths less what the duals pay for."""
    if paths.n == 0:
        return np.empty(0)
    rows = table.native.sums(
        np.ascontiguousarray(duals.row[:, None]), np.ascontiguousarray(paths.leaf), np.ascontiguousarray(paths.choices)
    )[:, 0]
    tolls = duals.toll[paths.leaf[:, None], paths.choices].sum(axis=1)
    return np.asarray(paths.cost - duals.fee[paths.leaf] - tolls - rows - paths.sides @ duals.side)


@dataclass(frozen=True, slots=True, eq=False)
class MilpPricing:
    """A program for each leaf and label, solved by a back end: the best path of each, and a bound."""

    table: PathTable
    state: RunState
    backend: str = "highs"

    def price(self, duals: Duals, field: Field, known: Floats) -> Priced:
        """Solve all programs."""
        table = self.table
        cost, price = row_costs(table, duals), leaf_price(table, duals)
        least = np.full(table.shape.n_leaves, inf)
        found: list[tuple[int, int, Int32s]] = []
        for leaf in range(table.shape.n_leaves):
            for label in np.flatnonzero(field.says[leaf]).tolist():
                above = table.branches_above(leaf)
                program = path_program(table, leaf, cost[:, label], -duals.toll[leaf], field.open, price)
                answer = backend_for(program, self.backend).solve(program, self._effort())
                if answer.status in ENDINGS:
                    raise Exhausted(ENDINGS[answer.status])
                least[leaf] = min(least[leaf], answer.bound - duals.fee[leaf])
                if answer.values is None:
                    if answer.status is not MipStatus.INFEASIBLE:
                        raise SolverBug(f"{self.backend} finds the program of a path {answer.status.value}.")
                elif answer.objective - duals.fee[leaf] < -FEASIBILITY:
                    takes = answer.values[program.blocks["takes"]]
                    chosen = [table.begin[j] + takes[table.begin[j] : table.begin[j + 1]].argmax() for j in above]
                    found.append((leaf, label, np.array(chosen, dtype=np.int32)))
        if not found:
            return Priced(none_of(table), least)
        leaves, labels, choices = (np.array(part, dtype=np.int32) for part in zip(*found, strict=True))
        return Priced(measured(table, leaves, choices, labels), least)

    def _effort(self) -> Effort:
        self.state.check()
        return Effort(seconds=self.state.left(), memory=self.state.budget.memory)


def path_program(table: PathTable, leaf: int, cost: Floats, toll: Floats, is_open: Bools, price: float) -> Program:
    """The best path to a leaf for one label, as a program."""
    mip, depth, above = Mip(), table.shape.depth, table.branches_above(leaf)
    on_path = np.isin(np.repeat(np.arange(table.shape.n_branches), np.diff(table.begin)), above)
    takes = mip.columns("takes", table.n_choices, kind=Kind.INTEGER, high=np.where(on_path & is_open, 1, 0), cost=toll)
    limits = table.problem.limits
    sized = price > 0 or limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0
    some = np.arange(table.n_signatures) if sized else np.flatnonzero(cost != 0)
    follows = mip.columns("follows", len(some), kind=Kind.IMPLIED, high=1, cost=cost[some])
    ways = []
    for level, branch in enumerate(above.tolist()):
        mine = np.arange(table.begin[branch], table.begin[branch + 1])
        # one_choice: sum_c takes[c] = 1
        mip.family(f"one_choice_{level}", [(1, takes[mine][None, :])], at_least=1, at_most=1)
        wants_no = bool((leaf >> (depth - 1 - level)) & 1)
        column, rank = table.place[mine].T
        ranks = table.ranks[np.maximum(column, 0), some[:, None]]
        yes = (ranks <= rank) | (column == NOTHING)
        ways.append(((yes != wants_no).astype(float), np.broadcast_to(takes[mine], (len(some), len(mine)))))
        # may_follow[s]: follows[s] <= sum of takes[c] over choices that send s this way; where costs are below 0
        gains = np.ones(len(some), dtype=np.bool_) if sized else cost[some] < 0
        way = (-ways[-1][0][gains], ways[-1][1][gains])
        mip.family(f"may_follow_{level}", [(1, follows[gains]), way], at_most=0)
        if level and (column == NOTHING).any():
            before = np.arange(table.begin[above[level - 1]], table.begin[above[level - 1] + 1])
            none, ends = takes[mine[column == NOTHING]], takes[before[table.column[before] == NOTHING]]
            # nothing_more: once nothing is asked, nothing is
            if len(ends):
                mip.family(f"nothing_more_{level}", [(1, ends), (-1, none)], at_most=0)
    # must_follow[s]: choices that send s along, less (depth - 1), <= follows[s]; where costs are above 0
    losses = np.ones(len(some), dtype=np.bool_) if sized else cost[some] > 0
    terms = [(part[losses], columns[losses]) for part, columns in ways]
    mip.family("must_follow", [*terms, (-1, follows[losses])], at_most=depth - 1)
    if sized:
        _add_sizes(mip, table, follows, price)
    return mip.program()


def _add_sizes(mip: Mip, table: PathTable, follows: Ints, price: float) -> None:
    n_classes, limits = table.cost.shape[1], table.problem.limits
    holds = mip.columns("holds", 1, kind=Kind.INTEGER, high=1, cost=price)
    mip.family("holds_any", [(1, follows), (-1, np.broadcast_to(holds, follows.shape))], at_most=0)
    rows, weights = table.amounts[:, n_classes], table.amounts[:, n_classes + 1]
    wanted = [(rows, float(limits.min_samples_leaf))]
    if limits.min_weight_fraction_leaf > 0:
        wanted.append(least_sum(weights, table.problem.min_leaf_weight))
    for which, (amount, at_least) in enumerate(wanted):
        mip.family(f"enough_{which}", [(amount[None, :], follows[None, :]), (-at_least, holds)], at_least=0)
