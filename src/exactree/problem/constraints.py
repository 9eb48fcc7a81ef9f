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

from exactree.arrays import Bools, Floats
from exactree.encode import Encoded
from exactree.errors import InputError
from exactree.names import canonical
from exactree.problem.groups import groups_of, members_of
from exactree.problem.leaf_limit import LeafLimit
from exactree.problem.limits import HIGHEST_PRICE
from exactree.problem.linear_limit import LinearLimit, SoftLimit
from exactree.problem.shares import MOST_PARTS, meant_share, whole_units

MEASURES = ("demographic_parity", "equal_opportunity", "predictive_equality", "equalized_odds")


Limit = LinearLimit | LeafLimit | SoftLimit


class Constraint(Protocol):
    """What may be demanded of a tree's answers.

    Examples
    --------
    >>> from exactree.encode import encode
    >>> from exactree.table import Table
    >>> constraint: Constraint = FalseNegatives(at_most=3)
    >>> [limit.text for limit in constraint.limits(encode(Table.of([[0], [1]]), ["no", "yes"]))]
    ["false negatives of class 'yes'"]
    """

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
            raise InputError(f"FalseNegatives(at_most={self.at_most!r}) must be a number, 0 or more.")
        k = class_number(data, self.positive)
        coefficient = np.zeros((data.n_rows, data.n_classes))
        amount, unit = _amounts(data)
        coefficient[data.labels == k] = amount[data.labels == k, None]
        coefficient[:, k] = 0.0
        text = f"false negatives of class {data.classes.tolist()[k]!r}"
        yield LinearLimit.of(text, coefficient, self.at_most / unit, 1.0 / unit)


