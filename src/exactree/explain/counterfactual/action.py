"""The nearest value of one column within a set: where a row's value would have to move, and what that costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Action:
    """Where a value goes; it stays if ``changes`` is False."""

    value: Any  # as the column keeps it: a float or an int, or a code; NaN where missing
    cost: float
    changes: bool


class ActionSet(Protocol):
    """One column, what changes of it cost, and which are allowed."""

    def cheapest(self, inside: Any, value: Any) -> Action | None:
        """Return the cheapest move of a value into a set, or None if there is none that is allowed."""
        ...

    def costs(self, insides: Sequence[Any], values: NDArray[Any]) -> NDArray[np.float64]:
        """Return what the actions of many values into some sets cost, shape (n_rows, n_sets); inf where there is none."""
        ...
