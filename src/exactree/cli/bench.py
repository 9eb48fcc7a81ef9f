"""``exactree bench``: hands over to the distribution ``exactree-bench``, if it is installed."""

from argparse import Namespace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from exactree.cli.arguments import Parser
from exactree.errors import InputError


def add_parser(commands: Any) -> Parser:
    """Add the command; its options belong to ``exactree-bench``, so all that follows the name is handed over."""
    parser: Parser = commands.add_parser(
        "bench", help="compare exactree with its peers", add_help=False, prefix_chars="\0"
    )
    parser.add_argument("arguments", nargs="*")
    return parser


def run(options: Namespace) -> int:
    """Run ``exactree-bench`` with the same arguments."""
    if find_spec("exactree_bench") is None:
        raise InputError("The benchmarks are a package of their own; install it: pip install exactree-bench")
    code: int = import_module("exactree_bench.command").main(options.arguments)
    return code
