"""Few questions: sums over the paths of all trees of depth three, from which relaxed problems are solved at once."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite

import numpy as np

from exactree import kernel
from exactree.arrays import Floats, UInt32s
from exactree.problem import Problem
from exactree.solve.gains import shape_of
from exactree.solve.search.constrained.amounts import GroupAmounts
from exactree.solve.search.constrained.channels import group_channels, rule_arguments
from exactree.solve.search.constrained.relaxation import Relaxed

DEEPEST = 3  # trees whose paths are summed up
MOST_BYTES = (2**25, 2**28)  # of the sums, up to depth two and at depth three: of about 800 and 300 questions
MOST_STEPS = 2e9  # numbers added, each about a nanosecond: from there on branch and bound is used
ROUNDING = 0.5  # of the cost of a group, in units of the kernel

Watch = Callable[[float, int, int, str], None]  # as NativeCallback of the kernel


class PathSearch:
    """Relaxed problems and listing of one problem."""

    def __init__(self, sums: kernel.PathSearch, amounts: GroupAmounts, depth: int, *, lists_all: bool) -> None:
        self._sums, self._amounts, self.depth = sums, amounts, depth
        self.lists_all = lists_all  # trees of full depth too
        scaled = amounts.costs * amounts.cost_scale
        whole = np.array_equal(scaled, np.rint(scaled))
        self._rounding = 0.0 if whole else ROUNDING * amounts.n_groups / amounts.cost_scale

    @classmethod
    def of(cls, problem: Problem, amounts: GroupAmounts, ranks: UInt32s, memory: int) -> "PathSearch | None":
        """Return none if there are too many questions; ``ranks`` are those of the groups, (n_columns, n_groups)."""
        depth, leaves = shape_of(problem)
        shallow = replace(problem, limits=replace(problem.limits, max_depth=min(depth, DEEPEST)))
        sums = kernel.PathSearch.of(
            np.ascontiguousarray(ranks),
            group_channels(shallow, amounts),
            **rule_arguments(shallow, amounts),
            memory=min(MOST_BYTES[depth >= DEEPEST], memory // 4),
            steps=MOST_STEPS,
        )
        if sums is None:
            return None
        # Relaxed problems do not count leaves: where depth three has too few of them, their bounds are weak.
        return cls(
            sums, amounts, min(depth, DEEPEST), lists_all=depth <= 2 or (depth == DEEPEST and leaves == 2**depth)
        )

    def fill(self, seconds: float | None, watch: Watch) -> str:
        """Add up the groups; return the kernel's status."""
        return self._sums.fill(seconds=seconds, callback=watch)

    def relax(self, multipliers: Floats, depth: int, seconds: float | None, watch: Watch) -> tuple[Relaxed | None, str]:
        """Solve the relaxed problem; return the kernel's status beside it."""
        found = self._sums.relax(*self._in_units(multipliers), depth=depth, seconds=seconds, callback=watch)
        if found.status != "optimal":
            return None, found.status
        bound = found.bound / self._amounts.cost_scale - self._rounding
        return Relaxed(multipliers, bound, np.array(found.nodes), proved=True), found.status

    def search(
        self,
        multipliers: Floats,
        step: float,
        known: tuple[float, float],
        seconds: float | None,
        memory: int,
        watch: Watch,
    ) -> kernel.ConstrainedOutcome:
        """List trees, given the bound and the cost that are known; ``step`` is in units of the kernel."""
        scale = self._amounts.cost_scale
        bound, cost = known
        return self._sums.search(
            *self._in_units(multipliers),
            step=step,
            known_bound=bound * scale,
            known_cost=cost * scale if isfinite(cost) else inf,
            seconds=seconds,
            memory=memory,
            callback=watch,
        )

    def _in_units(self, multipliers: Floats) -> tuple[list[float], float]:
        by_sum, constant = self._amounts.multipliers_by_sum(multipliers)
        return (by_sum * self._amounts.cost_scale).tolist(), constant * self._amounts.cost_scale
