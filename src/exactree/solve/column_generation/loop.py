"""Column generation itself: solve the master, cut, price, add, until no path helps any more."""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from exactree.arrays import Bools, Floats, Int32s, Ints
from exactree.errors import SolverBug
from exactree.mip import Effort, MipStatus, Seen, Vertex
from exactree.solve.column_generation.master import Duals, Master
from exactree.solve.column_generation.paths import PathTable
from exactree.solve.column_generation.pricing import Field, Priced, Pricing, lagrangian
from exactree.solve.interface import Round, Status, relative_gap
from exactree.solve.run_state import Exhausted, RunState, rounded_up
from exactree.solve.trees.complete_tree import collapsed
from exactree.solve.trees.ranked_tree import to_graph
from exactree.tolerances import FEASIBILITY

MOST_COLUMNS = 20_000  # of the master
ROUNDS_OF_CUTS = 5  # between two pricings; the last pricing has as many as it takes
OTHERS = 1e-3  # what the labels of paths with other choices count
QUICK = 1e9  # signatures times paths up to which the best tree of the choices at hand is looked for: 1e8 took 0.1 s
# For each path, where all are there at once: HiGHS looks at no clock in its presolve (2.5 s for 362,000 paths), without
# which it is lost.
PRESOLVE_SECONDS = 1e-5
SUMMED = 1e-9  # what a sum of costs and prices may be off by, relative to it: no back end is asked for bounds
ENDINGS = {
    MipStatus.TIME_LIMIT: Status.TIME_LIMIT,
    MipStatus.MEMORY_LIMIT: Status.MEMORY_LIMIT,
    MipStatus.INTERRUPTED: Status.INTERRUPTED,
    MipStatus.UNSETTLED: Status.ENDED,  # HiGHS was lost in rounding errors, however it went about it
}


