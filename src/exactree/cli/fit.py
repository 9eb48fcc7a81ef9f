"""``exactree fit``: learn an optimal tree or diagram from a table."""

import sys
import time
from argparse import ArgumentTypeError, Namespace
from typing import Any

from exactree.cli.arguments import EXIT_CODES, Parser, rows_or_share
from exactree.cli.options.constraints import add_constraints
from exactree.cli.options.solver import add_solver_options
from exactree.cli.options.table import add_budget, add_class_weight, add_columns, add_limits
from exactree.errors import InputError

PROVED, NOT_PROVED = 0, 3

ABOUT_TREES = ("max_depth", "max_leaf_nodes", "min_samples_leaf")
ABOUT_DIAGRAMS = ("multivariate", "max_split_columns", "column_price", "tree", "min_samples_node", "max_nodes")
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
  exactree fit adult.csv --max-depth 2 --fairness demographic_parity=0.05 --sensitive sex --drop-sensitive
  exactree fit adult.csv --max-depth 2 --false-negatives '>50K=400' --leaf-accuracy 0.7
  exactree fit iris --max-depth 2 --objective leaf_accuracy --solver xct --solver-option strategy=halving

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
    add_columns(parser.add_argument_group("columns"))
    add_limits(parser.add_argument_group("which trees are allowed"))
    add_constraints(parser.add_argument_group("what the answers must satisfy"))
    _add_diagrams(parser.add_argument_group("diagrams instead of trees"))
    _add_objective(parser.add_argument_group("what is best"))
    _add_search(parser.add_argument_group("the search"))
    _add_results(parser.add_argument_group("results"))
    return parser


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
    group.add_argument(
        "--max-split-columns", metavar="N", type=int, help="columns of each linear combination at most (default: 3)"
    )
    group.add_argument(
        "--column-price",
        metavar="P",
        type=float,
        help="price of each column of a linear combination but the first, as a share of all rows (default: 0)",
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
    add_class_weight(group)
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
    add_solver_options(group)
    add_budget(group)
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
        help="for the primal heuristic of the search, MIP back ends, sampled thresholds and questions, and the diagram "
        "heuristic (default: always the same seed)",
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
    estimator = training.make_estimator(options, task, training.seconds_left(options, began))
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
