"""What of a row may change, and how far."""

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, isnan
from typing import Any

from exactree.errors import InputError
from exactree.explain.rules import Rule, check_rules
from exactree.explain.sets import Levels, Span, Values, every_value
from exactree.model.wording import printable
from exactree.table import ColumnType, Kind, Schema

CODED = (Kind.CATEGORY, Kind.ORDERED)


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing the caller forbids, which can be given up on its own."""

    kind: str  # the parameter: fixed, only_up, only_down, ranges or rules
    about: Any  # the name of a column, or a rule

    def __str__(self) -> str:
        if self.kind == "rules":
            return printable(self.about)
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

    @property
    def limits(self) -> list[Limit]:
        """All limits one by one."""
        of_columns = {"fixed": self.fixed, "only_up": self.only_up, "only_down": self.only_down, "ranges": self.ranges}
        found = [Limit(kind, name) for kind, names in of_columns.items() for name in sorted(names)]
        return found + [Limit("rules", rule) for rule in self.rules]

    def without(self, limit: Limit) -> "Freedom":
        """Return the same freedom with one limit less."""
        old = getattr(self, limit.kind)
        if limit.kind == "rules":
            return replace(self, rules=tuple(rule for rule in old if rule != limit.about))
        if limit.kind == "ranges":
            return replace(self, ranges={name: values for name, values in old.items() if name != limit.about})
        return replace(self, **{limit.kind: old - {limit.about}})


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
