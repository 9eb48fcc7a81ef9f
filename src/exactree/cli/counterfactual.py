"""``exactree counterfactual``: the smallest changes of each row that make a saved model say something else."""

import sys
from argparse import ArgumentTypeError, Namespace
from typing import Any

from exactree.cli.arguments import JSON, Parser, add_model, add_reading, names, seconds

DESCRIPTION = """\
Find for each row of a table the smallest changes that make a saved model say something else.
The nearest row of every leaf is found exactly, and predicted again before it is printed.
"""

EXAMPLES = """\
examples:
  exactree counterfactual model.json row.csv --want good --fixed age,sex
  exactree counterfactual model.json row.csv --only-up education --data train.csv --k 5
  exactree counterfactual model.json row.csv --range income=:5000 --range job=clerk,nurse --min-accuracy 0.9

Distances count in median absolute deviations: of the rows in --data or, without, of those the model was
fitted to. With --costs changes, the number of changed columns counts instead.
With --data, numbers change to values that occur there; without, to the thresholds of the model.
Where leaves have models, --data also gives rows to start from; an answer that is not proved to be
the nearest says so.
Where no change within the limits leads to a wanted label, the limit is named that stands in the way.
"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "counterfactual",
        usage="exactree counterfactual MODEL ROWS [options]",
        help="find the smallest changes that alter an answer",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    add_model(parser)
    parser.add_argument("rows", metavar="ROWS", help="file with one or more rows, or name of a data set")
    parser.add_argument("--want", metavar="A,B", type=names, help="labels wanted (default: any other than now)")
    parser.add_argument("--k", metavar="N", type=int, default=3, help="answers per row (default: 3)")
    parser.add_argument("--fixed", metavar="A,B", type=names, default=[], help="columns that may not change")
    parser.add_argument("--only-up", metavar="A,B", type=names, default=[], help="columns that may not go down")
    parser.add_argument("--only-down", metavar="A,B", type=names, default=[], help="columns that may not go up")
    parser.add_argument(
        "--range",
        metavar="NAME=LOW:HIGH",
        type=_range,
        action="append",
        default=[],
        help="what a column may change to: numbers from LOW to HIGH, one of which may be left out, or values such as "
        "job=clerk,nurse; give it once per column",
    )
    parser.add_argument("--min-accuracy", metavar="A", type=float, help="share that is right in the leaf of an answer")
    parser.add_argument("--min-support", metavar="N", type=int, help="rows in the leaf of an answer")
    parser.add_argument("--data", metavar="TABLE", help="rows such as those the model was fitted to")
    parser.add_argument("--costs", choices=("mad", "changes"), default="mad", help="default: mad; see below")
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=seconds,
        default=60.0,
        help="for all rows together, where leaves have models (default: 60; 'none': until proved)",
    )
    parser.add_argument("--json", action="store_true", help=JSON)
    add_reading(parser)
    return parser


def run(options: Namespace) -> int:
    """Read model and rows, find the changes of each row."""
    from exactree.cli import report, saved
    from exactree.cli.reading import rows_for
    from exactree.cli.wanted import check_costs, labels, ranges
    from exactree.explain import Counterfactuals, counterfactuals

    model = saved.read(options)
    graph, about = model.graph, model.about
    check_costs(graph, options)
    table = rows_for(options.rows, options, graph, about).used
    found = counterfactuals(
        model.explained,
        table,
        labels(graph, options.want),
        k=options.k,
        costs=options.costs,
        fixed=options.fixed,
        only_up=options.only_up,
        only_down=options.only_down,
        ranges=ranges(graph, options.range),
        min_accuracy=options.min_accuracy,
        min_support=options.min_support,
        data=None if options.data is None else rows_for(options.data, options, graph, about).used,
        time_limit=options.time_limit,
    )
    results: list[Counterfactuals] = found if isinstance(found, list) else [found]
    if options.json:
        report.write_json({"rows": [one.to_dict() for one in results]})
    else:
        heads = [f"row {at}\n" if len(results) > 1 else "" for at in range(len(results))]
        sys.stdout.write("\n\n".join(head + str(one) for head, one in zip(heads, results, strict=True)) + "\n")
    return 0


def _range(text: str) -> tuple[str, str]:
    """Split at the equals sign: a column, and what it may change to.

    Examples
    --------
    >>> _range("age=18:70")
    ('age', '18:70')
    """
    name, sign, values = text.partition("=")
    if not name or not sign:
        raise ArgumentTypeError(f"{text!r} is not like age=18:70 or job=clerk,nurse")
    return name, values
