"""Exact search for the cheapest tree that satisfies constraints on its answers, part of the solver ``search``.

1. *Relaxation.* Each limit gets a multiplier; its violation then is a cost of rows and answers, which the ordinary
   search takes as it is. The best relaxed tree bounds the cost of all allowed trees from below. Cutting planes find the
   multipliers with the highest bound, first for shallow trees, which are quick. Of every tree met the questions are
   kept, and its labels chosen anew: most incumbents come from there.
2. *Listing.* An allowed tree costs at least its relaxed cost. So all trees whose relaxed cost lies between the bound
   and the incumbent are listed, as points (cost, sums), from the bottom up; the cheapest allowed one is optimal.

With few questions and trees of depth three at most both read sums over paths in place of rows (``few_questions``).
Trees of depth two are then listed without any relaxation.

The bound holds at any moment. That no tree is allowed is proved by the bound alone, or by listing all trees.
"""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import isfinite

import numpy as np

from exactree import kernel
from exactree.arrays import Floats
from exactree.errors import Infeasible, InputError
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.callback import memory_for
from exactree.solve.feasibility import infeasibility_advice
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status
from exactree.solve.run_state import Exhausted, RunState, stop_status
from exactree.solve.search.coarse import CoarseRanks
from exactree.solve.search.constrained.amounts import GroupAmounts
from exactree.solve.search.constrained.channels import level_arguments, listing_arguments, step_of
from exactree.solve.search.constrained.few_questions import PathSearch
from exactree.solve.search.constrained.lagrangian import LagrangianSearch, Stopped
from exactree.solve.search.constrained.relaxation import Relaxed, relaxed_gains
from exactree.solve.search.kernel_run import Nodes, run_kernel
from exactree.solve.trees.ranked_tree import from_graph, nodes_of, to_graph

MANY_RANKS, COARSE_RANKS = 64, 16  # of a column: from so many on, a search over fewer comes first
COARSE_SHARE, COARSE_SECONDS = 0.25, 10.0  # of the time, and at most, for that
SHALLOW_SHARE = 0.2  # of the time, for trees of less than the full depth


