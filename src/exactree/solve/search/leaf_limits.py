"""Exact search under limits on every leaf by itself, hard or with a price, part of the solver ``search``.

Three searches share the time. The search without limits gives a lower bound, and mostly a good start: its tree, pruned
until all leaves obey. Where nothing is left of it, the search for the best worst leaf finds a start, or proves that
there is none and how good all leaves can be. The last one (``native/leaf_limits``) finds and proves the cheapest tree.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from exactree import kernel
from exactree.arrays import Floats, Int32s, UInt32s
from exactree.model import Graph
from exactree.problem import RESOLUTION, Problem
from exactree.solve.callback import NativeCallback, memory_for
from exactree.solve.gains import Gains, exact_scale, gains_of, group_costs, shape_of
from exactree.solve.interface import Budget, Callback, Progress, Solution, Status
from exactree.solve.leaf_rules import LeafRules, leaf_rules
from exactree.solve.search.coarse import CoarseRanks
from exactree.solve.search.reachable import Reachable, best_worst_leaf, no_tree_in_time, no_tree_obeys
from exactree.solve.search.worst_leaf import integer_weights
from exactree.solve.trees.ranked_tree import from_graph, nodes_of, to_graph

FREE_SHARE, FEASIBLE_SHARE = 0.2, 0.5  # of the time: for the search without limits, and for a tree that obeys them
COARSE_SHARE, COARSE_SECONDS = 0.2, 20.0  # of the time, and at most: for a start with fewer thresholds
MANY_RANKS = 2000  # of all columns; with more, the kernel has no sums over pairs of columns
FEW_RANKS = 32  # of each column, with fewer thresholds
HALF = 0.25  # of the least difference of two integers, in the kernel's floats
SMALL_PART = 1024.0  # of the problem's tolerance, for each comparison in the kernel

Nodes = Int32s  # (n_nodes, 5)
FreeSearch = Callable[..., Solution]  # the search without limits


def search_leaf_limits(
    problem: Problem, budget: Budget, start: Graph | None, callback: Callback | None, free: FreeSearch
) -> Solution:
    """Run all three; they react to Ctrl-C, to the callback and to the time limit."""
    return _Run(problem, budget, callback, free).solution(start)


@dataclass(frozen=True, slots=True, eq=False)
class _Costs:
    """What the kernel reads: costs of a unit by label and class, times ``scale``."""

    scale: float
    matrix: Floats  # (n_classes * n_classes,)
    class_weight: Floats  # weight of one unit
    unavoidable: Floats  # (n_points,)
    noise: float

    @classmethod
    def of(cls, problem: Problem, rules: LeafRules) -> "_Costs":
        data = problem.data
        costs = group_costs(problem)
        prices = np.array([problem.leaf_price, *(problem.price_of(limit) for limit in problem.priced_on_leaves)])
        scale = exact_scale(costs, prices, problem.limits.most_leaves)
        whole = all(np.array_equal(numbers * scale, np.rint(numbers * scale)) for numbers in (costs, prices))
        units = np.bincount(data.point_labels, weights=rules.amounts, minlength=data.n_classes)
        weights = np.bincount(data.point_labels, weights=data.point_weights, minlength=data.n_classes)
        class_weight = weights / np.maximum(units, np.finfo(float).tiny)
        unavoidable = np.zeros(data.n_points)
        unavoidable[np.unique(data.point_groups, return_index=True)[1]] = costs.min(axis=1) * scale
        matrix = (problem.objective.matrix * class_weight[:, None]).T * scale
        noise = HALF if whole else problem.tolerance * scale / SMALL_PART
        return cls(scale, np.ascontiguousarray(matrix).ravel(), class_weight, unavoidable, noise)


def _free_rows(gains: Gains, ranks: UInt32s, scale: float) -> kernel.FreeRows:
    """Return what bounds the cost of first cuts: the rows as the search without limits reads them."""
    return kernel.FreeRows(
        ranks,
        gains.labels,
        gains.gains,
        gains.bases,
        gains.sizes,
        offset=gains.offset,
        leaf_price=gains.price,
        min_weight=gains.min_weight,
        scale=scale / gains.scale,
    )


class _Run:
    """One run: what is known so far, and the time that is left."""

    def __init__(self, problem: Problem, budget: Budget, callback: Callback | None, free: FreeSearch) -> None:
        self.problem, self.budget, self.callback, self.free = problem, budget, callback, free
        self.began = perf_counter()
        self.rules = leaf_rules(problem)
        self.costs = _Costs.of(problem, self.rules)
        self.gains = gains_of(problem)
        self.starts: list[Nodes] = []
        self.bound = 0.0
        self.history: list[tuple[float, float, float]] = []
        self.interrupted = False

    def solution(self, start: Graph | None) -> Solution:
        self._add_start(start)
        self._search_without_limits()
        reached = None
        if self.problem.on_leaves and not self.interrupted and not self._is_feasible():
            reached = self._find_feasible()
        if not self.interrupted:
            self._search_fewer_thresholds()
        outcome = self._search(0.0 if self.interrupted else self._seconds())
        if self._cost(outcome.cost) == inf:
            self._give_up(outcome, reached)
        return self._checked(outcome)

    def _seconds(self, share: float = 1.0) -> float | None:
        """Seconds left, or a share of all time if that is less."""
        if self.budget.seconds is None:
            return None
        left = self.budget.seconds - (perf_counter() - self.began)
        return max(0.0, min(left, share * self.budget.seconds))

    def _add_start(self, tree: Graph | None) -> None:
        nodes = None if tree is None else from_graph(self.problem, tree)
        if nodes is not None:
            self.starts.append(nodes)

    def _search_without_limits(self) -> None:
        """Find the cheapest tree without limits: no tree with them costs less."""
        problem = replace(self.problem, constraints=())
        budget = replace(self.budget, seconds=self._seconds(FREE_SHARE), gap=0.0)
        found = self.free(problem, budget, callback=self._reporter())
        self.interrupted = found.status is Status.INTERRUPTED
        self.bound = found.bound
        self._add_start(found.model)

    def _reporter(self) -> Callback | None:
        """Report the bound of a search whose trees need not be allowed."""
        callback = self.callback
        if callback is None:
            return None
        return lambda progress: callback(Progress(self._elapsed(), inf, min(progress.bound, progress.cost)))

    def _elapsed(self) -> float:
        return perf_counter() - self.began

    def _is_feasible(self) -> bool:
        """Whether a start, pruned, obeys the hard limits."""
        return self._cost(self._search(0.0, silent=True).cost) < inf

    def _search_fewer_thresholds(self) -> None:
        """Find a start among trees with few thresholds, where sums over pairs of columns can be used."""
        columns = self.problem.data.columns
        if sum(column.n_ranks for column in columns) <= MANY_RANKS or shape_of(self.problem)[0] < 2:
            return
        share = self._seconds(COARSE_SHARE)
        coarse = CoarseRanks.of(self.problem.data.ranks, FEW_RANKS)
        outcome = self._search(COARSE_SECONDS if share is None else min(share, COARSE_SECONDS), coarse)
        self.interrupted = outcome.status == Status.INTERRUPTED.value
        if self._cost(outcome.cost) < inf:
            self.starts.append(coarse.refined(np.array(outcome.nodes)))

    def _find_feasible(self) -> Reachable | None:
        """Look for a tree that obeys the hard limits, or for a proof that there is none."""
        reached = best_worst_leaf(
            self.problem, self.rules, self._seconds(FEASIBLE_SHARE), self.budget.memory, self._poll()
        )
        if reached is None:
            return None
        self.interrupted = reached.interrupted
        self.starts.append(reached.nodes)
        if reached.refutes:
            raise no_tree_obeys(self.problem, reached)
        return reached

    def _poll(self) -> Callable[[], Any] | None:
        callback = self.callback
        if callback is None:
            return None
        return lambda: callback(Progress(self._elapsed(), inf, self.bound))

    def _search(
        self, seconds: float | None, coarse: CoarseRanks | None = None, *, silent: bool = False
    ) -> kernel.Outcome:
        problem, data = self.problem, self.problem.data
        max_depth, max_leaves = shape_of(problem)
        amounts, unit = integer_weights(self.rules.amounts)
        limits = self.rules.limits.copy()
        limits[:, 5] *= self.costs.scale
        ranks, gains = data.ranks, self.gains
        return kernel.search_limited(
            ranks if coarse is None else coarse.ranks(ranks),
            data.point_labels,
            amounts,
            np.column_stack([data.point_counts, np.zeros_like(data.point_counts)]),
            n_classes=data.n_classes,
            matrix=self.costs.matrix,
            class_weight=self.costs.class_weight,
            limits=limits,
            unavoidable=self.costs.unavoidable,
            free=_free_rows(gains, gains.ranks if coarse is None else coarse.ranks(gains.ranks), self.costs.scale),
            max_depth=max_depth,
            max_leaves=max_leaves,
            min_rows=problem.limits.min_samples_leaf,
            min_weight=problem.min_leaf_weight * (1 - RESOLUTION),
            leaf_price=problem.leaf_price * self.costs.scale,
            unit=unit,
            noise=self.costs.noise,
            bound=self.bound * self.costs.scale,
            starts=self.starts if coarse is None else [],
            seconds=seconds,
            memory=memory_for(self.budget.memory),
            gap=self.budget.gap,
            callback=None if silent else self._native_callback(),
        )

    def _native_callback(self) -> NativeCallback | None:
        callback = self.callback
        if callback is None:
            return None

        def report(_: float, cost: int, bound: int, stage: str) -> None:
            best = self._cost(cost)
            callback(Progress(self._elapsed(), best, min(best, self._cost(bound)), stage=stage))

        return report

    def _cost(self, integer: float) -> float:
        """Cost in the user's units."""
        return inf if integer >= kernel.INFINITE_COST else integer / self.costs.scale

    def _give_up(self, outcome: kernel.Outcome, reached: Reachable | None) -> None:
        """Say why there is no tree to return."""
        if self.interrupted or outcome.status == Status.INTERRUPTED.value:
            raise KeyboardInterrupt
        if outcome.status == Status.OPTIMAL.value:
            if reached is None or not reached.proved:
                reached = best_worst_leaf(self.problem, self.rules, self._seconds(), self.budget.memory, self._poll())
            raise no_tree_obeys(self.problem, reached)
        raise no_tree_in_time(self.problem, reached)

    def _checked(self, outcome: kernel.Outcome) -> Solution:
        model = to_graph(self.problem, nodes_of(outcome.nodes))
        cost = self.problem.cost(model)
        bound = min(self._cost(outcome.bound), max(cost, self._cost(outcome.cost)))
        status = Status.INTERRUPTED if self.interrupted else Status(outcome.status)
        if outcome.status == Status.OPTIMAL.value:
            status = Status.OPTIMAL
        return Solution.checked(
            self.problem,
            model,
            status=status,
            claimed=self._cost(outcome.cost),
            bound=bound,
            history=self._history(outcome.history, cost),
            counters=outcome.counters,
        )

    def _history(self, native: Floats, cost: float) -> Floats:
        """Return the history in the user's units, from the first allowed tree on."""
        known = native[native[:, 1] < kernel.INFINITE_COST].copy()
        known[:, 0] += self._elapsed() - (native[-1, 0] if len(native) else 0.0)
        known[:, 1:] /= self.costs.scale
        # Costs are rounded there, and leaves that answer alike are merged since.
        known[:, 1] = np.minimum.accumulate(np.maximum(known[:, 1], cost))
        known[:, 2] = np.maximum.accumulate(np.minimum(known[:, 2], cost))
        return known