@dataclass(frozen=True, slots=True, eq=False)
class Fairness:
    """No two groups of rows get the positive answer at rates that are too far apart.

    How far is said by one of ``at_most``, for the difference of two rates, and ``ratio``, for one rate in terms of the
    other.

    Parameters
    ----------
    measure : {"demographic_parity", "equal_opportunity", "predictive_equality", "equalized_odds"}
        Rates among all rows; among rows whose true class is positive; among those whose true class is not; both.
    at_most : float, default=None
        Largest difference of two rates, 0 to 1.
    ratio : float, default=None
        The rate of each group is at least this times that of every other, 0 to 1; 0.8 is the four-fifths rule. A number
        such as 0.8 or 2 / 3 is taken for the fraction it stands for.
    price : float, default=None
        Makes it a soft constraint: rates may be further apart, and each unit by which the largest difference of two
        rates exceeds the limit costs ``price`` times the total weight. With 0.5, a difference of 0.1 too much costs as
        much as 5 % of all rows wrong. ``at_most`` is then 0 unless you say.
    groups : str, array or dict, default=None
        Name of a column of the table, or the group of each row (with several columns, every combination is a group).
        Left out, it is what ``fit`` gets as ``sensitive_features``. Rows without a value are a group of their own.
        Groups that overlap come as a dict from names to truth values, one for each row.
    positive : label, default=None
        The favourable answer; of two classes, the second by default.
    within : str or array, default=None
        Name of a column of the table, or a value for each row: rows are compared only with rows of the same value, as
        where a difference in what the column says may be the reason for a difference in the answers.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = [[0, 1], [1, 0], [2, 1], [3, 0]], [0, 0, 1, 1]
    >>> fair = Fairness("demographic_parity", at_most=0.5, groups="x1")
    >>> OptimalTreeClassifier(max_depth=2, constraints=[fair]).fit(X, y).cost_
    0.0
    >>> four_fifths = Fairness("demographic_parity", ratio=0.8, groups=["a", "a", "a", "b"])
    >>> OptimalTreeClassifier(max_depth=2, constraints=[four_fifths]).fit(X, y).cost_
    2.0
    >>> priced = Fairness("demographic_parity", price=0.25, groups=["a", "a", "b", "b"])
    >>> OptimalTreeClassifier(max_depth=2, constraints=[priced]).fit(X, y).cost_
    1.0
    """

    measure: str
    at_most: float | None = None
    _: KW_ONLY
    ratio: float | None = None
    price: float | None = None
    groups: Any = None
    positive: Any = None
    within: Any = None

    def limits(self, data: Encoded) -> Iterator[LinearLimit | SoftLimit]:
        """Write the constraint for some rows, two limits for each pair of groups; with a price, one of all together."""
        self._check()
        hard = self._pairs(data)
        if self.price is None:
            yield from hard
        elif pairs := tuple(hard):
            text = f"difference of rates ({self._measure.replace('_', ' ')})"
            yield SoftLimit(text, self.price * data.total_weight, pairs)

    def _pairs(self, data: Encoded) -> Iterator[LinearLimit]:
        names, members = members_of(self.groups, data)
        k = class_number(data, self.positive)
        weights, _ = _amounts(data)
        for where, inside in self._strata(data):
            for text, condition in self._conditions(data.labels == k):
                among = members & (inside & condition)
                for a, b in permutations(np.flatnonzero(among.any(axis=1)).tolist(), 2):
                    worded = f"{text} of group {names[a]!r} over that of group {names[b]!r}{where}"
                    yield self._pair(weights, (k, data.n_classes), worded, among[a], among[b])

    def _check(self) -> None:
        if self._measure not in MEASURES:
            raise InputError(f"Unknown measure {self.measure!r} of fairness; choose one of {', '.join(MEASURES)}.")
        self._check_distance()
        if self.price is not None and (not _is_number(self.price) or self.price < 0):
            raise InputError(f"Fairness(price={self.price!r}) must be a number, 0 or more, or None for no price.")
        if self.groups is None:
            raise InputError(
                "Fairness has no groups. Name a column, such as groups='sex', or give one group per row: "
                "fit(X, y, sensitive_features=...)."
            )

    @property
    def _measure(self) -> str:
        """Canonical name of the measure."""
        return canonical(self.measure, MEASURES) if isinstance(self.measure, str) else self.measure

    def _check_distance(self) -> None:
        """Refuse what is no limit on how far apart two rates may be."""
        if self.price is not None and self.at_most is None and self.ratio is None:
            return
        if (self.at_most is None) == (self.ratio is None):
            given = "neither" if self.at_most is None else f"at_most={self.at_most!r} and ratio={self.ratio!r}"
            raise InputError(
                f"Fairness takes one of at_most=0.1, the largest difference of two rates, and ratio=0.8, the least "
                f"share of one rate in another; got {given}."
            )
        if self.at_most is not None and (not _is_number(self.at_most) or not 0 <= self.at_most <= 1):
            raise InputError(f"Fairness(at_most={self.at_most!r}) must lie in 0..1: it is a difference of two rates.")
        if self.ratio is not None and (not _is_number(self.ratio) or not 0 <= self.ratio <= 1):
            raise InputError(
                f"Fairness(ratio={self.ratio!r}) must lie in 0..1: it is one rate divided by a larger one."
            )

    def _strata(self, data: Encoded) -> list[tuple[str, Bools]]:
        """Rows that are compared with each other, and how to say so."""
        if self.within is None:
            return [("", np.ones(data.n_rows, dtype=np.bool_))]
        names, strata = groups_of(self.within, data, "within")
        return [(f", within {name!r}", strata == at) for at, name in enumerate(names)]

    def _conditions(self, positive: Bools) -> list[tuple[str, Bools]]:
        everyone = ("rate of positive answers", np.ones_like(positive))
        true_ones, false_ones = ("true positive rate", positive), ("false positive rate", ~positive)
        return {
            "demographic_parity": [everyone],
            "equal_opportunity": [true_ones],
            "predictive_equality": [false_ones],
            "equalized_odds": [true_ones, false_ones],
        }[self._measure]

    def _pair(
        self,
        weights: Floats,
        answer: tuple[int, int],
        text: str,
        a: Bools,
        b: Bools,
    ) -> LinearLimit:
        """Hold down the rate of group a in terms of that of group b, both multiplied with both sizes.

        ``rate a - rate b <= at_most``, or ``ratio rate a <= rate b`` with the denominator multiplied out. ``answer`` is
        the number of the positive class, of how many.
        """
        k, n_classes = answer
        whole_a, whole_b = float(weights[a].sum()), float(weights[b].sum())
        share = Fraction(1) if self.ratio is None else meant_share(self.ratio)
        over, under = float(share.numerator), float(share.denominator)
        if under > MOST_PARTS:  # large coefficients would do more harm than those that are not whole
            over, under = float(share), 1.0
        coefficient = np.zeros((len(weights), n_classes))
        coefficient[:, k] = weights * (whole_b * over * a - whole_a * under * b)  # a row may be in both
        return LinearLimit.of(text, coefficient, (self.at_most or 0.0) * whole_a * whole_b, whole_a * whole_b * under)


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
    price : float, default=None
        What each leaf that is not good enough adds to the cost, as a share of the total weight, as ``ccp_alpha`` does
        for every leaf. Left out, there may be no such leaf.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 1, 0, 0]
    >>> tree = OptimalTreeClassifier(max_depth=1, constraints=[LeafAccuracy(at_least=0.6)]).fit(X, y)
    >>> tree.n_leaves_, tree.cost_
    (1, 2.0)
    >>> soft = LeafAccuracy(at_least=0.7, price=0.5)
    >>> tree = OptimalTreeClassifier(max_depth=1, constraints=[soft], solver="exhaustive").fit(X, y)
    >>> tree.n_leaves_, tree.cost_  # two errors in one leaf, which is 67 % right and pays half of 6
    (1, 5.0)
    """

    at_least: float
    _: KW_ONLY
    small: float | None = None
    errors: float | None = None
    price: float | None = None

    def limits(self, data: Encoded) -> Iterator[LeafLimit]:
        """Write the constraint for some rows."""
        self._check()
        share = meant_share(self.at_least)
        small = Fraction(0) if self.small is None else meant_share(self.small)
        errors = small * (1 - share) if self.errors is None else meant_share(self.errors)
        text = f"share of wrong answers in a leaf (at most {float(1 - share):g})"
        if small > 0:
            text = f"{text[:-1]}, or {float(errors):g} rows in leaves of less than {float(small):g})"
        yield LeafLimit.of(text, data.sample_weights, share, small, errors, self.price)

    def _check(self) -> None:
        """Refuse what is no limit."""
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
        if self.price is not None and (not _is_number(self.price) or not 0 <= self.price <= HIGHEST_PRICE):
            raise InputError(
                f"LeafAccuracy(price={self.price!r}) must lie in 0..{HIGHEST_PRICE:g}: it is a share of all weight."
            )


def _amounts(data: Encoded) -> tuple[Floats, float]:
    """What each row counts, in multiples of a unit if there is one, and the unit."""
    counted = whole_units(data.sample_weights)
    return (data.sample_weights, 1.0) if counted is None else counted


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
