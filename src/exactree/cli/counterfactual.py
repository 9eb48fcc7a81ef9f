"""``exactree counterfactual``: the smallest changes of each row that make a saved model say something else."""

import sys
from argparse import Namespace
from typing import Any

from exactree.cli import report, saved
from exactree.cli.cell import same
from exactree.cli.reading import table_of
from exactree.errors import InputError
from exactree.explain import Counterfactuals, counterfactuals
from exactree.model import Graph


def run(options: Namespace) -> int:
    """Read model and rows, find the changes of each row."""
    graph, about = saved.read(options.model)
    table = table_of(options.rows, options, graph, about)
    found = counterfactuals(
        graph,
        table,
        _labels(graph, options.want),
        k=options.k,
        costs=options.costs,
        fixed=options.fixed,
        only_up=options.only_up,
        only_down=options.only_down,
        data=None if options.data is None else table_of(options.data, options, graph, about),
    )
    results: list[Counterfactuals] = found if isinstance(found, list) else [found]
    if options.json:
        report.write_json({"rows": [one.to_dict() for one in results]})
    else:
        heads = [f"row {at}\n" if len(results) > 1 else "" for at in range(len(results))]
        sys.stdout.write("\n\n".join(head + str(one) for head, one in zip(heads, results, strict=True)) + "\n")
    return 0


def _labels(graph: Graph, texts: list[str] | None) -> list[Any] | None:
    """Find the labels that were typed; a label need not be a text."""
    if texts is None:
        return None
    found = []
    for text in texts:
        match = [label for label in graph.classes.tolist() if same(text, label)]
        if not match:
            have = ", ".join(map(repr, graph.classes.tolist()))
            raise InputError(f"--want names {text!r}, but the model's labels are: {have}.")
        found.append(match[0])
    return found
