"""OCT: optimal classification trees as a MIP (Bertsimas and Dunn 2017).

The MIP is in ``model``; here it is run. It has a binary column for each row and leaf, and big-Ms: it is here for
comparison, and for constraints that search does not take. With ``multivariate=True`` it is OCT-H, in ``oblique_model``:
branches may have oblique splits.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from exactree.errors import InputError, Unsupported
from exactree.mip import AUTO, Mip, check_backend, check_seed
from exactree.model import Graph
from exactree.problem import Problem
from exactree.problem.limits import check_split_columns
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.formulations.oct.model import OctModel
from exactree.solve.formulations.oct.oblique_model import ObliqueOctModel
from exactree.solve.interface import Budget, Callback, Capabilities, Solution
from exactree.solve.mip_runs.costs import MipCosts
from exactree.solve.mip_runs.warm_starts import check_warm_start
from exactree.solve.oblique import better_of_both, takes_both
from exactree.solve.oblique.mip_splits import oblique_scope
from exactree.solve.search import Search
from exactree.solve.trees.complete_tree import Shape
from exactree.solve.trees.linear_combinations import oblique_columns

LEAST_MARGIN = 1e-4  # back ends take 1 - 1e-6 for 1, which moves a row by twice that; fifty times as far is safe


@dataclass(frozen=True, slots=True)
class OCT:
    """Optimal classification trees of Bertsimas and Dunn.

    ``ccp_alpha`` is the price of a leaf; the paper's complexity price per split is the same, less one leaf.
    ``min_samples_leaf`` is the paper's N_min.

    Parameters
    ----------
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="auto"
        MIP solver; ``"auto"`` is CP-SAT if it is installed and all coefficients are integers, else HiGHS.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from.
    merge_rows : bool, default=True
        Whether equal rows of the same class become one.
    seed : int, default=0
        Seed of the back end.
    polish : bool, default=True
        Whether to polish the warm start of CART: its subtrees are improved by the same formulation, in up to half of
        the time. Only without constraints and without a limit of leaves, and from depth three on.
    multivariate : bool, default=False
        Whether branches may also have oblique splits: a linear combination of columns is at most a threshold (OCT-H).
        The exact search for univariate trees gets up to a quarter of the time, a local search over oblique splits the
        time until four fifths of it are over, MIPs of single nodes up to a tenth, and the whole MIP the rest. So a tree
        costs no more than the univariate one that a quarter of the time finds. With a time limit, two threads or more,
        and neither constraints nor a memory limit, the univariate search has half of the threads for all of the time,
        and the better tree is returned. With ``warm_start=None`` the MIP has all of it.
        Numeric and boolean columns without missing values can be combined; all others have univariate splits. CP-SAT
        does not take this MIP.
    margin : float, default=0.001
        Least distance between the two sides of an oblique split, with columns scaled to 0..1 and coefficients whose
        absolute values add up to 1. The proof is over such splits. Univariate splits need no margin.
    max_split_columns : int or None, default=3
        Most columns of an oblique split; None is no limit.
    column_price : float, default=0.0
        Price of each column of an oblique split but the first, as a share of the total weight.

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
    max_split_columns: int | None = 3
    column_price: float = 0.0

    def __post_init__(self) -> None:
        check_backend(self.backend)
        check_warm_start(self.warm_start)
        check_seed(self.seed)
        if not LEAST_MARGIN <= self.margin <= 1:
            raise InputError(f"margin must lie in {LEAST_MARGIN:g}..1, as back ends round; got {self.margin!r}.")
        check_split_columns(self.max_split_columns, self.column_price)

    def __setstate__(self, state: list[Any]) -> None:
        # Pickles of version 0.1.0 have no limit and no price of columns.
        for name, value in zip(self.__slots__, [*state, None, 0.0], strict=False):
            object.__setattr__(self, name, value)

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Build the MIP and solve it."""
        options = RunOptions(self.backend, self.warm_start, self.merge_rows, self.seed, self.polish)
        if not self.multivariate:
            return run(problem, budget, OctModel, options, start, callback)
        if not problem.data.complete:
            raise Unsupported(
                f"OCT(multivariate=True) combines values linearly, so it takes thresholds='all' only, not "
                f"{problem.data.thresholds!r}."
            )
        options = replace(options, margin=float(self.margin))
        limits = replace(
            problem.limits, max_split_columns=self.max_split_columns, column_price=float(self.column_price)
        )
        found = self._with_oblique_splits(replace(problem, limits=limits), budget, options, start, callback)
        return replace(found, scope=oblique_scope(self.margin, self.max_split_columns, problem.data))

    def _with_oblique_splits(
        self, problem: Problem, budget: Budget, options: RunOptions, start: Graph | None, callback: Callback | None
    ) -> Solution:
        """Run it, and with several threads the univariate search beside it."""

        def oblique(budget: Budget) -> Solution:
            return run(problem, budget, self._oblique_model, options, start, callback)

        if self.warm_start is None or problem.constraints or not takes_both(budget):
            return oblique(budget)
        univariate = partial(_univariate, problem)
        return better_of_both(problem, budget, univariate, oblique, callback)

    def _oblique_model(self, mip: Mip, problem: Problem, costs: MipCosts, shape: Shape) -> OctModel:
        columns = oblique_columns(problem.data)
        if len(columns.sources) < 2:  # one column alone has univariate splits
            return OctModel(mip, problem, costs, shape)
        return ObliqueOctModel(mip, problem, costs, shape, oblique_columns=columns, margin=self.margin)


def _univariate(problem: Problem, budget: Budget, callback: Callback) -> Solution:
    return Search().solve(problem, budget, callback=callback)
