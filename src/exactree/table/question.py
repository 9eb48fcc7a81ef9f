"""A yes/no question about one row, such as ``age <= 40``: what exports print and people read."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from exactree.table.column import Kind
from exactree.table.schema import ColumnType


class Test(IntEnum):
    """How a question is answered; the numbers are shared with the native code, which takes sums as columns.

    Examples
    --------
    >>> Test.AT_MOST
    <Test.AT_MOST: 1>
    """

    __test__ = False  # pytest would take a class of this name for a collection of tests

    LEAF = 0  # no question
    AT_MOST = 1  # value <= threshold; a missing value answers as the node's ``missing_yes`` says
    IS_LEVEL = 2  # the value is one level of a category; missing and unknown values answer no
    IS_MISSING = 3  # there is no value
    LINEAR = 4  # sum of factor * value over some columns <= threshold; if one is missing, as ``missing_yes`` says


@dataclass(frozen=True, slots=True)
class Question:
    """One question, with all that is needed to print it.

    Examples
    --------
    >>> print(Question(ColumnType("age", Kind.NUMBER), Test.AT_MOST, 40.5))
    age <= 40.5
    """

    column: ColumnType  # LINEAR: made up, a number with the sum as its name
    test: Test
    threshold: float | int  # AT_MOST, LINEAR: a number (a code for ORDERED); IS_LEVEL: a code; IS_MISSING: unused
    missing_yes: bool = False  # AT_MOST and LINEAR only: where a missing value goes
    can_be_missing: bool = False  # whether the column had missing values when the model was fitted
    terms: tuple[str, ...] = ()  # LINEAR: the terms of its left side, to be broken into lines

    @classmethod
    def of_sum(cls, factors: Iterable[tuple[str, float]], threshold: float, missing_yes: bool = False) -> "Question":
        """Ask whether a linear combination of columns is at most the threshold; columns by their names.

        Examples
        --------
        >>> print(Question.of_sum([("age", 1.0), ("weight", -0.5), ("height", 2.0)], 30.0))
        age - 0.5 * weight + 2 * height <= 30
        """
        terms = tuple(_term(name, factor, first=at == 0) for at, (name, factor) in enumerate(factors))
        return cls(ColumnType(" ".join(terms), Kind.NUMBER), Test.LINEAR, threshold, missing_yes, terms=terms)

    def __str__(self) -> str:
        return self.text(yes=True)

    def text(self, *, yes: bool) -> str:
        """Word the question (``yes=True``) or its negation, as a condition that holds on that side.

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
            return f"{name} {'is' if yes else 'is not'} {worded(self.column.levels[int(self.threshold)])}"
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
        return f"{name} {'<=' if yes else '>'} {worded(limit)}"


def _term(name: str, factor: float, *, first: bool) -> str:
    """One term of a linear combination, such as ``- 0.5 * weight``; the first one has a sign only if it is negative."""
    sign = "-" if factor < 0 else "+"
    size = name if abs(factor) == 1 else f"{worded(abs(factor))} * {name}"
    return size if first and factor > 0 else f"{sign} {size}"


def worded(value: Any) -> str:
    """Write a threshold or level for people: numbers with the fewest digits that mean the same float64.

    Examples
    --------
    >>> worded(2.45), worded(40.0), worded(1e-9), worded("red")
    ('2.45', '40', '1e-09', 'red')
    """
    if isinstance(value, float) and not isinstance(value, bool):
        return repr(float(value) + 0.0).removesuffix(".0")  # + 0.0 turns -0.0 into 0.0
    return str(value)
