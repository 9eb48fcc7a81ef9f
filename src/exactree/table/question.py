"""The split of a branch as a yes/no question about a row, such as ``age <= 40``."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from exactree.table.column import Kind
from exactree.table.schema import ColumnType


class Test(IntEnum):
    """The kind of a split; the numbers are shared with the native code, which gets linear combinations as columns.

    Examples
    --------
    >>> Test.AT_MOST
    <Test.AT_MOST: 1>
    """

    __test__ = False  # pytest would take a class of this name for a collection of tests

    LEAF = 0  # no question
    AT_MOST = 1  # value <= threshold; missing values take the side of the node's ``missing_yes``
    IS_LEVEL = 2  # the value is one level of a category; missing and unknown values take the no side
    IS_MISSING = 3  # the value is missing
    LINEAR = 4  # oblique split: linear combination of columns <= threshold; if a value is missing, ``missing_yes``


@dataclass(frozen=True, slots=True)
class Question:
    """One question, with all that is needed to print it.

    Examples
    --------
    >>> print(Question(ColumnType("age", Kind.NUMBER), Test.AT_MOST, 40.5))
    age <= 40.5
    """

    column: ColumnType  # LINEAR: a numeric column named after the linear combination
    test: Test
    threshold: float | int  # AT_MOST, LINEAR: a number (a code for ORDERED); IS_LEVEL: a code; IS_MISSING: unused
    missing_yes: bool = False  # AT_MOST and LINEAR only: whether missing values take the yes side
    can_be_missing: bool = False  # whether the column had missing values in training
    terms: tuple[str, ...] = ()  # LINEAR: the terms, where lines may break

    @classmethod
    def of_sum(cls, factors: Iterable[tuple[str, float]], threshold: float, missing_yes: bool = False) -> "Question":
        """Return the question whether a linear combination of columns, by name, is at most the threshold.

        Examples
        --------
        >>> print(Question.of_sum([("age", 1.0), ("weight", -0.5), ("height", 2.0)], 30.0))
        age - 0.5 * weight + 2 * height <= 30
        """
        terms = tuple(_term(name, coefficient, first=at == 0) for at, (name, coefficient) in enumerate(factors))
        return cls(ColumnType(" ".join(terms), Kind.NUMBER), Test.LINEAR, threshold, missing_yes, terms=terms)

    def __str__(self) -> str:
        return self.text(yes=True)

    def text(self, *, yes: bool) -> str:
        """Return the question (``yes=True``) or its negation as text: the condition of that side.

        Examples
        --------
        >>> age = ColumnType("age", Kind.NUMBER)
        >>> Question(age, Test.AT_MOST, 40.5).text(yes=False)
        'age > 40.5'
        >>> print(Question(age, Test.AT_MOST, 40.5, missing_yes=True, can_be_missing=True))
        age <= 40.5 or missing
        >>> print(Question(ColumnType("colour", Kind.CATEGORY, ("blue", "red")), Test.IS_LEVEL, 1))
        colour is red
        """
        name = self.column.name
        if self.test is Test.LEAF:
            raise ValueError("A leaf asks no question.")
        if self.test is Test.IS_MISSING:
            return f"{name} is missing" if yes else f"{name} is present"
        if self.test is Test.IS_LEVEL:
            return f"{name} {'is' if yes else 'is not'} {format_value(self.column.levels[int(self.threshold)])}"
        if math.isinf(self.threshold):  # a cut next to the missing values separates them from all others
            missing = (self.threshold < 0) == yes
            return f"{name} is missing" if missing else f"{name} is present"
        missing_here = self.can_be_missing and self.missing_yes == yes
        return self._comparison(yes=yes) + (" or missing" if missing_here else "")

    def _comparison(self, *, yes: bool) -> str:
        name, kind = self.column.name, self.column.kind
        if kind is Kind.BOOLEAN:
            return f"{name} is {'False' if yes else 'True'}"
        limit: Any = self.threshold
        if kind is Kind.ORDERED:
            limit = self.column.levels[min(max(math.floor(limit), 0), len(self.column.levels) - 1)]
        return f"{name} {'<=' if yes else '>'} {format_value(limit)}"


def _term(name: str, coefficient: float, *, first: bool) -> str:
    """Return a term such as ``- 0.5 * weight``; the first one has a sign only if it is negative."""
    sign = "-" if coefficient < 0 else "+"
    size = name if abs(coefficient) == 1 else f"{format_value(abs(coefficient))} * {name}"
    return size if first and coefficient > 0 else f"{sign} {size}"


def format_value(value: Any) -> str:
    """Return a threshold or level as text: numbers with the fewest digits that identify the float64.

    Examples
    --------
    >>> format_value(2.45), format_value(40.0), format_value(1e-9), format_value("red")
    ('2.45', '40', '1e-09', 'red')
    """
    if isinstance(value, float) and not isinstance(value, bool):
        return repr(float(value) + 0.0).removesuffix(".0")  # + 0.0 turns -0.0 into 0.0
    return str(value)
