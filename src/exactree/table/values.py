"""A column given as Python objects: find out what they are, and turn them into a typed column.

Types are looked up once per type, not once per cell, so a million cells take about a tenth of a second.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import compress, repeat
from typing import Any

import numpy as np

from exactree.arrays import Bools, Int32s, Ints
from exactree.errors import InputError
from exactree.table.arrays import column_of_integers, refuse_if_infinite, spread
from exactree.table.column import MISSING_CODE, UNKNOWN_CODE, Column, Kind
from exactree.table.refusal import refuse_dates, refuse_merged, refuse_mixture, refuse_value


class Role(Enum):
    """What a Python type stands for in a column."""

    MISSING = "missing"
    NO_TIME = "pandas.NaT"  # missing only in a column that holds nothing else
    TRUTH = "truth value"
    WHOLE = "integer"
    REAL = "real number"
    TEXT = "string"
    OTHER = "unusable"


NUMBERS = {Role.TRUTH, Role.WHOLE, Role.REAL}  # True among numbers counts as 1, as everywhere in Python


def role_of(kind: type) -> Role:
    """Return what values of a Python type stand for; pandas' own missing marks are known by name, not imported."""
    if kind is type(None) or (kind.__name__ == "NAType" and kind.__module__.startswith("pandas")):
        return Role.MISSING
    if kind.__name__ == "NaTType":
        return Role.NO_TIME
    table: tuple[tuple[tuple[type, ...], Role], ...] = (
        ((bool, np.bool_), Role.TRUTH),
        ((int, np.integer), Role.WHOLE),
        ((float, np.floating, Decimal, Fraction), Role.REAL),
        ((str,), Role.TEXT),
    )
    return next((role for types, role in table if issubclass(kind, types)), Role.OTHER)


def column_of_values(name: str, values: Sequence[Any]) -> Column:
    """Type a column of Python objects.

    Examples
    --------
    >>> column_of_values("age", [30, None, 41.5]).kind
    <Kind.NUMBER: 'number'>
    >>> column_of_values("colour", ["red", "blue", None]).levels
    ('blue', 'red')
    """
    roles = {kind: role_of(kind) for kind in set(map(type, values))}
    if Role.OTHER in roles.values():
        row = next(i for i, value in enumerate(values) if roles[type(value)] is Role.OTHER)
        refuse_value(name, row, values[row])
    missing = missing_among(values, roles)
    present = list(compress(values, ~missing))
    if not present:
        return Column(name, Kind.NUMBER, np.full(len(values), np.nan))
    if Role.NO_TIME in roles.values():
        refuse_dates(name)
    found = {roles[kind] for kind in set(map(type, present))}
    if found == {Role.TEXT}:
        return column_of_levels(name, values, missing)
    if not found <= NUMBERS:
        _refuse_mixture(name, values, missing, roles)
    if found == {Role.TRUTH}:
        return Column(name, Kind.BOOLEAN, spread(np.array(present, dtype=np.float64), missing))
    return _column_of_numbers(name, present, missing, exact=found <= {Role.TRUTH, Role.WHOLE})


def missing_among(values: Sequence[Any], roles: dict[type, Role] | None = None) -> Bools:
    """Which values are missing: None, NaN of any kind, pandas.NA, pandas.NaT."""
    roles = roles if roles is not None else {kind: role_of(kind) for kind in set(map(type, values))}
    gone = {kind for kind, role in roles.items() if role in (Role.MISSING, Role.NO_TIME)}
    if not gone and Role.REAL not in roles.values():
        return np.zeros(len(values), dtype=np.bool_)
    # NaN is the only value unequal to itself; pandas.NA must not be compared, hence the test of its type first
    return np.fromiter((type(v) in gone or v != v for v in values), dtype=np.bool_, count=len(values))


def column_of_levels(name: str, values: Sequence[Any], missing: Bools, declared: Sequence[Any] | None = None) -> Column:
    """Make a category of the values; with ``declared`` levels an ordered one, else the levels present, sorted."""
    if declared is not None:
        levels = tuple(declared)
    else:
        distinct = {plain(value) for value in set(compress(values, ~missing))}
        try:
            levels = tuple(sorted(distinct))
        except TypeError as reason:
            examples = sorted(map(repr, distinct))[:3]
            raise InputError(
                f"Column {name!r} has levels that cannot be sorted together, among them {', '.join(examples)}. "
                f"Expected levels of one type. Convert them all to strings."
            ) from reason
    kind = Kind.CATEGORY if declared is None else Kind.ORDERED
    return Column(name, kind, codes_of(values, missing, levels), levels)


def codes_of(values: Iterable[Any], missing: Bools, levels: Sequence[Any]) -> Int32s:
    """Code of each value among ``levels``; MISSING_CODE where missing, UNKNOWN_CODE where not among them."""
    code = {level: number for number, level in enumerate(levels)}
    codes = np.fromiter(map(code.get, values, repeat(UNKNOWN_CODE)), dtype=np.int32, count=len(missing))
    codes[missing] = MISSING_CODE
    return codes


def plain(value: Any) -> Any:
    """Turn a NumPy scalar into the Python value it stands for, so levels print and save like the caller's own."""
    return value.item() if isinstance(value, np.generic) else value


def _column_of_numbers(name: str, present: list[Any], missing: Bools, *, exact: bool) -> Column:
    if exact and not missing.any():
        return column_of_integers(name, _integers(name, present))
    try:
        numbers = np.array([float(value) for value in present])
    except OverflowError:
        huge = max(present, key=abs)
        raise InputError(
            f"Column {name!r} holds {str(huge)[:20]}..., which is too large for a 64-bit float. "
            f"Rescale the column, for example by taking logarithms."
        ) from None
    refuse_if_infinite(name, spread(numbers, missing))
    # Equal numbers have equal hashes whatever their type, so the sets count distinct values exactly
    if set(map(type, present)) != {float} and len(set(present)) > len(np.unique(numbers)):
        refuse_merged(name, "numbers")
    return Column(name, Kind.NUMBER, spread(numbers, missing))


def _integers(name: str, present: list[Any]) -> Ints:
    try:
        return np.array(present, dtype=np.int64)
    except OverflowError:
        huge = max(present, key=abs)
        raise InputError(
            f"Column {name!r} holds the integer {huge}, which does not fit into 64 bits with a sign. "
            f"Subtract a common offset, or convert the column to float64 if its last digits do not matter."
        ) from None


def _refuse_mixture(name: str, values: Sequence[Any], missing: Bools, roles: dict[type, Role]) -> None:
    cells = [(row, value) for row, value in enumerate(values) if not missing[row]]
    first = cells[0]
    text = roles[type(first[1])] is Role.TEXT
    second = next(cell for cell in cells if (roles[type(cell[1])] is Role.TEXT) != text)
    refuse_mixture(name, first, second)
