"""Exact search for the cheapest tree that satisfies constraints on its answers, part of the solver ``search``.

1. *Relaxation.* Each limit gets a multiplier; its violation then is a cost of rows and answers, which the ordinary
   search takes as it is. The best relaxed tree bounds the cost of all allowed trees from below. Cutting planes find the
   multipliers with the highest bound, first for shallow trees, which are quick. Of every tree met the questions are
   kept, and its labels chosen anew: most incumbents come from there.
2. *Listing.* An allowed tree costs at least its relaxed cost. So all trees whose relaxed cost lies between the bound
   and the incumbent are listed, as points (cost, sums), from the bottom up; the cheapest allowed one is optimal.

The bound holds at any moment. That no tree is allowed is proved by the bound alone, or by listing all trees.
"""

from dataclasses import replace
from math import ceil, inf, isfinite
from typing import Any

import numpy as np

from exactree import kernel
from exactree.arrays import Floats
from exactree.errors import Infeasible
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.callback import memory_for
from exactree.solve.feasibility import infeasibility_advice
from exactree.solve.gains import shape_of
from exactree.solve.interface import Budget, Callback, Solution, Status
from exactree.solve.run_state import Exhausted, RunState, stop_status
from exactree.solve.search.constrained.amounts import GroupAmounts
from exactree.solve.search.constrained.candidates import cheapest_allowed, leaf_amounts, with_labels
from exactree.solve.search.constrained.channels import listing_arguments
from exactree.solve.search.constrained.multipliers import CuttingPlanes
from exactree.solve.search.constrained.relaxation import Relaxed, group_ranks, relaxed_gains, rounding
from exactree.solve.search.kernel_run import Nodes, run_kernel
from exactree.solve.trees.ranked_tree import from_graph, nodes_of, to_graph

MOST_ROUNDS = 40  # of cutting planes, for each depth
ENOUGH = 5e-4  # of the bound: what better multipliers may add is left to the listing
SHALLOW_SHARE = 0.2  # of the time, for trees of less than the full depth
INTEGER_NOISE = 1e-6  # of a bound on integer costs, relative, before it is rounded up


class Stopped(Exception):
    """Ctrl-C, or a callback that returned True, while the kernel ran."""


class ConstrainedSearch:
    """State of one run."""

    def __init__(self, problem: Problem, budget: Budget, callback: Callback | None) -> None:
        self.problem, self.budget = problem, budget
        self.run = RunState(problem, budget, callback)
        self.amounts = GroupAmounts(problem)
        self.ranks = group_ranks(problem)
        self.depth, _ = shape_of(problem)
        self.planes = CuttingPlanes(self.amounts, float(self.amounts.costs.max(axis=1).sum()) + problem.leaf_price)
        self.best: Relaxed | None = None  # of full depth, with the highest bound
        self.counters: dict[str, float] = {"relaxed_problems": 0}

    def solve(self, start: Graph | None) -> Solution:
        """Run both steps; return the best tree known when time is up."""
        try:
            self._begin(start)
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
            self._consider(np.array([[-1, -1, -1, -1, label]], dtype=np.int32), np.zeros(len(self.amounts.sides)))
        if start is not None:
            self.run.offer(start)
            if (nodes := from_graph(self.problem, start)) is not None:
                self._consider(nodes, np.zeros(len(self.amounts.sides)))

    def _raise_multipliers(self, depth: int) -> None:
        """Solve relaxed problems of this depth until the bound cannot rise by much."""
        limits = replace(self.problem.limits, max_depth=depth)
        problem = replace(self.problem, limits=limits)
        highest, share = -inf, 1.0 if depth == self.depth else SHALLOW_SHARE / max(1, self.depth - 2)
        start: Nodes | None = None
        until = None if self.budget.seconds is None else self.run.elapsed() + share * (self.run.left() or 0.0)
        for _ in range(MOST_ROUNDS):
            self.run.check()
            multipliers, height = self.planes.next()
            if height <= highest + max(ENOUGH * abs(highest), self.problem.tolerance):
                break
            relaxed = self._relax(problem, multipliers, start, until)
            start = relaxed.nodes
            self._take(relaxed, depth)
            highest = max(highest, relaxed.bound)
            if not relaxed.proved or self._is_done():
                break

    def _relax(self, problem: Problem, multipliers: Floats, start: Nodes | None, until: float | None) -> Relaxed:
        gains, constant = relaxed_gains(problem, self.amounts, multipliers)
        left = None if until is None else max(0.0, until - self.run.elapsed())
        outcome = run_kernel(problem, gains, replace(self.budget, seconds=left, gap=0.0), start, self._watch)
        self.counters["relaxed_problems"] += 1
        if outcome.status == Status.INTERRUPTED.value:
            raise Stopped
        bound = gains.cost(outcome.bound - rounding(self.amounts, gains)) - constant
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
        if self.problem.tolerance == 0.5:
            bound = ceil(bound - INTEGER_NOISE * max(1.0, abs(bound)))
        self.run.bound = max(self.run.bound, min(bound, self.run.cost))

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
            self.run.offer(to_graph(self.problem, nodes_of(with_labels(nodes, leaf, best.labels))))

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
        if self.best is None:
            raise Exhausted(Status.TIME_LIMIT)
        self.run.check()
        gains, constant = relaxed_gains(self.problem, self.amounts, self.best.multipliers)
        arguments = listing_arguments(self.problem, self.amounts, gains)
        scale = self.amounts.cost_scale
        ratio = gains.scale / scale
        outcome = kernel.search_constrained(
            **arguments,
            ratio=ratio,
            shift=gains.scale * constant - gains.offset + rounding(self.amounts, gains),
            step=self.problem.tolerance * scale,
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
            self.run.offer(to_graph(self.problem, nodes_of(np.array(outcome.nodes))))
        if outcome.status == Status.OPTIMAL.value and not isfinite(outcome.cost):
            advice = infeasibility_advice(self.problem)
            raise Infeasible(f"No tree within the limits satisfies all constraints. {advice}")
        if isfinite(outcome.bound):
            self._raise_bound(outcome.bound / self.amounts.cost_scale)
        return Status(outcome.status)


def search_constrained(problem: Problem, budget: Budget, start: Graph | None, callback: Callback | None) -> Solution:
    """Find the cheapest tree whose answers satisfy all constraints."""
    return ConstrainedSearch(problem, budget, callback).solve(start)
