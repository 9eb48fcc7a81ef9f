"""A case: file, class against the rest, encoding, splits, and the arrays that every contestant gets."""

import math
import random
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table import Frame, read_table
from exactree_bench.datasets import synthetic
from exactree_bench.datasets.preprocessing import Preprocessing, preprocess
from exactree_bench.datasets.sensitive import Sensitive, grouped_questions

TARGET = "class"
GRADES = ("small", "low", "med", "big", "high", "vhigh")  # ordered levels
BLANK = 1.0  # value of an empty square of tic-tac-toe
ROWS, COLUMNS = 1000, 10  # default size of a synthetic table


class Encoding(StrEnum):
    """How columns become numbers."""

    AS_IS = "numbers as they are"
    ORDINAL = "text as ordinal codes"  # grades from low to high, other levels alphabetically
    ONE_HOT = "one column per level of a text"
    SQUARES = "one column per value of every column, but none for a blank square"


@dataclass(frozen=True, slots=True)
class Case:
    """One dataset as a paper uses it."""

    name: str
    file: str  # below the data folder, or the name of a synthetic table
    positive: str | None = None  # this class against the rest; None: the classes as they are
    encoding: Encoding = Encoding.AS_IS
    thresholds: str = "all"
    test_file: str | None = None  # file of held-out rows
    split: int | None = None  # seed of a random split into training and test rows
    train: float = 0.5  # with a split: share of training rows
    test: float = 0.25  # with a split: share of test rows
    rows: int | None = None  # number of training rows, drawn with a fixed seed
    columns: int | None = None  # number of columns, from the first
    preprocessing: Preprocessing | None = None  # replaces the encoding
    validation: float | None = None  # with a split: share of validation rows; Python's shuffle then orders rows
    cuts: int | None = None  # so many questions per column in place of its numbers, at quantiles
    sensitive: Sensitive | None = None  # replaces the encoding; the first column of X is then the group of each row

    def load(self, folder: Path) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return training rows (X, y): X int32 if all values are integers, else float64; y 0 to K - 1; C order.

        The peers convert to int32 inside ``fit``; with int32 no contestant has to copy.
        """
        if make := synthetic.MAKERS.get(self.file):
            return make(self.rows or ROWS, self.columns or COLUMNS)
        X, y = self._read(folder, self.file)
        rows: slice | NDArray[np.int64] = slice(None)
        if self.split is not None and self.validation is not None:
            rows = self._split_rows(len(y))[0]
        elif self.split is not None:
            rows = _shuffled(len(y), self.split)[: int(len(y) * self.train)][: self.rows]
        elif self.rows is not None:
            rows = _shuffled(len(y), 0)[: self.rows]
        return np.ascontiguousarray(X[rows, : self.columns]), y[rows]

    def load_test(self, folder: Path) -> tuple[NDArray[Any], NDArray[np.int32]] | None:
        """Return test rows (X, y), or ``None`` if no rows are held out."""
        if self.test_file is not None:
            return self._read(folder, self.test_file)
        if self.split is None:
            return None
        X, y = self._read(folder, self.file)
        if self.validation is not None:
            rows = self._split_rows(len(y))[2]
        else:
            rows = _shuffled(len(y), self.split)[int(len(y) * self.train) :][: math.ceil(len(y) * self.test)]
        return np.ascontiguousarray(X[rows]), y[rows]

    def load_validation(self, folder: Path) -> tuple[NDArray[Any], NDArray[np.int32]] | None:
        """Return validation rows (X, y), or ``None`` if there are none."""
        if self.split is None or self.validation is None:
            return None
        X, y = self._read(folder, self.file)
        rows = self._split_rows(len(y))[1]
        return np.ascontiguousarray(X[rows]), y[rows]

    def _split_rows(self, n_rows: int) -> list[NDArray[np.int64]]:
        """Return training, validation and test rows, split as in the ODD paper."""
        order = list(range(n_rows))
        random.Random(self.split).shuffle(order)
        ends = [round(n_rows * self.train), round(n_rows * (self.train + (self.validation or 0.0)))]
        return np.split(np.array(order, dtype=np.int64), ends)

    def _read(self, folder: Path, file: str) -> tuple[NDArray[Any], NDArray[np.int32]]:
        labels, frame = read_table(_existing_file(folder, file), missing=("",)).pop(TARGET)
        if self.preprocessing is not None:
            integral_file = self.preprocessing.complete
            original = (
                None if integral_file is None else read_table(_existing_file(folder, integral_file), missing=("",))
            )
            X, kept = preprocess(frame, self.preprocessing, original)
            labels = labels[kept]
        elif self.sensitive is not None:
            X = grouped_questions(frame, self.sensitive).astype(np.float64)
        else:
            X = np.column_stack([column for name in frame.names for column in encoded(frame, name, self.encoding)])
        X = X if self.cuts is None else quantile_questions(X, self.cuts)
        integral = bool(np.array_equal(X, np.rint(X)))
        return np.ascontiguousarray(X, dtype=np.int32 if integral else np.float64), self._labels(labels, folder)

    def _labels(self, labels: NDArray[Any], folder: Path) -> NDArray[np.int32]:
        names = np.array([class_name(label) for label in labels.tolist()])
        if self.positive is None and self.test_file is not None:
            # Classes of the training rows come first, then those that only the test rows have.
            trained = read_table(_existing_file(folder, self.file), missing=("",)).pop(TARGET)[0]
            known = sorted({class_name(label) for label in trained.tolist()})
            order = known + sorted(set(names.tolist()) - set(known))
            return np.array([order.index(name) for name in names.tolist()], dtype=np.int32)
        if self.positive is None:
            return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int32)
        if self.positive not in names:
            raise InputError(f"{self.file!r} has no class {self.positive!r}.")
        return np.asarray(names == self.positive, dtype=np.int32)


def _existing_file(folder: Path, file: str) -> Path:
    path = folder / file
    if not path.is_file():
        raise InputError(f"There is no file {file!r} in the data folder {str(folder)!r}.")
    return path


def _shuffled(n_rows: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(n_rows)


def encoded(frame: Frame, name: str, encoding: Encoding) -> list[NDArray[np.float64]]:
    """Return the numeric columns that encode one column of a table.

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
    raise InputError(f"Column {name!r} holds text, but the encoding is {encoding.value!r}.")


def quantile_questions(X: NDArray[np.float64], cuts: int) -> NDArray[np.float64]:
    """Return 0/1 columns: whether a number is at most a quantile of its column, for up to ``cuts`` of them.

    Examples
    --------
    >>> quantile_questions(np.array([[1.0], [2.0], [3.0], [4.0]]), 3).T.tolist()
    [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
    """
    shares = np.arange(1, cuts + 1) / (cuts + 1)
    columns = [
        (column <= cut).astype(np.float64)
        for column in X.T
        for cut in np.unique(np.quantile(column, shares, method="inverted_cdf"))
        if cut < column.max()
    ]
    return np.column_stack(columns)


def class_name(label: Any) -> str:
    """Format a class as the papers do.

    Examples
    --------
    >>> class_name(1.0), class_name("U")
    ('1', 'U')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _indicator(values: list[Any], level: Any) -> NDArray[np.float64]:
    return np.array([float(value == level) for value in values])
