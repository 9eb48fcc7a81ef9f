"""OCT: optimal classification trees as a mixed-integer program (Bertsimas and Dunn 2017).

The program is in ``oct_model``; here it is run. It has a binary column for each row and leaf, and big-Ms: it is here to
be compared with, and for constraints that search does not take.
"""

from dataclasses import dataclass
from typing import ClassVar

from exactree.mip import AUTO, check_backend
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.formulated import Way, run
from exactree.solve.interface import Budget, Capabilities, Solution, Watch
from exactree.solve.oct_model import OctModel
from exactree.solve.starts import check_warm_start


@dataclass(frozen=True, slots=True)
class OCT:
    """Optimal classification trees of Bertsimas and Dunn.

    ``ccp_alpha`` is the price of a leaf; the paper's complexity price per split is the same, less one leaf.
    ``min_samples_leaf`` is the paper's N_min.

    Parameters
    ----------
    backend : {"auto", "highs", "cp-sat", "scip"}, default="auto"
        Who solves the program: CP-SAT if it is installed and all numbers are whole, else HiGHS.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from.
    merge_rows : bool, default=True
        Whether equal rows of the same class become one.
    seed : int, default=0
        For the back end.

    Examples
    --------
    >>> from exactree import OCT, OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> OptimalTreeClassifier(max_depth=2, solver=OCT(backend="highs")).fit(X, y).cost_
    0.0
    """

    name: ClassVar[str] = "oct"
    handles: ClassVar[Capabilities] = Capabilities(proves=True, deepest=5, constraints=True, tiny=24)

    backend: str = AUTO
    warm_start: str | None = "cart"
    merge_rows: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        check_backend(self.backend)
        check_warm_start(self.warm_start)

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, watch: Watch | None = None
    ) -> Solution:
        """Build the program and run it."""
        way = Way(self.backend, self.warm_start, self.merge_rows, self.seed)
        return run(problem, budget, OctModel, way, start, watch)
