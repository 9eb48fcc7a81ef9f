"""Pricing as published: random paths, and where these fail, a MIP for each leaf and label.

A pool of random paths is kept: each call adds some, returns those of the lowest reduced cost, and cuts the pool down to
the best of the others. Leaves with recent successes are preferred. The MIP for a leaf and a label chooses a question
for each branch above the leaf, and with it the signatures that follow:

=======  =====================================================
in code  meaning
=======  =====================================================
takes    [c] choice c is taken, binary
follows  [s] signature s follows the path
holds    any signature does; only where leaves have a price or a size
=======  =====================================================
"""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints
from exactree.errors import SolverBug
from exactree.mip import Kind, Mip, MipOptions, MipStatus, Program, backend_for
from exactree.solve.column_generation.master import Duals
from exactree.solve.column_generation.paths import NOTHING, Paths, PathTable
from exactree.solve.column_generation.pricing import (
    PricingResult,
    Restriction,
    feasible_paths,
    leaf_price,
    no_paths,
    signature_costs,
)
from exactree.solve.mip_runs.costs import scaled_minimum
from exactree.solve.mip_runs.outcome import LIMIT_STATUSES
from exactree.solve.run_state import Exhausted, RunState
from exactree.tolerances import FEASIBILITY

POOL, NEW, TAKEN = 500, 200, 100  # paths: kept, drawn in each call, returned at most
PATIENCE = 5  # unsuccessful draws in a row before giving up


@dataclass(slots=True, eq=False)
class RandomPricing:
    """Random paths; ``milp``, if given, is called where they fail."""

    table: PathTable
    rng: np.random.Generator
    milp: "MilpPricing | None" = None
    pool: Paths = field(init=False)
    preferred: Ints = field(init=False)  # leaves with recent successes

    def __post_init__(self) -> None:
        self.pool = no_paths(self.table)
        self.preferred = np.arange(self.table.shape.n_leaves)

    def price(self, duals: Duals, restriction: Restriction, known: Floats) -> PricingResult:
        """Return the best random paths; there is no bound on the others."""
        unknown = np.full(self.table.shape.n_leaves, -inf)
        for _ in range(PATIENCE):
            found = self._draw(duals, restriction)
            if found.n:
                self.preferred = np.unique(found.leaf).astype(np.int64)
                return PricingResult(found, unknown)
            self.preferred = np.arange(self.table.shape.n_leaves)
        if self.milp is None:
            return PricingResult(no_paths(self.table), unknown)
        priced = self.milp.price(duals, restriction, known)
        if priced.paths.n:
            self.pool, self.preferred = no_paths(self.table), np.unique(priced.paths.leaf).astype(np.int64)
        return priced

    def _draw(self, duals: Duals, restriction: Restriction) -> Paths:
        """Add new paths to the pool and remove the best."""
        fresh = self._random(duals, restriction)
        pool = Paths.joined([self.pool, fresh])
        pool = pool.take(restriction.allows(pool))
        reduced = reduced_costs(self.table, duals, pool)
        order = np.argsort(reduced, kind="stable")
        n_taken = min(TAKEN, int((reduced < -FEASIBILITY).sum()))
        self.pool = pool.take(order[n_taken : n_taken + POOL])
        return pool.take(order[:n_taken])

    def _random(self, duals: Duals, restriction: Restriction) -> Paths:
        table, rng = self.table, self.rng
        leaf = rng.choice(self.preferred, NEW).astype(np.int32)
        above = table.branches_above(leaf)
        choices = np.empty(above.shape, dtype=np.int32)
        for branch in np.unique(above).tolist():
            mine = np.arange(table.begin[branch], table.begin[branch + 1])
            mine = mine[restriction.open[mine]]
            here = above == branch
            choices[here] = rng.choice(mine, int(here.sum()))
        valid = self._end_early(choices, above, restriction)
        leaf, choices = leaf[valid], np.ascontiguousarray(choices[valid])
        sums = table.native.sums(signature_costs(table, duals), leaf, choices)
        label = np.where(restriction.labels[leaf], sums, inf).argmin(axis=1).astype(np.int32)
        paths, allowed = table.measured(leaf, choices, label)
        return paths.take(allowed)

    def _end_early(self, choices: Int32s, above: Ints, restriction: Restriction) -> Bools:
        """Ask nothing below a branch that asks nothing, in place; return which paths ask no question twice."""
        table = self.table
        none = np.full(table.shape.n_branches, -1, dtype=np.int32)
        is_none = (table.column == NOTHING) & restriction.open
        none[np.repeat(np.arange(len(none)), np.diff(table.begin))[is_none]] = np.flatnonzero(is_none)
        valid = np.ones(len(choices), dtype=np.bool_)
        for level in range(1, table.shape.depth):
            ended = table.column[choices[:, level - 1]] == NOTHING
            choices[ended, level] = none[above[ended, level]]
            valid &= choices[:, level] >= 0
            for earlier in range(level):
                same = (table.place[choices[:, earlier]] == table.place[choices[:, level]]).all(axis=1)
                valid &= ~same | (table.column[choices[:, level]] == NOTHING)
        return valid


def reduced_costs(table: PathTable, duals: Duals, paths: Paths) -> Floats:
    """Reduced costs of paths."""
    if paths.n == 0:
        return np.empty(0)
    rows = table.native.sums(
        np.ascontiguousarray(duals.row[:, None]), np.ascontiguousarray(paths.leaf), np.ascontiguousarray(paths.choices)
    )[:, 0]
    links = duals.link[paths.leaf[:, None], paths.choices].sum(axis=1)
    return np.asarray(paths.cost - duals.leaf[paths.leaf] - links - rows - paths.sides @ duals.side)


