"""What a hybrid tree is trained on: its tree, and the training rows with their leaves."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.tree import BaseDecisionTree
from sklearn.utils.validation import has_fit_parameter

from exactree.arrays import Floats, Int32s
from exactree.encode.labels import encode_labels
from exactree.errors import InputError
from exactree.estimators.fit_run import FitRun
from exactree.estimators.tree import OptimalTreeClassifier
from exactree.model import Graph

TREE_WANTED = "tree must be an estimator of exactree, such as OptimalTreeClassifier(max_depth=3), fitted or not"
LARGEST_SEED = 2**31 - 1
LEFT_OUT = -1  # in place of a node, for rows of weight zero


@dataclass(frozen=True, slots=True, eq=False)
class TrainingRows:
    """Training rows, each with its leaf."""

    columns: Any  # what leaf models read: an array of numbers, or the caller's table
    leaf: Int32s  # (n_rows,) node of the leaf, LEFT_OUT where the weight is zero
    codes: NDArray[np.intp]  # (n_rows,) index into the classes
    weights: Floats | None  # (n_rows,) None if the caller gave none

    def at(self, node: int) -> NDArray[np.intp]:
        """Return the rows of a leaf."""
        return np.flatnonzero(self.leaf == node)

    def counts(self, node: int, n_classes: int) -> NDArray[np.intp]:
        """Return the rows of each class in a leaf."""
        return np.bincount(self.codes[self.leaf == node], minlength=n_classes)


def fitted_tree(
    tree: Any, random: Any, X: Any, y: Any, sample_weight: Any, run: FitRun, time_limit: float | None
) -> Any:
    """Return the tree as it is if it is fitted, else a clone that is fitted within the time limit of both."""
    tree = OptimalTreeClassifier(max_depth=3) if tree is None else tree
    if graph_of(tree) is not None:
        return tree
    if isinstance(tree, type) or not hasattr(tree, "fit"):
        raise InputError(f"{TREE_WANTED}; got {tree!r}.")
    if isinstance(tree, BaseDecisionTree):
        raise InputError(f"{TREE_WANTED}; got scikit-learn's {tree!r}, whose splits exactree does not read.")
    chosen = with_seed(clone(tree), random)
    if time_limit is not None and hasattr(chosen, "time_limit"):
        left, own = max(0.0, time_limit - run.seconds()), chosen.time_limit
        chosen.set_params(time_limit=left if own is None else min(own, left))
    follow = {"callback": run.solver_callback()} if has_fit_parameter(chosen, "callback") else {}
    fitted = chosen.fit(X, y, sample_weight=sample_weight, **follow)
    if graph_of(fitted) is None:
        raise InputError(f"{TREE_WANTED}; got {tree!r}.")
    return fitted


def graph_of(estimator: Any) -> Any:
    """Return the graph of a fitted tree or diagram of ours; None if there is none."""
    found = getattr(estimator, "tree_", getattr(estimator, "diagram_", None))
    return found if isinstance(found, Graph) else None


def class_codes(y: Any, classes: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    """Index of each row's label among the classes of the tree, which may have been fitted on other rows."""
    labels, codes = encode_labels(y, n_rows)
    index = {label: code for code, label in enumerate(classes.tolist())}
    for label in labels.tolist():
        if label not in index:
            raise InputError(
                f"y has the label {label!r}, which the fitted tree does not know; it knows "
                f"{', '.join(map(repr, index))}. Fit the tree on rows of all classes, or give one that is not fitted."
            )
    return np.array([index[label] for label in labels.tolist()], dtype=np.intp)[codes]


def is_fractional(classes: NDArray[Any]) -> bool:
    """Whether classes are fractions, which scikit-learn's classifiers would take for measurements."""
    return classes.dtype.kind == "f" and bool((classes != np.floor(classes)).any())


def with_seed(estimator: Any, random: Any) -> Any:
    """Set every random_state that is still open, here and inside."""
    if random is None or not hasattr(estimator, "get_params"):
        return estimator
    parameters = estimator.get_params(deep=True)
    names = [name for name in sorted(parameters) if name.rpartition("__")[2] == "random_state"]
    seeds = {name: random.randint(LARGEST_SEED) for name in names if parameters[name] is None}
    return estimator.set_params(**seeds)
