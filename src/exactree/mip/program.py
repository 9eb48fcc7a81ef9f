"""A mixed-integer linear program as arrays: what every back end reads. It knows nothing of trees."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats, Int32s, Ints
from exactree.tolerances import INTEGRALITY


class Kind(IntEnum):
    """Which values a column may take."""

    CONTINUOUS = 0
    INTEGER = 1  # binary if its bounds are 0 and 1
    IMPLIED = 2  # whole in some best solution anyway: back ends may treat it as either


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Minimise ``cost @ x + offset`` over ``row_low <= A x <= row_high`` and ``low <= x <= high``.

    ``A`` is stored by rows: row i has the columns ``index[begin[i]:begin[i + 1]]``, each of them once.
    """

    cost: Floats  # (n_columns,)
    low: Floats  # (n_columns,)
    high: Floats  # (n_columns,)
    kind: NDArray[np.uint8]  # (n_columns,) a Kind
    priority: Int32s  # (n_columns,) the higher, the earlier to branch on
    begin: Ints  # (n_rows + 1,)
    index: Int32s  # (n_entries,)
    value: Floats  # (n_entries,)
    row_low: Floats  # (n_rows,)
    row_high: Floats  # (n_rows,)
    offset: float
    start: Floats  # (n_columns,) where to begin; NaN where nothing is known
    families: Mapping[str, int]  # rows of each family
    blocks: Mapping[str, Any]  # columns of each block, as they were shaped

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.cost)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.row_low)

    @property
    def n_entries(self) -> int:
        """Number of coefficients that are not zero."""
        return len(self.value)

    @property
    def n_binaries(self) -> int:
        """Columns that a solver has to branch on."""
        return int((self.kind == Kind.INTEGER).sum())

    @property
    def is_linear(self) -> bool:
        """Whether no column has to be whole."""
        return not self.n_binaries

    @property
    def all_integer(self) -> bool:
        """Whether every column may be declared whole, with finite bounds, and every coefficient of a row is whole."""
        bounded = np.isfinite(self.low).all() and np.isfinite(self.high).all()
        return bool(bounded and (self.kind != Kind.CONTINUOUS).all() and whole(self.value) and whole(self.cost))

    @property
    def largest(self) -> float:
        """The largest number that a row or the cost can reach, whatever the signs."""
        reach = np.maximum(np.abs(self.low), np.abs(self.high))
        rows = np.concatenate([[0.0], np.cumsum(np.abs(self.value) * reach[self.index])])
        return max(
            float((rows[self.begin[1:]] - rows[self.begin[:-1]]).max(initial=0.0)), float(np.abs(self.cost) @ reach)
        )

    def activity(self, values: Floats) -> Floats:
        """Left-hand side of every row."""
        sums = np.concatenate([[0.0], np.cumsum(self.value * values[self.index])])
        return np.asarray(sums[self.begin[1:]] - sums[self.begin[:-1]])

    def objective(self, values: Floats) -> float:
        """What some values cost."""
        return float(self.cost @ values) + self.offset

    def violation(self, values: Floats) -> float:
        """By how much some values break a bound, a row or a whole number, at most."""
        does = self.activity(values)
        whole_ones = values[self.kind == Kind.INTEGER]
        breaks = (
            self.low - values,
            values - self.high,
            self.row_low - does,
            does - self.row_high,
            np.abs(whole_ones - np.rint(whole_ones)),
        )
        return max((float(part.max(initial=0.0)) for part in breaks), default=0.0)


def whole(values: Floats) -> bool:
    """Whether all values are whole numbers, up to noise."""
    return bool((np.abs(values - np.rint(values)) <= INTEGRALITY).all())
