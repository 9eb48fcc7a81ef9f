"""The loop of column generation: solve the master, separate cuts, price, add paths, until none would lower the cost."""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints
from exactree.errors import SolverBug
from exactree.mip import LpSolution, MipOptions, MipProgress, MipStatus
from exactree.solve.column_generation.master import Duals, Master
from exactree.solve.column_generation.paths import PathTable
from exactree.solve.column_generation.pricing import Pricing, PricingResult, Restriction, lagrangian_bound
from exactree.solve.interface import Round, Status, relative_gap
from exactree.solve.mip_runs.outcome import LIMIT_STATUSES
from exactree.solve.run_state import Exhausted, RunState, round_up_bound
from exactree.solve.trees.complete_tree import collapsed
from exactree.solve.trees.ranked_tree import to_graph
from exactree.tolerances import FEASIBILITY

MOST_COLUMNS = 20_000  # of the master
ROUNDS_OF_CUTS = 5  # between two pricings; after the last pricing, as many as are violated
OTHERS = 1e-3  # weight of the labels of paths with other choices
QUICK = 1e9  # signatures times paths up to which all trees of a solution's choices are enumerated: 1e8 took 0.1 s
# For each path, where all are there from the start: HiGHS checks no clock in its presolve (2.5 s for 362,000 paths),
# and fails numerically without it.
PRESOLVE_SECONDS = 1e-5
SUMMED = 1e-9  # relative rounding error of a sum of costs and duals: these bounds are not a back end's
STOP_STATUSES = LIMIT_STATUSES | {MipStatus.NUMERICAL_ERROR: Status.ENDED}


