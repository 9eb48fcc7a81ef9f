"""Numbers that people can read, as near as possible to ones that they cannot."""

from decimal import ROUND_CEILING, Decimal
from math import isfinite

NEAR = 1e-3  # of the size of a number: what may be given up for a number of few digits
MOST_DIGITS = 16  # more than these, and a float is as well taken as it is


def short_number_above(low: float, high: float, scale: float) -> float:
    """Return a number of few digits from ``low`` to ``high``, near to ``low``.

    ``scale`` says how large numbers are around zero, which has no size of its own.

    Examples
    --------
    >>> from math import inf, nextafter
    >>> short_number_above(nextafter(2.45, inf), 10.0, 1.0), short_number_above(18.0, 70.0, 1.0), short_number_above(5e-324, 1.0, 200.0)
    (2.451, 18.0, 0.1)
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
