"""One door to every table: by name, by file, from a folder, or from OpenML."""

import importlib
import os
from pathlib import Path

from exactree.datasets.catalogue import CATALOGUE
from exactree.datasets.dataset import Dataset
from exactree.datasets.files import ENDINGS, load_file, load_from_folder, tables_in
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError

OPENML = "openml:"


def names() -> tuple[str, ...]:
    """Names of the tables that come with the library.

    Examples
    --------
    >>> names()[:5]
    ('monks-1', 'monks-2', 'monks-3', 'balance-scale', 'tic-tac-toe')
    """
    return tuple(CATALOGUE)


def load(name: str | os.PathLike[str], *, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a table.

    Parameters
    ----------
    name
        One of :func:`names`; a file such as ``"folder/data.csv"``; or ``"openml:61"``.
    folder
        A folder of CSV files: then ``name`` is a file there without its ending. See :func:`folder`.

    Examples
    --------
    >>> data = load("monks-1")
    >>> data.n_rows, data.X.names, data.target
    (432, ('a1', 'a2', 'a3', 'a4', 'a5', 'a6'), 'class')
    """
    text = os.fspath(name)
    if folder is not None:
        return load_from_folder(text, Path(folder))
    if text in CATALOGUE:
        return _make(CATALOGUE[text].maker)
    if text.startswith(OPENML):
        return load_openml(_data_id(text))
    if is_file(text):
        return load_file(Path(text))
    raise InputError(unknown(text))


def load_openml(data_id: int) -> Dataset:
    """Fetch a table from openml.org by its number; needs pandas and, the first time, a network.

    Examples
    --------
    >>> try:  # the example works without a network, too
    ...     n_rows = load_openml(61).n_rows
    ... except InputError:
    ...     n_rows = 150
    >>> n_rows
    150
    """
    # By name, because the module imports scikit-learn, which listing the names has no use for.
    dataset: Dataset = importlib.import_module("exactree.datasets.openml").fetch(data_id)
    return dataset


def is_file(text: str) -> bool:
    """Whether a text means a file rather than one of the names.

    Examples
    --------
    >>> is_file("data.csv"), is_file("monks-1")
    (True, False)
    """
    return text.endswith(ENDINGS) or os.sep in text or "/" in text or Path(text).is_file()


def unknown(text: str) -> str:
    """Say that there is no such table, which names are near, and where to see all of them."""
    candidates = [*CATALOGUE, *(file.name for file in tables_in(Path()))]
    return (
        f"There is no data set named {text!r}, and no such file.{did_you_mean(text, candidates)} "
        "See all names with exactree.datasets.names() or the command 'exactree datasets'."
    )


def _make(maker: str) -> Dataset:
    module, function = maker.split(":")
    # By name, because some of the modules import scikit-learn, which listing the names has no use for.
    dataset: Dataset = getattr(importlib.import_module(f"exactree.datasets.{module}"), function)()
    return dataset


def _data_id(text: str) -> int:
    number = text.removeprefix(OPENML)
    if not number.isdecimal():
        raise InputError(f"After 'openml:' comes the number of a data set, such as openml:61; got {text!r}.")
    return int(number)
