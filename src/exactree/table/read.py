"""Files -> raw columns: CSV and TSV (also gzipped) by the standard library, Parquet by whatever is installed."""

import csv
import gzip
import importlib
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from exactree.errors import InputError
from exactree.table.arrays import LAST_EXACT
from exactree.table.frame import Frame

MISSING = ("", "NA", "NaN", "nan", "null")
ROWS_AT_ONCE = 512  # below 700 live lists Python's garbage collector stays asleep: 1.5 s against 7.4 s per million rows
# float() would read it, but 007 is a code: as a number it would lose its zeros
CODE = re.compile(r"\n[+-]?0[0-9]")
PARQUET_READERS = (("pyarrow.parquet", "read_table"), ("polars", "read_parquet"), ("pandas", "read_parquet"))


def read_table(
    path: str | Path,
    *,
    missing: Sequence[str] = MISSING,
    delimiter: str | None = None,
    strings: Collection[str] = (),
) -> Frame:
    """Read a CSV, TSV or Parquet file.

    In text files a column is numbers if every present cell is one (007 is not: it is a code), truth values if
    every present cell is true or false in any case, else strings. Cells equal to one of ``missing`` are missing.
    Blank lines are skipped.

    Parameters
    ----------
    path
        The file; its ending says which kind it is.
    missing
        Cells of a text file that mean that there is no value.
    delimiter
        What separates the cells of a text file: a comma, or a tab for names ending in .tsv, unless given.
    strings
        Columns of a text file to read as strings whatever they look like. Names that the file does not have are
        passed over, so that one list can serve many files. Parquet files say themselves which columns are strings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,code,class\\n30,007,yes\\n,008,no\\n")
    >>> frame = read_table(path)
    >>> frame.column("age"), frame.column("code").tolist()
    (array([30., nan]), ['007', '008'])
    >>> read_table(path, strings=["age"]).column("age").tolist()
    ['30', None]
    """
    path = Path(path)
    _check_options(delimiter, strings)
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}. Check the path; it is relative to {str(Path.cwd())!r}.")
    ending = "".join(path.suffixes[-2:]).lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if ending in (".parquet", ".pq"):
        return _read_parquet(path)
    if ending not in (".csv", ".csv.gz", ".tsv", ".tsv.gz"):
        raise InputError(
            f"{path.name!r} ends in {ending!r}. Expected .csv, .csv.gz, .tsv, .tsv.gz or .parquet. Convert it."
        )
    try:
        with _opened(path) as lines:
            return _read_text(path, lines, missing, delimiter or ("\t" if ".tsv" in ending else ","), strings)
    except UnicodeDecodeError:
        raise InputError(_undecodable(path)) from None
    except (gzip.BadGzipFile, EOFError) as reason:
        raise InputError(
            f"{path.name!r} is not a complete gzip file ({reason}). Fetch or compress it again."
        ) from reason


def _check_options(delimiter: str | None, strings: Collection[str]) -> None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"'):
        raise InputError(f"The delimiter is {delimiter!r}. Expected one character, such as ',' or ';' or a tab.")
    if isinstance(strings, str):
        raise InputError(f"strings is {strings!r}. Expected a list of names, such as [{strings!r}].")


def _opened(path: Path) -> TextIO:
    # utf-8-sig: spreadsheets put a byte order mark first, which would become part of the first name
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _read_text(path: Path, lines: TextIO, missing: Sequence[str], delimiter: str, strings: Collection[str]) -> Frame:
    reader = csv.reader(lines, delimiter=delimiter)
    header = _header(path, next(reader, []), delimiter)
    columns = [_Cells(frozenset(missing), is_text=name in strings) for name in header]
    for block in _blocks(path, reader, len(header)):
        for column, cells in zip(columns, zip(*block, strict=True), strict=True):
            column.add(cells)
    return Frame(header, [column.typed() for column in columns])


def _header(path: Path, names: list[str], delimiter: str) -> tuple[str, ...]:
    if not names:
        raise InputError(f"{path.name!r} is empty. Expected a first line with the names of the columns.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{path.name!r} has more than one column called {', '.join(map(repr, twice))}. "
            f"Give every column its own name in the first line."
        )
    other = next((mark for mark in ";\t|" if len(names) == 1 and mark != delimiter and mark in names[0]), None)
    if other is not None:
        raise InputError(
            f"{path.name!r} seems to separate columns by {other!r}, not by {delimiter!r}: its first line is "
            f"{names[0]!r}. Say so: delimiter={other!r} in Python, --delimiter {other!r} on the command line."
        )
    return tuple(names)