class NoTree(Exception):
    """It is proved that no tree of the questions at hand satisfies all constraints."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """Where column generation ended: the last solution of the master, and what was proved of it."""

    vertex: Vertex
    duals: Duals
    bound: float  # of all trees in the field, in the program's units, without what is fixed
    by_duals: float  # the same, by these duals alone
    solved: bool  # whether no path that is missing would lower the cost


@dataclass(slots=True, eq=False)
class Generation:
    """A run of column generation."""

    table: PathTable
    master: Master
    pricing: Pricing
    state: RunState
    lazy: bool = True  # whether rows (3) come when they are broken
    smoothing: float = 0.5  # how far prices lean towards those that gave the best bound
    seed: int = 0
    sure: bool = True  # whether bounds hold whatever HiGHS leaves over: they do, unless programs price the paths
    to_the_end: bool = False  # whether to solve the relaxation even where its bound says that nothing better is there
    most_columns: int = MOST_COLUMNS  # beyond it, half of them go; each time it doubles, so that this comes to an end
    iterations: int = 0
    trace: list[Round] = field(default_factory=list)
    answered: set[bytes] = field(default_factory=set)  # choices of all branches that were given their best answers

    def closes(self, bound: float) -> bool:
        """Whether no tree of at least that cost can be better than the best known, or there is none of that cost."""
        costs, state = self.table.costs, self.state
        if bound >= self.master.dearest:
            return True
        bound = rounded_up(self.table.fixed + bound, costs, SUMMED)
        return costs.to_cost(bound) >= state.cost - state.problem.tolerance

    def raise_bound(self, bound: float) -> None:
        """Take a bound on all trees, in the program's units, without what is fixed."""
        if np.isfinite(self.state.cost) or np.isfinite(bound):
            highest = self.table.fixed + min(bound, 2 * self.master.dearest)
            self.state.raise_bound(highest, self.table.costs, noise=SUMMED, sure=self.sure)

    def relax(self, field: Field, bound: float = -inf, *, is_root: bool = False) -> Relaxed:
        """Solve the relaxation over the paths of a field; unless to the end, until nothing better can be there.

        ``is_root`` says that the field is everything, so that its bound holds for all trees.
        """
        self.master.allow(field.open, field.says)
        centre: Duals | None = None
        while True:
            vertex = self._solved(ROUNDS_OF_CUTS)
            duals = self.master.duals(vertex)
            self._round_up(vertex)
            priced, at, smooth = self._priced(vertex, duals, centre, field)
            reached = by_duals = lagrangian(self.table, at, priced.least)
            if reached > bound:
                bound, centre = reached, at
            added = self.master.add(priced.paths)
            if not added and smooth:
                priced = self.pricing.price(duals, field, self._known(vertex, field))
                by_duals = lagrangian(self.table, duals, priced.least)
                bound = max(bound, by_duals)
                added = self.master.add(priced.paths)
            self._note(vertex, by_duals, bound if is_root else -inf, is_root)
            if self.closes(bound) and not self.to_the_end:
                return Relaxed(vertex, duals, bound, by_duals, False)
            if not added and not (self.lazy and self.master.cut(vertex)):
                return Relaxed(vertex, duals, bound, by_duals, bool(np.isfinite(by_duals)))
            if self.master.paths.n > self.most_columns and not self.master.prefix:
                self.master.drop(vertex)
                self.most_columns *= 2

    def _priced(self, vertex: Vertex, duals: Duals, centre: Duals | None, field: Field) -> tuple[Priced, Duals, bool]:
        """Price by the duals, or between them and those that gave the best bound."""
        if centre is None or self.smoothing == 0 or self.master.prefix:
            return self.pricing.price(duals, field, self._known(vertex, field)), duals, False
        between = duals.toward(centre, self.smoothing)
        return self.pricing.price(between, field, np.full(len(duals.fee), inf)), between, True

    def _known(self, vertex: Vertex, field: Field) -> Floats:
        """Least reduced cost of the paths at hand, for each leaf."""
        paths, known = self.master.paths, np.full(self.table.shape.n_leaves, inf)
        allowed = field.allows(paths)
        np.minimum.at(known, paths.leaf[allowed], vertex.reduced[self.master.first_path :][allowed])
        return known

    def _solved(self, rounds: int) -> Vertex:
        """Solve the master, and again with the rows (3) that it breaks."""
        vertex = self._solve()
        for _ in range(rounds if self.lazy else 0):
            if self.master.ghost(vertex) > FEASIBILITY or not self.master.cut(vertex):
                break
            vertex = self._solve()
        return vertex

    def _solve(self) -> Vertex:
        self.state.check()
        if self.state.interrupted:
            raise Exhausted(Status.INTERRUPTED)
        effort = Effort(seconds=self.state.left(), memory=self.state.budget.memory)
        if self.master.prefix and (effort.seconds or inf) < PRESOLVE_SECONDS * self.master.paths.n:
            raise Exhausted(Status.TIME_LIMIT)
        vertex = self.master.solve(effort)
        if vertex.status in ENDINGS:
            raise Exhausted(ENDINGS[vertex.status])
        if vertex.status is not MipStatus.OPTIMAL:
            raise SolverBug(f"HiGHS finds the master program {vertex.status.value}, which it cannot be.")
        return vertex

    def _note(self, vertex: Vertex, by_duals: float, bound: float, is_root: bool) -> None:
        """Take note of where the run stands, and tell the callback; ``bound`` is one on all trees."""
        self.iterations += 1
        state, costs, fixed = self.state, self.table.costs, self.table.fixed
        state.raise_bound(fixed + bound, costs, noise=SUMMED, sure=self.sure)
        relaxed, reached = costs.to_cost(fixed + vertex.objective), costs.to_cost(fixed + by_duals)
        state.details = in_words(self.iterations, self.master.paths.n, relaxed, reached)
        try:
            state.tell(Seen(state.elapsed(), inf, -inf), costs)
        except KeyboardInterrupt:
            raise Exhausted(Status.INTERRUPTED) from None
        sizes = state.elapsed(), self.iterations, self.master.paths.n
        self.trace.append(Round(*sizes, relaxed, reached, state.cost, state.bound, is_root))
        if state.budget.gap > 0 and relative_gap(state.cost, state.bound) <= state.budget.gap:
            raise Exhausted(Status.GAP_REACHED)

    def _round_up(self, vertex: Vertex) -> None:
        """Look for a good tree among the choices of a solution: the best, or the one with the largest shares."""
        table, rho = self.table, self.master.rho(vertex)
        taken = rho > FEASIBILITY
        begin = table.begin
        if not all(taken[begin[j] : begin[j + 1]].any() for j in range(table.shape.n_branches)):
            return
        if self.is_quick(taken):
            found = table.native.best_tree(
                cost=table.cost, open=taken, price=table.costs.leaf_price, seconds=self.state.left()
            )
            if found.ended is not None:
                raise Exhausted(Status(found.ended))
            if np.isfinite(found.cost):
                self.offer(np.array(found.choice), None, found.cost - float(table.base.sum()))
            return
        choice = np.array([begin[j] + rho[begin[j] : begin[j + 1]].argmax() for j in range(table.shape.n_branches)])
        if table.labels_follow:
            self.offer(choice, None)
            return
        says = self.says(vertex, choice) + OTHERS * self.says(vertex)
        self.offer(choice, says.argmax(axis=1).astype(np.int32))
        if choice.tobytes() not in self.answered:  # the cheapest answers to these questions may be others
            self.answered.add(choice.tobytes())
            if (label := table.allowed_labels(choice, self.state.left())) is not None:
                self.offer(choice, label)

    def is_quick(self, choices: Bools) -> bool:
        """Whether all trees of some choices can be tried in about a second."""
        return self.table.is_free and work_of_all_trees(self.table, choices) < QUICK

    def says(self, vertex: Vertex, along: Ints | None = None) -> Floats:
        """Share of each label at each leaf, of all paths or of those with some choices, (n_leaves, n_classes)."""
        shares, paths = self.master.shares(vertex), self.master.paths
        if along is not None:
            shares = shares * (paths.choices == along[self.table.branches_above(paths.leaf)]).all(axis=1)
        says = np.zeros((self.table.shape.n_leaves, self.table.cost.shape[1]))
        np.add.at(says, (paths.leaf, paths.label), shares)
        return says

    def offer(self, choice: Ints, label: Int32s | None, cost: float | None = None) -> None:
        """Take a tree if it is better than the best known; without labels, leaves answer what costs least."""
        offer(self.table, self.state, choice, label, cost)


