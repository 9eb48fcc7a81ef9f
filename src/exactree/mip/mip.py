"""Builder of a MIP: blocks of columns and families of rows, always in bulk."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import inf, isfinite
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array

from exactree.arrays import Floats, Int32s, Ints
from exactree.errors import InputError
from exactree.mip.program import Kind, Program
from exactree.tolerances import INTEGRALITY

Term = tuple[ArrayLike, NDArray[np.integer]]  # coefficients, and the columns they belong to: (n_rows, ...)
LARGE = 100_000  # entries that are written in a moment
SECONDS_PER_ENTRY = (
    1.5e-7  # to write one and hand it to a back end: BinOCT on adult; while it is written, it is measured
)
NO_COLUMN = -1  # in a term: no entry here, for rows of different lengths


class MipSize(NamedTuple):
    """How large a MIP is.

    Examples
    --------
    >>> str(MipSize(rows=1000, columns=20, entries=30_000))
    '1,000 rows, 20 columns and 30,000 entries'
    """

    rows: int
    columns: int
    entries: int

    def __str__(self) -> str:
        return f"{self.rows:,} rows, {self.columns:,} columns and {self.entries:,} entries"


class Mip:
    """A MIP under construction: columns in named blocks, rows in named families.

    ``check`` is called now and then during construction, and ``check_size`` before something large is written, with
    the size of the MIP and the seconds that this will take; both may raise to stop a MIP that grows too large.

    Examples
    --------
    A knapsack of size 4:

    >>> mip = Mip()
    >>> take = mip.columns("take", 3, kind=Kind.INTEGER, high=1, cost=[-5, -4, -3])
    >>> _ = mip.family("fits", [([2, 3, 1], take[None, :])], at_most=4)
    >>> mip.program().families, mip.program().n_entries
    ({'fits': 1}, 3)
    """

    def __init__(
        self,
        check: Callable[[], None] | None = None,
        check_size: Callable[[MipSize, float], None] | None = None,
    ) -> None:
        self._check, self._check_size = check, check_size
        self._began, self._written = monotonic(), 0  # seconds, entries
        self._size: MipSize | None = None  # of the whole, if it was announced
        self.blocks: dict[str, Ints] = {}  # columns by name
        self._columns: list[tuple[Floats, Floats, Floats, NDArray[np.uint8], Int32s]] = []
        self._families: dict[str, int] = {}
        self._entries: list[tuple[Ints, Int32s, Floats]] = []  # by family: entries of rows, column, value
        self._row_bounds: list[tuple[Floats, Floats]] = []
        self._starts: list[tuple[Ints, Floats]] = []
        self.offset = 0.0
        self.n_columns = 0
        self.n_rows = 0

    def columns(
        self,
        name: str,
        shape: int | tuple[int, ...],
        *,
        kind: Kind = Kind.CONTINUOUS,
        low: ArrayLike = 0.0,
        high: ArrayLike = inf,
        cost: ArrayLike = 0.0,
        priority: ArrayLike = 0,
    ) -> Ints:
        """Add a block of columns and return their numbers, in the given shape."""
        if name in self.blocks:
            raise InputError(f"There is a block of columns {name!r} already; give this one another name.")
        count = int(np.prod(shape))
        numbers = np.arange(self.n_columns, self.n_columns + count).reshape(shape)
        lows, highs, costs = (_broadcast(part, numbers) for part in (low, high, cost))
        if (lows > highs).any():
            at = int((lows > highs).argmax())
            raise InputError(
                f"Column {at} of {name!r} has the bounds {lows[at]:g} to {highs[at]:g}: they are infeasible."
            )
        kinds = np.full(count, kind, dtype=np.uint8)
        self._columns.append((costs, lows, highs, kinds, _broadcast(priority, numbers).astype(np.int32)))
        self.blocks[name] = numbers
        self.n_columns += count
        return numbers

    def family(self, name: str, terms: Sequence[Term], *, at_least: ArrayLike = -inf, at_most: ArrayLike = inf) -> Ints:
        """Add rows, one for each row of the terms' columns; row i is the sum of all terms' rows i.

        Columns of one axis give one entry to each row. Coefficients and bounds are broadcast over the rows as in numpy.
        A column number of -1 adds no entry.
        """
        n_rows = max((len(columns) for _, columns in terms), default=0)
        self._announce(n_rows, sum(n_rows * int(np.prod(columns.shape[1:])) for _, columns in terms))
        rows, places, values = [], [], []
        for coefficients, columns in terms:
            shape = (n_rows, *columns.shape[1:])
            values.append(np.broadcast_to(np.asarray(coefficients, dtype=np.float64), shape).ravel())
            places.append(np.broadcast_to(columns, shape).ravel())
            rows.append(np.repeat(np.arange(n_rows), int(np.prod(shape[1:]))))
        return self.sparse_family(name, n_rows, rows, places, values, at_least=at_least, at_most=at_most)

    def sparse_family(
        self,
        name: str,
        n_rows: int,
        rows: Sequence[NDArray[np.integer]],
        columns: Sequence[NDArray[np.integer]],
        values: Sequence[NDArray[np.floating] | NDArray[np.integer]],
        *,
        at_least: ArrayLike = -inf,
        at_most: ArrayLike = inf,
    ) -> Ints:
        """Add rows by their entries, given in several arrays: ``values`` at ``rows`` (0 to n_rows - 1) and ``columns``.

        Duplicate entries are summed.
        """
        self.check()
        self._announce(n_rows, sum(map(len, columns)))
        if name in self._families:
            raise InputError(f"There is a family of rows {name!r} already; a constraint is added once.")
        parts = list(zip(rows, columns, values, strict=True))
        compressed: list[tuple[Ints, Int32s, Floats]] = []
        for first, end in _blocks(rows, n_rows):
            if compressed:
                self.check()
                self._announce(end - first, sum(len(row) for row in rows) * (end - first) // n_rows)
            row, column, value = _entries_of(parts, first, end, whole=end - first == n_rows)
            if len(column) and not (column.min() >= 0 and column.max() < self.n_columns):
                raise InputError(f"Family {name!r} names column {int(column.max())}; there are {self.n_columns}.")
            compressed.append(_compressed(row - first, column, value, (end - first, self.n_columns)))
            self._written += len(column)
        numbers = np.arange(self.n_rows, self.n_rows + n_rows)
        self._entries += compressed
        self._row_bounds.append((_broadcast(at_least, numbers), _broadcast(at_most, numbers)))
        self._families[name] = n_rows
        self.n_rows += n_rows
        return numbers

    def indicator(self, name: str, switch: Ints, terms: Sequence[Term], *, at_most: ArrayLike) -> Ints:
        """Add indicator rows: each is enforced where its switch (a binary column) is 1.

        Row i becomes ``terms + M switch[i] <= at_most + M`` with the smallest M that the columns' bounds allow.
        """
        spread = [np.broadcast_to(np.asarray(c, dtype=np.float64), columns.shape) for c, columns in terms]
        _, low, high, _, _ = self._joined()
        most = np.zeros(len(switch))
        for values, (_, columns) in zip(spread, terms, strict=True):
            ends = np.where(values > 0, high[columns], low[columns])
            most += np.where(values == 0, 0.0, values * ends).reshape(len(switch), -1).sum(axis=1)
        if not np.isfinite(most).all():
            raise InputError(f"Indicator rows {name!r} need finite bounds on their columns to derive a big M.")
        slack = np.maximum(most - np.broadcast_to(np.asarray(at_most, dtype=np.float64), most.shape), 0.0)
        with_switch = [*((v, c) for v, (_, c) in zip(spread, terms, strict=True)), (slack, switch)]
        return self.family(name, with_switch, at_most=np.asarray(at_most) + slack)

    def expect(self, rows: int, columns: int, entries: int) -> None:
        """Announce the size of the whole MIP before it is written; it need not be exact."""
        self._size = MipSize(rows, columns, entries)
        self._announce(rows, entries)

    def _announce(self, n_rows: int, n_entries: int) -> None:
        """Announce rows and entries that are to be written now, if they are many."""
        if self._check_size is None or n_entries <= LARGE:
            return
        took = (monotonic() - self._began) / self._written if self._written > LARGE else 0.0
        size = self._size or MipSize(self.n_rows + n_rows, self.n_columns, self._written + n_entries)
        self._check_size(size, n_entries * max(took, SECONDS_PER_ENTRY))

    def check(self) -> None:
        """Call ``check``, in long stretches between two families."""
        if self._check is not None:
            self._check()

    def set_start(self, columns: Ints, values: ArrayLike) -> None:
        """Set warm-start values; later ones for the same column win. The back end chooses those of other columns."""
        self._starts.append((columns.ravel(), np.broadcast_to(np.asarray(values, float), columns.shape).ravel()))

    def program(self) -> Program:
        """Return the MIP as arrays."""
        self.check()
        cost, low, high, kind, priority = self._joined()
        # HiGHS 1.15 returned a wrong optimum where an integer column had a fractional bound.
        integer = kind == Kind.INTEGER
        low = np.where(integer, np.ceil(low - INTEGRALITY) + 0.0, low)  # adding 0.0 avoids -0.0
        high = np.where(integer, np.floor(high + INTEGRALITY), high)
        nothing = np.empty(0)
        lengths = np.concatenate([nothing.astype(np.int64), *(part for part, _, _ in self._entries)])
        index = np.concatenate([nothing.astype(np.int32), *(part for _, part, _ in self._entries)])
        value = np.concatenate([nothing, *(part for _, _, part in self._entries)])
        self.check()
        start = np.full(self.n_columns, np.nan)
        for columns, values in self._starts:
            start[columns] = values
        row_low = np.concatenate([nothing, *(low for low, _ in self._row_bounds)])
        row_high = np.concatenate([nothing, *(high for _, high in self._row_bounds)])
        if not isfinite(self.offset):
            raise InputError(f"The offset of the cost must be finite; got {self.offset}.")
        return Program(
            cost=cost,
            low=low,
            high=high,
            kind=kind,
            priority=priority,
            begin=np.concatenate([[0], np.cumsum(lengths)]),
            index=index,
            value=value,
            row_low=row_low,
            row_high=row_high,
            offset=self.offset,
            start=start,
            families=dict(self._families),
            blocks=dict(self.blocks),
        )

    def _joined(self) -> tuple[Floats, Floats, Floats, NDArray[np.uint8], Int32s]:
        if not self._columns:
            nothing = np.empty(0)
            return nothing, nothing, nothing, nothing.astype(np.uint8), nothing.astype(np.int32)
        cost, low, high, kind, priority = (np.concatenate(part) for part in zip(*self._columns, strict=True))
        return cost, low, high, kind, priority


def _blocks(rows: Sequence[NDArray[np.integer]], n_rows: int) -> Iterator[tuple[int, int]]:
    """Divide rows into blocks such that no large part has entries in two of them; small parts may."""
    spans = sorted((int(part.min()), int(part.max()) + 1) for part in rows if len(part) > LARGE)
    begin = 0
    for (_, end), (start, _) in pairwise(_merged(spans)):
        if end <= start:
            yield begin, start
            begin = start
    yield begin, n_rows


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge spans that overlap; they are sorted."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


Part = tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.floating] | NDArray[np.integer]]


def _entries_of(parts: Sequence[Part], first: int, end: int, *, whole: bool) -> tuple[Ints, Ints, Floats]:
    """Row, column and value of the entries in some rows; ``whole`` if these are all rows."""
    rows, columns, values = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for row, column, value in parts:
        here = (column != NO_COLUMN) if whole else (column != NO_COLUMN) & (row >= first) & (row < end)
        if here.any():
            rows.append(row[here])
            columns.append(column[here])
            values.append(value[here])
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(values)


def _compressed(row: Ints, column: Ints, value: Floats, shape: tuple[int, int]) -> tuple[Ints, Int32s, Floats]:
    """Entries by rows, duplicates summed, zeros dropped: entries per row, columns, values."""
    entries = coo_array((value, (row, column)), shape=shape).tocsr()
    entries.sum_duplicates()
    entries.eliminate_zeros()
    return np.diff(entries.indptr).astype(np.int64), entries.indices.astype(np.int32), entries.data.astype(np.float64)


def _broadcast(values: ArrayLike, numbers: Ints) -> Floats:
    return np.broadcast_to(np.asarray(values, dtype=np.float64), numbers.shape).ravel().astype(np.float64)
