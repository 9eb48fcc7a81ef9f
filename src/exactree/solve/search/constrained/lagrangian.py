"""What the searches for trees and for diagrams under constraints share: multipliers, bound, candidates, incumbent.

At given multipliers the limits on sums are costs of rows and answers, and the relaxed problem bounds the cost of all
allowed models from below. Cutting planes find the multipliers with the highest bound. Of every model met the questions
are kept, and its labels chosen anew.
"""

from collections.abc import Callable
from math import ceil, isfinite
from typing import Any

import numpy as np

from exactree.arrays import Floats
from exactree.model import Graph
from exactree.problem import DiagramProblem, Problem
from exactree.solve.run_state import RunState
from exactree.solve.search.constrained.amounts import GroupAmounts
from exactree.solve.search.constrained.candidates import LeafAmounts, cheapest_allowed, leaf_amounts, with_labels
from exactree.solve.search.constrained.multipliers import CuttingPlanes
from exactree.solve.search.constrained.relaxation import Relaxed, group_ranks
from exactree.solve.search.kernel_run import Nodes

MOST_STALLED = 5  # relaxed problems in a row that hardly raise the bound
MOST_TIES = 3  # relaxed problems that break ties
TIE_SHARE = 0.45  # of the room up to the next integer, for one of them
ENOUGH = 5e-4  # of the bound: what better multipliers may add is left to the listing
INTEGER_NOISE = 1e-6  # of a bound on integer costs, relative, before it is rounded up

Relax = Callable[[Floats, Nodes | None], Relaxed]


class Stopped(Exception):
    """Ctrl-C, or a callback that returned True, while the kernel ran."""


class LagrangianSearch:
    """State of one run over trees or diagrams: ``searched`` is the problem over the thresholds that are kept."""

    def __init__(self, run: RunState, amounts: GroupAmounts, searched: Problem | DiagramProblem, price: float) -> None:
        self.run, self.budget, self.amounts = run, run.budget, amounts
        self.ranks = group_ranks(searched)
        self.tolerance = amounts.problem.tolerance
        self.planes = CuttingPlanes(self.amounts, float(self.amounts.costs.max(axis=1).sum()) + price)
        self.multipliers = np.zeros(len(self.amounts.sides))  # with the highest bound, of the relaxed problems so far
        self.best: Relaxed | None = None  # of all models, with the highest bound
        self.counters: dict[str, float] = {"relaxed_problems": 0}

    def graph(self, nodes: Nodes) -> Graph:
        """Translate a model of the kernel."""
        raise NotImplementedError

    def raise_multipliers(self, relax: Relax, *, over_all: bool) -> bool:
        """Solve relaxed problems until the bound cannot rise by much; False if time or the proof ended that.

        ``over_all``: they are over all models, so that their bounds hold.
        """
        best: Relaxed | None = None
        n_stalled = 0
        while n_stalled < MOST_STALLED:
            self.run.check()
            if best is None:  # none at all, or the best ones for smaller models
                relaxed = relax(self.multipliers, None)
            else:
                multipliers, height = self.planes.next()
                if height <= best.bound + max(ENOUGH * abs(best.bound), self.tolerance):
                    break
                # The model is wrong far from known trees: after a step that did not help go only a part of the way.
                multipliers = best.multipliers + (multipliers - best.multipliers) / 2**n_stalled
                relaxed = relax(multipliers, best.nodes)
            self.take(relaxed, over_all=over_all)
            rises = best is None or relaxed.bound > best.bound + ENOUGH * abs(best.bound)
            n_stalled = 0 if rises else n_stalled + 1
            if best is None or relaxed.bound > best.bound:
                best = relaxed
                self.multipliers = best.multipliers
            if not relaxed.proved or self.is_done():
                return False
        return True

    def break_ties(self, relax: Relax) -> None:
        """Charge a little more where the best relaxed model breaks a limit, so little that the rounded bound stays.

        Where costs are integers, many models may cost as much as the relaxed optimum, and only some of them be allowed.
        """
        for _ in range(MOST_TIES):
            if self.best is None or not self.amounts.is_whole or self.is_done():
                return
            raised = self._slightly_raised(self.best)
            if raised is None:
                return
            self.run.check()
            relaxed = relax(raised, self.best.nodes)
            self.take(relaxed, over_all=True)
            if not relaxed.proved or self.rounded(relaxed.bound) < self.rounded(self.best.bound):
                return
            self.best = relaxed

    def _slightly_raised(self, relaxed: Relaxed) -> Floats | None:
        """Multipliers that break ties towards allowed models; ``None`` if the relaxed one breaks no limit."""
        leaf = leaf_amounts(self.amounts, self.ranks, relaxed.nodes)
        _, sums = leaf.of_labels(relaxed.nodes[leaf.leaves, 4].astype(np.int64))
        sides = self.amounts.sides
        broken = [at for at in np.flatnonzero(self.amounts.violations(sums) > 0).tolist() if sides[at].soft is None]
        room = TIE_SHARE * (relaxed.bound - self.rounded(relaxed.bound) + 1.0)
        if not broken or room <= 0:
            return None
        raised = relaxed.multipliers.copy()
        for at in broken:  # the relaxed cost of no model falls by more than this times its room below the limit
            raised[at] += room / len(broken) / (sides[at].size + abs(sides[at].at_most / sides[at].unit))
        return raised

    def watch(self, *_: Any) -> None:
        """Let the user's callback see cost and bound while the kernel works on a relaxed problem."""
        self.run.report_details("", "relaxation")

    def take(self, relaxed: Relaxed, *, over_all: bool) -> None:
        """Keep what a relaxed problem shows: a bound, a candidate and a cutting plane."""
        if over_all:
            self.raise_bound(relaxed.bound)
            if self.best is None or relaxed.bound > self.best.bound:
                self.best = relaxed
        self.consider(relaxed.nodes, relaxed.multipliers)

    def raise_bound(self, bound: float) -> None:
        """Record a bound, rounded up where costs are integers."""
        self.run.bound = max(self.run.bound, min(self.rounded(bound), self.run.cost))

    def rounded(self, bound: float) -> float:
        """Return a bound, rounded up where costs are integers."""
        return ceil(bound - INTEGER_NOISE * max(1.0, abs(bound))) if self.amounts.is_whole else bound

    def consider(self, nodes: Nodes, multipliers: Floats) -> LeafAmounts:
        """Add the plane of a model as it is labelled, and offer the model with its cheapest allowed labels."""
        leaf = leaf_amounts(self.amounts, self.ranks, nodes)
        cost, sums = leaf.of_labels(nodes[leaf.leaves, 4].astype(np.int64))
        self.planes.add(cost, self.amounts.violations(sums))
        below = self.run.cost - self.tolerance + self.removable(nodes)
        best = cheapest_allowed(self.amounts, leaf, multipliers, below)
        if best is not None:
            self.planes.add(leaf.of_labels(best.labels)[0], self.amounts.violations(leaf.of_labels(best.labels)[1]))
            if best.cost < below:
                self.run.offer(self.graph(with_labels(nodes, leaf, best.labels)))
        return leaf

    def removable(self, nodes: Nodes) -> float:
        """What a model may cost less once its labels are chosen, as parts of it become redundant."""
        del nodes
        return 0.0

    def is_done(self) -> bool:
        """Whether the incumbent is proved, or as near to the bound as was asked."""
        return self.run.is_proved or self.gap_reached()

    def gap_reached(self) -> bool:
        """Whether the incumbent is as near to the bound as was asked."""
        return isfinite(self.run.cost) and self.run.cost - self.run.bound <= self.budget.gap * self.run.cost
