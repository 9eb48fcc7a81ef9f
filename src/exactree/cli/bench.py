"""``exactree bench``: hands over to the distribution ``exactree-bench``, if it is installed."""

from argparse import Namespace
from importlib import import_module
from importlib.util import find_spec

from exactree.errors import InputError


def run(options: Namespace) -> int:
    """Run ``exactree-bench`` with the same arguments."""
    if find_spec("exactree_bench") is None:
        raise InputError("The benchmarks are a package of their own; install it: pip install exactree-bench")
    code: int = import_module("exactree_bench.command").main(options.arguments)
    return code
