"""Tables in files of one's own: a single file, or a folder of them."""

import os
from pathlib import Path

from exactree.datasets.dataset import Dataset
from exactree.datasets.nearest import did_you_mean
from exactree.errors import InputError
from exactree.table import Frame, read_table

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")
TARGET = "class"  # the column to predict, where there is one of this name; else the last
MOST_LISTED = 12  # files named in a message: a screen line or two


def folder(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Names of the tables in a folder, as ``load(name, folder=path)`` takes them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (place / "days.csv").write_text("degrees,class\\n10,cold\\n30,hot\\n")
    >>> folder(place)
    ('days',)
    """
    return tuple(sorted({_stem(file.name) for file in tables_in(Path(path))}))


def load_file(path: Path) -> Dataset:
    """Read a table; its target is the column called class, or else the last one."""
    frame = read_table(existing(path))
    target = default_target(frame)
    labels, rest = frame.pop(target)
    return Dataset(_stem(path.name), rest, labels, target, "", str(path))


def load_from_folder(name: str, place: Path) -> Dataset:
    """Read the table of that name in a folder, whatever its ending."""
    files = {_stem(file.name): file for file in reversed(tables_in(place))}
    if name not in files:
        hint = did_you_mean(name, files) or f" It has: {_listed(sorted(files))}."
        raise InputError(f"There is no table named {name!r} in {str(place)!r}.{hint}")
    return load_file(files[name])


def default_target(frame: Frame) -> str:
    """Name of the column to predict by default.

    Examples
    --------
    >>> default_target(Frame(("class", "size"), [["a", "b"], [1, 2]]))
    'class'
    """
    return TARGET if TARGET in frame.names else frame.names[-1]


def existing(path: Path, endings: tuple[str, ...] = ENDINGS) -> Path:
    """Return the path if there is such a file; else say what the folder has that looks like it."""
    if path.is_file():
        return path
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder. Name a file in it: {_listed(_names_in(path, endings))}.")
    place = path.parent
    if not place.is_dir():
        raise InputError(f"There is no folder {str(place)!r}, so no file {str(path)!r}. Check the path.")
    files = _names_in(place, endings)
    where = "This folder" if place == Path() else f"The folder {str(place)!r}"
    hint = did_you_mean(path.name, files) or f" {where} has: {_listed(files)}."
    raise InputError(f"There is no file {str(path)!r}.{hint}")


def tables_in(place: Path) -> list[Path]:
    """Files in a folder that can be read as tables, in order of their names."""
    if not place.is_dir():
        raise InputError(f"There is no folder {str(place)!r}. Check the path.")
    return [place / name for name in _names_in(place, ENDINGS)]


def _names_in(place: Path, endings: tuple[str, ...]) -> list[str]:
    return sorted(file.name for file in place.iterdir() if file.name.lower().endswith(endings) and file.is_file())


def _stem(name: str) -> str:
    return name[: len(name) - max(len(ending) for ending in ENDINGS if name.lower().endswith(ending))]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    return (", ".join(names[:MOST_LISTED]) or "none") + more
