"""A case: which file, which class against the rest, which encoding, and the arrays every contestant is given."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table import Frame, read_table

TARGET = "class"
GRADES = ("small", "low", "med", "big", "high", "vhigh")  # words that have an order of their own
BLANK = 1.0  # an empty square of tic-tac-toe


class Encoding(StrEnum):
    """How columns become numbers."""

    AS_IS = "numbers as they are"
    ORDINAL = "text as ordinal codes"  # grades from low to high, other words by the alphabet
    ONE_HOT = "one column per level of a text"
    SQUARES = "one column per value of every column, but none for a blank square"


@dataclass(frozen=True, slots=True)
class Case:
    """One table as a paper uses it."""

    name: str
    file: str  # below the data folder
    positive: str | None = None  # this class against the rest; None: the classes as they are
    encoding: Encoding = Encoding.AS_IS
    thresholds: str = "all"

    def load(self, folder: Path) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return (X, y): X int32 if every number is whole, else float64; y 0 to K - 1. Both in C order.

        int32 is what the peers convert to inside ``fit``; giving it to all leaves nobody with a copy to make.
        """
        path = folder / self.file
        if not path.is_file():
            raise InputError(f"There is no file {self.file!r} in the data folder {str(folder)!r}.")
        labels, frame = read_table(path, missing=("",)).pop(TARGET)
        X = np.column_stack([column for name in frame.names for column in encoded(frame, name, self.encoding)])
        whole = bool(np.array_equal(X, np.rint(X)))
        return np.ascontiguousarray(X, dtype=np.int32 if whole else np.float64), self._labels(labels)

    def _labels(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        names = np.array([word(label) for label in labels.tolist()])
        if self.positive is None:
            return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int32)
        if self.positive not in names:
            raise InputError(f"{self.file!r} has no class {self.positive!r}.")
        return np.asarray(names == self.positive, dtype=np.int32)


def encoded(frame: Frame, name: str, encoding: Encoding) -> list[NDArray[np.float64]]:
    """Return the columns of numbers that one column of a table becomes.

    Examples
    --------
    >>> people = Frame(("age", "city"), [[30, 41, 28], ["Rome", "Oslo", "Rome"]])
    >>> encoded(people, "city", Encoding.ORDINAL), encoded(people, "city", Encoding.ONE_HOT)
    ([array([1., 0., 1.])], [array([0., 1., 0.]), array([1., 0., 1.])])
    >>> encoded(Frame(("safety",), [["med", "low", "high"]]), "safety", Encoding.ORDINAL)
    [array([1., 0., 2.])]
    """
    values = frame.column(name).tolist()
    if encoding is Encoding.SQUARES:
        return [_indicator(values, level) for level in sorted(set(values)) if level != BLANK]
    if not any(isinstance(value, str) for value in values):
        return [np.array(values, dtype=np.float64)]
    levels = sorted(set(values))
    if encoding is Encoding.ORDINAL:
        levels = sorted(levels, key=lambda level: GRADES.index(level) if level in GRADES else -1)
        code = {level: float(number) for number, level in enumerate(levels)}
        return [np.array([code[value] for value in values])]
    if encoding is Encoding.ONE_HOT:
        return [_indicator(values, level) for level in levels]
    raise InputError(f"Column {name!r} holds text, but the case takes {encoding.value}.")


def word(label: Any) -> str:
    """Write a class as the papers do.

    Examples
    --------
    >>> word(1.0), word("U")
    ('1', 'U')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _indicator(values: list[Any], level: Any) -> NDArray[np.float64]:
    return np.array([float(value == level) for value in values])
