"""The Pareto front of accuracy against the worst leaf: from the most accurate tree to the most reliable leaves."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

from exactree.errors import InputError
from exactree.estimators.curve import TreeCurve, leaves_text
from exactree.estimators.encoding import encoded, tree_growth
from exactree.estimators.fit_run import FitRun
from exactree.estimators.graph_classifier import NotProvedWarning
from exactree.estimators.parameters import is_worst_leaf, read_budget, read_limits, read_objective
from exactree.estimators.tree import OptimalTreeClassifier
from exactree.model import Graph
from exactree.model.wording import percent
from exactree.problem import Problem, is_restricted, scope_text
from exactree.solve.search.pareto import search_front
from exactree.solve.verdict import WORST_LEAF


@dataclass(frozen=True, slots=True, eq=False)
class FrontPoint:
    """One tree of the curve: no tree found is as good in both and better in one.

    Examples
    --------
    >>> front = pareto_front([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], max_depth=1, min_samples_leaf=1)
    >>> print(front[0])
    worst leaf 100.0 %, 100.0 % right, 2 leaves
    """

    worst: float  # score of the worst leaf: its accuracy, or the lower end of its confidence interval
    accuracy: float  # of the whole tree, by weight
    leaves: int
    proved: bool  # whether no tree at all is as good in both and better in one
    tree: Graph

    def __str__(self) -> str:
        return f"worst leaf {percent(self.worst)}, {percent(self.accuracy)} right, {leaves_text(self.leaves)}"


@dataclass(frozen=True, slots=True, eq=False)
class ParetoFront(TreeCurve):
    """The curve of worst leaf against accuracy, from the most accurate tree to the one with the best worst leaf.

    Prints as a table, shows as a picture in notebooks, and is a sequence of its points.

    Examples
    --------
    >>> front = pareto_front([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], max_depth=1, min_samples_leaf=1)
    >>> len(front), front.proved
    (1, True)
    >>> front.to_frame()
    {'worst': [1.0], 'accuracy': [1.0], 'leaves': [2], 'proved': [True]}
    """

    _head: ClassVar[tuple[str, ...]] = ("worst leaf", "accuracy", "leaves", "proved")
    _fields: ClassVar[tuple[str, ...]] = ("worst", "accuracy", "leaves", "proved")

    points: tuple[FrontPoint, ...]
    status: str  # "optimal", or what ended the search: "time_limit", "interrupted"
    scope: str  # which trees the parameters allow, in words
    restricted: bool
    objective: str  # how leaves are scored: "leaf_accuracy" or "leaf_confidence"

    def _cells(self, point: Any) -> tuple[str, ...]:
        return percent(point.worst), percent(point.accuracy), str(point.leaves)

    def _place(self, point: Any) -> tuple[float, float]:
        return point.accuracy, point.worst

    def _axes(self) -> tuple[str, str]:
        worst = (
            "accuracy of the worst leaf"
            if self.objective == "leaf_accuracy"
            else "lower end of the worst leaf's interval"
        )
        return "accuracy of the tree", worst


def pareto_front(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    max_depth: int = 3,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int | float | None = None,
    min_weight_fraction_leaf: float = 0.0,
    objective: str = "leaf_accuracy",
    confidence: float = 0.95,
    class_weight: Any = None,
    categorical_features: Any = "from_dtype",
    thresholds: Any = "all",
    time_limit: float | None = 60.0,
    memory_limit: int | str | None = None,
) -> ParetoFront:
    """Find all trees that are Pareto-optimal in accuracy and score of the worst leaf.

    Parameters
    ----------
    X, y, sample_weight
        Table, labels and weights, as :meth:`OptimalTreeClassifier.fit` takes them.
    objective : {"leaf_accuracy", "leaf_confidence"}, default="leaf_accuracy"
        How leaves are scored.
    max_depth, max_leaf_nodes, min_samples_leaf, min_weight_fraction_leaf, confidence, class_weight, \
categorical_features, thresholds, time_limit, memory_limit
        As :class:`OptimalTreeClassifier` has them. Few thresholds, such as ``"quantiles(32)"``, make it quick.

    Returns
    -------
    ParetoFront
        A search that ends early warns with :class:`NotProvedWarning`, keeps all points found, and says of each
        whether it is proved.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> print(pareto_front(X, [0, 1, 1, 0, 0, 1, 1, 1], max_depth=2, min_samples_leaf=3))  # doctest: +ELLIPSIS
    worst leaf  accuracy  leaves  proved
        60.0 %    75.0 %       2     yes
        62.5 %    62.5 %       1     yes
    proved: no allowed tree lies beyond this curve; allowed are trees of depth 2 at most, with 3 rows or more ...
    """
    run = FitRun()
    if not is_worst_leaf(objective):
        raise InputError(f"objective is {objective!r}; a curve is drawn for one of {', '.join(WORST_LEAF)}.")
    estimator = OptimalTreeClassifier(
        max_depth,
        max_leaf_nodes=max_leaf_nodes,
        min_samples_leaf=min_samples_leaf,
        min_weight_fraction_leaf=min_weight_fraction_leaf,
        objective=objective,
        confidence=confidence,
        class_weight=class_weight,
        categorical_features=categorical_features,
        thresholds=thresholds,
        time_limit=time_limit,
        memory_limit=memory_limit,
    )
    parameters = estimator.get_params()
    data = encoded(parameters, X, y, sample_weight, run=run, growth=lambda: tree_growth(parameters, run, None))
    problem = Problem(data, read_objective(parameters, data), read_limits(parameters, data.n_rows))
    found = search_front(problem, run.left(read_budget(parameters)))
    total = problem.total_weight
    points = (
        FrontPoint(tree.worst, 1.0 - tree.wrong / total, tree.model.n_leaves, tree.proved, tree.model)
        for tree in found.trees
    )
    front = ParetoFront(
        tuple(points), found.status.value, scope_text(problem), is_restricted(problem), problem.objective.name
    )
    if not front.proved:
        warnings.warn(f"The curve is {front.verdict()}.", NotProvedWarning, stacklevel=2)
    return front
