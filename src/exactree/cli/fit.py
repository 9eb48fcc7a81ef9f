"""``exactree fit``: learn an optimal tree or diagram from a table."""

import sys
import time
import warnings
from argparse import Namespace
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from exactree import __version__
from exactree.cli import data, report, saved
from exactree.cli.cell import is_missing
from exactree.cli.diagram_options import refuse_mixtures
from exactree.cli.progress import Display, wanted
from exactree.datasets.files import TARGET
from exactree.encode import policy
from exactree.errors import InputError
from exactree.estimators import OptimalDiagramClassifier, OptimalTreeClassifier
from exactree.export import to_text
from exactree.model import About, Graph, save
from exactree.plot import save_svg
from exactree.solve import Progress
from exactree.solve.interface import AMONG
from exactree.solve.verdict import WORST_LEAF
from exactree.table import Frame

Estimator = OptimalTreeClassifier | OptimalDiagramClassifier
PROVED = 0
NOT_PROVED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What to learn: columns, labels and weights."""

    X: Frame
    y: NDArray[Any]
    target: str
    weights: NDArray[Any] | None


def run(options: Namespace) -> int:
    """Read, search, report; the code says whether the model is proved optimal."""
    refuse_mixtures(options)
    report.writable(options.output, "--output")
    report.drawable(options.svg)
    task = read_task(options)
    estimator = make_estimator(options, task)
    began = time.monotonic()
    shown = wanted(quiet=options.quiet, asked=options.progress)
    with Display(worst_leaf=options.objective in WORST_LEAF) if shown else nullcontext() as display:
        fitted(estimator, task, display)
        if display is not None:
            display.finish(Progress(time.monotonic() - began, estimator.cost_, estimator.lower_bound_))
    seconds = time.monotonic() - began
    about = about_of(estimator, task)
    if options.output is not None:
        save(graph_of(estimator), options.output, about)
    if options.svg is not None:
        save_svg(graph_of(estimator), options.svg)
    if options.json:
        report.write_json(as_json(estimator, task, about, options, seconds))
    elif not options.quiet:
        sys.stdout.write(as_text(estimator, task, about, options, seconds))
        sys.stderr.write(note_on_names(graph_of(estimator), estimator._noun) + data.note_on_marks(task.X))
    return PROVED if estimator.status_ == "optimal" else NOT_PROVED


def read_task(options: Namespace) -> Task:
    """Read the table and part it into what to learn from and what to learn."""
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
    rest = frame.without(target, *weights, *options.drop)
    if not rest.names:
        raise InputError(f"No column is left to ask about: {options.data} has {', '.join(map(repr, frame.names))}.")
    if "" in rest.names:
        raise InputError(
            f"Column {frame.names.index('') + 1} of {options.data} has no name, as when pandas writes its row numbers. "
            f"Leave it out with --drop '' or give it a name in the first line."
        )
    return Task(rest, labels(frame, target), target, row_weights(frame, options.weights))


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


def make_estimator(options: Namespace, task: Task) -> Estimator:
    """Turn options into parameters, name by name; those that were not typed keep the estimator's default."""
    shared = {
        "ccp_alpha": options.ccp_alpha,
        "objective": options.objective,
        "class_weight": class_weight(options.class_weight, task.y),
        "categorical_features": [name for name in options.categorical if name in task.X.names] or "from_dtype",
        "thresholds": options.thresholds,
        "solver": options.solver,
        "memory_limit": options.memory_limit,
        "max_gap": options.max_gap,
        "n_jobs": options.jobs,
        "random_state": options.seed,
    }
    names: tuple[str, ...] = ("max_depth", "max_leaf_nodes", "min_samples_leaf", "min_weight_fraction_leaf")
    if options.widths is not None:
        names = ("widths", "multivariate", "tree", "min_samples_node", "min_weight_fraction_leaf", "max_nodes")
    own = shared | {name: getattr(options, name) for name in names}
    typed = {name: value for name, value in own.items() if value is not None}
    kind = OptimalTreeClassifier if options.widths is None else OptimalDiagramClassifier
    return kind(**typed, time_limit=options.time_limit)


