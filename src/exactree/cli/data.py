"""DATA on the command line -> named columns: a file, or one of the tables that come with exactree."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from exactree import datasets
from exactree.cli.cell import is_number
from exactree.datasets.catalogue import CATALOGUE
from exactree.datasets.files import existing
from exactree.datasets.load import OPENML, is_file, unknown
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.table import Frame, read_table
from exactree.table.read import MISSING

MOST_MARKS = 2  # more than two different texts among numbers are categories


def read(
    text: str,
    *,
    missing: Sequence[str] | None = None,
    delimiter: str | None = None,
    strings: Collection[str] = (),
) -> Frame:
    """Read the table that ``text`` names; ``strings`` are columns of a text file that are no numbers.

    Examples
    --------
    >>> read("monks-1").names
    ('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'class')
    """
    if text in CATALOGUE or text.startswith(OPENML):
        return datasets.load(text).frame
    if not is_file(text):
        raise InputError(unknown(text))
    texts = MISSING if missing is None else ("", *missing)
    frame = read_table(existing(Path(text)), missing=texts, delimiter=delimiter, strings=strings)
    if frame.n_rows == 0:
        raise InputError(f"{text!r} has names of columns, but no rows below them.")
    return frame


def note_on_marks(frame: Frame) -> str:
    """Point at columns of numbers that are text because of one or two cells, which may stand for missing values.

    Examples
    --------
    >>> note_on_marks(Frame(("age", "code"), [["30", "41", "?"], ["7", "X", "Y"]]))
    "note: 'age' is taken as text because of '?'. If that means missing, use --missing 'NA,?'.\\n"
    """
    notes = []
    for name in frame.names:
        column = frame.column(name)
        cells = column.tolist() if column.dtype.kind == "O" else []  # only columns of objects hold text
        counts = Counter(cell for cell in cells if isinstance(cell, str))
        marks = [cell for cell in counts if not is_number(cell)]
        if 0 < len(marks) <= MOST_MARKS and 2 * sum(counts[mark] for mark in marks) < counts.total():
            which = " and ".join(map(repr, marks))
            option = repr(",".join(["NA", *marks]))
            notes.append(
                f"note: {name!r} is taken as text because of {which}. If that means missing, use --missing {option}.\n"
            )
    return "".join(notes)


def require(names: Sequence[str], frame: Frame, option: str) -> None:
    """Refuse names that are no columns, with the nearest ones that are.

    Examples
    --------
    >>> require(["Class"], read("iris"), "--target")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    exactree.errors.InputError: --target names 'Class', but there is no such column. Did you mean 'class'? ...
    """
    for name in names:
        if name not in frame.names:
            raise InputError(
                f"{option} names {name!r}, but there is no such column.{did_you_mean(name, frame.names)} "
                f"The columns are: {', '.join(map(repr, frame.names))}."
            )