class NoFeasibleTree(Exception):
    """It is proved that no tree of the given questions satisfies all constraints."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """Where column generation stopped: the last solution of the master, and the bounds."""

    solution: LpSolution
    duals: Duals
    bound: float  # on all trees of the restriction, in scaled units, without the fixed cost
    dual_bound: float  # the Lagrangian bound of these duals alone
    solved: bool  # whether no missing path has a negative reduced cost


@dataclass(slots=True, eq=False)
class GenerationLoop:
    """State of a run of column generation."""

    table: PathTable
    master: Master
    pricing: Pricing
    state: RunState
    lazy: bool = True  # whether rows (3) are added when they are violated
    smoothing: float = 0.5  # dual smoothing: share of the duals that gave the best bound
    seed: int = 0
    exact_bounds: bool = True  # whether bounds are free of solver tolerances: not where MIPs price the paths
    solve_to_optimality: bool = False  # whether to solve the relaxation even where its bound prunes it
    most_columns: int = MOST_COLUMNS  # beyond it, half are removed; it doubles each time, so that this ends
    iterations: int = 0
    trace: list[Round] = field(default_factory=list)
    labelled: set[bytes] = field(default_factory=set)  # choices of all branches whose best labels were computed

    def prunes(self, bound: float) -> bool:
        """Whether a bound shows that no tree is better than the incumbent, or that none is feasible."""
        costs, state = self.table.costs, self.state
        if bound >= self.master.cost_limit:
            return True
        bound = round_up_bound(self.table.fixed + bound, costs, SUMMED)
        return costs.to_cost(bound) >= state.cost - state.problem.tolerance

    def raise_bound(self, bound: float) -> None:
        """Raise the bound on all trees; in scaled units, without the fixed cost."""
        if np.isfinite(self.state.cost) or np.isfinite(bound):
            highest = self.table.fixed + min(bound, 2 * self.master.cost_limit)
            self.state.raise_bound(highest, self.table.costs, noise=SUMMED, sure=self.exact_bounds)

    def solve_relaxation(self, restriction: Restriction, bound: float = -inf, *, is_root: bool = False) -> Relaxation:
        """Solve the relaxation over the paths of a restriction, until it is optimal or pruned.

        ``is_root``: nothing is restricted, so its bound holds for all trees.
        """
        self.master.restrict(restriction.allows(self.master.paths))
        centre: Duals | None = None
        while True:
            solution = self._solve_with_cuts(ROUNDS_OF_CUTS)
            duals = self.master.duals(solution)
            self._primal_heuristic(solution)
            priced, at, smooth = self._price(solution, duals, centre, restriction)
            reached = dual_bound = lagrangian_bound(self.table, at, priced.least)
            if reached > bound:
                bound, centre = reached, at
            added = self.master.add(priced.paths)
            if not added and smooth:
                priced = self.pricing.price(duals, restriction, self._least_reduced_costs(solution, restriction))
                dual_bound = lagrangian_bound(self.table, duals, priced.least)
                bound = max(bound, dual_bound)
                added = self.master.add(priced.paths)
            self._record(solution, dual_bound, bound if is_root else -inf, is_root)
            if self.prunes(bound) and not self.solve_to_optimality:
                return Relaxation(solution, duals, bound, dual_bound, False)
            if not added and not (self.lazy and self.master.separate(solution)):
                return Relaxation(solution, duals, bound, dual_bound, bool(np.isfinite(dual_bound)))
            if self.master.paths.n > self.most_columns and not self.master.prefix:
                self.master.remove_unused(solution)
                self.most_columns *= 2

    def _price(
        self, solution: LpSolution, duals: Duals, centre: Duals | None, restriction: Restriction
    ) -> tuple[PricingResult, Duals, bool]:
        """Price with the duals, or with a combination of them and those that gave the best bound (smoothing)."""
        if centre is None or self.smoothing == 0 or self.master.prefix:
            return (
                self.pricing.price(duals, restriction, self._least_reduced_costs(solution, restriction)),
                duals,
                False,
            )
        between = duals.toward(centre, self.smoothing)
        return self.pricing.price(between, restriction, np.full(len(duals.leaf), inf)), between, True

    def _least_reduced_costs(self, solution: LpSolution, restriction: Restriction) -> Floats:
        """Least reduced cost of the master's paths, for each leaf."""
        paths, known = self.master.paths, np.full(self.table.shape.n_leaves, inf)
        allowed = restriction.allows(paths)
        np.minimum.at(known, paths.leaf[allowed], solution.reduced_costs[self.master.first_path :][allowed])
        return known

    def _solve_with_cuts(self, rounds: int) -> LpSolution:
        """Solve the master, and again with the rows (3) that its solution violates."""
        solution = self._solve()
        for _ in range(rounds if self.lazy else 0):
            if self.master.artificial_share(solution) > FEASIBILITY or not self.master.separate(solution):
                break
            solution = self._solve()
        return solution

    def _solve(self) -> LpSolution:
        self.state.check()
        if self.state.interrupted:
            raise Exhausted(Status.INTERRUPTED)
        options = MipOptions(seconds=self.state.left(), memory=self.state.budget.memory)
        if self.master.prefix and (options.seconds or inf) < PRESOLVE_SECONDS * self.master.paths.n:
            raise Exhausted(Status.TIME_LIMIT)
        solution = self.master.solve(options)
        if solution.status in STOP_STATUSES:
            raise Exhausted(STOP_STATUSES[solution.status])
        if solution.status is not MipStatus.OPTIMAL:
            raise SolverBug(f"HiGHS finds the master {solution.status.value}, which it cannot be.")
        return solution

    def _record(self, solution: LpSolution, dual_bound: float, bound: float, is_root: bool) -> None:
        """Record an iteration and call back; ``bound`` is one on all trees."""
        self.iterations += 1
        state, costs, fixed = self.state, self.table.costs, self.table.fixed
        state.raise_bound(fixed + bound, costs, noise=SUMMED, sure=self.exact_bounds)
        relaxed, reached = costs.to_cost(fixed + solution.objective), costs.to_cost(fixed + dual_bound)
        state.stage = "pricing"
        state.details = iteration_text(self.iterations, self.master.paths.n, relaxed, reached)
        try:
            state.update(MipProgress(state.elapsed(), inf, -inf), costs)
        except KeyboardInterrupt:
            raise Exhausted(Status.INTERRUPTED) from None
        sizes = state.elapsed(), self.iterations, self.master.paths.n
        self.trace.append(Round(*sizes, relaxed, reached, state.cost, state.bound, is_root))
        if state.budget.gap > 0 and relative_gap(state.cost, state.bound) <= state.budget.gap:
            raise Exhausted(Status.GAP_REACHED)

    def _primal_heuristic(self, solution: LpSolution) -> None:
        """Find a good tree among the choices of a solution: the best, or the one with the largest shares."""
        table, rho = self.table, self.master.rho(solution)
        taken = rho > FEASIBILITY
        begin = table.begin
        if not all(taken[begin[j] : begin[j + 1]].any() for j in range(table.shape.n_branches)):
            return
        if self.can_enumerate(taken):
            found = table.native.best_tree(
                cost=table.cost, open=taken, price=table.costs.leaf_price, seconds=self.state.left()
            )
            if found.ended is not None:
                raise Exhausted(Status(found.ended))
            if np.isfinite(found.cost):
                self.offer(np.array(found.choice), None, found.cost - float(table.base.sum()))
            return
        choice = np.array([begin[j] + rho[begin[j] : begin[j + 1]].argmax() for j in range(table.shape.n_branches)])
        if table.labels_are_cheapest:
            self.offer(choice, None)
            return
        labels = self.label_shares(solution, choice) + OTHERS * self.label_shares(solution)
        self.offer(choice, labels.argmax(axis=1).astype(np.int32))
        if choice.tobytes() not in self.labelled:  # other labels may be the cheapest feasible ones for these questions
            self.labelled.add(choice.tobytes())
            if (label := table.feasible_labels(choice, self.state.left())) is not None:
                self.offer(choice, label)

    def can_enumerate(self, choices: Bools) -> bool:
        """Whether all trees of some choices can be enumerated in about a second."""
        return self.table.is_free and enumeration_work(self.table, choices) < QUICK

    def label_shares(self, solution: LpSolution, along: Ints | None = None) -> Floats:
        """Share of each label at each leaf, of all paths or of those with some choices, (n_leaves, n_classes)."""
        shares, paths = self.master.shares(solution), self.master.paths
        if along is not None:
            shares = shares * (paths.choices == along[self.table.branches_above(paths.leaf)]).all(axis=1)
        labels = np.zeros((self.table.shape.n_leaves, self.table.cost.shape[1]))
        np.add.at(labels, (paths.leaf, paths.label), shares)
        return labels

    def offer(self, choice: Ints, label: Int32s | None, cost: float | None = None) -> None:
        """Offer a tree as incumbent; without labels, leaves get the cheapest ones."""
        offer_tree(self.table, self.state, choice, label, cost)


