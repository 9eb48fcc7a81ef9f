"""Objectives: sums of misclassification costs over rows, or the score of the worst leaf."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from exactree.arrays import Floats, Int32s
from exactree.encode import Encoded
from exactree.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """A cost per unit of weight for every pair of true class and answer, or the score of the worst leaf.

    With ``z`` a tree is scored by its worst leaf: each leaf by its accuracy, the share of its weight that has its label
    (``z`` = 0), or by the lower end of Wilson's interval of the accuracy, ``z`` standard deviations below it. The
    matrix then decides which label a leaf gets.

    Examples
    --------
    >>> Objective("accuracy", np.array([[0.0, 1.0], [1.0, 0.0]])).name
    'accuracy'
    """

    name: str
    matrix: Floats  # (n_classes, n_classes): [true class, answer], never negative
    z: float | None = None

    @property
    def is_worst_leaf(self) -> bool:
        """Whether a tree is scored by its worst leaf, not by a sum over rows."""
        return self.z is not None

    @property
    def one_cost_per_class(self) -> bool:
        """Whether the right answer is a cheapest one, and all wrong answers to rows of one class cost the same."""
        right = np.diag(self.matrix)[:, None]
        off = np.where(np.eye(len(self.matrix), dtype=np.bool_), -np.inf, self.matrix).max(axis=1, keepdims=True)
        alike = (self.matrix == off) | np.eye(len(self.matrix), dtype=np.bool_)
        return bool(len(self.matrix) < 2 or (alike.all() and (right <= off).all()))

    def leaf_scores(self, weight: Floats, label: Int32s) -> Floats:
        """Return the score of leaves with these labels and weights of each class, (n_leaves, n_classes)."""
        total = weight.sum(axis=1)
        share = np.take_along_axis(weight, label[:, None].astype(np.int64), axis=1)[:, 0] / total
        z = self.z or 0.0
        spread = z * np.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
        return np.asarray((share + z * z / (2 * total) - spread) / (1 + z * z / total))

    def leaf_costs(self, weight: Floats) -> Floats:
        """Cost of each answer, given the weight of each true class at a leaf."""
        return np.asarray(weight @ self.matrix)


def accuracy(data: Encoded) -> Objective:
    """Fewest weighted errors.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> accuracy(encode(Table.of([[0], [1]]), ["a", "b"])).matrix
    array([[0., 1.],
           [1., 0.]])
    """
    return Objective("accuracy", 1.0 - np.eye(data.n_classes))


def leaf_accuracy(data: Encoded) -> Objective:
    """Share of right answers in the worst leaf.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> leaf_accuracy(encode(Table.of([[0], [1]]), ["a", "b"])).is_worst_leaf
    True
    """
    return Objective("leaf_accuracy", 1.0 - np.eye(data.n_classes), z=0.0)


def leaf_confidence(data: Encoded, confidence: float = 0.95) -> Objective:
    """The same with what that share is at least, with some confidence: small leaves must be better than large ones.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> objective = leaf_confidence(encode(Table.of([[0], [1]]), ["a", "b"]), confidence=0.95)
    >>> objective.leaf_scores(np.array([[10.0, 0.0], [100.0, 0.0]]), np.array([0, 0], dtype=np.int32)).round(3)
    array([0.787, 0.974])
    """
    if not 0.5 <= confidence < 1:
        raise InputError(f"confidence must lie between 0.5 and 1, such as 0.95; got {confidence!r}.")
    return Objective("leaf_confidence", 1.0 - np.eye(data.n_classes), z=NormalDist().inv_cdf(confidence))


def balanced_accuracy(data: Encoded) -> Objective:
    """Errors of each class count in proportion to one over the class's weight, so that all classes matter alike.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> balanced_accuracy(encode(Table.of([[0], [1], [2], [3]]), ["a", "a", "a", "b"])).matrix
    array([[0.        , 0.66666667],
           [2.        , 0.        ]])
    """
    totals = np.bincount(data.labels, weights=data.weights, minlength=data.n_classes)
    present = totals > 0
    each = np.zeros(data.n_classes)
    each[present] = totals.sum() / (present.sum() * totals[present])
    return Objective("balanced_accuracy", each[:, None] * (1.0 - np.eye(data.n_classes)))


def cost_sensitive(data: Encoded, cost_matrix: ArrayLike | Mapping[tuple[Any, Any], float]) -> Objective:
    """Cost of every mistake by its own.

    ``cost_matrix`` is an array with ``cost_matrix[i][j]`` the cost of answering class ``j`` when class ``i`` is true,
    classes in the order of ``classes_``, or a mapping from (true label, answer) to cost, where pairs that are left
    out cost 1, or 0 if the answer is right.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> data = encode(Table.of([[0], [1]]), ["ill", "well"])
    >>> cost_sensitive(data, {("ill", "well"): 5.0}).matrix
    array([[0., 5.],
           [1., 0.]])
    """
    if isinstance(cost_matrix, Mapping):
        return Objective("cost_matrix", _checked(_from_mapping(data, cost_matrix), data))
    try:
        matrix = np.asarray(cost_matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"cost_matrix must be an array of numbers or a mapping; got {cost_matrix!r}.") from None
    return Objective("cost_matrix", _checked(matrix, data))


def _from_mapping(data: Encoded, costs: Mapping[tuple[Any, Any], float]) -> Floats:
    matrix = 1.0 - np.eye(data.n_classes)
    place = {label: k for k, label in enumerate(data.classes.tolist())}
    for pair, cost in costs.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] not in place or pair[1] not in place:
            raise InputError(
                f"cost_matrix has the key {pair!r}; keys must be pairs (true label, answer) of the labels "
                f"{data.classes.tolist()}."
            )
        matrix[place[pair[0]], place[pair[1]]] = float(cost)
    return matrix


def _checked(matrix: Floats, data: Encoded) -> Floats:
    wanted = (data.n_classes, data.n_classes)
    if matrix.shape != wanted:
        raise InputError(
            f"cost_matrix has shape {matrix.shape}; expected {wanted}, one row per true class and one column per "
            f"answer, in the order {data.classes.tolist()}."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InputError("cost_matrix must hold finite numbers, 0 or more; add a constant to a row to make it so.")
    return matrix
