"""Numbers of few digits near to given ones."""

from decimal import ROUND_CEILING, Decimal
from math import inf, isfinite

NEAR = 1e-3  # relative distance accepted for a number of few digits
MOST_DIGITS = 16  # with more, the float itself is taken


def short_number_above(low: float, high: float, scale: float) -> float:
    """Return a number of few digits from ``low`` to ``high``, near to ``low``.

    ``scale`` is the magnitude of the column's numbers, which counts if ``low`` is about zero.

    Examples
    --------
    >>> from math import inf, nextafter
    >>> short_number_above(nextafter(2.45, inf), 10.0, 1.0)
    2.451
    >>> short_number_above(18.0, 70.0, 1.0), short_number_above(5e-324, 1.0, 200.0)
    (18.0, 0.1)
    >>> short_number_above(nextafter(2.45, inf), 2.4500001, 1.0)
    2.4500001
    """
    size = abs(low) if abs(low) > NEAR * NEAR * scale else scale
    place = Decimal(NEAR * size).adjusted()
    for digits in range(MOST_DIGITS):
        step = Decimal(1).scaleb(place - digits)
        near = float((Decimal(low) / step).to_integral_value(ROUND_CEILING) * step)
        if low <= near <= high and isfinite(near):
            return near
    return low


def short_number_beyond(value: float, start: float) -> float:
    """Return a number of few digits that is as far from ``start`` as ``value``, or farther by a thousandth at most.

    Examples
    --------
    >>> short_number_beyond(1.2300032, 1.0), short_number_beyond(0.7047619047619051, 1.0)
    (1.2301, 0.7047)
    >>> short_number_beyond(1.2299999999999998, 1.0), short_number_beyond(2.0, 2.0)
    (1.23, 2.0)
    """
    way = abs(value - start)
    if not 0 < way < inf:
        return value
    step, side = Decimal(1).scaleb(Decimal(NEAR * way).adjusted()), 1 if value > start else -1
    near = float((side * Decimal(value) / step).to_integral_value(ROUND_CEILING) * step)
    return side * near
