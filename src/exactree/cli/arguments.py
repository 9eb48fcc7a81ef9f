"""What the options of several commands have in common: the parser, readers of values, options of files.

Nothing heavy is imported here, so that ``--help`` and a mistyped option answer at once.
"""

import argparse
import csv
import difflib
from typing import Any, NoReturn

MODEL = "file written by 'exactree fit -o' or 'exactree hybrid -o'"
JSON = "print one JSON object instead of text"

EXIT_CODES = """\
exit codes:
  0    done; for fit: the tree is proved optimal
  2    a wrong option, file, column or value; the message says what to do
  3    fit: a tree was found, but a limit ended the search before the proof
  130  Ctrl-C before any tree was found
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors fit on one line and end with what to do.

    Examples
    --------
    >>> parser = Parser(prog="exactree")
    >>> _ = parser.add_argument("--seed", type=int)
    >>> parser.parse_args(["--seed", "3"]).seed
    3
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to look, and leave with code 2."""
        self.exit(2, f"{self.prog}: error: {message}\nSee '{self.prog} --help'.\n")

    def refuse(self, unknown: list[str]) -> NoReturn:
        """Name the arguments that mean nothing here and, for an option, the nearest one that does."""
        near = difflib.get_close_matches(unknown[0].partition("=")[0], self._option_string_actions, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        self.error(f"unknown argument: {' '.join(unknown)}.{hint}")


def add_model(parser: Any) -> None:
    """Add the argument for a saved model, and the option for models in leaves that are not known to exactree.

    Examples
    --------
    >>> parser = Parser(prog="exactree")
    >>> add_model(parser)
    >>> parser.parse_args(["tree.json"]).trust
    False
    """
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument(
        "--trust",
        action="store_true",
        help="MODEL may run code: models in its leaves may be of any package, not only of scikit-learn and XGBoost",
    )


def add_reading(parser: Any) -> None:
    """Add the options on how files of rows are read to a parser or a group of it.

    Examples
    --------
    >>> parser = Parser(prog="exactree")
    >>> add_reading(parser)
    >>> parser.parse_args(["--missing", "NA,?"]).missing
    ['NA', '?']
    """
    parser.add_argument(
        "--missing",
        metavar="TEXTS",
        type=names,
        help="cells that are missing values, besides empty ones, such as 'NA,?' (default: NA,NaN,nan,null)",
    )
    parser.add_argument(
        "--delimiter",
        metavar="C",
        type=delimiter,
        help="what separates cells, such as ';' or '\\t' for a tab (default: a comma, in .tsv a tab)",
    )


def names(text: str) -> list[str]:
    """Split at commas; quotes protect a comma.

    Examples
    --------
    >>> names('id, "last, first"')
    ['id', 'last, first']
    >>> names("")
    ['']
    """
    return next(csv.reader([text], skipinitialspace=True), []) or [""]


def seconds(text: str) -> float | None:
    """Read a number of seconds, or 'none'.

    Examples
    --------
    >>> seconds("1.5"), seconds("none")
    (1.5, None)
    """
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, nor 'none' for no limit") from None


def depth(text: str) -> int | str:
    """Read a depth, or 'none', which stays a text: an option that was not typed is ``None``.

    Examples
    --------
    >>> depth("4"), depth("None")
    (4, 'none')
    """
    if text.lower() == "none":
        return "none"
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of questions, nor 'none' for no limit") from None


def rows_or_share(text: str) -> int | float:
    """Read a number of rows, or a share of them.

    Examples
    --------
    >>> rows_or_share("5"), rows_or_share("0.05")
    (5, 0.05)
    """
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of rows nor a share such as 0.05") from None


def share(text: str) -> float:
    """Read a share between 0 and 1.

    Examples
    --------
    >>> share("0.9")
    0.9
    """
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1, such as 0.95")
    return share


def delimiter(text: str) -> str:
    """Take one character; a tab is hard to type, so its usual spelling is understood.

    Examples
    --------
    >>> delimiter(";"), delimiter("\\\\t")
    (';', '\\t')
    """
    if text.lower() in ("\\t", "tab"):
        return "\t"
    if len(text) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one character; quote it, such as ';' or '|' or '\\t'")
    return text
