"""Exact search for the cheapest diagram that satisfies constraints on its answers, part of the solver ``search``.

1. *Construction.* Diagrams are built and improved under relaxed costs, of one set of multipliers after another. Of each
   the questions are kept, and the sides that end get their cheapest allowed labels.
2. *Trees.* A tree that fits into the layers is a diagram: the constrained search for trees gives a start, and a bound
   where every diagram of the skeleton is a tree.
3. *Relaxation.* The exact search for diagrams at given multipliers bounds the cost of all allowed diagrams from below.
4. *Listing.* All diagrams whose relaxed cost lies between bound and incumbent are listed; this ends on small skeletons
   only. What is left of the time goes to construction.

The bound holds at any moment.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isfinite

import numpy as np

from exactree import kernel
from exactree.arrays import Floats
from exactree.errors import Infeasible, InputError, Unsupported
from exactree.model import Graph
from exactree.problem import DiagramProblem, Limits, Problem
from exactree.solve.callback import memory_for
from exactree.solve.diagram_heuristic.construction import diagrams_under
from exactree.solve.feasibility import check_answers, infeasibility_advice
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status
from exactree.solve.run_state import Exhausted, RunState, stop_status
from exactree.solve.search.constrained.amounts import GroupAmounts
from exactree.solve.search.constrained.candidates import LeafAmounts, ends_of
from exactree.solve.search.constrained.channels import diagram_listing_arguments, level_arguments
from exactree.solve.search.constrained.lagrangian import LagrangianSearch, Stopped
from exactree.solve.search.constrained.pool import Pool
from exactree.solve.search.constrained.relaxation import Relaxed, RelaxedGains, relaxed_gains
from exactree.solve.search.constrained.solver import leaf_of, search_constrained
from exactree.solve.search.kernel_run import Nodes
from exactree.solve.trees.ranked_diagram import diagram_from_graph, diagram_to_graph, in_order, tidied, with_own_leaves
from exactree.solve.trees.ranked_tree import RankedNode, nodes_of

NOUN = "diagram"
CONSTRUCTION_SHARE, TREE_SHARE, RELAXATION_SHARE, LISTING_SHARE = 0.2, 0.25, 0.5, 0.6  # of the time left at each step
TREE_SHAPED_SHARE = 0.6  # of the time, where the search for trees bounds the cost of diagrams
ROUNDS = 12  # sets of multipliers
STARTS_SHARE = 50  # of the diagrams that may be built, one part for each set
LAST_ROUNDS = 60  # sets of multipliers at the end
DEEPEST_TREE = 4  # trees that the constrained search for trees is given


class ConstrainedDiagramSearch(LagrangianSearch):
    """State of one run. Every side that ends has a leaf of its own here, whose label is free."""

    def __init__(
        self, run: RunState, problem: DiagramProblem, amounts: GroupAmounts, settings: dict[str, int], starts: int
    ) -> None:
        super().__init__(run, amounts, problem, problem.node_price * problem.limits.most_nodes)
        self.problem, self.settings = problem, settings
        self.starts = -(-starts // STARTS_SHARE)  # for each set of multipliers
        self.pool = Pool(self.amounts, free_labels=problem.min_leaf_weight == 0)
        self.n_built = 0

    def solve(self, start: Graph | None) -> Solution:
        """Run all steps; return the best diagram known when time is up."""
        try:
            self._begin(start)
            status = self._steps()
        except (Exhausted, KeyboardInterrupt) as stop:
            status = stop_status(stop)
        except Stopped:
            status = Status.INTERRUPTED
        return self.run.end(status, self.counters)

    def _steps(self) -> Status:
        if self.is_done() or not self.problem.data.columns:
            return self._without_questions()
        self._construct(self._until(CONSTRUCTION_SHARE), ROUNDS)
        self._search_trees()
        if not self.is_done():
            self._relax_all(self._until(RELAXATION_SHARE))
        if self.is_done() or self._list(LISTING_SHARE) is Status.OPTIMAL or self.is_done():
            return self._finished()
        self._construct(self._until(1.0), LAST_ROUNDS)
        if not self.is_done() and (status := self._list(1.0)) is not Status.OPTIMAL:
            raise Exhausted(status)
        return self._finished()

    def _without_questions(self) -> Status:
        """The best single label, where it is proved or no question can be asked."""
        if self.run.model is None:
            raise self._infeasible()
        if not self.problem.data.columns:
            self.run.bound = self.run.cost
        return self._finished()

    def _finished(self) -> Status:
        return Status.OPTIMAL if self.run.is_proved else Status.GAP_REACHED

    def _until(self, share: float) -> float | None:
        left = self.run.left()
        return None if left is None else self.run.elapsed() + share * left

    def _begin(self, start: Graph | None) -> None:
        """Single labels, and the diagram to start from, are the first candidates."""
        none = np.zeros(len(self.amounts.sides))
        for label in range(self.problem.data.n_classes):
            self.run.check()
            self.consider(leaf_of(label), none)
        if start is not None:
            self.run.offer(start)
            if (nodes := diagram_from_graph(self.problem, start)) is not None:
                self.consider(_with_free_ends(nodes), none)
        if self.run.model is None:
            check_answers(self.problem, self.run.left(), NOUN)

    def graph(self, nodes: Nodes) -> Graph:
        """Translate a diagram, without what its labels make redundant."""
        return diagram_to_graph(self.problem, tidied(self.problem, nodes_of(nodes)))

    def consider(self, nodes: Nodes, multipliers: Floats) -> LeafAmounts:
        """Offer a diagram with its cheapest allowed labels, and keep it to start from."""
        leaf = super().consider(nodes, multipliers)
        self.pool.add(nodes, leaf)
        return leaf

    def removable(self, nodes: Nodes) -> float:
        """Price of the nodes that two sides with one label may make redundant."""
        is_end = np.r_[nodes[:, 0] < 0]
        asking = nodes[nodes[:, 0] >= 0]
        return self.problem.node_price * int((is_end[asking[:, 2]] & is_end[asking[:, 3]]).sum())

    def _construct(self, until: float | None, rounds: int) -> None:
        """Build diagrams under relaxed costs, the multipliers chosen by cutting planes over the diagrams met."""
        multipliers = self.multipliers
        for at in range(rounds):
            self.run.check()
            now = self.run.elapsed()
            if self.is_done() or self.starts == 0 or (until is not None and now >= until):
                return
            self._build(multipliers, None if until is None else (until - now) / (rounds - at))
            chosen, _ = self.planes.next()
            # From the second round on, half way from the last: the diagrams built are not the best ones.
            multipliers = chosen if at == 0 else (multipliers + chosen) / 2
        self.multipliers = multipliers if self.best is None else self.best.multipliers

    def _build(self, multipliers: Floats, seconds: float | None) -> None:
        """Build some diagrams and improve the best known one, all under the same relaxed costs."""
        by_sum, _ = self.amounts.multipliers_by_sum(multipliers)
        costs = self.amounts.costs + self.amounts.charges(by_sum)
        given, until = self.pool.best(by_sum), None if seconds is None else self.run.elapsed() + seconds
        # Every call draws other diagrams.
        problem = replace(self.problem, constraints=(), seed=self.problem.seed + self.n_built)
        self.n_built += 1
        built, interrupted = diagrams_under(
            problem,
            costs,
            None if seconds is None else seconds / 2,
            starts=self.starts,
            given=in_order(nodes_of(given)),
        )
        self.counters["starts"] = self.counters.get("starts", 0.0) + self.starts
        self.run.report_details("", "construction")
        for nodes in built:
            self.run.poll()
            self.consider(_with_free_ends(nodes), multipliers)
            if until is not None and self.run.elapsed() > until:
                break
        if interrupted:
            raise Stopped

    def _search_trees(self) -> None:
        """Search for trees that fit into the layers, and for all trees where every diagram is one."""
        if self.is_done():
            return
        depth = self.problem.limits.depth
        shaped = is_tree_shaped(self.problem) and depth <= DEEPEST_TREE
        trees = tree_problem(self.problem, depth if shaped else complete_layers(self.problem.limits.widths))
        share = TREE_SHAPED_SHARE if shaped else TREE_SHARE
        left = self.run.left()
        budget = replace(self.budget, seconds=None if left is None else share * left, gap=0.0)
        try:
            found = search_constrained(trees, budget, None, self._tree_watch)
        except Infeasible:
            if shaped:
                raise self._infeasible() from None
            return
        except InputError:
            return
        if shaped:
            # A tree pays for every leaf, a diagram for every node but the root: two prices less. A single leaf pays for
            # itself, but all of these are known.
            self.raise_bound(found.bound - 2 * trees.leaf_price)
        self._take_tree(found.model)
        if found.status is Status.INTERRUPTED:
            raise Stopped

    def _tree_watch(self, progress: Progress) -> None:
        """Report the incumbent of the search for trees; its bound is none over all diagrams."""
        self.run.report_details("trees", progress.stage)

    def _take_tree(self, model: Graph) -> None:
        """Offer a tree, and keep its questions if they are allowed in a diagram."""
        self.run.offer(model)
        nodes = diagram_from_graph(self.problem, model)
        if nodes is not None and not replace(self.problem, constraints=()).violations(model):
            self.consider(_with_free_ends(nodes), self.multipliers)

    def _relax_all(self, until: float | None) -> None:
        relax = partial(self._relax, until)
        if self.raise_multipliers(relax, over_all=True):
            self.break_ties(relax)
        self._check_feasible()

    def _relax(self, until: float | None, multipliers: Floats, start: Nodes | None) -> Relaxed:
        """Solve a relaxed problem, from the best diagram known for it."""
        written = relaxed_gains(self.problem, self.amounts, multipliers)
        by_sum, _ = self.amounts.multipliers_by_sum(multipliers)
        nodes = self.pool.best(by_sum)
        left = None if until is None else max(0.0, until - self.run.elapsed())
        outcome = self._run_kernel(written, self._relaxed_cost(written, by_sum, nodes), left)
        self.counters["relaxed_problems"] += 1
        if outcome.status == Status.INTERRUPTED.value:
            raise Stopped
        found = nodes_of(outcome.nodes)
        if found:
            nodes = _with_free_ends(found)
        bound = written.gains.cost(outcome.bound - written.rounding) - written.constant
        return Relaxed(multipliers, bound, nodes, outcome.status == Status.OPTIMAL.value)

    def _run_kernel(self, written: RelaxedGains, start_cost: int, seconds: float | None) -> kernel.Outcome:
        gains, limits = written.gains, self.problem.limits
        try:
            return kernel.search_diagram(
                gains.ranks,
                gains.labels,
                gains.gains,
                gains.bases,
                gains.sizes,
                n_classes=self.problem.data.n_classes,
                widths=list(limits.widths),
                max_nodes=limits.most_nodes,
                min_rows=limits.min_samples_node,
                min_weight=gains.min_weight,
                node_price=gains.price,
                tree=limits.tree,
                offset=gains.offset,
                start_cost=start_cost,
                seconds=seconds,
                memory=memory_for(self.budget.memory),
                gap=0.0,
                callback=self.watch,
                **self.settings,
            )
        except ValueError as refused:
            raise Unsupported(f"DiagramSearch() cannot take this problem: {refused}.") from None

    def _relaxed_cost(self, written: RelaxedGains, by_sum: Floats, nodes: Nodes) -> int:
        """Relaxed cost of a diagram in the kernel's integers."""
        costs = np.rint((self.amounts.costs + self.amounts.charges(by_sum)) * written.gains.scale).astype(np.int64)
        labels = nodes[ends_of(self.ranks, nodes), 4]
        errors = int(costs[np.arange(len(costs)), labels].sum()) - written.gains.offset
        return errors + written.gains.price * max(int((nodes[:, 0] >= 0).sum()) - 1, 0)

    def _list(self, share: float) -> Status:
        """List the diagrams between bound and incumbent; return what ended it, optimal if none is left."""
        self.run.check()
        until = self._until(share)
        multipliers = self.multipliers if self.best is None else self.best.multipliers
        written = relaxed_gains(self.problem, self.amounts, multipliers)
        outcome = kernel.search_constrained_diagrams(
            **diagram_listing_arguments(self.problem, self.amounts, written.gains),
            **level_arguments(self.problem, self.amounts, written, self.run.bound, self.run.cost),
            reach=self.settings["reach"],
            seconds=None if until is None else max(0.0, until - self.run.elapsed()),
            memory=memory_for(self.budget.memory),
            callback=self._listing_watch,
        )
        for name, count in outcome.counters.items():
            self.counters[name] = self.counters.get(name, 0.0) + count
        if outcome.nodes is not None:
            self.run.offer(self.graph(np.array(outcome.nodes)))
        if outcome.status == Status.INTERRUPTED.value:
            raise Stopped
        if outcome.status == Status.OPTIMAL.value and not isfinite(outcome.cost):
            raise self._infeasible()
        if isfinite(outcome.bound):
            self.raise_bound(outcome.bound / self.amounts.cost_scale)
        return Status(outcome.status)

    def _listing_watch(self, seconds: float, cost: int, bound: int, stage: str) -> None:
        del seconds, cost, stage
        self.raise_bound(bound / self.amounts.cost_scale)
        self.run.report_details("", "listing diagrams")

    def _check_feasible(self) -> None:
        """Raise where the bound is above the cost of every diagram."""
        if self.run.model is None and self.run.bound > self._dearest() + self.tolerance:
            raise self._infeasible()

    def _dearest(self) -> float:
        """More than any diagram costs."""
        problem = self.problem
        nodes = problem.node_price * problem.limits.most_nodes
        return float(self.amounts.costs.max(axis=1).sum()) + nodes + problem.total_penalty_at_most

    def _infeasible(self) -> Infeasible:
        text = f"No diagram within the limits satisfies all constraints. {infeasibility_advice(self.problem)}"
        if (nearest := self.planes.least_violated()) is not None and nearest[1] > 0:
            at, excess = nearest
            limit, side = self.problem.on_answers[at], self.amounts.sides[at]  # the side's is rounded down
            reached, allowed = side.at_most / side.unit + excess, limit.at_most / limit.unit
            text += f" The nearest diagram found has {reached:.4g} {limit.text}; the limit is {allowed:.4g}."
        return Infeasible(text)