def work_of_all_trees(table: PathTable, choices: Bools) -> float:
    """Signatures times paths of some choices: what trying all trees may take at most."""
    counts = np.add.reduceat(choices.astype(float), table.begin[:-1])
    leaves = np.arange(table.shape.n_leaves, dtype=np.int32)
    return float(counts[table.branches_above(leaves)].prod(axis=1).sum()) * table.n_signatures


def in_words(iterations: int, columns: int, relaxed: float, bound: float) -> str:
    """Word where column generation stands after an iteration, for progress.

    Examples
    --------
    >>> in_words(12, 340, 25.5, 24.125), in_words(1, 8, 30.0, -inf)
    ('iteration 12, 340 columns, relaxation 25.5, Lagrangian bound 24.125', 'iteration 1, 8 columns, relaxation 30')
    """
    told = f"iteration {iterations}, {columns} columns, relaxation {relaxed:.6g}"
    return f"{told}, Lagrangian bound {bound:.6g}" if np.isfinite(bound) else told


def offer(
    table: PathTable, state: RunState, choice: Ints, label: Int32s | None = None, cost: float | None = None
) -> None:
    """Tell of a tree of one choice for each branch; ``cost`` is the sum of its paths, if known."""
    if cost is None:
        cost = float(table.paths_of(choice, label)[0].cost.sum())
    if table.costs.to_cost(table.fixed + cost) >= state.cost - state.problem.tolerance:
        return
    tree = table.tree(choice, np.zeros(table.shape.n_leaves, np.int64) if label is None else label)
    state.offer(to_graph(table.problem, collapsed(table.problem, tree, relabel=label is None)))
