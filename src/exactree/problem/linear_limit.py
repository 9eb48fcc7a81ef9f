"""Limits on sums over rows of a coefficient of the row and its answer, hard or at a price."""

from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from exactree.arrays import Floats, Int32s, Ints

# A limit is held to this share of what its sum could reach: back ends that count in floats see no finer. Where whole
# weights give sums below a million, that is exact.
LIMIT_NOISE = 1e-6
LARGEST = 2.0**30  # that sums of whole coefficients may reach; beyond, no back end takes them as integers


@dataclass(frozen=True, slots=True, eq=False)
class LinearLimit:
    """The sum of ``coefficient[row, answer of row]`` over all rows is at most ``at_most``.

    Examples
    --------
    >>> limit = LinearLimit("false positives", np.array([[0.0, 1.0], [0.0, 1.0]]), at_most=1.0)
    >>> limit.excess(np.array([1, 1])), limit.excess(np.array([0, 1]))
    (0.5, 0.0)
    """

    text: str  # what is limited
    coefficient: Floats  # (n_rows, n_classes)
    at_most: float
    unit: float = 1.0  # of the sum, for one unit of what the user limits: a row, or a difference of rates of 1
    largest: float = field(init=False)  # what the sum could be at most; 1 if it is always 0

    def __post_init__(self) -> None:
        # Column by column: many rows of few numbers each take twenty times as long.
        largest = float(reduce(np.maximum, np.abs(self.coefficient).T).sum()) or 1.0
        object.__setattr__(self, "largest", largest)

    @classmethod
    def of(cls, text: str, coefficient: Floats, at_most: float, unit: float = 1.0) -> "LinearLimit":
        """Write a limit with coefficients that are whole, or else about 1: back ends satisfy all rows equally well.

        Examples
        --------
        >>> LinearLimit.of("a", np.array([[0.0, 1e9 / 3], [0.0, 1e9 / 3]]), 1e9 / 3).at_most
        1.0
        """
        found = cls(text, coefficient, at_most, unit)
        if found.largest <= LARGEST and np.array_equal(coefficient, np.rint(coefficient)):
            return found
        sizes = np.abs(coefficient)
        size = float(sizes[sizes > 0].mean())
        return cls(text, coefficient / size, at_most / size, unit / size)

    def total(self, answers: Ints | Int32s) -> float:
        """Return the sum for some answers."""
        return float(self.coefficient[np.arange(len(answers)), answers].sum())

    def excess(self, answers: Ints | Int32s) -> float:
        """By how much some answers exceed the limit, as a share of what they could at most."""
        return (self.total(answers) - self.at_most) / self.largest

    def measure(self, answers: Ints | Int32s) -> float:
        """What is limited, as the user counts it: rows, or a difference of rates."""
        return self.total(answers) / self.unit


@dataclass(frozen=True, slots=True, eq=False)
class SoftLimit:
    """Limits of which the largest violation has a price, in place of being forbidden.

    Examples
    --------
    >>> limit = LinearLimit("false positives", np.array([[0.0, 1.0], [0.0, 1.0]]), at_most=1.0)
    >>> soft = SoftLimit("false positives", 0.5, (limit,))
    >>> soft.penalty(np.array([1, 1])), soft.penalty(np.array([0, 1]))
    (0.5, 0.0)
    """

    text: str
    price: float  # added to the cost for each unit of violation, as the user counts it
    limits: tuple[LinearLimit, ...]

    def violation(self, answers: Ints | Int32s) -> float:
        """Return the largest violation, 0 if there is none."""
        return max((limit.measure(answers) - limit.at_most / limit.unit for limit in self.limits), default=0.0)

    def penalty(self, answers: Ints | Int32s) -> float:
        """What the violation adds to the cost."""
        return self.price * max(0.0, self.violation(answers))
