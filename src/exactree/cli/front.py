"""``exactree front``: the curve of accuracy against the worst leaf, or against fairness, all trees of it."""

import sys
import time
from argparse import Namespace
from typing import Any

from exactree.cli.arguments import EXIT_CODES, JSON, Parser
from exactree.cli.options.constraints import add_sensitive
from exactree.cli.options.table import add_budget, add_class_weight, add_columns, add_limits

PROVED, NOT_PROVED = 0, 3
OBJECTIVES = ("leaf_accuracy", "leaf_confidence")

DESCRIPTION = """\
Find all trees that are best in two ways at once: the whole tree right as often as possible, and its
worst leaf as reliable as possible; or, with --fairness, groups treated as alike as possible.
No tree on the curve is beaten in both by any other allowed tree.

DATA is a CSV or TSV file (also .gz), a Parquet file, or a name from 'exactree datasets'.
Few thresholds, such as --thresholds 'quantiles(16)', make it quick.
"""

EXAMPLES = """\
examples:
  exactree front iris --max-depth 2 --min-samples-leaf 5
  exactree front data.csv --target class --max-depth 3 --thresholds 'quantiles(16)' -o front.csv --svg front.svg
  exactree front data.csv --target class --objective leaf_confidence --confidence 0.9 --json
  exactree front adult.csv --max-depth 2 --fairness demographic_parity --sensitive sex --svg front.svg

"""


CODES = EXIT_CODES.replace("for fit: the tree is", "the whole curve is").replace("fit: a tree was", "points were")


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "front",
        usage="exactree front DATA --target NAME [options]",
        help="find the curve of accuracy against the worst leaf or fairness",
        description=DESCRIPTION,
        epilog=EXAMPLES + CODES,
    )
    parser.add_argument("data", metavar="DATA", help="file, or name of a data set")
    add_columns(parser.add_argument_group("columns"))
    add_limits(parser.add_argument_group("which trees are allowed"))
    objective = parser.add_argument_group("what is best")
    objective.add_argument(
        "--objective",
        metavar="NAME",
        default="leaf_accuracy",
        help="how leaves are scored: leaf_accuracy (default) or leaf_confidence",
    )
    objective.add_argument("--confidence", metavar="C", type=float, default=0.95, help="for leaf_confidence: 0.95")
    objective.add_argument(
        "--fairness",
        dest="curve",
        metavar="MEASURE",
        help="errors against the difference of rates between the groups of --sensitive: demographic_parity, "
        "equal_opportunity, predictive_equality or equalized_odds",
    )
    objective.add_argument(
        "--resolution", metavar="D", type=float, default=0.005, help="for --fairness: differences told apart (0.005)"
    )
    add_sensitive(objective)
    add_class_weight(objective)
    add_budget(parser.add_argument_group("the search"))
    results = parser.add_argument_group("results")
    results.add_argument("-o", "--output", metavar="FILE", help="write the points as CSV")
    results.add_argument("--svg", metavar="FILE", help="draw the curve")
    results.add_argument("--json", action="store_true", help=JSON)
    return parser


def run(options: Namespace) -> int:
    """Read, search, report; the code says whether all of the curve is proved."""
    import warnings

    from exactree.cli import report, training
    from exactree.cli.rows import write_csv
    from exactree.estimators import NotProvedWarning

    began = time.monotonic()  # the time limit includes reading, but not the imports
    report.writable(options.output, "--output")
    report.drawable(options.svg)
    # The rule of the curve is read as one of fit, with a limit that every tree satisfies.
    options.fairness = [] if options.curve is None else [(options.curve, 1.0)]
    options.fairness_ratio, options.false_negatives, options.leaf_accuracy = [], [], None
    task = training.read_task(options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvedWarning)  # the report says it
        found = _curve(options, task, training.seconds_left(options, began))
    columns = found.to_frame()
    if options.output is not None:
        write_csv(list(columns), list(columns.values()), options.output)
    if options.svg is not None:
        found.save_svg(options.svg)
    if options.json:
        report.write_json(_as_json(found, options, time.monotonic() - began))
    else:
        wrote = [f"wrote {path}\n" for path in (options.output, options.svg) if path is not None]
        sys.stdout.write(f"{found}\n{''.join(wrote)}")
    return PROVED if found.proved else NOT_PROVED


def _curve(options: Namespace, task: Any, seconds: float | None) -> Any:
    from exactree.cli import training
    from exactree.estimators import fairness_front, pareto_front

    given = training.tree_parameters(options, task, seconds)
    if options.curve is None:
        asked = {"objective": options.objective, "confidence": options.confidence}
        return pareto_front(task.X, task.y, task.weights, **given, **asked)
    (rule,) = task.constraints
    asked = {name: getattr(rule, name) for name in ("measure", "groups", "positive", "within")}
    return fairness_front(task.X, task.y, task.weights, resolution=options.resolution, **asked, **given)


def _as_json(found: Any, options: Namespace, seconds: float) -> dict[str, Any]:
    from exactree.export import to_text

    columns = found.to_frame()
    points = [
        {name: values[at] for name, values in columns.items()} | {"tree": to_text(point.tree)}
        for at, point in enumerate(found)
    ]
    return {
        "objective": getattr(found, "objective", None),
        "measure": getattr(found, "measure", None),
        "status": found.status,
        "proved": found.proved,
        "allowed": found.scope,
        "points": points,
        "seconds": round(seconds, 6),
        "paths": {"points": options.output, "svg": options.svg},
    }
