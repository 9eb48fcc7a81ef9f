"""An axis of a plot: its range and its ticks."""

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Self

_TICKS = 6  # at most


@dataclass(frozen=True, slots=True)
class Axis:
    """Numbers from ``low`` to ``high`` over a length of ``room``.

    Examples
    --------
    >>> axis = Axis.of(0.0, 30.0, room=300.0)
    >>> axis.ticks, axis.at(15.0), axis.digits
    ([0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0], 150.0, 0)
    """

    low: float
    high: float
    step: float  # between two ticks
    room: float

    @classmethod
    def of(cls, low: float, high: float, room: float) -> Self:
        """Return the axis with ticks at round numbers."""
        rough = (high - low) / _TICKS
        power = 10.0 ** floor(log10(rough))
        step = next(power * nice for nice in (1, 2, 5, 10) if power * nice >= rough - 1e-12)
        return cls(low, high, step, room)

    def at(self, value: float) -> float:
        """Return the position of a number."""
        return (value - self.low) / (self.high - self.low) * self.room

    @property
    def ticks(self) -> list[float]:
        """Round numbers on the axis."""
        first, last = ceil(self.low / self.step - 1e-9), floor(self.high / self.step + 1e-9)
        return [i * self.step for i in range(first, last + 1)]

    @property
    def digits(self) -> int:
        """Decimal places that distinguish neighbouring ticks."""
        return max(0, -floor(log10(self.step) + 1e-9))
