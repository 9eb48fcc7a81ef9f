"""Fractions with bounded denominators: which one a float stands for, and its neighbours."""

from fractions import Fraction
from numbers import Rational

import numpy as np

from exactree.arrays import Floats
from exactree.tolerances import INTEGRALITY

NEAR = Fraction(1, 10**15)  # a few roundings of a float below 1: 1 - 0.2, or 2 / 3
MOST_DIGITS = 6  # of a denominator that a user may have meant: leaves of more than a million rows hardly meet a share
MOST_PARTS = 1000  # of the least amount; class weights "balanced" need as many as a class has rows
A_FEW = 16


def meant_share(number: float | Fraction) -> Fraction:
    """Return the simplest fraction that a number may have been rounded from.

    Examples
    --------
    >>> meant_share(0.8), meant_share(2 / 3), meant_share(1 - 0.9)
    (Fraction(4, 5), Fraction(2, 3), Fraction(1, 10))
    """
    exact = Fraction(number if isinstance(number, Rational) else float(number))
    for digits in range(1, MOST_DIGITS + 1):
        simple = exact.limit_denominator(10**digits)
        if abs(simple - exact) <= NEAR:
            return simple
    return exact


def share_from(share: Fraction, most: int) -> Fraction:
    """Return the least share of at most so many things that is not below another.

    Examples
    --------
    >>> share_from(Fraction(7, 10), 4), share_from(Fraction(3, 4), 4)
    (Fraction(3, 4), Fraction(3, 4))
    """
    near = share.limit_denominator(most)
    return near if near >= share else next_share(near, most)


def next_share(share: Fraction, most: int) -> Fraction:
    """Return the least share of at most so many things above one of them.

    Neighbours a/b < c/d among all fractions with denominators up to some number have bc - ad = 1 (Farey), and d is the
    largest that this allows.

    Examples
    --------
    >>> next_share(Fraction(2, 3), 6), next_share(Fraction(1, 2), 4)
    (Fraction(3, 4), Fraction(2, 3))
    """
    a, b = share.numerator, share.denominator
    d = most - (most + pow(a, -1, b)) % b
    return Fraction((a * d + 1) // b, d)


def share_before(share: Fraction, most: int) -> Fraction:
    """Return the largest share of at most so many things below one of them.

    Examples
    --------
    >>> share_before(Fraction(3, 4), 6), share_before(Fraction(1), 4)
    (Fraction(2, 3), Fraction(3, 4))
    """
    return 1 - next_share(1 - share, most)


def whole_units(amounts: Floats) -> tuple[Floats, float] | None:
    """Return amounts above 0 as multiples of a unit, and the unit: 1, or the least amount or a fraction of it.

    ``None`` if no such unit is found.

    Examples
    --------
    >>> whole_units(np.array([0.5, 0.75]))
    (array([2., 3.]), 0.25)
    """
    different = np.unique(amounts)
    some = different[:: max(1, len(different) // A_FEW)]  # most units are refuted by a few amounts
    for unit in (1.0, *(float(different[0]) / parts for parts in range(1, MOST_PARTS + 1))):
        if _all_whole(some / unit) and _all_whole(different / unit):
            return np.rint(amounts / unit), unit
    return None


def _all_whole(numbers: Floats) -> bool:
    return bool((np.abs(numbers - np.rint(numbers)) <= INTEGRALITY * numbers).all())
