"""A column given as a one-dimensional NumPy array of numbers or truth values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools, Floats
from exactree.errors import InputError
from exactree.table.column import Column, Kind
from exactree.table.refusal import refuse_infinite, refuse_merged

LAST_EXACT = 2**53  # float64 holds every integer up to here; beyond, neighbours may become equal


def column_of_floats(name: str, values: NDArray[Any]) -> Column:
    """Type a column of floats; float64 is kept as it is, strided views included."""
    if values.dtype == np.float64:
        numbers = values
    else:
        with np.errstate(over="ignore"):  # an overflow to infinity is refused below, with a better message
            numbers = values.astype(np.float64)
        if values.dtype.itemsize > numbers.dtype.itemsize and len(np.unique(values)) > len(np.unique(numbers)):
            refuse_merged(name, "numbers")
    refuse_if_infinite(name, numbers)
    return Column(name, Kind.NUMBER, numbers)


def column_of_integers(name: str, values: NDArray[Any], missing: Bools | None = None) -> Column:
    """Type a column of integers: NUMBER where float64 is exact, else INTEGER.

    ``values`` are the present ones; ``missing`` marks the rows between them that have none.

    Examples
    --------
    >>> column_of_integers("id", np.array([2**60, 2**60 + 1])).kind
    <Kind.INTEGER: 'integer'>
    """
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    exact = low >= -LAST_EXACT and high <= LAST_EXACT
    if missing is None and not exact:
        if high > np.iinfo(np.int64).max:
            raise InputError(
                f"Column {name!r} holds the integer {high}, which does not fit into 64 bits with a sign. "
                f"Subtract a common offset, or convert the column to float64 if its last digits do not matter."
            )
        return Column(name, Kind.INTEGER, values.astype(np.int64))
    numbers = values.astype(np.float64)
    if not exact and len(np.unique(values)) > len(np.unique(numbers)):
        refuse_merged(name, "integers beyond 2**53 beside missing values")
    return Column(name, Kind.NUMBER, numbers if missing is None else spread(numbers, missing))


def column_of_truths(name: str, values: NDArray[Any], missing: Bools | None = None) -> Column:
    """Type a column of truth values; the arguments are those of :func:`column_of_integers`."""
    numbers = values.astype(np.float64)
    return Column(name, Kind.BOOLEAN, numbers if missing is None else spread(numbers, missing))


def spread(present: Floats, missing: Bools) -> Floats:
    """Put the present values where they belong, NaN elsewhere."""
    values = np.full(len(missing), np.nan)
    values[~missing] = present
    return values


def refuse_if_infinite(name: str, numbers: Floats) -> None:
    """Raise if a number is infinite."""
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(infinite.argmax())
        refuse_infinite(name, row, float(numbers[row]))
