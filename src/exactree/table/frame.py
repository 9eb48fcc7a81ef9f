"""Named raw columns as a file holds them, before anybody decides what they mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table.typed import RawColumn


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Raw columns with their names; :meth:`Table.of` accepts it like any data frame.

    Examples
    --------
    >>> frame = Frame(("age", "class"), ([30, 40], ["yes", "no"]))
    >>> target, rest = frame.pop("class")
    >>> target.tolist(), rest.names
    (['yes', 'no'], ('age',))
    """

    names: tuple[str, ...]
    columns: Sequence[RawColumn]  # one per name, all of one length: arrays, lists, or series of a data frame library

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of one column as an array; strings and missing cells give an object array."""
        raw = self.columns[self._index(name)]
        if isinstance(raw, nw.Series):
            return np.asarray(raw.to_numpy())
        if isinstance(raw, np.ndarray):
            return raw
        values = np.empty(len(raw), dtype=object)
        values[:] = raw
        return values

    def without(self, *names: str) -> "Frame":
        """Return the other columns."""
        dropped = {self._index(name) for name in names}
        kept = [j for j in range(len(self.names)) if j not in dropped]
        return Frame(tuple(self.names[j] for j in kept), [self.columns[j] for j in kept])

    def pop(self, name: str) -> tuple[NDArray[Any], "Frame"]:
        """Return the values of one column, and a frame of the others; this frame stays as it is."""
        return self.column(name), self.without(name)

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"There is no column {name!r}. The columns are: {', '.join(map(repr, self.names))}.")
        return self.names.index(name)
