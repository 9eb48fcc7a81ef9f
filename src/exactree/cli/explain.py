"""``exactree explain``: the decision path of each row through a saved model, and how far to trust its leaf."""

import sys
from argparse import Namespace
from typing import Any

from exactree.cli.arguments import JSON, Parser, add_model, add_reading, share

DESCRIPTION = """\
Show for each row of a table its decision path through a saved model, the leaf where it ends,
and how far to trust that leaf: its training rows, the share of them that is right, and Wilson's
interval of that share.
"""

EXAMPLES = """\
examples:
  exactree explain model.json row.csv
  exactree explain model.json row.csv --confidence 0.99 --json
"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "explain",
        usage="exactree explain MODEL DATA [options]",
        help="show why rows get their answers",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    add_model(parser)
    parser.add_argument("data", metavar="DATA", help="file with one or more rows, or name of a data set")
    parser.add_argument("--confidence", metavar="C", type=share, default=0.95, help="of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help=JSON)
    add_reading(parser)
    return parser


def run(options: Namespace) -> int:
    """Read model and rows, print the decision path of each row."""
    from exactree.cli import report, saved
    from exactree.cli.reading import rows_for
    from exactree.explain import trace

    model = saved.read(options)
    table = rows_for(options.data, options, model.graph, model.about).used
    found = trace(model.explained, table, confidence=options.confidence)
    traces = found if isinstance(found, list) else [found]
    if options.json:
        report.write_json({"confidence": options.confidence, "rows": [one.to_dict() for one in traces]})
        return 0
    heads = [f"row {at}\n" if len(traces) > 1 else "" for at in range(len(traces))]
    sys.stdout.write("\n\n".join(head + str(one) for head, one in zip(heads, traces, strict=True)) + "\n")
    return 0
