"""``exactree datasets``: list the tables that come with exactree, or write one of them."""

import sys
from argparse import Namespace
from typing import Any

from exactree.cli.arguments import Parser
from exactree.errors import InputError

EXAMPLES = """\
examples:
  exactree datasets                          list them
  exactree datasets monks-1 -o monks-1.csv   write one to a file
  exactree datasets openml:61                fetch one from openml.org (needs a network)
"""

MORE = """
Use a name in place of a file:           exactree fit monks-1 --max-depth 3
Write a table to a file:                 exactree datasets monks-1 -o monks-1.csv
Fetch one of openml.org by its number:   exactree fit openml:61
"""


def add_parser(commands: Any) -> Parser:
    """Add the command and its options."""
    parser: Parser = commands.add_parser(
        "datasets",
        help="list or write tables that come with exactree",
        description="List the tables that come with exactree, or write one of them as CSV.",
        epilog=EXAMPLES,
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="which one to write; without it, all are listed")
    parser.add_argument("-o", "--output", metavar="FILE", help="write here instead of stdout")
    parser.add_argument("--json", action="store_true", help="list as one JSON object")
    return parser


def run(options: Namespace) -> int:
    """List all tables, or write the one named."""
    from exactree.cli import data, report
    from exactree.cli.rows import write_csv
    from exactree.datasets.catalogue import CATALOGUE

    if options.name is None and options.output is not None:
        raise InputError("--output writes one table; say which: exactree datasets NAME --output FILE.")
    if options.name is not None and options.json:
        raise InputError(f"--json lists the tables; {options.name!r} is written as CSV. Leave out the name or --json.")
    if options.name is not None:
        report.writable(options.output, "--output")
        frame = data.read(options.name)
        write_csv(frame.names, [frame.column(name).tolist() for name in frame.names], options.output)
    elif options.json:
        report.write_json({"datasets": [_columns(entry) for entry in CATALOGUE.values()]})
    else:
        sys.stdout.write(_listing([_columns(entry) for entry in CATALOGUE.values()]) + MORE)
    return 0


def _columns(entry: Any) -> dict[str, object]:
    return {
        "name": entry.name,
        "rows": entry.n_rows,
        "columns": entry.n_columns,
        "classes": entry.n_classes,
        "description": entry.description,
    }


def _listing(entries: list[dict[str, object]]) -> str:
    rows = [(str(value) for value in entry.values()) for entry in entries]
    header = ("name", "rows", "columns", "classes", "description")
    return "".join(f"{n:<14}{r:>6}{c:>9}{k:>9}  {text}\n" for n, r, c, k, text in (header, *rows))