def _blocks(path: Path, reader: Any, width: int) -> Iterator[list[list[str]]]:
    try:
        while block := list(islice(reader, ROWS_AT_ONCE)):
            if set(map(len, block)) != {width}:
                block = [row for row in block if row]
                _refuse_ragged(path, reader, block, width)
            yield block
    except csv.Error as reason:
        raise InputError(f"{path.name!r} cannot be read as CSV at line {reader.line_num}: {reason}.") from reason


def _refuse_ragged(path: Path, reader: Any, block: list[list[str]], width: int) -> None:
    ragged = next((row for row in block if len(row) != width), None)
    if ragged is None:
        return
    with _opened(path) as lines:  # read again up to the first such row: a block does not know its line numbers
        again = csv.reader(lines, reader.dialect)
        next(row for row in again if row == ragged)
        raise InputError(
            f"{path.name!r} has {len(ragged)} cells in line {again.line_num}, but {width} column names. "
            f"Every line needs one cell per column; put cells that contain the separator in double quotes."
        )


@dataclass(slots=True)
class _Cells:
    """The cells of one column, as text and, as long as all of them are numbers, as numbers.

    Both are kept while reading: a block of cells is converted in a third of the time while it is still in the
    processor's cache, but only the last cell decides whether the column is one of numbers.
    """

    marks: frozenset[str]  # texts that mean missing
    is_text: bool = False  # whether the cells are strings whatever they look like
    texts: list[str] = field(default_factory=list)
    numbers: list[float] | None = field(default_factory=list)  # NaN where missing; ints stay ints
    some_missing: bool = False

    def add(self, cells: tuple[str, ...]) -> None:
        self.texts.extend(cells)
        gone = not self.marks.isdisjoint(cells)
        self.some_missing |= gone
        if self.numbers is not None and not self.is_text:
            got = _numbers([cell for cell in cells if cell not in self.marks] if gone else cells)
            if got is None:
                self.numbers = None
            elif gone:
                rest = iter(got)
                self.numbers.extend(math.nan if cell in self.marks else next(rest) for cell in cells)
            else:
                self.numbers.extend(got)

    def typed(self) -> NDArray[Any] | list[Any]:
        if not self.is_text:
            if self.numbers is not None:
                return self._typed_numbers(self.numbers)
            words = set(self.texts) - self.marks
            if {word.lower() for word in words} <= {"true", "false"}:
                meaning = {word: word.lower() == "true" for word in words}
                return [meaning.get(cell) for cell in self.texts]
        return [None if cell in self.marks else cell for cell in self.texts] if self.some_missing else self.texts

    def _typed_numbers(self, numbers: list[float]) -> NDArray[Any] | list[Any]:
        try:
            array = np.array(numbers, dtype=np.float64)
        except OverflowError:
            return numbers
        if (np.abs(array) >= LAST_EXACT).any():
            return numbers  # integers that an array of floats would round stay Python objects
        return array.astype(np.int64) if set(map(type, numbers)) == {int} else array


def _numbers(cells: Sequence[str]) -> list[int] | list[float] | None:
    """Read all cells as integers, or else as floats; None if one of them is neither."""
    try:
        float(cells[0] if cells else "0")  # most columns of words end here
    except ValueError:
        return None
    text = "\n".join(["", *cells])
    if " " in text:
        text = "\n".join(["", *map(str.strip, cells)])
    if not text.isascii() or "_" in text or CODE.search(text):  # float() also reads 1_000 and other scripts' digits
        return None
    for read in (int, float):
        try:
            return list(map(read, cells))
        except ValueError:
            continue
    return None


def _undecodable(path: Path) -> str:
    """Find the first line that is not UTF-8, to name it."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as reason:
                return (
                    f"{path.name!r} is not UTF-8: line {number}, byte {reason.start + 1} of that line is "
                    f"0x{line[reason.start]:02x}. Save the file as UTF-8."
                )
    return f"{path.name!r} is not UTF-8. Save the file as UTF-8."


def _read_parquet(path: Path) -> Frame:
    for module, function in PARQUET_READERS:
        try:
            read = getattr(importlib.import_module(module), function)
        except ImportError:
            continue
        try:
            frame = nw.from_native(read(path), eager_only=True)
        except (OSError, ValueError) as reason:
            raise InputError(f"{path.name!r} cannot be read as Parquet: {reason}") from reason
        return Frame(tuple(frame.columns), [frame[:, j] for j in range(frame.shape[1])])
    raise InputError("Reading Parquet needs pyarrow, polars or pandas. Install one: pip install 'exactree[parquet]'.")
