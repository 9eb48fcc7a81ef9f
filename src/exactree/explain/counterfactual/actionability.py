"""What of a row may change, how far, and into which leaves."""

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.explain.counterfactual.rules import Rule, check_rules
from exactree.explain.counterfactual.value_sets import Levels, Span, Values, every_value
from exactree.model.wording import percent, printable
from exactree.table import ColumnType, Kind, Schema

CODED = (Kind.CATEGORY, Kind.ORDERED)
LEAF_LIMITS = ("min_accuracy", "min_support")


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing the caller forbids, which can be given up on its own."""

    kind: str  # the parameter: fixed, only_up, only_down, ranges, rules, min_accuracy or min_support
    about: Any  # the name of a column, a rule, or how much a leaf must have

    def __str__(self) -> str:
        if self.kind == "rules":
            return printable(self.about)
        if self.kind == "min_accuracy":
            return f"the leaf is at least {percent(self.about)} right"
        if self.kind == "min_support":
            return f"the leaf has at least {self.about:,} row{'s' * (self.about != 1)}"
        said = {"fixed": "is fixed", "only_up": "may only go up", "only_down": "may only go down"}
        return printable(f"{self.about} {said.get(self.kind, 'must stay in its range')}")


@dataclass(frozen=True, slots=True)
class Freedom:
    """The limits on changes; columns by name."""

    fixed: frozenset[str]
    only_up: frozenset[str]
    only_down: frozenset[str]
    ranges: Mapping[str, Values]  # what a column may change to
    rules: tuple[Rule, ...]
    min_accuracy: float | None = None  # of the leaf where an answer ends
    min_support: int | None = None  # its rows

    @property
    def limits(self) -> list[Limit]:
        """All limits one by one."""
        of_columns = {"fixed": self.fixed, "only_up": self.only_up, "only_down": self.only_down, "ranges": self.ranges}
        found = [Limit(kind, name) for kind, names in of_columns.items() for name in sorted(names)]
        of_leaves = {"min_accuracy": self.min_accuracy, "min_support": self.min_support}
        found += [Limit("rules", rule) for rule in self.rules]
        return found + [Limit(kind, least) for kind, least in of_leaves.items() if least is not None]

    def without(self, limit: Limit) -> "Freedom":
        """Return the same freedom with one limit less."""
        if limit.kind == "min_accuracy":
            return replace(self, min_accuracy=None)
        if limit.kind == "min_support":
            return replace(self, min_support=None)
        old = getattr(self, limit.kind)
        if limit.kind == "rules":
            return replace(self, rules=tuple(rule for rule in old if rule != limit.about))
        if limit.kind == "ranges":
            return replace(self, ranges={name: values for name, values in old.items() if name != limit.about})
        return replace(self, **{limit.kind: old - {limit.about}})

    def trusted(self, accuracy: NDArray[np.float64], rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which leaves an answer may end in; an accuracy below 0 is not known, and so not enough."""
        found = np.ones(len(rows), dtype=np.bool_)
        if self.min_accuracy is not None:
            found &= accuracy >= self.min_accuracy
        if self.min_support is not None:
            found &= np.asarray(rows) >= self.min_support
        return found


def read_leaf_limits(freedom: Freedom, min_accuracy: Any, min_support: Any) -> Freedom:
    """Check what the caller said about the leaves where answers may end, and add it.

    Examples
    --------
    >>> read_leaf_limits(Freedom(frozenset(), frozenset(), frozenset(), {}, ()), 0.9, None).limits
    [Limit(kind='min_accuracy', about=0.9)]
    """
    if min_accuracy is not None and not (_is_number(min_accuracy) and 0 <= min_accuracy <= 1):
        raise InputError(f"min_accuracy must be a share from 0 to 1, such as 0.9, or None; got {min_accuracy!r}.")
    whole = isinstance(min_support, numbers.Integral) and not isinstance(min_support, bool)
    if min_support is not None and not (whole and min_support >= 0):
        raise InputError(f"min_support must be a number of rows, 0 or more, or None; got {min_support!r}.")
    return replace(freedom, min_accuracy=min_accuracy, min_support=min_support)


def read_freedom(schema: Schema, fixed: Any, only_up: Any, only_down: Any, ranges: Any, rules: Any) -> Freedom:
    """Check what the caller said about changes."""
    columns = {column.name: column for column in schema.columns}
    up, down = (
        _ordered(_names(v, k, columns), k, columns) for v, k in ((only_up, "only_up"), (only_down, "only_down"))
    )
    if not isinstance(ranges, Mapping):
        raise InputError(f"ranges must be a dict such as {{'age': (18, 70)}}; got {ranges!r}.")
    found = {name: _range(columns[name], ranges[name]) for name in _names(list(ranges), "ranges", columns)}
    return Freedom(_names(fixed, "fixed", columns), up, down, found, check_rules(rules, columns))


def _names(given: Any, parameter: str, columns: Mapping[str, ColumnType]) -> frozenset[str]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"{parameter} is {given!r}. Expected a list of column names, such as [{str(given)!r}].")
    names = list(given)
    for name in names:
        if name not in columns:
            raise InputError(f"{parameter} names {name!r}, but the columns are: {', '.join(map(repr, columns))}.")
    return frozenset(names)


def _ordered(names: frozenset[str], parameter: str, columns: Mapping[str, ColumnType]) -> frozenset[str]:
    for name in sorted(names):
        if columns[name].kind is Kind.CATEGORY:
            raise InputError(
                f"{parameter} names {name!r}, whose levels have no order. List the levels it may change to instead: "
                f"ranges={{{name!r}: [...]}}."
            )
    return names


def _range(column: ColumnType, wanted: Any) -> Values:
    """What a column may change to: a pair of numbers, None for no end, or a list of levels."""
    if column.kind in CODED or column.kind is Kind.BOOLEAN:
        return _listed(column, wanted)
    pair = isinstance(wanted, (tuple, list)) and len(wanted) == 2
    if not pair or not all(end is None or _is_number(end) for end in wanted):
        raise InputError(
            f"ranges has {wanted!r} for {column.name!r}. Expected a pair of numbers such as (18, 70), None for no end."
        )
    whole = every_value(column)
    assert isinstance(whole, Span)
    low, high = (end if given is None else given for given, end in zip(wanted, (whole.low, whole.high), strict=True))
    if low > high:
        raise InputError(f"ranges has {wanted!r} for {column.name!r}: nothing lies between. Swap the two.")
    if column.kind is Kind.INTEGER:
        return Span(max(ceil(low), whole.low), min(floor(high), whole.high), missing=False)
    return Span(max(float(low), whole.low), min(float(high), whole.high), missing=False)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and not isnan(value)


def _listed(column: ColumnType, wanted: Any) -> Values:
    levels = column.levels if column.kind in CODED else (False, True)
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise InputError(f"ranges has {wanted!r} for {column.name!r}. Expected a list of values, such as [{wanted!r}].")
    codes = set()
    for level in wanted:
        if level not in levels:
            raise InputError(
                f"ranges has {level!r} for {column.name!r}, whose values are: {', '.join(map(repr, levels))}."
            )
        codes.add(levels.index(level))
    if not codes:
        raise InputError(
            f"ranges has no value for {column.name!r}. If it must not change, use fixed=[{column.name!r}]."
        )
    return Levels(frozenset(codes)) if column.kind in CODED else Span(float(min(codes)), float(max(codes)), False)
