"""The curve of errors against unfairness: the fewest errors for every difference of rates that a tree can have."""

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from exactree.encode import Encoded
from exactree.errors import Infeasible, InputError
from exactree.estimators.curve import TreeCurve, leaves_text
from exactree.estimators.encoding import encoded, tree_growth
from exactree.estimators.fit_run import FitRun
from exactree.estimators.graph_classifier import NotProvedWarning
from exactree.estimators.parameters import read_budget, read_limits, read_objective
from exactree.estimators.tree import OptimalTreeClassifier
from exactree.model import Graph
from exactree.model.wording import percent
from exactree.problem import Fairness, LinearLimit, Problem, is_restricted, scope_text
from exactree.problem.linear_limit import LIMIT_NOISE
from exactree.solve import Callback, Solution, Status, solve


@dataclass(frozen=True, slots=True, eq=False)
class FairnessPoint:
    """One tree of the curve: no tree found whose rates are as close makes fewer errors.

    Examples
    --------
    >>> front = fairness_front([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], groups=["a", "b", "a", "b"], max_depth=1)
    >>> print(front[0])
    rates 0.0 % apart, 100.0 % right, 2 leaves
    """

    difference: float  # largest difference of two groups' rates
    accuracy: float  # by weight
    cost: float
    leaves: int
    proved: bool  # whether no tree at all with rates as close costs less
    tree: Graph

    def __str__(self) -> str:
        return f"rates {percent(self.difference)} apart, {percent(self.accuracy)} right, {leaves_text(self.leaves)}"


@dataclass(frozen=True, slots=True, eq=False)
class FairnessFront(TreeCurve):
    """The curve of errors against the difference of rates, from the tree of lowest cost to the fairest one.

    Prints as a table, shows as a picture in notebooks, and is a sequence of its points.

    Examples
    --------
    >>> X, y = [[0, 1], [1, 0], [2, 1], [3, 0]], [0, 0, 1, 1]
    >>> print(fairness_front(X, y, groups=["a", "a", "b", "b"], max_depth=2))
    difference  accuracy  leaves  proved
       100.0 %   100.0 %       2     yes
        50.0 %    75.0 %       2     yes
         0.0 %    50.0 %       1     yes
    proved: no allowed tree lies beyond this curve
    """

    _head: ClassVar[tuple[str, ...]] = ("difference", "accuracy", "leaves", "proved")
    _fields: ClassVar[tuple[str, ...]] = ("difference", "accuracy", "cost", "leaves", "proved")
    _lower_is_better: ClassVar[bool] = True

    points: tuple[FairnessPoint, ...]
    status: str  # "optimal", or what ended the search: "time_limit", "interrupted"
    scope: str  # which trees the parameters allow, in words
    restricted: bool
    measure: str  # which rates are compared

    def _cells(self, point: Any) -> tuple[str, ...]:
        return percent(point.difference), percent(point.accuracy), str(point.leaves)

    def _place(self, point: Any) -> tuple[float, float]:
        return point.difference, 1.0 - point.accuracy

    def _axes(self) -> tuple[str, str]:
        return f"difference of rates ({self.measure.replace('_', ' ')})", "share of errors"


