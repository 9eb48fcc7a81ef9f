"""``exactree show``: print or draw a saved model."""

import sys
import zipfile
from argparse import Namespace
from typing import Any

from exactree.cli.arguments import JSON, MODEL, Parser

EXAMPLES = """\
examples:
  exactree show model.json
  exactree show model.json --svg tree.svg
  exactree show hybrid.zip
"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "show",
        help="print or draw a saved model",
        description="Print a saved model and what was proved of it.",
        epilog=EXAMPLES,
    )
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument("--svg", metavar="FILE", help="draw the tree")
    parser.add_argument("--json", action="store_true", help=JSON)
    return parser


def run(options: Namespace) -> int:
    """Print the model and what was proved of it; draw it too if asked."""
    from exactree.cli import report, saved
    from exactree.export import to_text
    from exactree.model import load, load_about
    from exactree.plot import save_svg

    report.drawable(options.svg)
    path = saved.model_file(options.model)
    hybrid = saved.read_hybrid(path) if zipfile.is_zipfile(path) else None  # its models stay unread
    graph, about = (load(path), load_about(path)) if hybrid is None else (hybrid.graph, hybrid.about)
    if options.svg is not None:
        save_svg(graph, options.svg)
    if options.json:
        report.write_json(
            {
                **saved.as_json(about),
                "classes": graph.classes.tolist(),
                "columns": [column.name for column in graph.schema.columns],
                "n_leaves": graph.n_leaves,
                "depth": graph.depth,
                "n_rows": int(graph.rows[0]),
                "tree": to_text(graph),
                **({} if hybrid is None else report.of_leaves(hybrid.report)),
                "paths": {"model": options.model, "svg": options.svg},
            }
        )
        return 0
    sys.stdout.write(to_text(graph) + "\n")
    if about is not None:
        sys.stdout.write(f"\n{saved.verdict(about, saved.noun(graph, about))}\n")
    if hybrid is not None:
        sys.stdout.write(f"\ntraining rows:\n{hybrid.report}\n")
    if options.svg is not None:
        sys.stderr.write(f"wrote {options.svg}\n")
    return 0
