"""Side constraints: limits on false negatives, fairness between groups of rows, and accuracy of every leaf.

The first two are linear in the answers: a sum over rows of a coefficient that depends on the row and on what it is
answered must not exceed a limit. Fractions are multiplied out, so that whole weights give whole coefficients. The last
is a limit for each leaf. Rows count by their sample weights: class weights say what mistakes cost, not how many rows
there are.
"""

import math
import numbers
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from exactree.encode import Encoded
from exactree.errors import InputError
from exactree.problem.groups import groups_of
from exactree.problem.leaf_limit import LeafLimit
from exactree.problem.shares import meant_share

# A limit is held to this share of what its sum could reach: back ends that count in floats see no finer. Where whole
# weights give sums below a million, that is exact.
LIMIT_NOISE = 1e-6
MEASURES = ("demographic_parity", "equal_opportunity", "predictive_equality", "equalized_odds")


@dataclass(frozen=True, slots=True, eq=False)
class LinearLimit:
    """The sum of ``coefficient[row, answer of row]`` over all rows is at most ``at_most``."""

    text: str  # what is limited, in words
    coefficient: NDArray[np.float64]  # (n_rows, n_classes)
    at_most: float

    def excess(self, answers: NDArray[np.int64] | NDArray[np.int32]) -> float:
        """By how much some answers exceed the limit, as a share of what they could at most."""
        total = float(self.coefficient[np.arange(len(answers)), answers].sum())
        largest = float(np.abs(self.coefficient).max(axis=1, initial=0.0).sum())
        return (total - self.at_most) / max(largest, np.finfo(float).tiny)


Limit = LinearLimit | LeafLimit


class Constraint(Protocol):
    """What may be demanded of a tree's answers."""

    def limits(self, data: Encoded) -> Iterator[Limit]:
        """Write the constraint for some rows."""
        ...


@dataclass(frozen=True, slots=True)
class FalseNegatives:
    """At most so many rows of the positive class are answered otherwise.

    Parameters
    ----------
    at_most : float
        Rows, or their sample weight; 0 allows none.
    positive : label, default=None
        The class that must not be overlooked; of two classes, the second unless you say.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = [[0], [1], [2], [3], [4]], ["ill", "well", "ill", "well", "well"]
    >>> tree = OptimalTreeClassifier(max_depth=1, constraints=[FalseNegatives(at_most=0, positive="ill")]).fit(X, y)
    >>> tree.predict(X).tolist(), tree.status_
    (['ill', 'ill', 'ill', 'well', 'well'], 'optimal')
    """

    at_most: float
    positive: Any = None

    def limits(self, data: Encoded) -> Iterator[LinearLimit]:
        """Write the constraint for some rows."""
        if not _is_number(self.at_most) or self.at_most < 0:
            raise InputError(f"FalseNegatives(at_most={self.at_most!r}) cannot be held; give a number, 0 or more.")
        k = class_number(data, self.positive)
        coefficient = np.zeros((data.n_rows, data.n_classes))
        coefficient[data.labels == k] = data.sample_weights[data.labels == k, None]
        coefficient[:, k] = 0.0
        yield LinearLimit(f"false negatives of class {data.classes.tolist()[k]!r}", coefficient, self.at_most)


