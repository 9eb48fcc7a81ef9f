"""FlowOCT: trees over yes/no questions as a flow of rows, without big-M (Aghaei, Gómez and Vayanos 2024).

The program is in ``flow_oct_model``; here it is run. Its linear relaxation gives bounds where BinOCT's gives none, so
HiGHS and SCIP do better on it than on BinOCT; it has a column for each branch and question, so few thresholds suit it.
"""

from dataclasses import dataclass
from typing import ClassVar

from exactree.mip import AUTO, check_backend
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.formulations.flow_oct.model import FlowOctModel
from exactree.solve.interface import Budget, Callback, Capabilities, Solution
from exactree.solve.mip_runs.warm_starts import check_warm_start

BEST = "highs"  # of the back ends that are always there; CP-SAT took 2 to 3 times as long on three sets of four


@dataclass(frozen=True, slots=True)
class FlowOCT:
    """Optimal classification trees as flows.

    Parameters
    ----------
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="auto"
        Who solves the program; ``"auto"`` is HiGHS.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from.
    merge_rows : bool, default=True
        Whether equal rows of the same class become one.
    seed : int, default=0
        For the back end.
    polish : bool, default=True
        Whether a tree by CART is made better part by part, each by the same program, in up to half of the time. Only
        where no constraint and no limit of leaves concerns the whole tree, and from depth three on.

    Examples
    --------
    >>> from exactree import FlowOCT, OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> OptimalTreeClassifier(max_depth=2, solver=FlowOCT()).fit(X, y).cost_
    0.0
    """

    name: ClassVar[str] = "flow-oct"
    handles: ClassVar[Capabilities] = Capabilities(
        proves=True, deepest=5, leaf_sizes=False, any_costs=False, tiny=20, most_questions=20_000
    )

    backend: str = AUTO
    warm_start: str | None = "cart"
    merge_rows: bool = True
    seed: int = 0
    polish: bool = True

    def __post_init__(self) -> None:
        check_backend(self.backend)
        check_warm_start(self.warm_start)

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Build the program and run it."""
        backend = BEST if self.backend == AUTO else self.backend
        way = RunOptions(backend, self.warm_start, self.merge_rows, self.seed, self.polish)
        return run(problem, budget, FlowOctModel, way, start, callback)
