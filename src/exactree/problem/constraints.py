"""Side constraints on the answers: limits on false negatives, and fairness between groups of rows.

All of them are linear in the answers: a sum over rows of a coefficient that depends on the row and on what it is
answered must not exceed a limit. Fractions are multiplied out, so that whole weights give whole coefficients.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.encode import Encoded
from exactree.errors import InputError

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


@dataclass(frozen=True, slots=True)
class FalseNegatives:
    """At most so much weight of the positive class is answered otherwise.

    Parameters
    ----------
    at_most : float
        Rows, or their weight; 0 allows none.
    positive : label
        The class that must not be overlooked.
    """

    at_most: float
    positive: Any

    def limits(self, data: Encoded) -> Iterator[LinearLimit]:
        """Write the constraint for some rows."""
        if self.at_most < 0:
            raise InputError(f"FalseNegatives(at_most={self.at_most}) cannot be held; give 0 or more.")
        k = class_number(data, self.positive)
        coefficient = np.zeros((data.n_rows, data.n_classes))
        coefficient[data.labels == k] = data.weights[data.labels == k, None]
        coefficient[:, k] = 0.0
        yield LinearLimit(f"false negatives of class {self.positive!r}", coefficient, self.at_most)


@dataclass(frozen=True, slots=True, eq=False)
class Fairness:
    """No two groups of rows get the positive answer at rates that differ by more than ``at_most``.

    Parameters
    ----------
    measure : {"demographic_parity", "equal_opportunity", "predictive_equality", "equalized_odds"}
        Rates among all rows; among rows whose true class is positive; among those whose true class is not; both.
    groups : sequence
        The group of each row of positive weight.
    at_most : float
        Largest difference of two rates, 0 to 1.
    positive : label
        The answer that is wanted.
    """

    measure: str
    groups: Sequence[Any] | NDArray[Any]
    at_most: float
    positive: Any

    def limits(self, data: Encoded) -> Iterator[LinearLimit]:
        """Write the constraint for some rows, two rows of a program for each pair of groups."""
        if self.measure not in MEASURES:
            raise InputError(f"Unknown measure {self.measure!r} of fairness; choose one of {', '.join(MEASURES)}.")
        if not 0 <= self.at_most <= 1:
            raise InputError(f"Fairness(at_most={self.at_most}) must lie in 0..1: it is a difference of two rates.")
        groups = np.asarray(self.groups)
        if groups.shape != (data.n_rows,):
            raise InputError(f"Fairness has groups of shape {groups.shape}, but there are {data.n_rows} rows.")
        k = class_number(data, self.positive)
        for text, among in self._conditions(data.labels == k):
            for a, b in permutations(np.unique(groups[among]).tolist(), 2):
                yield self._pair(data, k, text, among & (groups == a), among & (groups == b), (a, b))

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
        whole_a, whole_b = float(data.weights[a].sum()), float(data.weights[b].sum())
        coefficient = np.zeros((data.n_rows, data.n_classes))
        coefficient[a, k] = data.weights[a] * whole_b
        coefficient[b, k] = -data.weights[b] * whole_a
        worded = f"{text} of group {names[0]!r} over that of group {names[1]!r}"
        return LinearLimit(worded, coefficient, self.at_most * whole_a * whole_b)


def class_number(data: Encoded, label: Any) -> int:
    """Place of a label among the classes."""
    found = np.flatnonzero(data.classes == label)
    if len(found) != 1:
        raise InputError(f"positive={label!r} is none of the classes {data.classes.tolist()}.")
    return int(found[0])