class ConstrainedSearch(LagrangianSearch):
    """State of one run."""

    def __init__(
        self, run: RunState, problem: Problem, amounts: GroupAmounts | None = None, coarse: CoarseRanks | None = None
    ) -> None:
        self.problem, self.coarse = problem, coarse
        self.searched = problem  # over the thresholds that are kept
        if coarse is not None:
            self.searched = replace(problem, data=replace(problem.data, ranks=coarse.ranks(problem.data.ranks)))
        if amounts is None:
            amounts = GroupAmounts(problem, run.check)
        super().__init__(run, amounts, self.searched, problem.leaf_price)
        self.depth, _ = shape_of(problem)
        self.paths: PathSearch | None = None

    def solve(self, start: Graph | None) -> Solution:
        """Run both steps; return the best tree known when time is up."""
        try:
            self._begin(start)
            if self.coarse is None and int(self.ranks.max(initial=0)) >= MANY_RANKS:
                self._start_coarse()
            self._sum_paths()
            for depth in self._depths():
                self._raise_multipliers(depth)
            status = self._list()
        except (Exhausted, KeyboardInterrupt) as stop:
            status = stop_status(stop)
            if self.run.model is None:  # stopped before all labels were tried
                _offer_leaves(self.run, self.problem, start)
        except Stopped:
            status = Status.INTERRUPTED
        return self.run.end(status, self.counters)

    def _sum_paths(self) -> None:
        """Add up the groups over the paths of shallow trees, if these are few."""
        self.run.check()
        self.paths = PathSearch.of(self.searched, self.amounts, self.ranks, memory_for(self.budget.memory))
        if self.paths is not None:
            self._go_on(self.paths.fill(self.run.left(), self.watch))

    def _depths(self) -> range:
        """Depths whose relaxed problems find multipliers."""
        if self.paths is None or not self.paths.lists_all:
            return range(min(2, self.depth), self.depth + 1)
        return range(self.depth, self.depth + (self.depth > 2))  # all trees of depth two are listed

    @staticmethod
    def _go_on(status: str) -> None:
        """Raise what ends the run, unless the kernel has finished."""
        if status == Status.INTERRUPTED.value:
            raise Stopped
        if status != Status.OPTIMAL.value:
            raise Exhausted(Status(status))

    def _begin(self, start: Graph | None) -> None:
        """Single leaves, and the tree to start from, are the first candidates."""
        for label in range(self.problem.data.n_classes):
            self.run.check()
            self.consider(leaf_of(label), np.zeros(len(self.amounts.sides)))
        if start is not None:
            self.run.offer(start)
            if (nodes := from_graph(self.problem, start)) is not None:
                self.consider(nodes, np.zeros(len(self.amounts.sides)))

    def _start_coarse(self) -> None:
        """Search over few thresholds first, shallow trees and then those of full depth.

        Its trees, its multipliers and the trees that it met are good starts.
        """
        coarse = CoarseRanks.of(self.problem.data.ranks, COARSE_RANKS)
        for depth in sorted({min(2, self.depth), self.depth}):
            left = self.run.left()
            seconds = COARSE_SECONDS if left is None else min(COARSE_SHARE * left, COARSE_SECONDS)
            problem = replace(self.problem, limits=replace(self.problem.limits, max_depth=depth))
            run = RunState(problem, replace(self.budget, seconds=seconds), self._coarse_watch)
            first = ConstrainedSearch(run, problem, self.amounts, coarse)
            first.planes, first.multipliers = self.planes, self.multipliers
            with suppress(Infeasible, InputError):
                found = first.solve(self.run.model)
                self.run.offer(found.model)
                if found.status is Status.INTERRUPTED:
                    raise Stopped
            self.multipliers = first.multipliers

    def _coarse_watch(self, progress: Progress) -> None:
        """Report the incumbent of the search over few thresholds; its bound is none over all of them."""
        self.run.report_details("few thresholds", progress.stage)

    def _raise_multipliers(self, depth: int) -> None:
        """Solve relaxed problems of this depth until the bound cannot rise by much."""
        problem = replace(self.searched, limits=replace(self.problem.limits, max_depth=depth))
        share = 1.0 if depth == self.depth else SHALLOW_SHARE / max(1, self.depth - 2)
        until = None if self.budget.seconds is None else self.run.elapsed() + share * (self.run.left() or 0.0)
        relax = partial(self._relax, problem, until)
        if self.raise_multipliers(relax, over_all=depth == self.depth) and depth == self.depth:
            self.break_ties(relax)

    def _relax(self, problem: Problem, until: float | None, multipliers: Floats, start: Nodes | None) -> Relaxed:
        left = None if until is None else max(0.0, until - self.run.elapsed())
        depth = problem.limits.deepest
        if self.paths is not None and (depth < self.depth or self.paths.lists_all) and depth <= self.paths.depth:
            relaxed, status = self.paths.relax(multipliers, depth, left, self.watch)
            self.counters["relaxed_problems"] += 1
            if relaxed is not None:
                return relaxed
            self._go_on(status)
        written = relaxed_gains(problem, self.amounts, multipliers)
        gains = written.gains
        outcome = run_kernel(problem, gains, replace(self.budget, seconds=left, gap=0.0), start, self.watch)
        self.counters["relaxed_problems"] += 1
        if outcome.status == Status.INTERRUPTED.value:
            raise Stopped
        bound = gains.cost(outcome.bound - written.rounding) - written.constant
        return Relaxed(multipliers, bound, np.array(outcome.nodes), outcome.status == Status.OPTIMAL.value)

    def graph(self, nodes: Nodes) -> Graph:
        """Translate a tree over the thresholds that are kept."""
        return to_graph(self.problem, nodes_of(nodes if self.coarse is None else self.coarse.refined(nodes)))

    def _list(self) -> Status:
        """List the trees between bound and incumbent; return what was proved."""
        if self.run.is_proved:
            return Status.OPTIMAL
        if self.budget.gap > 0 and self.gap_reached():
            return Status.GAP_REACHED
        self.run.check()
        outcome = self._list_paths() if self.paths is not None and self.paths.lists_all else self._list_ranks()
        self.counters |= outcome.counters
        return self._end_of_listing(outcome)

    def _list_paths(self) -> kernel.ConstrainedOutcome:
        assert self.paths is not None
        multipliers = np.zeros(len(self.amounts.sides)) if self.best is None else self.best.multipliers
        known = self.run.bound, self.run.cost
        step, memory = step_of(self.problem, self.amounts), memory_for(self.budget.memory)
        return self.paths.search(multipliers, step, known, self.run.left(), memory, self._native_watch)

    def _list_ranks(self) -> kernel.ConstrainedOutcome:
        if self.best is None or (self.coarse is not None and self.depth > 2):
            raise Exhausted(Status.TIME_LIMIT)  # the listing over all thresholds is needed
        written = relaxed_gains(self.searched, self.amounts, self.best.multipliers)
        return kernel.search_constrained(
            **listing_arguments(self.searched, self.amounts, written.gains),
            **level_arguments(self.searched, self.amounts, written, self.run.bound, self.run.cost),
            seconds=self.run.left(),
            memory=memory_for(self.budget.memory),
            callback=self._native_watch,
        )

    def _native_watch(self, seconds: float, cost: int, bound: int, stage: str) -> None:
        self.raise_bound(bound / self.amounts.cost_scale)
        self.run.report_details("", "listing trees")

    def _end_of_listing(self, outcome: kernel.ConstrainedOutcome) -> Status:
        if outcome.nodes is not None:
            self.run.offer(self.graph(np.array(outcome.nodes)))
        if outcome.status == Status.OPTIMAL.value and not isfinite(outcome.cost):
            advice = infeasibility_advice(self.problem)
            raise Infeasible(f"No tree within the limits satisfies all constraints. {advice}")
        if isfinite(outcome.bound):
            self.raise_bound(outcome.bound / self.amounts.cost_scale)
        return Status(outcome.status)


def search_constrained(problem: Problem, budget: Budget, start: Graph | None, callback: Callback | None) -> Solution:
    """Find the cheapest tree whose answers satisfy all constraints."""
    run = RunState(problem, budget, callback)
    try:
        search = ConstrainedSearch(run, problem)
    except (Exhausted, KeyboardInterrupt) as stop:  # there are very many limits
        _offer_leaves(run, problem, start)
        return run.stopped(stop, {})
    return search.solve(start)


def _offer_leaves(run: RunState, problem: Problem, start: Graph | None) -> None:
    """Offer what is at hand without a search."""
    leaves = (to_graph(problem, nodes_of(leaf_of(label))) for label in range(problem.data.n_classes))
    for model in (*leaves, *([] if start is None else [start])):
        run.offer(model)


def leaf_of(label: int) -> Nodes:
    """Return a tree of one leaf as solvers write it."""
    return np.array([[-1, -1, -1, -1, label]], dtype=np.int32)