def search_constrained_diagrams(
    problem: DiagramProblem,
    budget: Budget,
    start: Graph | None,
    callback: Callback | None,
    settings: dict[str, int],
    starts: int,
) -> Solution:
    """Find the cheapest diagram whose answers satisfy all constraints."""
    run = RunState(problem, budget, callback, NOUN)
    try:
        search = ConstrainedDiagramSearch(run, problem, GroupAmounts(problem, run.check), settings, starts)
    except (Exhausted, KeyboardInterrupt) as stop:  # there are very many limits: what is at hand has to do
        for label in range(problem.data.n_classes):
            run.offer(diagram_to_graph(problem, nodes_of(leaf_of(label))))
        if start is not None:
            run.offer(start)
        return run.stopped(stop, {})
    return search.solve(start)


def _with_free_ends(nodes: Sequence[RankedNode]) -> Nodes:
    """Give every side that ends a leaf of its own."""
    return np.array(with_own_leaves(in_order(nodes)), dtype=np.int32).reshape(-1, 5)


def complete_layers(widths: Sequence[int]) -> int:
    """Layers into which every tree of so many layers fits.

    Examples
    --------
    >>> complete_layers((1, 2, 4, 4, 4)), complete_layers((1, 1, 2))
    (3, 1)
    """
    return next((at for at, width in enumerate(widths) if width < 2**at), len(widths))


def is_tree_shaped(problem: DiagramProblem) -> bool:
    """Whether every allowed diagram answers like an allowed tree of as many nodes."""
    limits = problem.limits
    if limits.tree or limits.depth <= 2:
        return True
    free = problem.node_price == 0 and limits.most_nodes == limits.n_nodes and limits.min_weight_fraction_leaf == 0
    return free and complete_layers(limits.widths) == limits.depth


def tree_problem(problem: DiagramProblem, depth: int) -> Problem:
    """Trees of so many layers, with a price of leaves like that of nodes."""
    limits = problem.limits
    shape = Limits(
        max_depth=depth,
        max_leaf_nodes=limits.most_nodes + 1,
        min_weight_fraction_leaf=limits.min_weight_fraction_leaf,
        ccp_alpha=problem.node_price / problem.total_weight,
    )
    return Problem(problem.data, problem.objective, shape, problem.constraints)
