"""Whatever the user brings -> raw columns of one length, or an error that says what to do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy.sparse import issparse

from exactree.errors import InputError
from exactree.table.arrays import LAST_EXACT
from exactree.table.frame import Frame
from exactree.table.numeric_frame import array_of_numbers
from exactree.table.typed import RawColumn

WANTED = "Expected a table: a 2D array, a list of rows, a sparse matrix, or a pandas, polars or pyarrow data frame"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Raw columns; ``names`` is None if the user gave none."""

    names: tuple[str, ...] | None
    columns: Sequence[RawColumn]
    n_rows: int
    numbers: bool = False  # whether all are numbers as columns keep them, none infinite: nothing left to check


def source_of(X: Any) -> Source:
    """Find the columns of a table-like object.

    Examples
    --------
    >>> source_of([[1, "a"], [2, "b"]]).columns
    [[1, 2], ['a', 'b']]
    """
    if isinstance(X, Frame):
        return _checked(Source(X.names, X.columns, X.n_rows))
    if type(X) is np.ndarray:  # the most usual, and asking all data frame libraries about it would take longest
        return _checked(_source_of_array(X))
    if (numbers := array_of_numbers(X)) is not None:
        names = X.columns if isinstance(X.columns, list) else X.columns.tolist()
        return _checked(replace(_source_of_array(numbers), names=_names(names)))
    if issparse(X):
        return _checked(_source_of_array(_dense(X)))
    _refuse_what_is_no_table(X)
    try:
        native = nw.from_native(X, pass_through=True, allow_series=True)
    except DuplicateError as reason:
        raise _duplicates(list(map(str, getattr(X, "column_names", getattr(X, "columns", []))))) from reason
    if isinstance(native, nw.DataFrame):
        return _checked(_source_of_frame(native))
    if isinstance(native, nw.LazyFrame):
        raise InputError(f"X is a lazy frame ({type(X).__name__}). {WANTED}. Call X.collect() first.")
    if isinstance(native, nw.Series):
        _refuse_one_dimension(f"a {type(X).__name__} of length {len(native)}")
    if isinstance(X, (list, tuple)):
        return _checked(_source_of_rows(X))
    return _checked(_source_of_array(X))


def _refuse_what_is_no_table(X: Any) -> None:
    if X is None or isinstance(X, (str, bytes, dict, set)):
        hint = " Use exactree.table.read_table(path) for a file." if isinstance(X, str) else ""
        hint = " Use pandas.DataFrame(X) or polars.DataFrame(X)." if isinstance(X, dict) else hint
        raise InputError(f"X is a {type(X).__name__}. {WANTED}.{hint}")


def _dense(X: Any) -> Any:
    """Write the zeros out: they are values like others, and every solver looks at every cell."""
    try:
        return X.toarray()
    except MemoryError as reason:
        raise InputError(
            f"X is a sparse matrix ({type(X).__name__}) of shape {X.shape}, too large for memory once its zeros are "
            f"written out, as they must be. Choose fewer columns or rows."
        ) from reason


def _refuse_one_dimension(what: str) -> NoReturn:
    raise InputError(
        f"Expected 2D array, got 1D array instead: X is {what}. Reshape your data: X.reshape(-1, 1) if it is a "
        f"single column, X.reshape(1, -1) if it is a single row."
    )


def _duplicates(names: Sequence[str]) -> InputError:
    twice = [name for name, count in Counter(names).items() if count > 1]
    return InputError(
        f"Column names must differ, but there is more than one column called "
        f"{', '.join(map(repr, twice))}. Rename or drop the extra columns."
    )


def _checked(source: Source) -> Source:
    n_rows, n_columns = source.n_rows, len(source.columns)
    if n_rows == 0:
        raise InputError(
            f"Found array with 0 sample(s) (shape=(0, {n_columns})) while a minimum of 1 is required. "
            f"X has no rows: check how it was filtered or read."
        )
    if n_columns == 0:
        raise InputError(
            f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required. "
            f"X has no columns: check how they were selected."
        )
    if source.names is not None and len(set(source.names)) < n_columns:
        raise _duplicates(source.names)
    return source


def _source_of_frame(frame: nw.DataFrame[Any]) -> Source:
    n_rows, n_columns = frame.shape
    return Source(_names(list(frame.columns)), [frame[:, j] for j in range(n_columns)], n_rows)


def _names(names: list[Any]) -> tuple[str, ...] | None:
    """Return the names of a frame's columns, ``None`` if they are no strings."""
    if set(map(type, names)) <= {str}:
        return tuple(names)
    strings = [isinstance(name, str) for name in names]
    if all(strings):
        return tuple(names)
    if any(strings):
        other = names[strings.index(False)]
        raise InputError(
            f"Column names must be all strings or none, but {other!r} is a {type(other).__name__}. "
            f"Convert them with X.columns = X.columns.astype(str)."
        )
    return None


def _source_of_array(X: Any) -> Source:
    array: NDArray[Any] = np.asarray(X)
    if isinstance(X, np.ma.MaskedArray):
        array = array.astype(object)
        array[np.ma.getmaskarray(X)] = None  # a masked cell is a missing one
    if array.ndim == 0:
        raise InputError(f"Expected 2D array, got scalar array instead: X is a {type(X).__name__}. {WANTED}.")
    if array.ndim == 1:
        _refuse_one_dimension(f"an array of length {len(array)}")
    if array.ndim > 2:
        raise InputError(
            f"Found array with dim {array.ndim}, shape {array.shape}, but X must have 2 dimensions. "
            f"Flatten each row with X.reshape(len(X), -1)."
        )
    whole = array.dtype.kind in "iu" and array.size and array.min() >= -LAST_EXACT and array.max() <= LAST_EXACT
    if whole and not _in_place(array):
        array = array.astype(np.float64, order="F")  # all at once, where that is exact
    numbers = bool(whole) or (array.dtype == np.float64 and not np.isinf(array).any())
    return Source(None, list(array.T), array.shape[0], numbers)


def _in_place(array: NDArray[Any]) -> bool:
    """Whether the native code reads such integers where they are: pages of a copy take as long as a small search."""
    regular = array.flags.aligned and all(stride % array.itemsize == 0 for stride in array.strides)
    return regular and array.dtype in (np.int32, np.int64)


def _source_of_rows(rows: Sequence[Any]) -> Source:
    """Turn a list of rows by its side, each column keeping its own type (NumPy would make all of one type)."""
    if all(isinstance(row, np.ndarray) for row in rows) and len({row.shape for row in rows}) == 1:
        return _source_of_array(np.asarray(rows))
    for number, row in enumerate(rows):
        if isinstance(row, dict):
            raise InputError(f"X is a list of dicts. {WANTED}. Use pandas.DataFrame(X) or polars.DataFrame(X).")
        if isinstance(row, (str, bytes)) or not hasattr(row, "__len__"):
            _refuse_one_dimension(f"a list whose item {number} is a {type(row).__name__}")
        if len(row) != len(rows[0]):
            raise InputError(
                f"Rows differ in length: row 0 has {len(rows[0])} values but row {number} has {len(row)}. "
                f"Give every row one value per column; use None where a value is missing."
            )
    width = len(rows[0]) if rows else 0
    columns: list[RawColumn] = [list(column) for column in zip(*rows, strict=True)] if width else []
    return Source(None, columns, len(rows))
