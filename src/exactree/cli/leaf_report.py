"""``exactree leaf-report``: how good every leaf of a saved model is on rows with known labels."""

import sys
from argparse import Namespace
from typing import Any

from exactree.cli.arguments import JSON, Parser, add_model, add_reading, share

DESCRIPTION = """\
Report for every leaf of a saved model its rule, how many rows of a table end there, the share of them
that is right, and Wilson's interval of that share; with --test also for rows it was not fitted to.
"""

EXAMPLES = """\
examples:
  exactree leaf-report model.json train.csv
  exactree leaf-report model.json train.csv --test test.csv --confidence 0.99
  exactree leaf-report model.json train.csv --json
"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "leaf-report",
        usage="exactree leaf-report MODEL DATA [options]",
        help="show how good every leaf is",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    add_model(parser)
    parser.add_argument("data", metavar="DATA", help="file with labelled rows, or name of a data set")
    parser.add_argument("--test", metavar="FILE", help="labelled rows that the model was not fitted to")
    parser.add_argument(
        "--target", metavar="NAME", help="column of labels (default: the one the model was fitted to, or 'class')"
    )
    parser.add_argument("--confidence", metavar="C", type=share, default=0.95, help="of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help=JSON)
    add_reading(parser)
    return parser


def run(options: Namespace) -> int:
    """Read model and rows, count, print."""
    from exactree.cli import report, saved
    from exactree.explain import leaf_report

    model = saved.read(options)
    graph, about = model.graph, model.about
    rows, y = _labelled(options.data, options, graph, about)
    test = None if options.test is None else _labelled(options.test, options, graph, about)
    found = leaf_report(model.explained, rows, y, test=test, confidence=options.confidence)
    if options.json:
        report.write_json(found.to_dict())
    else:
        sys.stdout.write(f"{found}\n")
    return 0


def _labelled(text: str, options: Namespace, graph: Any, about: Any) -> tuple[Any, Any]:
    """Read the rows of a file and their labels."""
    from exactree.cli import data
    from exactree.cli.reading import rows_for
    from exactree.errors import InputError

    frame, target, used = rows_for(text, options, graph, about, target=options.target)
    if target is None:
        raise InputError("Which column holds the labels? Say it with --target NAME; the model does not know its name.")
    data.require([target], frame, "--target")
    return used, frame.column(target)