def graph_of(estimator: Estimator) -> Graph:
    """Return what was found."""
    graph: Graph = estimator.tree_ if isinstance(estimator, OptimalTreeClassifier) else estimator.diagram_
    return graph


def class_weight(asked: str | dict[str, float] | None, y: NDArray[Any]) -> str | dict[Any, float] | None:
    """Find the labels meant by the texts on the command line.

    Examples
    --------
    >>> class_weight({"1": 5.0}, np.array([0, 1, 1]))
    {1: 5.0}
    """
    if not isinstance(asked, dict):
        return asked
    label_of = {str(label): label for label in sorted(set(y.tolist()))}
    for text in asked:
        if text not in label_of:
            raise InputError(
                f"--class-weight names {text!r}, which is not a label. The labels are: {', '.join(label_of)}."
            )
    return {label_of[text]: weight for text, weight in asked.items()}


def fitted(estimator: Estimator, task: Task, callback: Display | None) -> None:
    """Search; what a warning would say is in the report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(task.X, task.y, sample_weight=task.weights, callback=callback)


def right(estimator: Estimator, task: Task) -> int:
    """How many training rows are answered rightly."""
    return int((estimator.predict(task.X) == task.y).sum())


def about_of(estimator: Estimator, task: Task) -> About:
    """Sum up what was found, for the file and for the report."""
    scope = estimator.solution_.scope  # a solver may keep fewer thresholds than it was given
    kept = scope.removeprefix(AMONG) if scope.startswith(AMONG) else str(policy(estimator.thresholds))
    return About(
        target=task.target,
        status=estimator.status_,
        cost=estimator.cost_,
        lower_bound=estimator.lower_bound_,
        thresholds=kept,
        exactree=__version__,
        objective=estimator.solution_.objective if estimator.solution_.objective in WORST_LEAF else None,
        scope=None if not scope or scope.startswith(AMONG) else scope.strip(),
        noun=estimator._noun,
    )


def note_on_names(graph: Graph, noun: str) -> str:
    """Point at text that differs in every row: a name or a number of the row tells nothing about other rows."""
    n_rows, asked = graph.rows[0], {node.column for node in graph.nodes() if not node.is_leaf}
    columns = graph.schema.columns
    names = [column.name for j, column in enumerate(columns) if j in asked and len(column.levels) == n_rows]
    if not names:
        return ""
    which = ", ".join(map(repr, names))
    asks = f"the {noun} asks about {which}, which differs in every row"
    return f"note: {asks}. If it only names the row, use --drop.\n"


def as_text(estimator: Estimator, task: Task, about: About, options: Namespace, seconds: float) -> str:
    """Write the tree or diagram, the verdict and the accuracy for people."""
    n_right, n_rows = right(estimator, task), len(task.y)
    graph = graph_of(estimator)
    asking = [] if graph.is_tree else [report.counted(graph.n_nodes - graph.n_leaves, "question")]
    size = ", ".join([*asking, report.counted(graph.n_leaves, "leaf", "leaves"), f"depth {graph.depth}"])
    lines = [
        to_text(graph),
        "",
        saved.verdict(about, about.noun),
        f"training accuracy {100 * n_right / n_rows:.2f} % ({n_right} of {n_rows} rows), {size}, {seconds:.2f} s",
        *([] if graph.is_tree else [f"rows at each node that asks:\n{estimator.fragmentation()}"]),
        *(f"wrote {path}" for path in (options.output, options.svg) if path is not None),
    ]
    return "\n".join(lines) + "\n"


def as_json(estimator: Estimator, task: Task, about: About, options: Namespace, seconds: float) -> dict[str, Any]:
    """Write the same for machines."""
    graph = graph_of(estimator)
    return {
        **saved.as_json(about),
        "n_leaves": graph.n_leaves,
        "depth": graph.depth,
        "seconds": round(seconds, 6),
        "accuracy": right(estimator, task) / len(task.y),
        "n_rows": len(task.y),
        "tree": to_text(graph),
        "paths": {"model": options.output, "svg": options.svg},
    } | ({} if options.widths is None else {"fragmentation": estimator.fragmentation().to_dict()})
