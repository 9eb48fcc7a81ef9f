"""Which rows of the table keep a fitted tree's worst leaf from being better."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from exactree.errors import InputError
from exactree.estimators.encoding import encoded, tree_growth
from exactree.estimators.fit_run import FitRun
from exactree.estimators.parameters import is_worst_leaf, read_limits, read_objective, read_seed
from exactree.estimators.tree import OptimalTreeClassifier
from exactree.explain import BlockingRows
from exactree.problem import RESOLUTION, Problem
from exactree.solve.search.coverage_bound import coverage_bounds
from exactree.solve.verdict import WORST_LEAF


def blocking_rows(tree: OptimalTreeClassifier, X: Any, y: Any, sample_weight: Any = None) -> BlockingRows:
    """Find the rows that lie in no box with a better score than the worst leaf of a tree.

    Parameters
    ----------
    tree : fitted OptimalTreeClassifier
        With ``objective="leaf_accuracy"`` or ``"leaf_confidence"``.
    X, y, sample_weight
        What it was fitted to.

    Returns
    -------
    BlockingRows
        Boxes have as many conditions as paths of the tree may have questions, thresholds as the tree's, and as many
        rows as its leaves must have. All of them are tried, unless there are too many: then nothing is computed.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> tree = OptimalTreeClassifier(max_depth=1, objective="leaf_accuracy", min_samples_leaf=2).fit(X, y)
    >>> blocking_rows(tree, X, y).rows
    array([2, 3])
    """
    check_is_fitted(tree, "tree_")
    graph = tree.tree_
    if not is_worst_leaf(tree.objective):
        raise InputError(
            f"The tree was fitted with objective={tree.objective!r}. Rows that block its worst leaf are known where "
            f"that leaf decides: fit with one of {', '.join(WORST_LEAF)}."
        )
    parameters, run = tree.get_params(), FitRun()
    seed = read_seed(tree.random_state)
    data = encoded(parameters, X, y, sample_weight, run=run, growth=lambda: tree_growth(parameters, run, seed))
    if data.classes.tolist() != graph.classes.tolist():
        raise InputError(
            f"y has the labels {data.classes.tolist()}, the tree was fitted to {graph.classes.tolist()}. Give the "
            f"rows it was fitted to."
        )
    problem = Problem(data, read_objective(parameters, data), read_limits(parameters, data.n_rows))
    worst = 1.0 - problem.cost(graph, tree.apply(X)[data.kept])
    depth = min(problem.limits.deepest, problem.limits.most_leaves - 1)
    of_points = coverage_bounds(problem)
    if of_points is None:
        return BlockingRows(worst, None, np.empty(0, np.int64), depth, problem.limits.min_samples_leaf)
    reach = np.full(data.n_given, np.nan)
    reach[data.kept] = of_points[data.point_of]
    rows = np.flatnonzero(reach <= worst + RESOLUTION)  # not those of weight 0, of which there is nothing to say
    return BlockingRows(worst, reach, rows, depth, problem.limits.min_samples_leaf)
