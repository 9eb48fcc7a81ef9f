"""Options about the table, about which trees are allowed, and about time and memory."""

from argparse import ArgumentTypeError
from typing import Any

from exactree.cli.arguments import add_reading, depth, names, rows_or_share, seconds


def add_columns(group: Any) -> None:
    """Add the options to a group of a parser.

    Examples
    --------
    >>> from exactree.cli.arguments import Parser
    >>> parser = Parser(prog="exactree")
    >>> add_columns(parser)
    >>> parser.parse_args(["--drop", "id,name"]).drop
    ['id', 'name']
    """
    group.add_argument("--target", metavar="NAME", help="column to predict (default: the column named 'class')")
    group.add_argument("--weights", metavar="NAME", help="column that says how much each row counts")
    group.add_argument("--categorical", metavar="A,B", type=names, default=[], help="columns whose numbers are codes")
    group.add_argument("--drop", metavar="A,B", type=names, default=[], help="columns to leave out")
    add_reading(group)


def add_limits(group: Any) -> None:
    """Add the options to a group of a parser.

    Examples
    --------
    >>> from exactree.cli.arguments import Parser
    >>> parser = Parser(prog="exactree")
    >>> add_limits(parser)
    >>> parser.parse_args(["--min-samples-leaf", "0.05"]).min_samples_leaf
    0.05
    """
    group.add_argument(
        "--max-depth", metavar="N", type=depth, help="questions on a path, or none for no limit (default: 3)"
    )
    group.add_argument("--max-leaf-nodes", metavar="N", type=int, help="leaves in all (default: no limit)")
    group.add_argument(
        "--min-samples-leaf",
        metavar="N",
        type=rows_or_share,
        default=None,
        help="rows in each leaf, or a share of all rows such as 0.05 (default: 1; up to 50 for worst-leaf objectives)",
    )
    group.add_argument(
        "--min-weight-fraction-leaf",
        metavar="F",
        type=float,
        help="share of all weight in each leaf, or on each side that ends in a leaf of a diagram (default: 0)",
    )
    group.add_argument(
        "--thresholds",
        metavar="POLICY",
        default="all",
        help="where numbers may be cut: all (default), class-changes, quantiles(K) or sampled (where CART cuts on "
        "samples of the rows); all but the first are faster and optimal only among the cuts that are left",
    )


def add_class_weight(group: Any) -> None:
    """Add the options to a group of a parser.

    Examples
    --------
    >>> from exactree.cli.arguments import Parser
    >>> parser = Parser(prog="exactree")
    >>> add_class_weight(parser)
    >>> parser.parse_args(["--class-weight", "yes=5,no=1"]).class_weight
    {'yes': 5.0, 'no': 1.0}
    """
    group.add_argument(
        "--class-weight", metavar="W", type=_class_weight, help="'balanced', or one weight per class such as yes=5,no=1"
    )


def add_budget(group: Any) -> None:
    """Add the options to a group of a parser.

    Examples
    --------
    >>> from exactree.cli.arguments import Parser
    >>> parser = Parser(prog="exactree")
    >>> add_budget(parser)
    >>> parser.parse_args(["--time-limit", "none"]).time_limit is None
    True
    """
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=seconds,
        default=60.0,
        help="for reading and search together; default: 60; 'none': until proved",
    )
    group.add_argument("--memory-limit", metavar="SIZE", help="such as 4GB (default: no limit)")


def _class_weight(text: str) -> str | dict[str, float]:
    if text == "balanced":
        return text
    try:
        pairs = [name.rsplit("=", 1) for name in names(text)]
        return {label: float(weight) for label, weight in pairs}
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is neither 'balanced' nor like yes=5,no=1") from None
