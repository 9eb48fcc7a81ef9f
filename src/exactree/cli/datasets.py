"""``exactree datasets``: list the tables that come with exactree, or write one of them."""

import sys
from argparse import Namespace

from exactree.cli import data, report
from exactree.cli.rows import write_csv
from exactree.datasets.catalogue import CATALOGUE
from exactree.errors import InputError

MORE = """
Use a name wherever a file is wanted:    exactree fit monks-1 --max-depth 3
Write a table to a file:                 exactree datasets monks-1 -o monks-1.csv
Fetch one of openml.org by its number:   exactree fit openml:61
"""


def run(options: Namespace) -> int:
    """List all tables, or write the one named."""
    if options.name is None and options.output is not None:
        raise InputError("--output writes one table; say which: exactree datasets NAME --output FILE.")
    if options.name is not None and options.json:
        raise InputError(f"--json lists the tables; {options.name!r} is written as CSV. Leave out the name or --json.")
    if options.name is not None:
        report.writable(options.output, "--output")
        frame = data.read(options.name)
        write_csv(frame.names, [frame.column(name).tolist() for name in frame.names], options.output)
    elif options.json:
        report.write_json({"datasets": [_entry(name) for name in CATALOGUE]})
    else:
        sys.stdout.write(_listing() + MORE)
    return 0


def _entry(name: str) -> dict[str, object]:
    entry = CATALOGUE[name]
    return {
        "name": entry.name,
        "rows": entry.n_rows,
        "columns": entry.n_columns,
        "classes": entry.n_classes,
        "description": entry.description,
    }


def _listing() -> str:
    rows = [(str(v) for v in _entry(name).values()) for name in CATALOGUE]
    header = ("name", "rows", "columns", "classes", "description")
    return "".join(f"{n:<14}{r:>6}{c:>9}{k:>9}  {text}\n" for n, r, c, k, text in (header, *rows))
