"""Exact search for the cheapest tree that satisfies constraints on its answers, part of the solver ``search``.

1. *Relaxation.* Each limit gets a multiplier; its violation then is a cost of rows and answers, which the ordinary
   search takes as it is. The best relaxed tree bounds the cost of all allowed trees from below. Cutting planes find the
   multipliers with the highest bound, first for shallow trees, which are quick. Of every tree met the questions are
   kept, and its labels chosen anew: most incumbents come from there.
2. *Listing.* An allowed tree costs at least its relaxed cost. So all trees whose relaxed cost lies between the bound
   and the incumbent are listed, as points (cost, sums), from the bottom up; the cheapest allowed one is optimal.

The bound holds at any moment. That no tree is allowed is proved by the bound alone, or by listing all trees.
"""

from contextlib import suppress
from dataclasses import replace
from math import ceil, inf, isfinite
from typing import Any

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
from exactree.solve.search.constrained.candidates import cheapest_allowed, leaf_amounts, with_labels
from exactree.solve.search.constrained.channels import listing_arguments
from exactree.solve.search.constrained.multipliers import CuttingPlanes
from exactree.solve.search.constrained.relaxation import Relaxed, group_ranks, relaxed_gains
from exactree.solve.search.kernel_run import Nodes, run_kernel
from exactree.solve.trees.ranked_tree import from_graph, nodes_of, to_graph

MOST_STALLED = 5  # relaxed problems in a row that hardly raise the bound
MOST_TIES = 3  # relaxed problems that break ties
TIE_SHARE = 0.45  # of the room up to the next integer, for one of them
WHOLE_STEP = 0.999  # by which integer costs differ at least
MANY_RANKS, COARSE_RANKS = 64, 16  # of a column: from so many on, a search over fewer comes first
COARSE_SHARE, COARSE_SECONDS = 0.25, 10.0  # of the time, and at most, for that
ENOUGH = 5e-4  # of the bound: what better multipliers may add is left to the listing
SHALLOW_SHARE = 0.2  # of the time, for trees of less than the full depth
INTEGER_NOISE = 1e-6  # of a bound on integer costs, relative, before it is rounded up


class Stopped(Exception):
    """Ctrl-C, or a callback that returned True, while the kernel ran."""


