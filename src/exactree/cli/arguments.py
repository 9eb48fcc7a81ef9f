"""What can be typed after ``exactree``: every command, every option, and help that shows how to use them.

Nothing heavy is imported here, so that ``--help`` and a mistyped option answer at once.
"""

import argparse
import csv
import difflib
from typing import Any, NoReturn

from exactree.cli import diagram_options, model_commands

OVERVIEW = """\
Find decision trees that are proved to be the best of their size.

Start here:
  exactree demo                                        see what it does, in a few seconds
  exactree fit data.csv --target class -o model.json   learn a tree from your own table
  exactree predict model.json new.csv                  use it on other rows
  exactree show model.json                             read it again
  exactree explain model.json row.csv                  why a row gets its answer
  exactree counterfactual model.json row.csv           what would have to change for another
  exactree datasets                                    tables that come with exactree
  exactree bench                                       compare exactree with its peers

Help on a command, with examples: exactree COMMAND --help
"""

EXIT_CODES = """\
exit codes:
  0    done; for fit: the tree is proved optimal
  2    a wrong option, file, column or value; the message says what to do
  3    fit: a tree was found, but a limit ended the search before the proof
  130  Ctrl-C before any tree was found
"""

FIT = """\
Find the tree with the fewest errors among all trees within the limits you set,
or, if time runs out, the best one found and how far from the best it can be.

DATA is a CSV or TSV file (also .gz), a Parquet file, or a name from 'exactree datasets'.
Columns of text become categories, empty cells are missing values: both are used as they are.
Where a message names a row, rows count from 0 below the line of names.
"""

FIT_EXAMPLES = """\
examples:
  exactree fit data.csv --target class
  exactree fit data.csv --target class --max-depth 4 --time-limit 300 -o model.json --svg tree.svg
  exactree fit data.csv --target class --min-samples-leaf 20 --class-weight balanced
  exactree fit data.csv --target class --widths II --min-samples-node 0.05    (a diagram)
  exactree fit data.tsv.gz --target sick --drop id,name --categorical zip --missing "NA,?"
  exactree fit tic-tac-toe --max-depth 3 --json

"""

PREDICT_EXAMPLES = """\
examples:
  exactree predict model.json new.csv
  exactree predict model.json new.csv --proba -o answers.csv

Columns are found by name; their order does not matter, and columns the model does not know are ignored.
Cells that mean missing are not part of the model: give the same --missing as for fit.
If the table has the target column too, the accuracy is printed on stderr.
"""

DATASETS_EXAMPLES = """\
examples:
  exactree datasets                          list them
  exactree datasets monks-1 -o monks-1.csv   write one to a file
  exactree datasets openml:61                fetch one from openml.org (needs a network)
"""

DEMO = """\
Find the best tree of depth 3 for a table that comes with exactree, prove that no better one exists,
compare it with scikit-learn's greedy tree of the same depth, and draw it to demo-tree.svg.
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors fit on one line and end with what to do."""

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


