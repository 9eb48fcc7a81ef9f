"""The caller's labels -> sorted classes, and the index of each row's class."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Int32s
from exactree.errors import InputError

SMALL_RANGE = 1024  # of integers that are counted


def encode_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], Int32s]:
    """Return the classes and each row's index into them.

    Examples
    --------
    >>> encode_labels(["no", "yes", "no"], 3)
    (array(['no', 'yes'], dtype='<U3'), array([0, 1, 0], dtype=int32))
    """
    array = _one_dimension(y)
    if len(array) != n_rows:
        raise InputError(f"X has {n_rows} rows but y has {len(array)} labels. Give one label per row.")
    if array.dtype.kind == "O":
        array = _of_one_type(array)
    if array.dtype.kind == "O":
        distinct = sorted(set(array.tolist()))
        code = {value: number for number, value in enumerate(distinct)}
        codes = np.fromiter(map(code.__getitem__, array.tolist()), dtype=np.int32, count=n_rows)
        classes = np.array(distinct, dtype=None if isinstance(y, (list, tuple)) else object)
        return classes, codes
    _check_dtype(array)
    if (counted := _counted(array)) is not None:
        return counted
    classes, inverse = np.unique(array, return_inverse=True)
    if array.dtype.kind == "f":
        _refuse_measurements(classes, n_rows)
    return classes, inverse.astype(np.int32)


def _counted(array: NDArray[Any]) -> tuple[NDArray[Any], Int32s] | None:
    """Number integers of a small range by counting, a tenth of the time of sorting; ``None`` if they are not."""
    if array.dtype.kind not in "iu" or not len(array):
        return None
    low, high = int(array.min()), int(array.max())
    if high - low >= SMALL_RANGE or high > np.iinfo(np.int64).max:
        return None
    steps = array.astype(np.int64) - low
    present = np.bincount(steps) > 0
    number = (np.cumsum(present) - 1).astype(np.int32)
    return (np.flatnonzero(present) + low).astype(array.dtype), number.take(steps, mode="clip")


def _one_dimension(y: Any) -> NDArray[Any]:
    if y is None:
        raise InputError("Fitting requires y to be passed, but the target y is None. Give one label per row.")
    array = _array_of_list(y) if isinstance(y, (list, tuple)) else np.asarray(y)
    if array.ndim == 0:
        raise InputError(f"Expected 1D array, got scalar array instead: y is {y!r}. Give one label per row.")
    if array.ndim != 1:
        raise InputError(
            f"y must have one dimension, got shape {array.shape}. "
            f"Give one label per row: y.ravel() if it has a single column; several targets need several models."
        )
    return array


def _array_of_list(y: list[Any] | tuple[Any, ...]) -> NDArray[Any]:
    try:
        return np.array(y, dtype=object)  # without the dtype NumPy turns [1, 'a'] into strings silently
    except ValueError:
        raise InputError(
            "y must be a list of labels, one per row, but its items are arrays of different shape."
        ) from None


def _of_one_type(array: NDArray[Any]) -> NDArray[Any]:
    """Turn objects that are all numbers or all truth values into an array of those; leave strings."""
    values = array.tolist()
    for row, value in enumerate(values):
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            _refuse_missing(row)
    types = set(map(type, values))
    if all(issubclass(kind, str) for kind in types):
        return array
    if all(issubclass(kind, (bool, np.bool_)) for kind in types):
        return array.astype(np.bool_)
    if any(issubclass(kind, (bool, np.bool_, str)) for kind in types):
        _refuse_mixture(values)
    if all(issubclass(kind, (int, np.integer)) for kind in types):
        return np.array(values)
    if all(issubclass(kind, (int, float, np.integer, np.floating)) for kind in types):
        return array.astype(np.float64)
    odd = next(value for value in values if not isinstance(value, (int, float, np.number)))
    if isinstance(odd, (complex, np.complexfloating)):
        _refuse_complex()
    raise InputError(
        f"Unknown label type: y holds a {type(odd).__name__}, {odd!r}. Expected strings, numbers or truth values. "
        f"Convert the labels, for example with str()."
    )


def _check_dtype(array: NDArray[Any]) -> None:
    if array.dtype.kind == "c":
        _refuse_complex()
    if array.dtype.kind not in "iufbUT":
        raise InputError(
            f"Unknown label type: y has dtype {array.dtype}. Expected strings, numbers or truth values. "
            f"Convert the labels, for example with y.astype(str)."
        )
    if array.dtype.kind != "f":
        return
    if np.isnan(array).any():
        _refuse_missing(int(np.isnan(array).argmax()))
    if np.isinf(array).any():
        row = int(np.isinf(array).argmax())
        raise InputError(f"y contains infinity (row {row}). Expected class labels. Drop or correct such rows.")


def _refuse_measurements(classes: NDArray[Any], n_rows: int) -> None:
    """Fractions that hardly ever repeat are measurements, not names of classes."""
    if 2 * len(classes) > n_rows and (classes != np.floor(classes)).any():
        raise InputError(
            f"Unknown label type: y looks like a continuous (regression) target: {len(classes)} different fractional "
            f"numbers in {n_rows} rows. Expected class labels. Group the values into classes, for example with "
            f"pandas.cut, or use a regression model."
        )


def _refuse_missing(row: int) -> NoReturn:
    raise InputError(f"y contains NaN or None: row {row} has no label. Every row needs one; drop the rows without.")


def _refuse_complex() -> NoReturn:
    raise InputError("Complex data not supported: y holds complex numbers. Expected class labels.")


def _refuse_mixture(values: list[Any]) -> NoReturn:
    other = next(value for value in values if type(value) is not type(values[0]))
    if isinstance(other, float) and other != other:
        _refuse_missing(next(row for row, value in enumerate(values) if value is other))
    raise InputError(
        f"Unknown label type: y mixes {values[0]!r} ({type(values[0]).__name__}) and {other!r} "
        f"({type(other).__name__}). Expected labels of one type. Convert them all, for example with str()."
    )