class ConstrainedSearch:
    """State of one run."""

    def __init__(
        self, run: RunState, problem: Problem, amounts: GroupAmounts | None = None, coarse: CoarseRanks | None = None
    ) -> None:
        self.run, self.problem, self.budget, self.coarse = run, problem, run.budget, coarse
        self.searched = problem  # over the thresholds that are kept
        if coarse is not None:
            self.searched = replace(problem, data=replace(problem.data, ranks=coarse.ranks(problem.data.ranks)))
        self.amounts = GroupAmounts(problem, run.check) if amounts is None else amounts
        self.ranks = group_ranks(self.searched)
        self.depth, _ = shape_of(problem)
        self.planes = CuttingPlanes(self.amounts, float(self.amounts.costs.max(axis=1).sum()) + problem.leaf_price)
        self.multipliers = np.zeros(len(self.amounts.sides))  # with the highest bound, for the last depth tried
        self.best: Relaxed | None = None  # of full depth, with the highest bound
        self.counters: dict[str, float] = {"relaxed_problems": 0}

    def solve(self, start: Graph | None) -> Solution:
        """Run both steps; return the best tree known when time is up."""
        try:
            self._begin(start)
            if self.coarse is None and int(self.ranks.max(initial=0)) >= MANY_RANKS:
                self._start_coarse()
            for depth in range(min(2, self.depth), self.depth + 1):
                self._raise_multipliers(depth)
            status = self._list()
        except (Exhausted, KeyboardInterrupt) as stop:
            status = stop_status(stop)
        except Stopped:
            status = Status.INTERRUPTED
        return self.run.end(status, self.counters)

    def _begin(self, start: Graph | None) -> None:
        """Single leaves, and the tree to start from, are the first candidates."""
        for label in range(self.problem.data.n_classes):
            self.run.check()
            self._consider(_leaf(label), np.zeros(len(self.amounts.sides)))
        if start is not None:
            self.run.offer(start)
            if (nodes := from_graph(self.problem, start)) is not None:
                self._consider(nodes, np.zeros(len(self.amounts.sides)))

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
        limits = replace(self.problem.limits, max_depth=depth)
        problem = replace(self.searched, limits=limits)
        share = 1.0 if depth == self.depth else SHALLOW_SHARE / max(1, self.depth - 2)
        until = None if self.budget.seconds is None else self.run.elapsed() + share * (self.run.left() or 0.0)
        best: Relaxed | None = None
        n_stalled = 0
        while n_stalled < MOST_STALLED:
            self.run.check()
            if best is None:  # none at all, or the best ones for shallower trees
                relaxed = self._relax(problem, self.multipliers, None, until)
            else:
                multipliers, height = self.planes.next()
                if height <= best.bound + max(ENOUGH * abs(best.bound), self.problem.tolerance):
                    break
                # The model is wrong far from known trees: after a step that did not help go only a part of the way.
                multipliers = best.multipliers + (multipliers - best.multipliers) / 2**n_stalled
                relaxed = self._relax(problem, multipliers, best.nodes, until)
            self._take(relaxed, depth)
            rises = best is None or relaxed.bound > best.bound + ENOUGH * abs(best.bound)
            n_stalled = 0 if rises else n_stalled + 1
            if best is None or relaxed.bound > best.bound:
                best = relaxed
                self.multipliers = best.multipliers
            if not relaxed.proved or self._is_done():
                return
        if depth == self.depth:
            self._break_ties(problem, until)

    def _break_ties(self, problem: Problem, until: float | None) -> None:
        """Charge a little more where the best relaxed tree breaks a limit, so little that the rounded bound stays.

        Where costs are integers, many trees may cost as much as the relaxed optimum, and only some of them be allowed.
        """
        for _ in range(MOST_TIES):
            if self.best is None or not self.amounts.is_whole or self._is_done():
                return
            raised = self._slightly_raised(self.best)
            if raised is None:
                return
            self.run.check()
            relaxed = self._relax(problem, raised, self.best.nodes, until)
            self._take(relaxed, self.depth)
            if not relaxed.proved or self._rounded(relaxed.bound) < self._rounded(self.best.bound):
                return
            self.best = relaxed

    def _slightly_raised(self, relaxed: Relaxed) -> Floats | None:
        """Multipliers that break ties towards allowed trees; ``None`` if the relaxed tree breaks no limit."""
        leaf = leaf_amounts(self.amounts, self.ranks, relaxed.nodes)
        _, sums = leaf.of_labels(relaxed.nodes[leaf.leaves, 4].astype(np.int64))
        sides = self.amounts.sides
        broken = [at for at in np.flatnonzero(self.amounts.violations(sums) > 0).tolist() if sides[at].soft is None]
        room = TIE_SHARE * (relaxed.bound - self._rounded(relaxed.bound) + 1.0)
        if not broken or room <= 0:
            return None
        raised = relaxed.multipliers.copy()
        for at in broken:  # the relaxed cost of no tree falls by more than this times its room below the limit
            raised[at] += room / len(broken) / (sides[at].size + abs(sides[at].at_most / sides[at].unit))
        return raised

    def _relax(self, problem: Problem, multipliers: Floats, start: Nodes | None, until: float | None) -> Relaxed:
        written = relaxed_gains(problem, self.amounts, multipliers)
        gains = written.gains
        left = None if until is None else max(0.0, until - self.run.elapsed())
        outcome = run_kernel(problem, gains, replace(self.budget, seconds=left, gap=0.0), start, self._watch)
        self.counters["relaxed_problems"] += 1
        if outcome.status == Status.INTERRUPTED.value:
            raise Stopped
        bound = gains.cost(outcome.bound - written.rounding) - written.constant
        return Relaxed(multipliers, bound, np.array(outcome.nodes), outcome.status == Status.OPTIMAL.value)

    def _watch(self, _: Any) -> None:
        """Let the user's callback see cost and bound while the kernel works on a relaxed problem."""
        self.run.report_details("", "relaxation")

    def _take(self, relaxed: Relaxed, depth: int) -> None:
        """Keep what a relaxed problem shows: a bound, a candidate and a cutting plane."""
        if depth == self.depth:
            self._raise_bound(relaxed.bound)
            if self.best is None or relaxed.bound > self.best.bound:
                self.best = relaxed
        self._consider(relaxed.nodes, relaxed.multipliers)

    def _raise_bound(self, bound: float) -> None:
        """Record a bound, rounded up where costs are integers."""
        self.run.bound = max(self.run.bound, min(self._rounded(bound), self.run.cost))

    def _rounded(self, bound: float) -> float:
        """Return a bound, rounded up where costs are integers."""
        return ceil(bound - INTEGER_NOISE * max(1.0, abs(bound))) if self.amounts.is_whole else bound

    def _consider(self, nodes: Nodes, multipliers: Floats) -> None:
        """Add the plane of a tree as it is labelled, and offer the tree with its cheapest allowed labels."""
        leaf = leaf_amounts(self.amounts, self.ranks, nodes)
        cost, sums = leaf.of_labels(nodes[leaf.leaves, 4].astype(np.int64))
        self.planes.add(cost, self.amounts.violations(sums))
        best = cheapest_allowed(self.amounts, leaf, multipliers)
        if best is None:
            return
        self.planes.add(leaf.of_labels(best.labels)[0], self.amounts.violations(leaf.of_labels(best.labels)[1]))
        if best.cost < self.run.cost - self.problem.tolerance:
            self.run.offer(self._graph(with_labels(nodes, leaf, best.labels)))

    def _graph(self, nodes: Nodes) -> Graph:
        """Translate a tree over the thresholds that are kept."""
        return to_graph(self.problem, nodes_of(nodes if self.coarse is None else self.coarse.refined(nodes)))

    def _is_done(self) -> bool:
        return self.run.is_proved or self._gap_reached()

    def _gap_reached(self) -> bool:
        return isfinite(self.run.cost) and self.run.cost - self.run.bound <= self.budget.gap * self.run.cost

    def _list(self) -> Status:
        """List the trees between bound and incumbent; return what was proved."""
        if self.run.is_proved:
            return Status.OPTIMAL
        if self.budget.gap > 0 and self._gap_reached():
            return Status.GAP_REACHED
        if self.best is None or (
            self.coarse is not None and self.depth > 2
        ):  # the listing over all thresholds is needed
            raise Exhausted(Status.TIME_LIMIT)
        self.run.check()
        written = relaxed_gains(self.searched, self.amounts, self.best.multipliers)
        gains = written.gains
        arguments = listing_arguments(self.searched, self.amounts, gains)
        scale = self.amounts.cost_scale
        ratio = gains.scale / scale
        outcome = kernel.search_constrained(
            **arguments,
            ratio=ratio,
            shift=gains.scale * written.constant - gains.offset + written.rounding,
            step=WHOLE_STEP if self.amounts.is_whole else self.problem.tolerance * scale,
            known_bound=self.run.bound * scale,
            known_cost=self.run.cost * scale if isfinite(self.run.cost) else inf,
            seconds=self.run.left(),
            memory=memory_for(self.budget.memory),
            callback=self._native_watch,
        )
        self.counters |= outcome.counters
        return self._end_of_listing(outcome)

    def _native_watch(self, seconds: float, cost: int, bound: int, stage: str) -> None:
        self._raise_bound(bound / self.amounts.cost_scale)
        self.run.report_details("", "listing trees")

    def _end_of_listing(self, outcome: kernel.ConstrainedOutcome) -> Status:
        if outcome.nodes is not None:
            self.run.offer(self._graph(np.array(outcome.nodes)))
        if outcome.status == Status.OPTIMAL.value and not isfinite(outcome.cost):
            advice = infeasibility_advice(self.problem)
            raise Infeasible(f"No tree within the limits satisfies all constraints. {advice}")
        if isfinite(outcome.bound):
            self._raise_bound(outcome.bound / self.amounts.cost_scale)
        return Status(outcome.status)


def search_constrained(problem: Problem, budget: Budget, start: Graph | None, callback: Callback | None) -> Solution:
    """Find the cheapest tree whose answers satisfy all constraints."""
    run = RunState(problem, budget, callback)
    try:
        search = ConstrainedSearch(run, problem)
    except (Exhausted, KeyboardInterrupt) as stop:  # there are very many limits: what is at hand has to do
        leaves = (to_graph(problem, nodes_of(_leaf(label))) for label in range(problem.data.n_classes))
        for model in (*leaves, *([] if start is None else [start])):
            run.offer(model)
        return run.stopped(stop, {})
    return search.solve(start)


def _leaf(label: int) -> Nodes:
    """Return a tree of one leaf as solvers write it."""
    return np.array([[-1, -1, -1, -1, label]], dtype=np.int32)
