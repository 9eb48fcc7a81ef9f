"""Actions on one column: the value that replaces the current one, and its cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from exactree.arrays import Floats


@dataclass(frozen=True, slots=True)
class Action:
    """A new value of one column; the current one if ``changes`` is False."""

    value: Any  # as the column keeps it: a float or an int, or a code; NaN where missing
    cost: float
    changes: bool


class ActionSet(Protocol):
    """The feasible actions on one column and their costs."""

    def cheapest(self, inside: Any, value: Any) -> Action | None:
        """Return the cheapest action that takes a value into a set; None if none is feasible."""
        ...

    def costs(self, insides: Sequence[Any], values: NDArray[Any]) -> Floats:
        """Return the cost of the cheapest action per value and set, shape (n_rows, n_sets); inf if infeasible."""
        ...
