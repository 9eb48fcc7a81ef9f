"""``exactree show``: print or draw a saved model."""

import sys
from argparse import Namespace

from exactree.cli import report, saved
from exactree.export import to_text
from exactree.plot import save_svg


def run(options: Namespace) -> int:
    """Print the model; draw it too if asked."""
    report.writable(options.svg, "--svg")
    graph = saved.read(options.model)
    if options.svg is not None:
        save_svg(graph, options.svg)
    if options.json:
        report.write_json(
            {
                "classes": graph.classes.tolist(),
                "columns": [column.name for column in graph.schema.columns],
                "n_leaves": graph.n_leaves,
                "depth": graph.depth,
                "n_rows": int(graph.rows[0]),
                "tree": to_text(graph),
                "paths": {"model": options.model, "svg": options.svg},
            }
        )
        return 0
    sys.stdout.write(to_text(graph) + "\n")
    if options.svg is not None:
        sys.stderr.write(f"wrote {options.svg}\n")
    return 0