def fairness_front(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    *,
    measure: str = "demographic_parity",
    groups: Any = None,
    positive: Any = None,
    within: Any = None,
    resolution: float = 0.005,
    callback: Callback | None = None,
    time_limit: float | None = 60.0,
    **parameters: Any,
) -> FairnessFront:
    """Find the fewest errors for every difference of rates between groups.

    Parameters
    ----------
    X, y, sample_weight, sensitive_features
        Table, labels, weights and groups, as :meth:`OptimalTreeClassifier.fit` takes them.
    measure, groups, positive, within
        Which rates are compared, as :class:`Fairness` has them.
    resolution : float, default=0.005
        Points whose differences of rates are closer than this need not be told apart; 0 gives all of them.
    callback : callable, default=None
        As in :meth:`OptimalTreeClassifier.fit`; called for each tree of the curve in turn.
    time_limit : float or None, default=60.0
        Seconds for the whole curve.
    **parameters
        Others of :class:`OptimalTreeClassifier`, such as ``max_depth``, ``thresholds`` and ``class_weight``.

    Returns
    -------
    FairnessFront
        A search that ends early warns with :class:`NotProvedWarning`, keeps all points found, and says of each
        whether it is proved.

    Examples
    --------
    >>> front = fairness_front([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], groups=["a", "b", "a", "b"], max_depth=1)
    >>> front.to_frame()
    {'difference': [0.0], 'accuracy': [1.0], 'cost': [0.0], 'leaves': [2], 'proved': [True]}
    """
    run = FitRun(callback)
    if not resolution >= 0:
        raise InputError(f"resolution must be a difference of rates, 0 or more; got {resolution!r}.")
    given = OptimalTreeClassifier(time_limit=time_limit, **parameters).get_params()
    if given["constraints"]:
        raise InputError("fairness_front takes no further constraints; leave constraints=... out.")
    data = encoded(given, X, y, sample_weight, run=run, growth=lambda: tree_growth(given, run, None))
    rule = Fairness(
        measure, 1.0, groups=sensitive_features if groups is None else groups, positive=positive, within=within
    )
    problem = Problem(data, read_objective(given, data), read_limits(given, data.n_rows))
    points, status = _sweep(run, problem, rule, resolution, given)
    front = FairnessFront(_undominated(points), status, scope_text(problem), is_restricted(problem), measure)
    if not front.proved:
        warnings.warn(f"The curve is {front.verdict()}.", NotProvedWarning, stacklevel=2)
    return front


def _sweep(
    run: FitRun, problem: Problem, rule: Fairness, resolution: float, given: dict[str, Any]
) -> tuple[list[FairnessPoint], str]:
    """Tighten the limit below the difference of the last tree, until there is none or time is up."""
    limits = _limits(rule, problem.data, 1.0)
    step = max(resolution, 4 * LIMIT_NOISE * max((limit.largest / limit.unit for limit in limits), default=0.0))
    points: list[FairnessPoint] = []
    allowed, last = 1.0, None
    while True:
        limited = replace(problem, constraints=_limits(rule, problem.data, allowed)) if points else problem
        try:
            found = solve(
                limited, given["solver"], run.left(read_budget(given)), start=last, callback=run.solver_callback()
            )
        except Infeasible:
            return points, Status.OPTIMAL.value
        points.append(_point(problem, limits, found))
        last, allowed = found.model, points[-1].difference - step
        if found.status is not Status.OPTIMAL:
            return points, found.status.value
        if allowed < 0 and points[-1].difference <= step:
            return points, Status.OPTIMAL.value
        allowed = max(allowed, 0.0)


def _limits(rule: Fairness, data: Encoded, at_most: float) -> tuple[LinearLimit, ...]:
    found = replace(rule, at_most=at_most).limits(data)
    return tuple(limit for limit in found if isinstance(limit, LinearLimit))


def _point(problem: Problem, limits: tuple[LinearLimit, ...], found: Solution) -> FairnessPoint:
    data, model = problem.data, found.model
    answers = model.label[model.apply(data.table)]
    difference = max((limit.measure(answers) for limit in limits), default=0.0)
    right = float(np.sum(data.weights[answers == data.labels])) / data.total_weight
    proved = found.status is Status.OPTIMAL
    return FairnessPoint(max(difference, 0.0), right, found.cost, model.n_leaves, proved, model)


def _undominated(points: list[FairnessPoint]) -> tuple[FairnessPoint, ...]:
    """Leave out trees that a fairer one costs no more than: costs rise from each limit to the next."""
    noise = 1e-9
    return tuple(
        point
        for at, point in enumerate(points)
        if not any(other.cost <= point.cost * (1 + noise) for other in points[at + 1 :])
    )
