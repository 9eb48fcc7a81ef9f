"""Options of ``exactree fit`` that ask for a diagram, and which of them go together.

Nothing heavy is imported here, so that ``--help`` answers at once.
"""

import argparse
from typing import Any

from exactree.errors import InputError

ABOUT_TREES = ("max_depth", "max_leaf_nodes", "min_samples_leaf")
ABOUT_DIAGRAMS = ("multivariate", "tree", "min_samples_node", "max_nodes")
INSTEAD = {  # what a diagram has in place of a tree's limit
    "max_depth": "a diagram is as deep as it has widths",
    "max_leaf_nodes": "a diagram has one leaf for each class; use --max-nodes",
    "min_samples_leaf": "use --min-samples-node or --min-weight-fraction-leaf",
}


def add(group: Any, rows_or_share: Any) -> None:
    """Add the options; ``rows_or_share`` reads a number of rows or a share of them."""
    group.add_argument(
        "--widths",
        metavar="W",
        type=widths,
        help="find a diagram, with so many nodes in each layer: I, II, III or IV as in the ODD paper, or such as 1,2,4",
    )
    group.add_argument("--multivariate", action="store_true", help="nodes may ask about sums of columns")
    group.add_argument("--tree", action="store_true", help="no node with two parents: a tree within the layers")
    group.add_argument(
        "--min-samples-node",
        metavar="N",
        type=rows_or_share,
        help="rows at each node that asks, or a share of all rows such as 0.05 (default: 1)",
    )
    group.add_argument("--max-nodes", metavar="N", type=int, help="nodes that ask, in all (default: no limit)")


def widths(text: str) -> str | tuple[int, ...]:
    """Read the name of a skeleton, or numbers.

    Examples
    --------
    >>> widths("II"), widths("1,2,4")
    ('II', (1, 2, 4))
    """
    if text.strip("IV") == "" and text:
        return text
    try:
        return tuple(int(width) for width in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither I, II, III or IV nor numbers such as 1,2,4") from None


def refuse_mixtures(options: argparse.Namespace) -> None:
    """Refuse options of trees beside those of diagrams."""
    if options.widths is None:
        for name in ABOUT_DIAGRAMS:
            if given(options, name):
                raise InputError(f"{flag(name)} is about diagrams. Ask for one, such as --widths II, or leave it out.")
        return
    for name in ABOUT_TREES:
        if given(options, name):
            raise InputError(
                f"{flag(name)} is about trees, and --widths asks for a diagram: {INSTEAD[name]}. Leave one of them out."
            )


def given(options: argparse.Namespace, name: str) -> bool:
    """Whether an option was typed; those of trees and diagrams are None or false if not."""
    value = getattr(options, name)
    return value is not None and value is not False  # 0 was typed


def flag(name: str) -> str:
    """Write an option as it is typed.

    Examples
    --------
    >>> flag("max_nodes")
    '--max-nodes'
    """
    return "--" + name.replace("_", "-")
