"""Commands that tell about a saved model: what can be typed after ``exactree show``, ``explain``, ``counterfactual``.

Nothing heavy is imported here, so that ``--help`` answers at once.
"""

import argparse
from collections.abc import Callable
from typing import Any

SHOW_EXAMPLES = """\
examples:
  exactree show model.json
  exactree show model.json --svg tree.svg
"""

EXPLAIN = """\
Tell for each row of a table how it answers the questions of a saved model, in which leaf it ends,
and how far to trust that leaf: its training rows, the share of them that is right, and Wilson's
interval of that share.
"""

EXPLAIN_EXAMPLES = """\
examples:
  exactree explain model.json row.csv
  exactree explain model.json row.csv --confidence 0.99 --json
"""

COUNTERFACTUAL = """\
Find for each row of a table the smallest changes that make a saved model say something else.
The nearest row of every leaf is found exactly, and predicted again before it is printed.
"""

COUNTERFACTUAL_EXAMPLES = """\
examples:
  exactree counterfactual model.json row.csv --want good --fixed age,sex
  exactree counterfactual model.json row.csv --only-up education --data train.csv --k 5
  exactree counterfactual model.json row.csv --range income=:5000 --range job=clerk,nurse --min-accuracy 0.9

Distances count in median absolute deviations: of the rows in --data or, without, of those the model was
fitted to. With --costs changes, the number of changed columns counts instead.
With --data, numbers change to values that occur there; without, to the thresholds of the model.
Where no change within the limits leads to a wanted label, the limit is named that stands in the way.
"""


MODEL = "file written by 'exactree fit -o'"
JSON = "print one JSON object instead of text"


def add_parsers(adder: Any, names: Callable[[str], list[str]], add_reading: Callable[[Any], None]) -> dict[str, Any]:
    """Add the commands; return their parsers by name. ``names`` splits lists, ``add_reading`` adds options of files."""
    show = adder.add_parser(
        "show",
        help="print or draw a saved model",
        description="Print a saved model and what was proved of it.",
        epilog=SHOW_EXAMPLES,
    )
    show.add_argument("model", metavar="MODEL", help=MODEL)
    show.add_argument("--svg", metavar="FILE", help="draw the tree")
    show.add_argument("--json", action="store_true", help=JSON)
    explain = adder.add_parser(
        "explain",
        usage="exactree explain MODEL DATA [options]",
        help="tell why rows get their answers",
        description=EXPLAIN,
        epilog=EXPLAIN_EXAMPLES,
    )
    _add_explain(explain, add_reading)
    changes = adder.add_parser(
        "counterfactual",
        usage="exactree counterfactual MODEL ROWS [options]",
        help="find the smallest changes that alter an answer",
        description=COUNTERFACTUAL,
        epilog=COUNTERFACTUAL_EXAMPLES,
    )
    _add_counterfactual(changes, names, add_reading)
    return {"show": show, "explain": explain, "counterfactual": changes}


def _add_explain(parser: Any, add_reading: Callable[[Any], None]) -> None:
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument("data", metavar="DATA", help="file with one or more rows, or name of a data set")
    parser.add_argument("--confidence", metavar="C", type=_share, default=0.95, help="of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help=JSON)
    add_reading(parser)


def _add_counterfactual(parser: Any, names: Callable[[str], list[str]], add_reading: Callable[[Any], None]) -> None:
    parser.add_argument("model", metavar="MODEL", help=MODEL)
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
    parser.add_argument("--json", action="store_true", help=JSON)
    add_reading(parser)


def _range(text: str) -> tuple[str, str]:
    """Part a column from what it may change to.

    Examples
    --------
    >>> _range("age=18:70")
    ('age', '18:70')
    """
    name, sign, values = text.partition("=")
    if not name or not sign:
        raise argparse.ArgumentTypeError(f"{text!r} is not like age=18:70 or job=clerk,nurse")
    return name, values


def _share(text: str) -> float:
    """Read a share between 0 and 1.

    Examples
    --------
    >>> _share("0.9")
    0.9
    """
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1, such as 0.95")
    return share