@dataclass(frozen=True, slots=True, eq=False)
class MilpPricing:
    """A MIP for each leaf and label, solved by a back end: the best path of each, and a bound."""

    table: PathTable
    state: RunState
    backend: str = "highs"

    def price(self, duals: Duals, restriction: Restriction, known: Floats) -> PricingResult:
        """Solve all MIPs."""
        table = self.table
        cost, price = signature_costs(table, duals), leaf_price(table, duals)
        least = np.full(table.shape.n_leaves, inf)
        found: list[tuple[int, int, Int32s]] = []
        for leaf in range(table.shape.n_leaves):
            for label in np.flatnonzero(restriction.labels[leaf]).tolist():
                above = table.branches_above(leaf)
                program = pricing_mip(table, leaf, cost[:, label], -duals.link[leaf], restriction.open, price)
                result = backend_for(program, self.backend).solve(program, self._options())
                if result.status in LIMIT_STATUSES:
                    raise Exhausted(LIMIT_STATUSES[result.status])
                least[leaf] = min(least[leaf], result.bound - duals.leaf[leaf])
                if result.values is None:
                    if result.status is not MipStatus.INFEASIBLE:
                        raise SolverBug(f"{self.backend} finds the pricing MIP {result.status.value}.")
                elif result.objective - duals.leaf[leaf] < -FEASIBILITY:
                    takes = result.values[program.blocks["takes"]]
                    chosen = [table.begin[j] + takes[table.begin[j] : table.begin[j + 1]].argmax() for j in above]
                    found.append((leaf, label, np.array(chosen, dtype=np.int32)))
        if not found:
            return PricingResult(no_paths(table), least)
        leaves, labels, choices = (np.array(part, dtype=np.int32) for part in zip(*found, strict=True))
        return PricingResult(feasible_paths(table, leaves, choices, labels), least)

    def _options(self) -> MipOptions:
        self.state.check()
        return MipOptions(seconds=self.state.left(), memory=self.state.budget.memory)


def pricing_mip(table: PathTable, leaf: int, cost: Floats, link: Floats, is_open: Bools, price: float) -> Program:
    """The path of least reduced cost to a leaf for one label, as a MIP."""
    mip, depth, above = Mip(), table.shape.depth, table.branches_above(leaf)
    on_path = np.isin(np.repeat(np.arange(table.shape.n_branches), np.diff(table.begin)), above)
    takes = mip.columns("takes", table.n_choices, kind=Kind.INTEGER, high=np.where(on_path & is_open, 1, 0), cost=link)
    limits = table.problem.limits
    sized = price > 0 or limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0
    some = np.arange(table.n_signatures) if sized else np.flatnonzero(cost != 0)
    follows = mip.columns("follows", len(some), kind=Kind.IMPLIED, high=1, cost=cost[some])
    routing = []
    for level, branch in enumerate(above.tolist()):
        mine = np.arange(table.begin[branch], table.begin[branch + 1])
        # one_choice: sum_c takes[c] = 1
        mip.family(f"one_choice_{level}", [(1, takes[mine][None, :])], at_least=1, at_most=1)
        wants_no = bool((leaf >> (depth - 1 - level)) & 1)
        column, rank = table.place[mine].T
        ranks = table.ranks[np.maximum(column, 0), some[:, None]]
        yes = (ranks <= rank) | (column == NOTHING)
        routing.append(((yes != wants_no).astype(float), np.broadcast_to(takes[mine], (len(some), len(mine)))))
        # may_follow[s]: follows[s] <= sum of takes[c] over choices that send s along the path; where costs are below 0
        gains = np.ones(len(some), dtype=np.bool_) if sized else cost[some] < 0
        allows = (-routing[-1][0][gains], routing[-1][1][gains])
        mip.family(f"may_follow_{level}", [(1, follows[gains]), allows], at_most=0)
        if level and (column == NOTHING).any():
            before = np.arange(table.begin[above[level - 1]], table.begin[above[level - 1] + 1])
            none, ends = takes[mine[column == NOTHING]], takes[before[table.column[before] == NOTHING]]
            # nothing_more: below a branch that asks nothing, none asks
            if len(ends):
                mip.family(f"nothing_more_{level}", [(1, ends), (-1, none)], at_most=0)
    # must_follow[s]: choices that send s along, less (depth - 1), <= follows[s]; where costs are above 0
    losses = np.ones(len(some), dtype=np.bool_) if sized else cost[some] > 0
    terms = [(part[losses], columns[losses]) for part, columns in routing]
    mip.family("must_follow", [*terms, (-1, follows[losses])], at_most=depth - 1)
    if sized:
        _add_sizes(mip, table, follows, price)
    return mip.program()


def _add_sizes(mip: Mip, table: PathTable, follows: Ints, price: float) -> None:
    n_classes, limits = table.cost.shape[1], table.problem.limits
    holds = mip.columns("holds", 1, kind=Kind.INTEGER, high=1, cost=price)
    mip.family("holds_any", [(1, follows), (-1, np.broadcast_to(holds, follows.shape))], at_most=0)
    rows, weights = table.amounts[:, n_classes], table.amounts[:, n_classes + 1]
    minima = [(rows, float(limits.min_samples_leaf))]
    if limits.min_weight_fraction_leaf > 0:
        minima.append(scaled_minimum(weights, table.problem.min_leaf_weight))
    for which, (amount, at_least) in enumerate(minima):
        mip.family(f"enough_{which}", [(amount[None, :], follows[None, :]), (-at_least, holds)], at_least=0)
