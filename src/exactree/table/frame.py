"""Named raw columns as a file holds them, before they are typed."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table.typed import RawColumn

MOST_NAMED = 5  # columns in the short form: about one line


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Frame:
    """Raw columns with their names; :meth:`Table.of` accepts it like any data frame.

    It has what scikit-learn asks of a table, so that ``cross_val_score`` and ``train_test_split`` can take rows of it.

    Examples
    --------
    >>> frame = Frame(("age", "class"), ([30, 40], ["yes", "no"]))
    >>> target, rest = frame.pop("class")
    >>> target.tolist(), rest.names
    (['yes', 'no'], ('age',))
    >>> frame[[1]]
    <Frame of 1 row and 2 columns: age, class>
    """

    names: tuple[str, ...]
    columns: Sequence[RawColumn]  # one per name, all of one length: arrays, lists, or series of a data frame library

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.n_rows, len(self.names)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> "Frame":
        """Return some rows: a slice, indices or a mask, also as ``frame[rows, ...]``, which scikit-learn writes."""
        if isinstance(rows, tuple) and len(rows) == 2 and isinstance(rows[1], EllipsisType):
            rows = rows[0]
        chosen = None if isinstance(rows, (str, tuple)) else np.arange(self.n_rows)[rows]
        if chosen is None or chosen.ndim != 1:
            raise InputError(
                f"A Frame gives rows for a slice, a list of row numbers or a mask; got {rows!r}. "
                f"Use frame.column(name) for a column and frame[[5]] for a single row."
            )
        return Frame(self.names, [_taken(column, chosen) for column in self.columns])

    def to_numpy(self) -> NDArray[Any]:
        """Return the columns side by side, shape (n_rows, n_columns), without names; of objects if there is text.

        Examples
        --------
        >>> Frame(("a", "b"), [np.array([1, 2]), np.array([3, 4])]).to_numpy()
        array([[1, 3],
               [2, 4]])
        """
        columns = [self.column(name) for name in self.names]
        numbers = all(column.dtype.kind in "iufb" for column in columns)
        return np.column_stack(columns if numbers else [column.astype(object) for column in columns])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("The columns of a Frame are apart in memory, so an array of them is always a copy.")
        array = self.to_numpy()
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        more = ", ..." if len(self.names) > MOST_NAMED else ""
        rows, columns = (f"{n} {noun}{'s' * (n != 1)}" for n, noun in zip(self.shape, ("row", "column"), strict=True))
        return f"<Frame of {rows} and {columns}: {', '.join(self.names[:MOST_NAMED])}{more}>"

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


def _taken(column: RawColumn, rows: NDArray[np.intp]) -> RawColumn:
    if isinstance(column, (np.ndarray, nw.Series)):
        return column[rows]
    return [column[row] for row in rows.tolist()]
