"""What a column may not hold, and how we say so: one sentence per kind of unusable value."""

import datetime
from typing import Any, NoReturn

import numpy as np

from exactree.errors import InputError


class NotAValueError(InputError, TypeError):
    """A cell holds something that is neither a number, a truth value nor a string.

    It is a TypeError as well, because scikit-learn's contract asks for one here.
    """


DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
COMPLEX = (complex, np.complexfloating)
BYTES = (bytes, bytearray, memoryview)


def refuse_dates(name: str) -> NoReturn:
    """Dates have no single natural number: the caller knows which aspect matters."""
    raise InputError(
        f"Column {name!r} holds dates, times or durations. Expected numbers, truth values or strings. "
        f"Turn the column into numbers that mean something for your question, such as days since a fixed date, "
        f"the month, or the hour."
    )


def refuse_complex(name: str) -> NoReturn:
    """Complex numbers have no order."""
    raise InputError(
        f"Complex data not supported: column {name!r} holds complex numbers. Expected real numbers, truth values "
        f"or strings. Give the real and the imaginary part as two columns."
    )


def refuse_infinite(name: str, row: int, value: float) -> NoReturn:
    """No midpoint lies between a number and infinity."""
    raise InputError(
        f"Column {name!r} contains infinity (row {row}: {value}). Expected finite numbers; NaN means missing. "
        f"Replace infinite values by a large finite number, or by NaN if they are unknown."
    )


def refuse_bytes(name: str) -> NoReturn:
    """Bytes are most likely strings that were not decoded."""
    raise InputError(
        f"Column {name!r} holds bytes. Expected numbers, truth values or strings. "
        f"Decode it first, for example with .astype(str) or .str.decode('utf-8')."
    )


def refuse_value(name: str, row: int, value: Any) -> NoReturn:
    """Refuse a cell whose type is none of those a column may hold."""
    if isinstance(value, COMPLEX):
        refuse_complex(name)
    if isinstance(value, DATES) or type(value).__name__ in ("NaTType", "Period"):
        refuse_dates(name)
    if isinstance(value, BYTES):
        refuse_bytes(name)
    raise NotAValueError(
        f"Column {name!r} holds a {type(value).__name__} in row {row}: {_shortened(value)}. "
        f"A cell's argument must be a string, a truth value or a real number. "
        f"Spread nested values over several columns, or leave the column out."
    )


def refuse_mixture(name: str, first: tuple[int, Any], second: tuple[int, Any]) -> NoReturn:
    """Numbers and strings in one column: most often one mistyped cell or a word for "missing"."""
    raise InputError(
        f"Column {name!r} mixes types: row {first[0]} holds {_shortened(first[1])} "
        f"({type(first[1]).__name__}) and row {second[0]} holds {_shortened(second[1])} "
        f"({type(second[1]).__name__}). Expected all numbers, all truth values or all strings. "
        f"Convert the column to one type; use NaN or None for missing values."
    )


def refuse_merged(name: str, what: str) -> NoReturn:
    """Different values that become the same float64 could not be separated by any question."""
    raise InputError(
        f"Column {name!r}: {what} that differ become equal as 64-bit floats. Expected values that 64-bit floats "
        f"tell apart (about 16 digits). Subtract a common offset, rescale, or round the column first."
    )


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
