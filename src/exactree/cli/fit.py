"""``exactree fit``: learn an optimal tree or diagram from a table."""

import sys
import time
from argparse import ArgumentTypeError, Namespace
from typing import Any

from exactree.cli.arguments import EXIT_CODES, Parser, add_reading, names, rows_or_share, seconds
from exactree.errors import InputError

PROVED, NOT_PROVED = 0, 3

ABOUT_TREES = ("max_depth", "max_leaf_nodes", "min_samples_leaf")
ABOUT_DIAGRAMS = ("multivariate", "tree", "min_samples_node", "max_nodes")
INSTEAD = {  # what a diagram has in place of a tree's limit
    "max_depth": "a diagram is as deep as it has widths",
    "max_leaf_nodes": "a diagram has one leaf for each class; use --max-nodes",
    "min_samples_leaf": "use --min-samples-node or --min-weight-fraction-leaf",
}

DESCRIPTION = """\
Find the tree with the fewest errors among all trees within the limits you set,
or, if time runs out, the best one found and how far from the best it can be.

DATA is a CSV or TSV file (also .gz), a Parquet file, or a name from 'exactree datasets'.
Columns of text become categories, empty cells are missing values: both are used as they are.
Where a message names a row, rows count from 0 below the line of names.
"""

EXAMPLES = """\
examples:
  exactree fit data.csv --target class
  exactree fit data.csv --target class --max-depth 4 --time-limit 300 -o model.json --svg tree.svg
  exactree fit data.csv --target class --min-samples-leaf 20 --class-weight balanced
  exactree fit data.csv --target class --widths II --min-samples-node 0.05    (a diagram)
  exactree fit data.tsv.gz --target sick --drop id,name --categorical zip --missing "NA,?"
  exactree fit tic-tac-toe --max-depth 3 --json

"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "fit",
        usage="exactree fit DATA --target NAME [options]",
        help="learn an optimal tree from a table",
        description=DESCRIPTION,
        epilog=EXAMPLES + EXIT_CODES,
    )
    parser.add_argument("data", metavar="DATA", help="file, or name of a data set")
    _add_columns(parser.add_argument_group("columns"))
    _add_limits(parser.add_argument_group("which trees are allowed"))
    _add_diagrams(parser.add_argument_group("diagrams instead of trees"))
    _add_objective(parser.add_argument_group("what is best"))
    _add_search(parser.add_argument_group("the search"))
    _add_results(parser.add_argument_group("results"))
    return parser


def _add_columns(group: Any) -> None:
    group.add_argument("--target", metavar="NAME", help="column to predict (default: the column named 'class')")
    group.add_argument("--weights", metavar="NAME", help="column that says how much each row counts")
    group.add_argument("--categorical", metavar="A,B", type=names, default=[], help="columns whose numbers are codes")
    group.add_argument("--drop", metavar="A,B", type=names, default=[], help="columns to leave out")
    add_reading(group)


def _add_limits(group: Any) -> None:
    group.add_argument("--max-depth", metavar="N", type=int, help="questions on a path (default: 3)")
    group.add_argument("--max-leaf-nodes", metavar="N", type=int, help="leaves in all (default: no limit)")
    group.add_argument(
        "--min-samples-leaf",
        metavar="N",
        type=rows_or_share,
        default=None,
        help="rows in each leaf, or a share of all rows such as 0.05 (default: 1; up to 50 for worst-leaf objectives)",
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


def _add_diagrams(group: Any) -> None:
    group.add_argument(
        "--widths",
        metavar="W",
        type=_widths,
        help="find a diagram, with so many nodes in each layer: I, II, III or IV as in the ODD paper, or such as 1,2,4",
    )
    group.add_argument(
        "--multivariate",
        action="store_true",
        help="nodes may ask about linear combinations of columns (oblique splits)",
    )
    group.add_argument("--tree", action="store_true", help="no node with two parents: a tree within the layers")
    group.add_argument(
        "--min-samples-node",
        metavar="N",
        type=rows_or_share,
        help="rows at each node that asks, or a share of all rows such as 0.05 (default: 1)",
    )
    group.add_argument("--max-nodes", metavar="N", type=int, help="nodes that ask, in all (default: no limit)")


def _add_objective(group: Any) -> None:
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


def _add_search(group: Any) -> None:
    group.add_argument(
        "--solver",
        metavar="NAME",
        default="auto",
        help="auto (default), search, dl85, dl8, flow-oct, oct, binoct, xct, column-generation, exhaustive; for "
        "diagrams auto, search, odd, construct, exhaustive",
    )
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=seconds,
        default=60.0,
        help="for reading and search together; default: 60; 'none': until proved",
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
    group.add_argument(
        "--seed",
        metavar="N",
        type=int,
        help="for MIP back ends, sampled thresholds and questions, and the diagram heuristic; the other solvers draw "
        "nothing at random (default: always the same seed)",
    )


def _add_results(group: Any) -> None:
    group.add_argument("-o", "--output", metavar="FILE", help="save the model as JSON")
    group.add_argument("--svg", metavar="FILE", help="draw the tree")
    group.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    group.add_argument("--progress", action="store_true", help="show progress even if stderr is not a terminal")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress; print nothing but errors and --json")


def run(options: Namespace) -> int:
    """Read, fit, report; the code says whether the model is proved optimal."""
    from exactree.cli import data, report, summary, training
    from exactree.cli.progress import Display, shows_progress
    from exactree.estimators.parameters import is_worst_leaf
    from exactree.solve import Progress

    began = time.monotonic()  # the time limit includes reading, but not the imports
    _refuse_mixtures(options)
    report.writable(options.output, "--output")
    report.drawable(options.svg)
    task = training.read_task(options)
    left = None if options.time_limit is None else max(0.0, options.time_limit - (time.monotonic() - began))
    estimator = training.make_estimator(options, task, left)
    display = Display(began=began, worst_leaf=is_worst_leaf(options.objective))
    if shows_progress(quiet=options.quiet, asked=options.progress):
        with display:
            training.fit(estimator, task, display)
            display.finish(Progress(time.monotonic() - began, estimator.cost_, estimator.lower_bound_))
    else:
        training.fit(estimator, task, None)
    found = summary.Summary(estimator, task, options, time.monotonic() - began)
    found.save()
    if options.json:
        report.write_json(found.as_json())
    elif not options.quiet:
        sys.stdout.write(found.as_text())
        sys.stderr.write(found.note_on_names() + data.note_on_marks(task.X))
    return PROVED if estimator.is_optimal_ else NOT_PROVED


def _widths(text: str) -> str | tuple[int, ...]:
    """Read the name of a skeleton, or numbers.

    Examples
    --------
    >>> _widths("II"), _widths("1,2,4")
    ('II', (1, 2, 4))
    """
    if text.strip("IV") == "" and text:
        return text
    try:
        return tuple(int(width) for width in text.split(","))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is neither I, II, III or IV nor numbers such as 1,2,4") from None


def _class_weight(text: str) -> str | dict[str, float]:
    if text == "balanced":
        return text
    try:
        pairs = [name.rsplit("=", 1) for name in names(text)]
        return {label: float(weight) for label, weight in pairs}
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is neither 'balanced' nor like yes=5,no=1") from None


def _refuse_mixtures(options: Namespace) -> None:
    """Refuse options of trees beside those of diagrams."""
    if options.widths is None:
        for name in ABOUT_DIAGRAMS:
            if _is_given(options, name):
                raise InputError(f"{_flag(name)} is about diagrams. Ask for one, such as --widths II, or leave it out.")
        return
    for name in ABOUT_TREES:
        if _is_given(options, name):
            raise InputError(
                f"{_flag(name)} is about trees, and --widths asks for a diagram: {INSTEAD[name]}. "
                f"Leave one of them out."
            )


def _is_given(options: Namespace, name: str) -> bool:
    """Whether an option was typed; those of trees and diagrams are None or false if not."""
    value = getattr(options, name)
    return value is not None and value is not False  # 0 was typed


def _flag(name: str) -> str:
    """Write an option as it is typed.

    Examples
    --------
    >>> _flag("max_nodes")
    '--max-nodes'
    """
    return "--" + name.replace("_", "-")
