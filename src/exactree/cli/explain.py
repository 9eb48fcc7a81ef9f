"""``exactree explain``: the way of each row through a saved model, and how far to trust where it ends."""

import sys
from argparse import Namespace

from exactree.cli import report, saved
from exactree.cli.reading import table_of
from exactree.explain import trace


def run(options: Namespace) -> int:
    """Read model and rows, tell the way of each row."""
    graph, about = saved.read(options.model)
    table = table_of(options.data, options, graph, about)
    found = trace(graph, table, confidence=options.confidence)
    traces = found if isinstance(found, list) else [found]
    if options.json:
        report.write_json({"confidence": options.confidence, "rows": [one.to_dict() for one in traces]})
        return 0
    heads = [f"row {at}\n" if len(traces) > 1 else "" for at in range(len(traces))]
    sys.stdout.write("\n\n".join(head + str(one) for head, one in zip(heads, traces, strict=True)) + "\n")
    return 0
