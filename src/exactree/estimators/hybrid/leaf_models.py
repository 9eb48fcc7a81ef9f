"""What sits in a leaf of a hybrid tree: the tree's class, for a reason that is reported, or a model fitted there."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import BaseShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from exactree.arrays import Floats, Ints
from exactree.errors import InputError
from exactree.estimators.fit_run import FitRun
from exactree.estimators.hybrid.leaf_columns import CodedLabels, innermost
from exactree.estimators.progress import LeafLines

DEFAULT_FOLDS = 5  # scikit-learn's, for cv=None
AUTO_STOPS_AFTER = 10_000  # rows from which on early_stopping="auto" of gradient boosting holds rows back
WANTED = "leaf_estimator must be a classifier with fit and predict, or a search over one"


@dataclass(frozen=True, slots=True, eq=False)
class LeafTask:
    """A model to fit and the training rows to fit it on."""

    node: int
    preparation: ColumnTransformer | None  # what turns the columns into what the model reads; None for nothing
    model: Any  # not fitted, and not shared
    columns: Any  # (n_rows, ...) an array of numbers, or rows of the caller's own table
    labels: NDArray[Any]  # (n_rows,) the caller's own
    weights: Floats | None  # (n_rows,)


@dataclass(frozen=True, slots=True, eq=False)
class FittedLeaf:
    """A fitted model, and how many of its training rows it gets right."""

    node: int
    model: Any
    rows: int
    right: int


def read_leaf_estimator(leaf_estimator: Any) -> Any:
    """Return the estimator that the parameter stands for, or say what is wrong with it.

    Examples
    --------
    >>> read_leaf_estimator(None)
    HistGradientBoostingClassifier()
    """
    if leaf_estimator is None:
        return HistGradientBoostingClassifier()
    if isinstance(leaf_estimator, str):
        if leaf_estimator != "xgboost":
            raise InputError(f"Unknown leaf_estimator {leaf_estimator!r}; the only name is 'xgboost'. {WANTED}.")
        if find_spec("xgboost") is None:
            raise InputError("leaf_estimator='xgboost' needs the package xgboost: pip install 'exactree[hybrid]'.")
        return import_module("xgboost").XGBClassifier()
    if isinstance(leaf_estimator, type):
        name = leaf_estimator.__name__
        raise InputError(f"{WANTED}; got the class {name}. Make one of it: leaf_estimator={name}().")
    # Some objects have predict only once they are fitted, but then their class has it before.
    if not hasattr(leaf_estimator, "fit") or not hasattr(type(leaf_estimator), "predict"):
        raise InputError(f"{WANTED}; got {leaf_estimator!r}.")
    if hasattr(leaf_estimator, "__sklearn_tags__") and is_regressor(leaf_estimator):
        raise InputError(f"{WANTED}; got {leaf_estimator!r}, which predicts numbers. Use the classifier of its kind.")
    return leaf_estimator


def described(estimator: Any) -> str:
    """Name an estimator in a few words.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> described(GridSearchCV(LogisticRegression(), {"C": [1, 2]}))
    'GridSearchCV of LogisticRegression'
    """
    inner = innermost(estimator)[0]
    if isinstance(inner, Pipeline):
        inner = innermost(inner.steps[-1][1])[0]
    outer, name = type(estimator).__name__, type(inner).__name__
    return name if inner is estimator or isinstance(estimator, Pipeline) else f"{outer} of {name}"


def why_constant(estimator: Any, counts: Ints, classes: NDArray[Any], *, min_rows: int) -> str | None:
    """Return why a leaf keeps its class, given the rows of each class in it; None if it gets a model.

    Examples
    --------
    >>> why_constant(HistGradientBoostingClassifier(), np.array([60, 0]), np.array(["no", "yes"]), min_rows=50)
    "all its rows are 'no'"
    """
    n_rows, present = int(counts.sum()), np.flatnonzero(counts)
    if n_rows == 0:
        return "no training row came here"
    if len(present) == 1:
        return f"all its rows are {classes[present].tolist()[0]!r}"
    if n_rows < min_rows:
        return f"{_rows(n_rows)}, fewer than min_rows={min_rows}"
    needed, what = least_rows_of_a_class(estimator, n_rows)
    rarest = present[counts[present].argmin()]
    if counts[rarest] < needed:
        label = classes[[rarest]].tolist()[0]
        return f"class {label!r} has {_rows(int(counts[rarest]))} there, fewer than the {needed} {what}"
    return None


def leaves_predict_proba(hybrid: Any) -> bool:
    """Whether all leaves predict probabilities; before ``fit``, whether the estimator promises to."""
    models = getattr(hybrid, "leaf_models_", {0: hybrid.leaf_estimator}).values()
    lacking = [m for m in models if not (m is None or isinstance(m, str) or hasattr(m, "predict_proba"))]
    if lacking:
        raise AttributeError(
            f"{described(lacking[0])} has no predict_proba, so the leaves cannot predict probabilities."
        )
    return True


def fit_leaves(
    tasks: Iterator[LeafTask],
    n_tasks: int,
    n_jobs: int | None,
    run: FitRun,
    out_of_time: Callable[[], bool],
    lines: LeafLines | None,
) -> dict[int, FittedLeaf]:
    """Fit the models of leaves side by side until all are done, time is up or the callback stops the run."""
    done: dict[int, FittedLeaf] = {}
    jobs = (delayed(fit_leaf)(task) for task in takewhile(lambda _: not (run.stopped or out_of_time()), tasks))
    for found in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        done[found.node] = found
        if lines is not None:
            lines.leaf(found.node, found.rows, found.right)
        run.enter("leaf models", f"{len(done)} of {n_tasks} models")
    return done


def fit_leaf(task: LeafTask) -> FittedLeaf:
    """Fit the model of one leaf; runs in a process of its own if there are several."""
    model = fitted_model(task)
    right = int(np.count_nonzero(np.asarray(model.predict(task.columns)) == task.labels))
    return FittedLeaf(task.node, model, len(task.labels), right)


def fitted_model(task: LeafTask, when: str = "") -> Any:
    """Fit a model on the rows of a task, behind what prepares them; ``when`` is added to the note of an error."""
    try:
        columns = task.columns if task.preparation is None else task.preparation.fit_transform(task.columns)
        task.model.fit(columns, task.labels, **_weights(task.model, task.weights))
    except Exception as error:
        error.add_note(f"This happened to the model of leaf {task.node}, on {_rows(len(task.labels))}{when}.")
        raise
    if task.preparation is None:
        return task.model
    return Pipeline([("prepare", task.preparation), ("model", task.model)])


def _rows(n: int) -> str:
    return f"{n:,} {'row' if n == 1 else 'rows'}"


def least_rows_of_a_class(estimator: Any, n_rows: int) -> tuple[int, str]:
    """Return how many rows of each class a fit needs, and the words for what needs them."""
    if hasattr(estimator, "cv"):
        return _folds(estimator.cv), f"folds of {type(estimator).__name__}"
    stopping = getattr(innermost(estimator)[0], "early_stopping", False)
    stops = stopping is True or (stopping == "auto" and n_rows > AUTO_STOPS_AFTER)
    # The validation rows of early stopping have every class, and so have the others.
    return (2, "that early stopping needs") if stops else (1, "that a fit needs")


def _folds(cv: Any) -> int:
    """Parts into which the rows are cut; 2 where they are drawn, or where the splitter does not say."""
    if cv is None:
        return DEFAULT_FOLDS
    if isinstance(cv, Integral):
        return int(cv)
    if isinstance(cv, BaseShuffleSplit):
        return 2
    folds = getattr(cv, "n_splits", None) or getattr(cv, "cvargs", {}).get("n_splits")  # cvargs: repeated splitters
    return int(folds) if isinstance(folds, Integral) else 2


def _weights(model: Any, weights: Floats | None) -> dict[str, Floats]:
    """Return the weights under the name by which a model takes them; nothing if it takes none."""
    if weights is None or not _hands_on(model):
        return {}
    inner, name = innermost(model)[0], "sample_weight"
    if isinstance(inner, Pipeline):
        step, inner = inner.steps[-1]
        name = f"{step}__sample_weight"
    return {name: weights} if has_fit_parameter(inner, "sample_weight") else {}


def _hands_on(model: Any) -> bool:
    """Whether weights given to a wrapper reach the model inside: by name, or as a search's options for its model."""
    if not innermost(model)[1]:
        return True
    taken = inspect.signature(model.fit).parameters
    anything = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in taken.values())
    return "sample_weight" in taken or (anything and (isinstance(model, CodedLabels) or hasattr(model, "cv")))
