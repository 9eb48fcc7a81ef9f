"""FlowOCT: trees over yes/no questions as a flow of rows, without big-M (Aghaei, Gómez and Vayanos 2024).

The MIP is in ``model``; here it is run. Its LP relaxation gives bounds where BinOCT's gives none, so HiGHS and SCIP do
better on it than on BinOCT; it has a column for each branch and question, so it suits few thresholds.
"""

from dataclasses import dataclass
from typing import ClassVar

from exactree.mip import AUTO, check_backend, check_seed
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.formulations.flow_oct.model import FlowOctModel
from exactree.solve.interface import Budget, Callback, Capabilities, Solution
from exactree.solve.mip_runs.warm_starts import check_warm_start

BEST = "highs"  # default back end; CP-SAT took 2 to 3 times as long on three sets of four


@dataclass(frozen=True, slots=True)
class FlowOCT:
    """Optimal classification trees as flows.

    Parameters
    ----------
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="auto"
        MIP solver; ``"auto"`` is HiGHS.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from.
    merge_rows : bool, default=True
        Whether equal rows of the same class become one.
    seed : int, default=0
        Seed of the back end.
    polish : bool, default=True
        Whether to polish the warm start of CART: its subtrees are improved by the same formulation, in up to half of
        the time. Only without constraints and without a limit of leaves, and from depth three on.

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
        check_seed(self.seed)

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Build the MIP and solve it."""
        backend = BEST if self.backend == AUTO else self.backend
        options = RunOptions(backend, self.warm_start, self.merge_rows, self.seed, self.polish)
        return run(problem, budget, FlowOctModel, options, start, callback)