def read(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line. The result has ``command`` and the options of that command.

    Examples
    --------
    >>> read(["fit", "data.csv", "--target", "class", "--max-depth", "4"]).max_depth
    4
    """
    parser, commands = _parsers()
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        commands.get(options.command, parser).refuse(unknown)
    if options.command is None and not options.version:
        parser.print_help()
        parser.exit(0)
    return options


def _parsers() -> tuple[Parser, dict[str, Parser]]:
    parser = Parser(prog="exactree", description=OVERVIEW, epilog=EXIT_CODES)
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    adder = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    commands: dict[str, Parser] = {
        "fit": adder.add_parser(
            "fit",
            usage="exactree fit DATA --target NAME [options]",
            help="learn an optimal tree from a table",
            description=FIT,
            epilog=FIT_EXAMPLES + EXIT_CODES,
        ),
        "predict": adder.add_parser(
            "predict",
            usage="exactree predict MODEL DATA [options]",
            help="answer for the rows of a table",
            description="Answer for every row of a table with a saved model; writes CSV.",
            epilog=PREDICT_EXAMPLES,
        ),
        **model_commands.add_parsers(adder, names, _add_reading),
        "datasets": adder.add_parser(
            "datasets",
            help="list or write tables that come with exactree",
            description="List the tables that come with exactree, or write one of them as CSV.",
            epilog=DATASETS_EXAMPLES,
        ),
        # Its options belong to exactree-bench: all that follows the name is handed over as it is.
        "bench": adder.add_parser("bench", help="compare exactree with its peers", add_help=False, prefix_chars="\0"),
        "demo": adder.add_parser("demo", help="see what exactree does", description=DEMO),
    }
    commands["bench"].add_argument("arguments", nargs="*")
    adders = {"fit": _fit, "predict": _predict, "datasets": _datasets}
    for name, add in adders.items():
        add(commands[name])
    return parser, commands


def _fit(parser: Parser) -> None:
    parser.add_argument("data", metavar="DATA", help="file, or name of a data set")
    _add_columns(parser.add_argument_group("columns"))
    _add_limits(parser.add_argument_group("which trees are allowed"))
    diagram_options.add(parser.add_argument_group("diagrams instead of trees"), _rows_or_share)
    _add_objective(parser.add_argument_group("what is best"))
    _add_search(parser.add_argument_group("the search"))
    _add_results(parser.add_argument_group("results"))


def _add_columns(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--target", metavar="NAME", help="column to predict (default: the column named 'class')")
    group.add_argument("--weights", metavar="NAME", help="column that says how much each row counts")
    group.add_argument("--categorical", metavar="A,B", type=names, default=[], help="columns whose numbers are codes")
    group.add_argument("--drop", metavar="A,B", type=names, default=[], help="columns to leave out")
    _add_reading(group)


def _add_limits(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--max-depth", metavar="N", type=int, help="questions on a path (default: 3)")
    group.add_argument("--max-leaf-nodes", metavar="N", type=int, help="leaves in all (default: no limit)")
    group.add_argument(
        "--min-samples-leaf",
        metavar="N",
        type=_rows_or_share,
        default=None,
        help="rows in each leaf, or a share of all rows such as 0.05 (default: 1; 50 where the worst leaf decides)",
    )
    group.add_argument(
        "--min-weight-fraction-leaf",
        metavar="F",
        type=float,
        help="share of all weight in each leaf, or on each side that ends in a leaf of a diagram (default: 0)",
    )
    group.add_argument(
        "--thresholds",
        metavar="POLICY",
        default="all",
        help="where numbers may be cut: all (default), class-changes, quantiles(K) or sampled (where CART cuts on "
        "samples of the rows); all but the first are faster and optimal only among the cuts that are left",
    )


def _add_objective(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--objective",
        metavar="NAME",
        default="accuracy",
        help="accuracy (default), balanced_accuracy, leaf_accuracy, leaf_confidence",
    )
    group.add_argument(
        "--class-weight", metavar="W", type=_class_weight, help="'balanced', or one weight per class such as yes=5,no=1"
    )
    group.add_argument(
        "--ccp-alpha",
        metavar="A",
        type=float,
        help="price of a leaf as a share of all rows (default: 0); with --widths of all nodes but the root (0.1)",
    )


def _add_search(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--solver",
        metavar="NAME",
        default="auto",
        help="auto (default), search, dl85, dl8, flow-oct, oct, binoct, xct, column-generation, exhaustive; for "
        "diagrams auto, search, odd, construct, exhaustive",
    )
    group.add_argument(
        "--time-limit", metavar="SECONDS", type=seconds, default=60.0, help="default: 60; 'none': until proved"
    )
    group.add_argument("--memory-limit", metavar="SIZE", help="such as 4GB (default: no limit)")
    group.add_argument(
        "--max-gap",
        metavar="G",
        type=float,
        default=0.0,
        help="stop once (cost - bound) / cost is at most this (default: 0)",
    )
    group.add_argument("--jobs", metavar="N", type=int, default=1, help="threads (default: 1; -1: one per core)")
    group.add_argument("--seed", metavar="N", type=int, help="for whatever is random in a solver")


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--output", metavar="FILE", help="save the model as JSON")
    group.add_argument("--svg", metavar="FILE", help="draw the tree")
    group.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    group.add_argument("--progress", action="store_true", help="show progress even if stderr is not a terminal")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress; print nothing but errors and --json")


def _predict(parser: Parser) -> None:
    parser.add_argument("model", metavar="MODEL", help="file written by 'exactree fit -o'")
    parser.add_argument("data", metavar="DATA", help="file, or name of a data set")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of stdout")
    parser.add_argument(
        "--target", metavar="NAME", help="column to compare with the answers (default: the one the model was fitted to)"
    )
    parser.add_argument("--proba", action="store_true", help="add one column of probabilities per class")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of CSV")
    _add_reading(parser)


def _add_reading(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--missing",
        metavar="TEXTS",
        type=names,
        help="cells that are missing values, besides empty ones, such as 'NA,?' (default: NA,NaN,nan,null)",
    )
    parser.add_argument(
        "--delimiter",
        metavar="C",
        type=_delimiter,
        help="what separates cells, such as ';' or '\\t' for a tab (default: a comma, in .tsv a tab)",
    )


def _datasets(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="which one to write; without it, all are listed")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of stdout")
    parser.add_argument("--json", action="store_true", help="list as one JSON object")


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


def _delimiter(text: str) -> str:
    """Take one character; a tab is hard to type, so its usual spelling is understood.

    Examples
    --------
    >>> _delimiter(";"), _delimiter("\\\\t")
    (';', '\\t')
    """
    if text.lower() in ("\\t", "tab"):
        return "\t"
    if len(text) != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not one character; quote it, such as ';' or '|' or '\\t'")
    return text


def _rows_or_share(text: str) -> int | float:
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number of rows nor a share such as 0.05") from None


def seconds(text: str) -> float | None:
    """Read a number of seconds, or 'none'."""
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, nor 'none' for no limit") from None


def _class_weight(text: str) -> str | dict[str, float]:
    if text == "balanced":
        return text
    try:
        pairs = [name.rsplit("=", 1) for name in names(text)]
        return {label: float(weight) for label, weight in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither 'balanced' nor like yes=5,no=1") from None
