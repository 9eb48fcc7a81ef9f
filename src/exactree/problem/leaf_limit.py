"""How wrong a leaf may be: one limit for every leaf by itself, whatever the others are."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

import numpy as np

from exactree.arrays import Bools, Floats
from exactree.problem.shares import share_from, whole_units
from exactree.tolerances import INTEGRALITY

# As LIMIT_NOISE of sums over all rows: back ends that count in floats see no finer. Only where weights are no integers.
LEAF_NOISE = 1e-6
LARGEST = 2**30  # what sums of integers may reach to be exact wherever they are added up, CP-SAT included


@dataclass(frozen=True, slots=True, eq=False)
class LeafLimit:
    """At least a share of what is in a leaf is answered right; in a small leaf so much may be wrong.

    ``amount`` counts units. Where these are integers all of this is exact, and the share is the least above what
    was asked for that so many units can have; else it holds up to a millionth of all units.

    Examples
    --------
    >>> limit = LeafLimit.of("errors", np.ones(4), Fraction(3, 4), Fraction(0), Fraction(0))
    >>> limit.allows(np.array([[3.0, 1.0]]))
    array([[ True, False]])
    """

    text: str  # what is limited
    amount: Floats  # (n_rows,) units that each row counts
    share: Fraction  # least that is right in a leaf which is not small
    whole: bool  # whether all of amount, small and errors are integers
    small: float = 0.0  # leaves of fewer units are small
    errors: float = 0.0  # units that may be wrong in a small leaf
    price: float | None = None  # of a leaf that breaks the limit, in total weights; None: there may be none
    asked: float = 0.0  # share as the user wrote it

    @classmethod
    def of(
        cls,
        text: str,
        weights: Floats,
        share: Fraction,
        small: Fraction,
        errors: Fraction,
        price: float | None = None,
    ) -> "LeafLimit":
        """Write a limit for rows of these weights."""
        counted = whole_units(weights)
        if counted is not None:
            amount, unit = counted
            most = int(amount.sum())
            reduced = share if share.denominator <= most else share_from(share, most)
            if reduced.denominator * most < LARGEST:
                fewest, allowed = ceil(_settled(small, unit)), floor(_settled(errors, unit))
                return cls(text, amount, reduced, True, float(fewest), float(allowed), price, float(share))
        unit = float(weights.mean())  # so that what back ends call noise is a millionth of a row
        fewest_units = float(small) / unit * (1 - LEAF_NOISE)
        return cls(text, weights / unit, share, False, fewest_units, float(errors) / unit, price, float(share))

    @property
    def total(self) -> float:
        """Units of all rows."""
        return float(self.amount.sum())

    @property
    def odds(self) -> tuple[float, float]:
        """What a wrong unit costs a leaf and a right one earns it: a leaf may not cost more than it earns."""
        if self.whole:
            return float(self.share.numerator), float(self.share.denominator - self.share.numerator)
        return float(self.share), float(1 - self.share)

    @property
    def noise(self) -> float:
        """Units that do not count."""
        return 0.0 if self.whole else LEAF_NOISE * self.total

    def allows(self, amounts: Floats) -> Bools:
        """Which classes leaves may answer, (n_leaves, n_classes), given the units of each class in them.

        The kernel has the same rule, in ``native/core/leaf_limit.hpp``.
        """
        noise = self.noise
        units = amounts.sum(axis=1, keepdims=True)
        wrong = units - amounts
        costs, earns = self.odds
        right_enough = costs * wrong <= earns * amounts + noise
        return np.asarray(np.where(units < self.small, wrong <= self.errors + noise, right_enough))


def _settled(number: Fraction, unit: float) -> Fraction:
    """A number in some unit, and the integer it would be but for the rounding of the unit."""
    exact = number / Fraction(unit)
    near = Fraction(round(exact))
    return near if abs(float(exact - near)) <= INTEGRALITY * max(1.0, float(near)) else exact
