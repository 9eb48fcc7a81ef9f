"""Actionability: which columns may change, to which values, and in which leaves a counterfactual may end."""

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.arrays import Bools, Floats
from exactree.errors import InputError
from exactree.explain.counterfactual.rules import Rule, check_rules
from exactree.explain.counterfactual.value_sets import Interval, LevelSet, ValueSet, domain_of
from exactree.model.wording import percent, printable
from exactree.table import CATEGORICAL_KINDS, ColumnType, Kind, Schema

LEAF_LIMITS = ("min_accuracy", "min_support")


@dataclass(frozen=True, slots=True)
class Limit:
    """One actionability constraint of the caller, which can be relaxed on its own.

    Parameters
    ----------
    kind : str
        The parameter it comes from: ``"fixed"``, ``"only_up"``, ``"only_down"``, ``"ranges"``, ``"rules"``,
        ``"min_accuracy"`` or ``"min_support"``.
    about : object
        The name of a column, a rule, or the accuracy or number of rows that a leaf must have.

    Examples
    --------
    >>> print(Limit("only_up", "age"))
    age may only go up
    >>> print(Limit("min_accuracy", 0.9))
    the leaf is at least 90.0 % right
    """

    kind: str
    about: Any

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
class Actionability:
    """The constraints on changes; columns by name."""

    fixed: frozenset[str]
    only_up: frozenset[str]
    only_down: frozenset[str]
    ranges: Mapping[str, ValueSet]  # values that a column may change to
    rules: tuple[Rule, ...]
    min_accuracy: float | None = None  # of the leaf where a counterfactual ends
    min_support: int | None = None  # its rows

    @property
    def limits(self) -> list[Limit]:
        """All constraints, one by one."""
        of_columns = {"fixed": self.fixed, "only_up": self.only_up, "only_down": self.only_down, "ranges": self.ranges}
        found = [Limit(kind, name) for kind, names in of_columns.items() for name in sorted(names)]
        of_leaves = {"min_accuracy": self.min_accuracy, "min_support": self.min_support}
        found += [Limit("rules", rule) for rule in self.rules]
        return found + [Limit(kind, least) for kind, least in of_leaves.items() if least is not None]

    def without(self, limit: Limit) -> "Actionability":
        """Return the same actionability with one constraint less."""
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

    def feasible_leaves(self, accuracy: Floats, rows: NDArray[Any]) -> Bools:
        """Return the leaves in which a counterfactual may end; an accuracy below 0 is unknown and never suffices."""
        found = np.ones(len(rows), dtype=np.bool_)
        if self.min_accuracy is not None:
            found &= accuracy >= self.min_accuracy
        if self.min_support is not None:
            found &= np.asarray(rows) >= self.min_support
        return found


def read_leaf_limits(actionability: Actionability, min_accuracy: Any, min_support: Any) -> Actionability:
    """Validate the constraints on leaves and add them.

    Examples
    --------
    >>> read_leaf_limits(Actionability(frozenset(), frozenset(), frozenset(), {}, ()), 0.9, None).limits
    [Limit(kind='min_accuracy', about=0.9)]
    """
    if min_accuracy is not None and not (_is_number(min_accuracy) and 0 <= min_accuracy <= 1):
        raise InputError(f"min_accuracy must be a number from 0 to 1, such as 0.9, or None; got {min_accuracy!r}.")
    integer = isinstance(min_support, numbers.Integral) and not isinstance(min_support, bool)
    if min_support is not None and not (integer and min_support >= 0):
        raise InputError(f"min_support must be a number of rows, 0 or more, or None; got {min_support!r}.")
    return replace(actionability, min_accuracy=min_accuracy, min_support=min_support)


def read_actionability(
    schema: Schema, fixed: Any, only_up: Any, only_down: Any, ranges: Any, rules: Any
) -> Actionability:
    """Validate the constraints on columns."""
    columns = {column.name: column for column in schema.columns}
    up, down = (
        _ordered(_names(v, k, columns), k, columns) for v, k in ((only_up, "only_up"), (only_down, "only_down"))
    )
    if not isinstance(ranges, Mapping):
        raise InputError(f"ranges must be a dict such as {{'age': (18, 70)}}; got {ranges!r}.")
    found = {name: _range(columns[name], ranges[name]) for name in _names(list(ranges), "ranges", columns)}
    return Actionability(_names(fixed, "fixed", columns), up, down, found, check_rules(rules, columns))


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


def _range(column: ColumnType, wanted: Any) -> ValueSet:
    """Return the values that a column may change to, given a pair of numbers (None for no end) or a list of levels."""
    if column.kind in CATEGORICAL_KINDS or column.kind is Kind.BOOLEAN:
        return _listed(column, wanted)
    pair = isinstance(wanted, (tuple, list)) and len(wanted) == 2
    if not pair or not all(end is None or _is_number(end) for end in wanted):
        raise InputError(
            f"ranges has {wanted!r} for {column.name!r}. Expected a pair of numbers such as (18, 70), None for no end."
        )
    domain = domain_of(column)
    assert isinstance(domain, Interval)
    low, high = (end if given is None else given for given, end in zip(wanted, (domain.low, domain.high), strict=True))
    if low > high:
        raise InputError(f"ranges has {wanted!r} for {column.name!r}: the low end is above the high end. Swap the two.")
    if column.kind is Kind.INTEGER:
        return Interval(max(ceil(low), domain.low), min(floor(high), domain.high), missing=False)
    return Interval(max(float(low), domain.low), min(float(high), domain.high), missing=False)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and not isnan(value)


def _listed(column: ColumnType, wanted: Any) -> ValueSet:
    levels = column.levels if column.kind in CATEGORICAL_KINDS else (False, True)
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
    return (
        LevelSet(frozenset(codes))
        if column.kind in CATEGORICAL_KINDS
        else Interval(float(min(codes)), float(max(codes)), False)
    )