@dataclass(frozen=True, slots=True, eq=False)
class Fairness:
    """No two groups of rows get the positive answer at rates that differ by more than ``at_most``.

    Parameters
    ----------
    measure : {"demographic_parity", "equal_opportunity", "predictive_equality", "equalized_odds"}
        Rates among all rows; among rows whose true class is positive; among those whose true class is not; both.
    at_most : float
        Largest difference of two rates, 0 to 1.
    groups : str or array, default=None
        Name of a column of the table, or the group of each row (with several columns, every combination is a group).
        Left out, it is what ``fit`` gets as ``sensitive_features``. Rows without a value are a group of their own.
    positive : label, default=None
        The answer that is wanted; of two classes, the second unless you say.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = [[0, 1], [1, 0], [2, 1], [3, 0]], [0, 0, 1, 1]
    >>> fair = Fairness("demographic_parity", at_most=0.5, groups="x1")
    >>> OptimalTreeClassifier(max_depth=2, constraints=[fair]).fit(X, y).cost_
    0.0
    """

    measure: str
    at_most: float
    _: KW_ONLY
    groups: Any = None
    positive: Any = None

    def limits(self, data: Encoded) -> Iterator[LinearLimit]:
        """Write the constraint for some rows, two rows of a program for each pair of groups."""
        if self.measure not in MEASURES:
            raise InputError(f"Unknown measure {self.measure!r} of fairness; choose one of {', '.join(MEASURES)}.")
        if not _is_number(self.at_most) or not 0 <= self.at_most <= 1:
            raise InputError(f"Fairness(at_most={self.at_most!r}) must lie in 0..1: it is a difference of two rates.")
        if self.groups is None:
            raise InputError(
                "Fairness has no groups. Name a column, such as groups='sex', or give one group per row: "
                "fit(X, y, sensitive_features=...)."
            )
        names, groups = groups_of(self.groups, data)
        k = class_number(data, self.positive)
        for text, among in self._conditions(data.labels == k):
            for a, b in permutations(np.unique(groups[among]).tolist(), 2):
                yield self._pair(data, k, text, among & (groups == a), among & (groups == b), (names[a], names[b]))

    def _conditions(self, positive: NDArray[np.bool_]) -> list[tuple[str, NDArray[np.bool_]]]:
        everyone = ("rate of positive answers", np.ones_like(positive))
        true_ones, false_ones = ("true positive rate", positive), ("false positive rate", ~positive)
        return {
            "demographic_parity": [everyone],
            "equal_opportunity": [true_ones],
            "predictive_equality": [false_ones],
            "equalized_odds": [true_ones, false_ones],
        }[self.measure]

    def _pair(
        self, data: Encoded, k: int, text: str, a: NDArray[np.bool_], b: NDArray[np.bool_], names: tuple[Any, Any]
    ) -> LinearLimit:
        weights = data.sample_weights
        whole_a, whole_b = float(weights[a].sum()), float(weights[b].sum())
        coefficient = np.zeros((data.n_rows, data.n_classes))
        coefficient[a, k] = weights[a] * whole_b
        coefficient[b, k] = -weights[b] * whole_a
        worded = f"{text} of group {names[0]!r} over that of group {names[1]!r}"
        return LinearLimit(worded, coefficient, self.at_most * whole_a * whole_b)


@dataclass(frozen=True, slots=True)
class LeafAccuracy:
    """Every leaf answers at least a share of its rows right.

    Parameters
    ----------
    at_least : float
        The share, 0 to 1. A number such as 0.8 or 2 / 3 is taken for the fraction it stands for: 4 right of 5 are 0.8.
    small : float, default=None
        Leaves of fewer rows than this are judged by ``errors`` instead.
    errors : float, default=None
        Rows that such a leaf may get wrong; left out, what a leaf of ``small`` rows may, ``small * (1 - at_least)``.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 1, 0, 0]
    >>> tree = OptimalTreeClassifier(max_depth=1, constraints=[LeafAccuracy(at_least=0.6)]).fit(X, y)
    >>> tree.n_leaves_, tree.cost_
    (1, 2.0)
    """

    at_least: float
    _: KW_ONLY
    small: float | None = None
    errors: float | None = None

    def limits(self, data: Encoded) -> Iterator[LeafLimit]:
        """Write the constraint for some rows."""
        if not _is_number(self.at_least) or not 0 <= self.at_least <= 1:
            raise InputError(f"LeafAccuracy(at_least={self.at_least!r}) must lie in 0..1: it is a share of rows.")
        for name, value in (("small", self.small), ("errors", self.errors)):
            if value is not None and (not _is_number(value) or value < 0):
                raise InputError(f"LeafAccuracy({name}={value!r}) must be a number of rows, 0 or more, or None.")
        if self.errors is not None and self.small is None:
            raise InputError(
                f"LeafAccuracy(errors={self.errors!r}) is for small leaves; say below how many rows a leaf is one, "
                f"such as small=20."
            )
        share = meant_share(self.at_least)
        small = Fraction(0) if self.small is None else meant_share(self.small)
        errors = small * (1 - share) if self.errors is None else meant_share(self.errors)
        text = f"share of wrong answers in a leaf (at most {float(1 - share):g})"
        if small > 0:
            text = f"{text[:-1]}, or {float(errors):g} rows in leaves of less than {float(small):g})"
        yield LeafLimit.of(text, data.sample_weights, share, small, errors)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and math.isfinite(value)


def class_number(data: Encoded, label: Any) -> int:
    """Place of a label among the classes; without one, the second of two."""
    if label is None:
        if data.n_classes != 2:
            raise InputError(f"positive is not given, and there are {data.n_classes} classes: say which one is meant.")
        return 1
    found = np.flatnonzero(data.classes == label)
    if len(found) != 1:
        raise InputError(f"positive={label!r} is none of the classes {data.classes.tolist()}.")
    return int(found[0])
