"""What ``exactree fit`` learns from, and the estimator that its options describe."""

import time
import warnings
from argparse import Namespace
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli import data, report
from exactree.cli.cell import is_missing
from exactree.cli.options.constraints import label_meant, read_constraints, sensitive_columns
from exactree.cli.options.solver import solver_with
from exactree.cli.progress import Display
from exactree.datasets.files import TARGET
from exactree.errors import InputError
from exactree.estimators import NotProvedWarning, OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.table import Frame

Estimator = OptimalTreeClassifier | OptimalDiagramClassifier


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What to learn: columns, labels and weights."""

    X: Frame
    y: NDArray[Any]
    target: str
    weights: NDArray[Any] | None
    constraints: list[Any] = field(default_factory=list)  # FalseNegatives, Fairness and LeafAccuracy


def read_task(options: Namespace) -> Task:
    """Read the table and separate the target and the weights from the other columns."""
    frame = data.read(options.data, missing=options.missing, delimiter=options.delimiter)
    target = options.target or TARGET
    if options.target is None and TARGET not in frame.names:
        raise InputError(
            f"Which column is to be predicted? Say it with --target NAME. "
            f"The columns are: {', '.join(map(repr, frame.names))}."
        )
    weights = [options.weights] if options.weights is not None else []
    for names, option in (
        ([target], "--target"),
        (weights, "--weights"),
        (options.drop, "--drop"),
        (options.categorical, "--categorical"),
    ):
        data.require(names, frame, option)
    if target in (*weights, *options.drop):
        raise InputError(f"{target!r} is the column to predict, so it can be neither dropped nor the weights.")
    apart = dict.fromkeys([target, *weights, *options.drop, *sensitive_columns(options, frame)])
    rest = frame.without(*apart)
    if not rest.names:
        raise InputError(f"No column is left to ask about: {options.data} has {', '.join(map(repr, frame.names))}.")
    if "" in rest.names:
        raise InputError(
            f"Column {frame.names.index('') + 1} of {options.data} has no name, as when pandas writes its row numbers. "
            f"Leave it out with --drop '' or give it a name in the first line."
        )
    y = labels(frame, target)
    return Task(rest, y, target, row_weights(frame, options.weights), read_constraints(options, frame, y))


def labels(frame: Frame, target: str) -> NDArray[Any]:
    """Return the column to predict; every row needs a label."""
    y = frame.column(target)
    missing = np.array([is_missing(label) for label in y.tolist()], dtype=np.bool_)
    if missing.any():
        raise InputError(
            f"The target column {target!r} is empty in {report.counted(int(missing.sum()), 'row')}, first in row "
            f"{int(missing.argmax())}, counting from 0 below the header. Every row needs a label: remove those rows."
        )
    return y


def row_weights(frame: Frame, name: str | None) -> NDArray[Any] | None:
    """Return the column that says how much each row counts."""
    if name is None:
        return None
    weights = frame.column(name)
    other = next((value for value in weights.tolist() if isinstance(value, str | bool)), None)
    if other is not None:
        raise InputError(f"--weights names {name!r}, which holds {other!r}. Weights are numbers; name another column.")
    return weights


def make_estimator(options: Namespace, task: Task, seconds: float | None) -> Estimator:
    """Turn options into parameters, name by name; those that were not typed keep the estimator's default.

    ``seconds`` is what is left of the time limit.
    """
    shared = {
        "ccp_alpha": options.ccp_alpha,
        "objective": options.objective,
        "class_weight": class_weight(options.class_weight, task.y),
        "categorical_features": categorical(options, task),
        "thresholds": options.thresholds,
        "solver": solver_with(options.solver, options.solver_option, diagrams=options.widths is not None),
        "constraints": task.constraints or None,
        "memory_limit": options.memory_limit,
        "max_gap": options.max_gap,
        "n_jobs": options.jobs,
        "random_state": options.seed,
    }
    names: tuple[str, ...] = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_fraction_leaf")
    if options.widths is not None:
        about_splits = ("multivariate", "max_split_columns", "column_price")
        names = ("widths", *about_splits, "tree", "min_samples_node", "min_weight_fraction_leaf", "max_nodes")
    own = shared | {name: getattr(options, name) for name in names}
    typed = without_limit({name: value for name, value in own.items() if value is not None})
    kind = OptimalTreeClassifier if options.widths is None else OptimalDiagramClassifier
    return kind(**typed, time_limit=seconds)


def without_limit(typed: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with ``None`` for 'none'.

    Examples
    --------
    >>> without_limit({"max_depth": "none", "max_leaf_nodes": 4})
    {'max_depth': None, 'max_leaf_nodes': 4}
    """
    return {name: None if name == "max_depth" and value == "none" else value for name, value in typed.items()}


def seconds_left(options: Namespace, began: float) -> float | None:
    """Return what is left of the time limit, which includes reading.

    Examples
    --------
    >>> seconds_left(Namespace(time_limit=0.0), began=time.monotonic())
    0.0
    """
    return None if options.time_limit is None else max(0.0, options.time_limit - (time.monotonic() - began))


def tree_parameters(options: Namespace, task: Task, seconds: float | None) -> dict[str, Any]:
    """Return the parameters of a tree that commands without a choice of solvers have in common."""
    names = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_fraction_leaf", "thresholds")
    typed = {name: getattr(options, name) for name in (*names, "memory_limit")}
    return without_limit({name: value for name, value in typed.items() if value is not None}) | {
        "class_weight": class_weight(options.class_weight, task.y),
        "categorical_features": categorical(options, task),
        "time_limit": seconds,
    }


def categorical(options: Namespace, task: Task) -> list[str] | str:
    """Columns whose numbers are codes."""
    return [name for name in options.categorical if name in task.X.names] or "from_dtype"


def class_weight(asked: str | dict[str, float] | None, y: NDArray[Any]) -> str | dict[Any, float] | None:
    """Find the labels meant by the texts on the command line.

    Examples
    --------
    >>> class_weight({"1": 5.0}, np.array([0, 1, 1]))
    {1: 5.0}
    """
    if not isinstance(asked, dict):
        return asked
    return {label_meant(text, y, "--class-weight"): weight for text, weight in asked.items()}


def fit(estimator: Estimator, task: Task, callback: Display | None) -> None:
    """Fit; the report says what the warning would."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)
        estimator.fit(task.X, task.y, sample_weight=task.weights, callback=callback)
