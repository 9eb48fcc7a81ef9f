"""BinOCT: optimal trees by binary linear programming with thresholds as binary searches (Verwer and Zhang 2019).

The MIP is in ``model``; here it is run. With ``warm_start="cart"`` this is the paper's BinOCT*, and with
``polish=False`` exactly that. A proof says: no tree within the limits costs less, over all questions of the encoded
data. With ``thresholds="class-changes"`` it covers only part of them, and the status says so.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from exactree.encode import encode
from exactree.errors import InputError, Unsupported
from exactree.mip import AUTO, Mip, check_backend, check_seed
from exactree.model import Graph
from exactree.problem import Problem
from exactree.solve.formulations.binoct.model import BinOctModel
from exactree.solve.formulations.common.run import RunOptions, run
from exactree.solve.gains import unavoidable_cost
from exactree.solve.interface import BETWEEN_CLASSES, Budget, Callback, Capabilities, Solution, scope_of
from exactree.solve.mip_runs.costs import MipCosts
from exactree.solve.mip_runs.warm_starts import check_warm_start
from exactree.solve.trees.complete_tree import Shape

FORMS = ("error", "score")
THRESHOLDS = (None, "class-changes")


@dataclass(frozen=True, slots=True)
class BinOCT:
    """Binary optimal classification trees.

    Parameters
    ----------
    backend : {"auto", "highs", "cp-sat", "scip", "gurobi"}, default="auto"
        MIP solver; ``"auto"`` is CP-SAT if it is installed, else HiGHS.
    warm_start : {"cart", "search"} or None, default="cart"
        The tree to start from.
    thresholds : {"class-changes"} or None, default=None
        ``None`` takes all questions of the data; ``"class-changes"`` drops, as the paper does, those between two
        values whose rows are all of one class. That gives a smaller MIP, but its proof leaves trees out: the status
        is then ``"optimal_over_sample"``.
    merge_rows : bool, default=True
        Whether equal rows of the same class become one.
    strengthen : bool, default=True
        Whether to add inequalities that break symmetries and state the unavoidable cost.
    form : {"error", "score"}, default="error"
        Whether the objective is the cost of errors or the weight of correct predictions.
    seed : int, default=0
        Seed of the back end.
    polish : bool, default=True
        Whether to polish the warm start of CART: its subtrees are improved by the same formulation, in up to half of
        the time. Only without constraints and without a limit of leaves, and from depth three on.

    Examples
    --------
    >>> from exactree import BinOCT, OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> tree = OptimalTreeClassifier(max_depth=2, solver=BinOCT(backend="highs")).fit(X, y)
    >>> tree.status_, tree.cost_, tree.solution_.counters["binaries"]
    ('optimal', 0.0, 14.0)
    """

    name: ClassVar[str] = "binoct"
    handles: ClassVar[Capabilities] = Capabilities(proves=True, deepest=5, constraints=True, leaf_limits=True, tiny=32)

    backend: str = AUTO
    warm_start: str | None = "cart"
    thresholds: str | None = None
    merge_rows: bool = True
    strengthen: bool = True
    form: str = "error"
    seed: int = 0
    polish: bool = True

    def __post_init__(self) -> None:
        check_backend(self.backend)
        check_warm_start(self.warm_start)
        check_seed(self.seed)
        if self.form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}; got {self.form!r}.")
        if self.thresholds not in THRESHOLDS:
            raise InputError(f"thresholds must be 'class-changes' or None; got {self.thresholds!r}.")

    def solve(
        self, problem: Problem, budget: Budget, *, start: Graph | None = None, callback: Callback | None = None
    ) -> Solution:
        """Build the MIP and solve it."""
        if self.thresholds is None:
            return run(problem, budget, self._build, self._options(), start, callback)
        fewer, bound = _with_fewer_cuts(problem), unavoidable_cost(problem)
        all_asked = fewer.data.complete or fewer.data.thresholds == problem.data.thresholds
        options = replace(self._options(), bound_over_all=None if all_asked else bound)
        found = replace(run(fewer, budget, self._build, options, start, callback), scope=scope_of(problem))
        return found if all_asked else found.over_sample(BETWEEN_CLASSES, bound, budget.gap)

    def _options(self) -> RunOptions:
        return RunOptions(self.backend, self.warm_start, self.merge_rows, self.seed, self.polish)

    def _build(self, mip: Mip, problem: Problem, costs: MipCosts, shape: Shape) -> BinOctModel:
        score = self.form == "score"
        limits = problem.limits
        if score and (
            problem.constraints
            or limits.min_samples_leaf > 1
            or problem.min_leaf_weight > 0
            or not problem.objective.one_cost_per_class
        ):
            raise Unsupported(
                "BinOCT(form='score') counts correct predictions only: it takes no minimum leaf size, no "
                "constraints and no costs that depend on the predicted class. Use form='error'."
            )
        return BinOctModel(mip, problem, costs, shape, strengthen=self.strengthen, score=score)


def _with_fewer_cuts(problem: Problem) -> Problem:
    """Encode the same rows again, with BinOCT's own rule for thresholds."""
    data = problem.data
    again = encode(data.table, data.labels, sample_weight=data.weights, thresholds="class-changes")
    # A class without rows keeps its number.
    back = again.classes
    again = replace(
        again,
        classes=data.classes,
        labels=back[again.labels],
        point_labels=back[again.point_labels],
        n_given=data.n_given,
        kept=data.kept,
        sample_weights=data.sample_weights,
    )
    return replace(problem, data=again)
