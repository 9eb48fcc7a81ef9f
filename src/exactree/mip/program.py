"""A mixed-integer linear program (MIP) as arrays: what every back end reads. It knows nothing of trees."""

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
    IMPLIED = 2  # integer in some optimal solution anyway: back ends may treat it as continuous or integer


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Minimise ``cost @ x + offset`` over ``row_low <= A x <= row_high`` and ``low <= x <= high``.

    ``A`` is stored by rows: row i has the columns ``index[begin[i]:begin[i + 1]]``, each of them once.
    """

    cost: Floats  # (n_columns,)
    low: Floats  # (n_columns,)
    high: Floats  # (n_columns,)
    kind: NDArray[np.uint8]  # (n_columns,) a Kind
    priority: Int32s  # (n_columns,) branching priority, highest first
    begin: Ints  # (n_rows + 1,)
    index: Int32s  # (n_entries,)
    value: Floats  # (n_entries,)
    row_low: Floats  # (n_rows,)
    row_high: Floats  # (n_rows,)
    offset: float
    start: Floats  # (n_columns,) warm start; NaN where there is none
    families: Mapping[str, int]  # rows of each family
    blocks: Mapping[str, Any]  # column numbers of each block, in its shape

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
        """Number of integer columns."""
        return int((self.kind == Kind.INTEGER).sum())

    @property
    def is_linear(self) -> bool:
        """Whether it is an LP: no column is integer."""
        return not self.n_binaries

    @property
    def all_integer(self) -> bool:
        """Whether every column can be integer, with finite bounds, and every coefficient is an integer."""
        bounded = np.isfinite(self.low).all() and np.isfinite(self.high).all()
        return bool(
            bounded and (self.kind != Kind.CONTINUOUS).all() and is_integral(self.value) and is_integral(self.cost)
        )

    @property
    def largest_activity(self) -> float:
        """The largest absolute value that a row or the objective can reach, signs ignored."""
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
        """Objective of some values."""
        return float(self.cost @ values) + self.offset

    def violation(self, values: Floats) -> float:
        """Largest violation of a bound, a row or integrality by some values."""
        activity = self.activity(values)
        integers = values[self.kind == Kind.INTEGER]
        violations = (
            self.low - values,
            values - self.high,
            self.row_low - activity,
            activity - self.row_high,
            np.abs(integers - np.rint(integers)),
        )
        return max((float(part.max(initial=0.0)) for part in violations), default=0.0)


def is_integral(values: Floats) -> bool:
    """Whether all values are integers, up to rounding."""
    return bool((np.abs(values - np.rint(values)) <= INTEGRALITY).all())
