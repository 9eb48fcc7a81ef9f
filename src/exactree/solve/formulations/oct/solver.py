"""OCT: optimal classification trees as a mixed-integer program (Bertsimas and Dunn 2017).

The program is in ``oct_model``; here it is run. It has a binary column for each row and leaf, and big-Ms: it is here to
be compared with, and for constraints that search does not take. With ``multivariate=True`` it is OCT-H, whose program
is in ``oct_h_model``: branches may ask about weighted sums of columns.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from exactree.errors import InputError, Unsupported
from exactree.mip import AUTO, Mip, check_backend
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.formulations.oct.oblique_model import OctHModel
from exactree.solve.interface import Budget, Callback, Capabilities, Solution
from exactree.solve.mip_runs.costs import Costs
from exactree.solve.mip_runs.warm_starts import check_warm_start
from exactree.solve.trees.complete_tree import Shape
from exactree.solve.trees.linear_combinations import summands

LEAST_MARGIN = 1e-4  # back ends take 1 - 1e-6 for 1, which moves a row by twice that; fifty times as far is safe


@dataclass(frozen=True, slots=True)
class OCT:
    """Optimal classification trees of Bertsimas and Dunn.

    ``ccp_alpha`` is the price of a leaf; the paper's complexity price per split is the same, less one leaf.
    ``min_samples_leaf`` is the paper's N_min.

    Parameters
    ----------
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="auto"
        Who solves the program: CP-SAT if it is installed and all numbers are whole, else HiGHS.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from.
    merge_rows : bool, default=True
        Whether equal rows of the same class become one.
    seed : int, default=0
        For the back end.
    polish : bool, default=True
        Whether a tree by CART is made better part by part, each by the same program, in up to half of the time. Only
        where no constraint and no limit of leaves concerns the whole tree, and from depth three on.
    multivariate : bool, default=False
        Whether branches may also ask if a weighted sum of columns is at most some number (OCT-H). Columns of numbers
        and truth values that no row lacks can be in sums; all others are asked about one at a time. CP-SAT does not
        take this program.
    margin : float, default=0.001
        How far apart a sum must keep its two sides, with columns scaled to 0..1 and factors whose sizes add up to 1.
        The proof is over sums that do. Questions about one column need no margin.

    Examples
    --------
    >>> from exactree import OCT, OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> OptimalTreeClassifier(max_depth=2, solver=OCT(backend="highs")).fit(X, y).cost_
    0.0
    >>> tree = OptimalTreeClassifier(max_depth=1, solver=OCT(multivariate=True)).fit(X, [0, 0, 0, 1])
    >>> tree.cost_, tree.status_
    (0.0, 'optimal')
    """

    name: ClassVar[str] = "oct"
    handles: ClassVar[Capabilities] = Capabilities(proves=True, deepest=5, constraints=True, leaf_limits=True, tiny=24)

    backend: str = AUTO
    warm_start: str | None = "cart"
    merge_rows: bool = True
    seed: int = 0
    polish: bool = True
    multivariate: bool = False
    margin: float = 0.001

    def __post_init__(self) -> None:
        check_backend(self.backend)
        check_warm_start(self.warm_start)
        if not LEAST_MARGIN <= self.margin <= 1:
            raise InputError(f"margin must lie in {LEAST_MARGIN:g}..1, as back ends round; got {self.margin!r}.")

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Build the program and run it."""
        way = RunOptions(self.backend, self.warm_start, self.merge_rows, self.seed, self.polish, self.multivariate)
        if not self.multivariate:
            return run(problem, budget, OctModel, way, start, callback)
        if not problem.data.complete:
            raise Unsupported(
                f"OCT(multivariate=True) adds up values, so it takes thresholds='all' only, not "
                f"{problem.data.thresholds!r}."
            )
        found = run(problem, budget, self._with_sums, way, start, callback)
        return replace(found, scope=f" whose sums keep a margin of {self.margin:g}")

    def _with_sums(self, mip: Mip, problem: Problem, costs: Costs, shape: Shape) -> OctModel:
        parts = summands(problem.data)
        if len(parts.sources) < 2:  # a sum of one column asks what the column itself can be asked
            return OctModel(mip, problem, costs, shape)
        return OctHModel(mip, problem, costs, shape, summands=parts, margin=self.margin)
