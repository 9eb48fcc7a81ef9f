"""Cross-validation in a leaf: whether a model fitted on its rows beats the leaf's class.

The rows of a leaf are cut into folds, each class spread evenly; the model is fitted on all folds but one and predicts
that one. What its answers cost is compared with what the leaf's class costs on the same rows, by the tree's objective.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

from exactree.arrays import Floats
from exactree.encode import Encoded
from exactree.encode.weights import class_weights
from exactree.estimators.fit_run import FitRun
from exactree.estimators.hybrid.leaf_models import LeafTask, fitted_model, least_rows_of_a_class
from exactree.estimators.hybrid.training import TrainingRows
from exactree.estimators.parameters import OBJECTIVES, is_worst_leaf, read_objective

FOLDS = 5
SURE = 1e-9  # relative: a model whose cost is this close to the class's does not win


class Labelled(NamedTuple):
    """What an objective reads of labelled rows."""

    classes: NDArray[Any]
    labels: NDArray[np.intp]  # (n_rows,)
    weights: Floats  # (n_rows,)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerCosts:
    """What answers cost by the objective of a tree."""

    weights: Floats  # (n_rows,)
    matrix: Floats  # (n_classes, n_classes): [true class, answer]

    def of(self, rows: NDArray[np.intp], codes: NDArray[np.intp], answers: NDArray[np.intp]) -> float:
        """Return the cost of the answers to some rows."""
        return float(np.sum(self.weights[rows] * self.matrix[codes, answers]))

    @property
    def counts_errors(self) -> bool:
        """Whether the cost is the number of errors."""
        return bool((self.weights == 1).all() and (self.matrix == 1 - np.eye(len(self.matrix))).all())


def answer_costs(estimator: Any, classes: NDArray[Any], rows: TrainingRows) -> AnswerCosts:
    """Return what answers cost by the objective of a tree estimator; worst-leaf objectives count errors in a leaf."""
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    used = weights > 0
    present = rows.codes[used].astype(np.int32)
    weights = weights * class_weights(getattr(estimator, "class_weight", None), classes, present)[rows.codes]
    names = {"objective": "accuracy", "cost_matrix": None, "confidence": 0.95}
    parameters = {name: getattr(estimator, name, default) for name, default in names.items()}
    if is_worst_leaf(parameters["objective"]):
        return AnswerCosts(
            weights, OBJECTIVES["accuracy"](cast("Encoded", Labelled(classes, rows.codes, weights))).matrix
        )
    known = cast("Encoded", Labelled(classes, rows.codes[used], weights[used]))
    return AnswerCosts(weights, read_objective(parameters, known).matrix)


@dataclass(frozen=True, slots=True)
class Validation:
    """A model and the class of a leaf, compared on its rows."""

    cost: float  # of the model's answers
    class_cost: float
    right: int  # rows that the model gets right
    class_right: int
    rows: int
    counts_errors: bool

    @property
    def wins(self) -> bool:
        """Whether the model costs less than the class.

        Examples
        --------
        >>> Validation(3.0, 3.0, 97, 97, 100, counts_errors=True).wins
        False
        """
        return self.cost < self.class_cost * (1 - SURE)

    def text(self, name: str) -> str:
        """Say how a model did that lost.

        Examples
        --------
        >>> Validation(12.0, 9.0, 88, 91, 100, counts_errors=True).text("SVC")
        'SVC is no better: 88 right in validation, the class 91'
        """
        return f"{name} is no better: {self}"

    def __str__(self) -> str:
        if self.counts_errors:
            return f"{self.right:,} right in validation, the class {self.class_right:,}"
        return f"costs {self.cost:.6g} in validation, the class {self.class_cost:.6g}"


@dataclass(frozen=True, slots=True, eq=False)
class FoldTask:
    """A model to fit on all folds of a leaf but one, and to be asked about that one."""

    leaf: LeafTask
    codes: NDArray[np.intp]  # (n_rows,) classes of the rows of the leaf
    held_out: NDArray[np.bool_]  # (n_rows,)
    least: int  # rows that a fit needs of a class


def fold_numbers(codes: NDArray[np.intp], seed: int | None) -> NDArray[np.intp]:
    """Return the fold of each row, the rows of each class spread evenly.

    Examples
    --------
    >>> np.bincount(fold_numbers(np.array([0] * 10 + [1] * 5), 0)).tolist()
    [3, 3, 3, 3, 3]
    """
    rng = np.random.default_rng(0 if seed is None else seed)
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    folds = np.empty(len(codes), dtype=np.intp)
    folds[order] = np.arange(len(codes)) % min(FOLDS, len(codes))
    return folds


def fold_tasks(task: LeafTask, codes: NDArray[np.intp], estimator: Any, seed: int | None) -> Iterator[FoldTask]:
    """Yield the folds of a leaf."""
    folds = fold_numbers(codes, seed)
    least = least_rows_of_a_class(estimator, len(codes))[0]
    for fold in range(int(folds.max()) + 1):
        yield FoldTask(task, codes, folds == fold, least)


def predict_fold(task: FoldTask) -> tuple[int, NDArray[np.bool_], NDArray[Any]]:
    """Return the leaf, the rows held out, and the labels that a model fitted on the others predicts."""
    leaf, train = task.leaf, ~task.held_out
    counts = np.bincount(task.codes[train], minlength=int(task.codes.max()) + 1)
    enough = counts >= task.least  # a class with fewer rows is left out: the model then errs on it
    train &= enough[task.codes]
    tested = np.flatnonzero(task.held_out)
    chosen = np.flatnonzero(train)
    if np.count_nonzero(enough) < 2:
        label = leaf.labels[int(np.flatnonzero(task.codes == counts.argmax())[0])]
        return leaf.node, task.held_out, np.repeat(label, len(tested))
    preparation = None if leaf.preparation is None else clone(leaf.preparation)
    weights = None if leaf.weights is None else leaf.weights[chosen]
    part = LeafTask(
        leaf.node,
        preparation,
        clone(leaf.model, safe=False),
        _safe_indexing(leaf.columns, chosen),
        leaf.labels[chosen],
        weights,
    )
    model = fitted_model(part, " in validation, which keep='always' leaves out")
    return leaf.node, task.held_out, np.asarray(model.predict(_safe_indexing(leaf.columns, tested)))


def predict_held_out(
    tasks: Iterator[FoldTask],
    n_leaves: int,
    n_jobs: int | None,
    run: FitRun,
    out_of_time: Callable[[], bool],
    labels: dict[int, NDArray[Any]],
) -> set[int]:
    """Fill in the label predicted for every row while it was held out; return the leaves that are done."""
    lacking = {node: np.ones(len(found), dtype=np.bool_) for node, found in labels.items()}
    done: set[int] = set()
    jobs = (delayed(predict_fold)(task) for task in takewhile(lambda _: not (run.stopped or out_of_time()), tasks))
    for node, held_out, predicted in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
        labels[node][held_out] = predicted
        lacking[node] &= ~held_out
        if not lacking[node].any():
            done.add(node)
        run.enter("leaf validation", f"{len(done)} of {n_leaves} leaves")
    return done
