"""A column of new data -> the same column typed as it was when the model was fitted."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Floats, Int32s, Ints
from exactree.errors import InputError
from exactree.table.column import CATEGORICAL_KINDS, MISSING_CODE, UNKNOWN_CODE, Column, Kind
from exactree.table.schema import ColumnType
from exactree.table.values import codes_of

HELD = {
    Kind.NUMBER: "numbers",
    Kind.INTEGER: "integers",
    Kind.BOOLEAN: "truth values",
    Kind.CATEGORY: "categories",
    Kind.ORDERED: "ordered categories",
}


def conform_column(column: Column, wanted: ColumnType) -> Column:
    """Retype one column; every answer to ``value <= threshold`` and ``value is level`` stays exact.

    Examples
    --------
    >>> red = Column("colour", Kind.CATEGORY, np.array([0], dtype=np.int32), ("red",))
    >>> conform_column(red, ColumnType("colour", Kind.CATEGORY, ("blue", "red"))).values
    array([1], dtype=int32)
    """
    if column.kind is wanted.kind and column.levels == wanted.levels and wanted.kind is not Kind.BOOLEAN:
        return Column(wanted.name, wanted.kind, column.raw, wanted.levels)
    if wanted.kind in CATEGORICAL_KINDS:
        values: NDArray[Any] = _codes(column, wanted)
    elif column.kind in CATEGORICAL_KINDS:
        values = _empty_or_refused(column, wanted)
    elif wanted.kind is Kind.INTEGER:
        values = _rounded_up_to_integer(column)
    else:
        values = _rounded_up_to_float(column.values)
        if wanted.kind is Kind.BOOLEAN:
            _refuse_more_than_two(column)
    return Column(wanted.name, wanted.kind, values, wanted.levels)


def _codes(column: Column, wanted: ColumnType) -> Int32s:
    missing = column.missing
    if column.kind in CATEGORICAL_KINDS:
        if column.levels and wanted.levels and _numbers(wanted.levels) and not _numbers(column.levels):
            raise InputError(
                f"Column {wanted.name!r} held numbers when the model was fitted, such as {wanted.levels[0]!r}; "
                f"now it holds {HELD[column.kind]}, such as {column.levels[0]!r}. Convert the column to numbers."
            )
        # Re-code the few levels, then look up the many rows; codes -1 and -2 stay what they are
        recoded = codes_of(column.levels, np.zeros(len(column.levels), dtype=np.bool_), wanted.levels)
        table = np.concatenate([recoded, np.array([UNKNOWN_CODE, MISSING_CODE], dtype=np.int32)])
        known: Int32s = table[column.values]
        return known
    codes = np.full(len(missing), MISSING_CODE, dtype=np.int32)
    if missing.all():
        return codes
    distinct, inverse = np.unique(column.values[~missing], return_inverse=True)
    if wanted.levels and all(isinstance(level, str) for level in wanted.levels):
        raise InputError(
            f"Column {wanted.name!r} held strings when the model was fitted, such as {wanted.levels[0]!r}; "
            f"now it holds {HELD[column.kind]}, such as {distinct.tolist()[0]!r}. Convert the column to strings."
        )
    codes[~missing] = codes_of(distinct.tolist(), np.zeros(len(distinct), dtype=np.bool_), wanted.levels)[inverse]
    return codes


def _numbers(levels: tuple[Any, ...]) -> bool:
    return all(isinstance(level, (int, float)) for level in levels)


def _empty_or_refused(column: Column, wanted: ColumnType) -> Floats:
    if not column.missing.all():
        example = column.levels[int(column.values[~column.missing][0])]
        raise InputError(
            f"Column {wanted.name!r} held {HELD[wanted.kind]} when the model was fitted; "
            f"now it holds {HELD[column.kind]}, such as {example!r}. Convert the column to numbers."
        )
    return np.full(len(column.values), np.nan)


def _rounded_up_to_integer(column: Column) -> Ints:
    """Round floats up: for an integer t, ``v <= t`` holds if and only if ``ceil(v) <= t``."""
    if column.missing.any():
        raise InputError(
            f"Column {column.name!r} held integers beyond 2**53 and no missing values when the model was fitted; "
            f"now row {int(column.missing.argmax())} has no value. Fill in the missing values or drop those rows."
        )
    edge = 2.0**63  # the first float too large for int64; thresholds lie below the largest integer, so clipping is safe
    up = np.ceil(column.values)
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    inside = np.where(np.abs(up) < edge, up, 0.0).astype(np.int64)
    return np.where(up >= edge, high, np.where(up <= -edge, low, inside))


def _rounded_up_to_float(values: NDArray[Any]) -> Floats:
    """Round integers up: for a float t, ``v <= t`` holds if and only if the next float from v on is <= t."""
    if values.dtype != np.int64:
        return np.asarray(values, dtype=np.float64)
    nearest = values.astype(np.float64)
    # 2**63 does not fit back into int64, but is above every value, hence not rounded down
    back = np.where(nearest < 2.0**63, nearest, 0.0).astype(np.int64)
    rounded_down = (nearest < 2.0**63) & (back < values)
    return np.where(rounded_down, np.nextafter(nearest, np.inf), nearest)


def _refuse_more_than_two(column: Column) -> None:
    odd = ~(column.missing | (column.values == 0) | (column.values == 1))
    if odd.any():
        row = int(odd.argmax())
        raise InputError(
            f"Column {column.name!r} held truth values when the model was fitted; now row {row} holds "
            f"{column.values[row]}. Expected True, False, 1 or 0."
        )
