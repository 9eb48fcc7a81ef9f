"""DATA on the command line -> named columns: a file, or one of the tables that come with exactree."""

import re
from collections.abc import Sequence
from pathlib import Path

from exactree import datasets
from exactree.datasets.catalogue import CATALOGUE
from exactree.datasets.files import existing
from exactree.datasets.load import OPENML, is_file, unknown
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.table import Frame, read_table
from exactree.table.read import MISSING

# How read_table words the way out in Python; here it is an option.
DELIMITER_ADVICE = re.compile(r"Use read_table\(path, delimiter=(.+)\)\.")


def read(text: str, *, missing: Sequence[str] | None = None, delimiter: str | None = None) -> Frame:
    """Read the table that ``text`` names.

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
    try:
        return read_table(existing(Path(text)), missing=texts, delimiter=delimiter)
    except InputError as error:
        raise InputError(DELIMITER_ADVICE.sub(r"Use --delimiter \1.", str(error))) from error


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
