"""The nearest rows with another predicted label, found exactly."""

import numbers
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from exactree.arrays import Bools
from exactree.errors import InputError
from exactree.explain.counterfactual.actionability import read_actionability, read_leaf_limits
from exactree.explain.counterfactual.progress import CounterfactualProgress
from exactree.explain.counterfactual.result_table import CounterfactualTable
from exactree.explain.counterfactual.search import CounterfactualSearch
from exactree.explain.hybrid.hybrid import hybrid_of
from exactree.explain.hybrid.search import Clock, HybridSearch
from exactree.explain.rows import as_table, graph_of, read_rows
from exactree.model import Graph


def counterfactuals(
    model: Any,
    row: Any,
    want: Any = None,
    *,
    k: int = 3,
    costs: Any = "mad",
    fixed: Any = (),
    only_up: Any = (),
    only_down: Any = (),
    ranges: Mapping[str, Any] | None = None,
    rules: Any = (),
    min_accuracy: float | None = None,
    min_support: int | None = None,
    data: Any = None,
    time_limit: float | None = 60.0,
    callback: Callable[[CounterfactualProgress], Any] | None = None,
) -> Any:
    """Find the smallest changes of a row after which the model predicts another label.

    For every leaf with a target label, the nearest row that ends there is found exactly, column by column; a diagram
    has one leaf region for each decision path. If oblique splits or rules couple columns, a small MIP finds it. A
    counterfactual whose changed columns contain those of a cheaper one is dropped. Every counterfactual is checked by
    predicting it.

    Parameters
    ----------
    model : fitted estimator or Graph
        The tree or diagram; or a hybrid tree. In its leaves the nearest row with a target label is found by a MIP for
        ReLU networks (``MLPClassifier``) and linear classifiers, and by branch and bound over the thresholds for
        boosting, forests and trees of scikit-learn. For other models it is the best row found by a local search from
        known rows, seldom proved to be the nearest.
    row : row or table
        One row as a list, dict, Series or table of one row; or a table, which gives a list of results.
    want : label or list of labels, default=None
        The target label; None: any but the current one.
    k : int, default=3
        How many counterfactuals at most.
    costs : "mad", "changes" or dict, default="mad"
        The cost of changes. ``"mad"``: distance over the median absolute deviation in ``data`` or, without, in the
        training rows, whose spread the model stores; levels of categories cost more the rarer they are.
        ``"changes"``: 1 per column. A dict: cost per unit, per step of an ordered category, or per change of a
        category. Becoming missing, and filling in a missing value, cost as much as a change of a category.
    fixed, only_up, only_down : lists of column names
        Columns that may not change, not decrease, not increase. A missing value may be filled in unless it is fixed.
    ranges : dict
        Values that columns may change to: ``{"age": (18, 70), "job": ["clerk", "nurse"]}``. The current value is always
        allowed.
    rules : list of Rises and AtLeast
        Relations between columns that the changed row must satisfy.
    min_accuracy, min_support : float and int, default=None
        Required accuracy and number of training rows of the leaf where a counterfactual ends, in a diagram of its
        decision path, as the results show them.
    data : table, default=None
        Rows such as the training rows. In hybrid trees the search starts from those with a target label. With them,
        numbers change to observed values; without, to thresholds and to numbers just above them, which are integers if
        all thresholds lie halfway between integers. Columns that oblique splits or rules couple, and those that
        networks and linear models in leaves read, may change to any number; columns that hold only integers in ``data``
        stay integer.
    time_limit : float or None, default=60.0
        Seconds for all rows together, for hybrid trees; each row may take an equal share of what is left. When time is
        up, counterfactuals are marked as not proved to be the nearest, with a lower bound on the cost.
    callback : callable, default=None
        Receives a :class:`CounterfactualProgress` ten times a second, for hybrid trees; ``print`` shows it. If it
        returns True, the search stops and keeps what it has found.

    Returns
    -------
    Counterfactuals, or a list of them that prints as a table
        Empty if the problem is infeasible; then it has the constraint whose relaxation is cheapest.

    Examples
    --------
    >>> from exactree.model import Node
    >>> from exactree.table import ColumnType, Kind, Schema, Test
    >>> schema = Schema((ColumnType("age", Kind.NUMBER),), named=True)
    >>> nodes = [
    ...     Node(0, (5, 4), 9, test=Test.AT_MOST, column=0, threshold=40.5, yes=1, no=2),
    ...     Node(0, (5, 0), 5), Node(1, (0, 4), 4),
    ... ]
    >>> print(counterfactuals(Graph.of_nodes(schema, ["no", "yes"], nodes), {"age": 30}, costs="changes")[0])
    yes: cost 1, 1 change; leaf 2: 4 rows, 100.0 % right (51.0 to 100.0 %)
      age  30 -> 41
    """
    began = time.monotonic()
    hybrid = hybrid_of(model)
    graph = graph_of(model) if hybrid is None else hybrid.graph
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise InputError(f"k must be an integer, 1 or more; got {k!r}.")
    rows = read_rows(graph, row, model)
    actionability = read_actionability(graph.schema, fixed, only_up, only_down, {} if ranges is None else ranges, rules)
    actionability = read_leaf_limits(actionability, min_accuracy, min_support)
    background = None if data is None else as_table(data).conform(graph.schema)
    asked = graph, rows, target_labels(graph, want), costs, background
    if callback is not None and not callable(callback):
        raise InputError(f"callback must be a function that takes a CounterfactualProgress; got {callback!r}.")
    clock = Clock(_seconds(time_limit), callback, rows.table.n_rows, began)
    search = CounterfactualSearch(*asked) if hybrid is None else HybridSearch(*asked, hybrid, clock)
    results = search.results(actionability, k)
    return results[0] if rows.single else CounterfactualTable(results)


def _seconds(time_limit: Any) -> float | None:
    """Validate the time limit per row."""
    number = isinstance(time_limit, numbers.Real) and not isinstance(time_limit, bool)
    if time_limit is not None and not (number and time_limit >= 0):
        raise InputError(
            f"time_limit must be a number of seconds, 0 or more, or None for no limit; got {time_limit!r}."
        )
    return None if time_limit is None else float(time_limit)


def target_labels(graph: Graph, want: Any) -> Bools | None:
    """Return the target labels as a mask; None: all but the current label of a row."""
    if want is None:
        return None
    labels = graph.classes.tolist()
    several = isinstance(want, (list, tuple, set, frozenset, np.ndarray))
    mask = np.zeros(len(labels), dtype=np.bool_)
    for label in list(want) if several else [want]:
        if label not in labels:
            raise InputError(f"want is {label!r}, but the model's labels are: {', '.join(map(repr, labels))}.")
        mask[labels.index(label)] = True
    if not mask.any():
        raise InputError("want is an empty list. Name a label, or leave it out for any but the current one.")
    return mask
