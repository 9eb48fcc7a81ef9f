"""One named, typed column of a table, in the form that all later stages read."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools


class Kind(Enum):
    """What the values of a column are; decides which questions may be asked.

    Examples
    --------
    >>> from exactree.table import Table
    >>> [column.kind.value for column in Table.of([[1.5, True, "red"]]).columns]
    ['number', 'boolean', 'category']
    """

    NUMBER = "number"  # float64, NaN where missing
    INTEGER = "integer"  # int64, never missing; used only where float64 would merge neighbours (beyond 2**53)
    BOOLEAN = "boolean"  # float64 0, 1 or NaN
    CATEGORY = "category"  # int32 codes into levels, -1 where missing, -2 where the level is unknown
    ORDERED = "ordered"  # int32 codes into levels in their declared order; -1 and -2 as above


CATEGORICAL_KINDS = (Kind.CATEGORY, Kind.ORDERED)  # stored as codes into levels
MISSING_CODE = -1
UNKNOWN_CODE = -2


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Values of one column. ``raw`` may be a strided view of the caller's array; it is never written to.

    Examples
    --------
    >>> column = Column("age", Kind.NUMBER, np.array([30.0, np.nan]))
    >>> column.missing
    array([False,  True])
    """

    name: str
    kind: Kind
    raw: NDArray[Any]  # (n_rows,) the values, or for NUMBER int32 or int64 that float64 holds exactly
    levels: tuple[Any, ...] = ()  # the caller's own level values, for CATEGORY (sorted) and ORDERED (declared order)

    @property
    def values(self) -> NDArray[Any]:
        """The values as :class:`Kind` says."""
        return self.raw.astype(np.float64) if self._is_whole else self.raw

    @property
    def _is_whole(self) -> bool:
        return self.kind is Kind.NUMBER and self.raw.dtype.kind == "i"

    @property
    def missing(self) -> Bools:
        """Which rows have no value."""
        if self.kind in CATEGORICAL_KINDS:
            return np.asarray(self.raw == MISSING_CODE)
        if self.kind is Kind.INTEGER or self._is_whole:
            return np.zeros(len(self.raw), dtype=np.bool_)
        return np.asarray(np.isnan(self.raw))
