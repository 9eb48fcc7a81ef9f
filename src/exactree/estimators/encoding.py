"""Table and labels of a fit -> encoded data, with the time and the thresholds that the parameters allow."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from exactree.encode import Encoded, Growth, TableThresholds, encode, policy
from exactree.encode.sampling import DEEPEST
from exactree.errors import InputError
from exactree.estimators.fit_run import FitRun
from exactree.estimators.parameters import read_budget, read_limits
from exactree.table import Table

SAMPLING_SHARE = 1 / 3  # of the time, for thresholds that are sampled
QUICK_CELLS = 2**20  # ranked in some 0.05 s, and so whatever the time limit
RANKING_GRACE = 0.25  # seconds beyond the time limit: a table that is ranked within them has a greedy tree at least


def encoded(
    parameters: Mapping[str, Any],
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    run: FitRun,
    growth: Callable[[], Growth],
    estimator: str = "OptimalTreeClassifier",
    may_stop: bool = False,
) -> Encoded:
    """Read a table and encode it.

    Parameters
    ----------
    parameters : mapping
        Parameters of the estimator by name.
    X, y, sample_weight
        As given to ``fit``.
    run : FitRun
        The fit, to which the stages are reported.
    growth : callable
        Returns what sampled thresholds must know about the model; called only for such thresholds.
    estimator : str, default="OptimalTreeClassifier"
        Its name, for messages.
    may_stop : bool, default=False
        Whether to rank no columns of a large table if the time limit passes before all are ranked.

    Examples
    --------
    >>> from exactree.estimators import OptimalTreeClassifier
    >>> parameters = OptimalTreeClassifier().get_params()
    >>> encoded(parameters, [[1.0], [2.0]], [0, 1], None, run=FitRun(), growth=lambda: Growth(3)).columns[0].cuts
    array([1.5])
    """
    if y is None:
        raise InputError(
            f"This {estimator} estimator requires y to be passed, but the target y is None: give one label per row."
        )
    run.enter("reading")
    table = Table.of(X, categorical_features=parameters["categorical_features"])
    labels = column_or_1d(np.asarray(y), warn=True) if np.asarray(y).ndim == 2 else y
    run.enter("encoding")
    thresholds = policy(parameters["thresholds"])
    is_quick = table.n_rows * len(table.columns) <= QUICK_CELLS
    return encode(
        table,
        labels,
        sample_weight=sample_weight,
        class_weight=parameters["class_weight"],
        thresholds=thresholds,
        growth=growth() if isinstance(thresholds, TableThresholds) else None,
        is_late=partial(_is_late, run, read_budget(parameters).seconds if may_stop and not is_quick else None),
    )


def _is_late(run: FitRun, seconds: float | None) -> bool:
    return seconds is not None and run.seconds() > seconds + RANKING_GRACE


def growth_of(parameters: Mapping[str, Any], run: FitRun, depth: int, seed: int | None, **limits: Any) -> Growth:
    """Return what sampled thresholds must know: depth of the model, threads, time, seed and limits on leaves.

    Examples
    --------
    >>> from exactree.estimators import OptimalTreeClassifier
    >>> growth_of(OptimalTreeClassifier(time_limit=30).get_params(), FitRun(), 3, None).seconds
    10.0
    """
    budget = read_budget(parameters)
    left = run.left(budget).seconds
    seconds = None if left is None or budget.seconds is None else min(SAMPLING_SHARE * budget.seconds, left)
    return Growth(depth, budget.threads, seconds, tell=partial(run.enter, "sampling"), seed=seed, **limits)


def tree_growth(parameters: Mapping[str, Any], run: FitRun, seed: int | None) -> Growth:
    """Return what sampled thresholds must know about a tree.

    Examples
    --------
    >>> from exactree.estimators import OptimalTreeClassifier
    >>> tree_growth(OptimalTreeClassifier(4, min_samples_leaf=0.1).get_params(), FitRun(), None).least_rows(200)
    20
    """
    limits = read_limits(parameters, 1)
    return growth_of(
        parameters,
        run,
        min(limits.deepest, DEEPEST) if limits.max_depth is None else limits.max_depth,
        seed,
        least_rows=lambda n_rows: read_limits(parameters, n_rows).min_samples_leaf,
        least_share=limits.min_weight_fraction_leaf,
    )
