"""XCT: trees with the most accurate worst leaf, by a MIP; the search does the same in seconds.

The MIP is in ``model``. A proof says: no tree within the limits has a more accurate worst leaf, over all questions of
the encoded data. Between trees with equal worst leaves the MIP does not choose.
"""

from dataclasses import dataclass, replace
from time import monotonic
from typing import ClassVar

from exactree.errors import InputError, Unsupported
from exactree.mip import AUTO, check_backend, check_seed
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.formulations.xct.bisection import bisect
from exactree.solve.formulations.xct.model import XctModel
from exactree.solve.interface import Budget, Callback, Capabilities, Solution

STRATEGIES = ("warm", "direct", "gradual", "halving")


@dataclass(frozen=True, slots=True)
class XCT:
    """Trees by leaf accuracy as a MIP.

    Parameters
    ----------
    strategy : {"warm", "direct", "gradual", "halving"}, default="warm"
        ``"warm"`` starts from a tree grown by CART's rule, ``"direct"`` from a single leaf, ``"gradual"`` solves for
        depth 1, 2, and so on, each from the tree of the one before, with twice its time. ``"halving"`` bisects
        the best accuracy of the worst leaf: is there a tree whose every leaf is at least so accurate?
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="auto"
        MIP solver; the columns are continuous, which CP-SAT does not take. The MIPs of ``"halving"`` are all-integer
        where weights are: these it does take.
    seed : int, default=0
        Seed of the back end.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier, XCT
    >>> X, y = [[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 1, 1, 0, 0]
    >>> tree = OptimalTreeClassifier(max_depth=2, objective="leaf_accuracy", min_samples_leaf=1, solver=XCT())
    >>> round(1 - tree.fit(X, y).cost_, 6)
    1.0
    """

    name: ClassVar[str] = "xct"
    handles: ClassVar[Capabilities] = Capabilities(
        proves=True, deepest=5, worst_leaf=True, confidence=False, sums=False, tiny=20
    )

    strategy: str = "warm"
    backend: str = AUTO
    seed: int = 0

    def __post_init__(self) -> None:
        check_backend(self.backend)
        check_seed(self.seed)
        if self.strategy not in STRATEGIES:
            raise InputError(f"strategy must be one of {', '.join(STRATEGIES)}; got {self.strategy!r}.")

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Build the MIP and solve it."""
        if problem.objective.z:
            raise Unsupported("XCT takes objective='leaf_accuracy' only; the search takes 'leaf_confidence' too.")
        options = RunOptions(self.backend, None if self.strategy == "direct" else "cart", seed=self.seed, polish=False)
        if self.strategy == "halving":
            return bisect(problem, budget, options, start, callback)
        if self.strategy != "gradual":
            return run(problem, budget, XctModel, options, start, callback)
        return self._grow(problem, budget, replace(options, warm_start=None), start, callback)

    def _grow(
        self, problem: Problem, budget: Budget, options: RunOptions, start: Graph | None, callback: Callback | None
    ) -> Solution:
        """Solve for one depth after the other; together they use the time limit."""
        deepest, began = problem.limits.deepest, monotonic()

        def left(share: float) -> Budget:
            """Return the budget with a share of the time that is left."""
            if budget.seconds is None:
                return budget
            return replace(budget, seconds=share * max(0.0, budget.seconds - (monotonic() - began)))

        for depth in range(1, deepest):
            shallow = replace(problem, limits=replace(problem.limits, max_depth=depth))
            share = 1 / (2 ** (deepest - depth + 1) - 1)  # the next depth gets twice as much
            start = run(shallow, left(share), XctModel, options, start, None).model
        return run(problem, left(1.0), XctModel, options, start, callback)