def enumeration_work(table: PathTable, choices: Bools) -> float:
    """Signatures times paths of some choices: an upper limit of the work to enumerate all trees."""
    counts = np.add.reduceat(choices.astype(float), table.begin[:-1])
    leaves = np.arange(table.shape.n_leaves, dtype=np.int32)
    return float(counts[table.branches_above(leaves)].prod(axis=1).sum()) * table.n_signatures


def iteration_text(iterations: int, columns: int, relaxed: float, bound: float) -> str:
    """Describe an iteration, for progress reports.

    Examples
    --------
    >>> iteration_text(12, 340, 25.5, 24.125), iteration_text(1, 8, 30.0, -inf)
    ('iteration 12, 340 columns, relaxation 25.5, Lagrangian bound 24.125', 'iteration 1, 8 columns, relaxation 30')
    """
    text = f"iteration {iterations}, {columns} columns, relaxation {relaxed:.6g}"
    return f"{text}, Lagrangian bound {bound:.6g}" if np.isfinite(bound) else text


def offer_tree(
    table: PathTable, state: RunState, choice: Ints, label: Int32s | None = None, cost: float | None = None
) -> None:
    """Offer the tree of one choice for each branch as incumbent; ``cost`` is the sum of its paths, if known."""
    if cost is None:
        cost = float(table.paths_of(choice, label)[0].cost.sum())
    if table.costs.to_cost(table.fixed + cost) >= state.cost - state.problem.tolerance:
        return
    tree = table.tree(choice, np.zeros(table.shape.n_leaves, np.int64) if label is None else label)
    state.offer(to_graph(table.problem, collapsed(table.problem, tree, relabel=label is None)))
