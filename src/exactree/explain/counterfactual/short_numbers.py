"""Numbers of few digits near to given ones."""

from decimal import ROUND_CEILING, Decimal
from math import isfinite

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
