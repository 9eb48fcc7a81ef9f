"""One raw column, whatever library it comes from -> one typed :class:`Column`."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools
from exactree.errors import InputError
from exactree.table.arrays import column_of_floats, column_of_integers, column_of_truths
from exactree.table.column import MISSING_CODE, Column, Kind
from exactree.table.refusal import refuse_bytes, refuse_complex, refuse_dates
from exactree.table.values import column_of_levels, column_of_values, missing_among

RawColumn = NDArray[Any] | nw.Series[Any] | Sequence[Any]


def column_of(name: str, raw: RawColumn) -> Column:
    """Type one column.

    Examples
    --------
    >>> column_of("smoker", np.array([True, False])).kind
    <Kind.BOOLEAN: 'boolean'>
    """
    if isinstance(raw, nw.Series):
        return _column_of_series(name, raw)
    if isinstance(raw, np.ndarray):
        return _column_of_array(name, raw)
    return column_of_values(name, raw)


def _column_of_array(name: str, values: NDArray[Any]) -> Column:
    kind = values.dtype.kind
    if kind == "f":
        return column_of_floats(name, values)
    if kind in "iu":
        return column_of_integers(name, values)
    if kind == "b":
        return column_of_truths(name, values)
    if kind == "c":
        refuse_complex(name)
    if kind in "Mm":
        refuse_dates(name)
    if kind == "S":
        refuse_bytes(name)
    if kind == "V":
        raise InputError(
            f"Column {name!r} has the structured type {values.dtype}. Expected numbers, truth values or strings. "
            f"Give a two-dimensional array, or a data frame with one column per field."
        )
    return column_of_values(name, values.tolist())


def _column_of_series(name: str, series: nw.Series[Any]) -> Column:
    kind = series.dtype
    if isinstance(kind, nw.Enum):
        # pandas calls a category ordered only if it was declared so. polars has no such flag, but compares and
        # sorts an Enum by its declared order; for levels without order polars has Categorical.
        return _ordered(name, series, list(kind.categories))
    if isinstance(kind, nw.Categorical):
        if getattr(getattr(series.to_native(), "type", None), "ordered", False):  # a pyarrow dictionary
            return _ordered(name, series, series.cat.get_categories().to_list())
        values = series.to_list()
        return column_of_levels(name, values, missing_among(values))
    if kind.is_temporal():
        refuse_dates(name)
    if kind.is_float() and series.null_count() == 0:
        return column_of_floats(name, series.to_numpy())
    if kind.is_integer() and not isinstance(kind, (nw.Int128, nw.UInt128)):
        return column_of_integers(name, *_present(series))
    if isinstance(kind, nw.Boolean):
        return column_of_truths(name, *_present(series))
    if kind.is_float():
        return column_of_floats(name, series.cast(nw.Float64()).to_numpy())
    return column_of_values(name, series.to_list())


def _ordered(name: str, series: nw.Series[Any], levels: list[Any]) -> Column:
    values = series.to_list()
    return column_of_levels(name, values, missing_among(values), declared=levels)


def _present(series: nw.Series[Any]) -> tuple[NDArray[Any], Bools | None]:
    """Return the present values, and which rows lack one (None if no row does)."""
    if series.null_count() == 0:
        return series.to_numpy(), None
    return series.drop_nulls().to_numpy(), series.is_null().to_numpy()


def as_category(column: Column) -> Column:
    """Turn a column of numbers into a category whose levels are those numbers (the caller said it is one).

    Truth values stay as they are: the one question about them is the same.

    Examples
    --------
    >>> as_category(column_of("zone", np.array([30.0, 10.0, 30.0]))).levels
    (10, 30)
    """
    if column.kind in (Kind.CATEGORY, Kind.BOOLEAN):
        return column
    missing = column.missing
    if column.kind is Kind.ORDERED:
        values = [None if gone else column.levels[code] for code, gone in zip(column.values, missing, strict=True)]
        return column_of_levels(column.name, values, missing)
    distinct, inverse = np.unique(column.values[~missing], return_inverse=True)
    levels = tuple(number_level(value) for value in distinct.tolist())
    codes = np.full(len(missing), MISSING_CODE, dtype=np.int32)
    codes[~missing] = inverse
    return Column(column.name, Kind.CATEGORY, codes, levels)


def number_level(value: float) -> float | int:
    """Write an integral float as an integer: 3.0 and 3 are equal, but people read "zone is 3"."""
    return int(value) if float(value).is_integer() else value
